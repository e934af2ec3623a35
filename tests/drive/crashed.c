#define _GNU_SOURCE /* syscall() */
#include "tests/drive/crashed.h"
#include "tests/drive/targets.h"
#include "tests/drive/run_tests.h"
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 60000, STEP_MS = 20 };

/* Dead, but for us to notice. */
static bool
is_zombie(int32_t pid)
{
	char path[32], line[512] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return true;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	state = strrchr(line, ')');
	return state && !strncmp(state, ") Z", 3);
}

/*
 * The handler writes the core and returns, for no instruction of the thread failed. A second signal
 * waits for that, and nobody handles it any more.
 */
static bool
dies(int32_t pid, const char *path)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };
	bool has_second = false;

	syscall(SYS_tgkill, pid, pid, SIGSEGV);
	for (int ms = 0; ms < WAIT_MS; ms += STEP_MS) {
		if (!has_second && !access(path, F_OK)) {
			syscall(SYS_tgkill, pid, pid, SIGSEGV);
			has_second = true;
		}
		if (is_zombie(pid))
			return true;
		nanosleep(&step, NULL);
	}
	return false;
}

bool
crashed_core(const char *version, enum crashed_kind kind, char *path, size_t size)
{
	char name[400], type[40];
	const char *const variables[] = { "DOTNET_DbgEnableMiniDump=1", type, name, NULL };
	struct target *t;
	bool is_dead;

	if (!target_exists(version)) {
		printf("skipped: no program for .NET %s\n", version);
		return false;
	}
	snprintf(path, size, "%.200s/crashed.%d", targets_folder(), getpid());
	snprintf(name, sizeof(name), "DOTNET_DbgMiniDumpName=%.300s", path);
	snprintf(type, sizeof(type), "DOTNET_DbgMiniDumpType=%d", kind);
	t = target_start(version, TARGET_HERE, NULL, variables);
	is_dead = dies(target_pid(t), path);
	target_free(t);
	if (!is_dead || access(path, R_OK))
		fail_msg(".NET %s wrote no core of its crash", version);
	return true;
}
