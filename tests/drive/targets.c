#define _GNU_SOURCE /* unshare(), realpath() */
#include "tests/drive/targets.h"
#include "capture/process/proc.h"
#include "model/base/error.h"
#include "tests/drive/run_tests.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const with_server[] = { "DOTNET_gcServer=1", "DOTNET_GCHeapCount=2",
				    "DOTNET_GCDynamicAdaptationMode=0", NULL };
const char *const with_segments[] = { "DOTNET_GCName=libclrgc.so", NULL };

enum { OUTPUT_BYTES = 4096, ARGUMENTS_MAX = 16, NOBODY = 65534 };

static const char REFERENCE[] = "leaky";

struct target {
	pid_t child; /* ours; the parent of the target in namespaces */
	pid_t pid;
	int in, out;
	char output[OUTPUT_BYTES];
	char program[256];
	char folder[40]; /* of its own, to be removed; "" if none */
	uint64_t start_ticks;
};

const char *
targets_folder(void)
{
	const char *folder = getenv("HEAPTOP_TARGETS");

	return folder ? folder : "build/targets";
}

static void
program_path(char path[256], const char *program, const char *version)
{
	snprintf(path, 256, "%.190s/%.16s-%.24s/%.16s", targets_folder(), program, version,
		 program);
}

/* Once is enough: it may take minutes. */
static void
build_missing(void)
{
	static bool has_tried;
	static int status;

	if (!has_tried) {
		has_tried = true;
		fflush(NULL);
		status = system("sh tests/programs/targets.sh");
	}
	if (status)
		fail_msg("tests/programs/targets.sh failed");
}

bool
target_program_exists(const char *program, const char *version)
{
	char path[256];

	program_path(path, program, version);
	/* The reference program never changes; others may have. */
	if (!strcmp(program, REFERENCE) && !access(path, X_OK))
		return true;
	build_missing();
	return !access(path, X_OK);
}

bool
target_exists(const char *version)
{
	return target_program_exists(REFERENCE, version);
}

const char *
target_samples(void)
{
	static char variable[PATH_MAX + 32];
	char path[300], real[PATH_MAX];

	/* Also if it has changed. */
	build_missing();
	snprintf(path, sizeof(path), "%.250s/samples/samples.dll", targets_folder());
	if (!realpath(path, real))
		return NULL;
	snprintf(variable, sizeof(variable), "DOTNET_STARTUP_HOOKS=%s", real);
	return variable;
}

/* ---- in the new process
 * ------------------------------------------------------ */

static void
exec_program(const struct target *t, const char *const arguments[], const char *const variables[])
{
	const char *argv[ARGUMENTS_MAX + 2] = { NULL };
	const char *path = t->program;

	argv[0] = path;
	for (int i = 0; i < ARGUMENTS_MAX && arguments && arguments[i]; i++)
		argv[i + 1] = arguments[i];
	for (int i = 0; variables && variables[i]; i++)
		putenv((char *)(uintptr_t)variables[i]);
	execv(path, (char *const *)(uintptr_t)argv);
	_exit(127);
}

static bool
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return is_written;
}

/* Who is not root is it in a namespace of his own, where that is allowed. */
static bool
become_root(void)
{
	unsigned uid = geteuid(), gid = getegid();
	char users[32], groups[32];

	if (!uid)
		return true;
	snprintf(users, sizeof(users), "0 %u 1", uid);
	snprintf(groups, sizeof(groups), "0 %u 1", gid);
	return !unshare(CLONE_NEWUSER) && write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/uid_map", users) && write_file("/proc/self/gid_map", groups);
}

/* The folder is another one for it than for us. */
static bool
enter_namespaces(const char *folder)
{
	return become_root() && !unshare(CLONE_NEWPID | CLONE_NEWNS) &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", folder, "tmpfs", 0, NULL) && !setenv("TMPDIR", folder, 1);
}

/* The first process of the new namespace; `told` hears its pid as we see it. */
static void
start_inside(const struct target *t, bool has_proc, int told, const char *const arguments[],
	     const char *const variables[])
{
	pid_t pid;

	if (!enter_namespaces(t->folder))
		_exit(126);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (has_proc && mount("proc", "/proc", "proc", 0, NULL))
			_exit(126);
		exec_program(t, arguments, variables);
	}
	if (write(told, &pid, sizeof(pid)) != sizeof(pid))
		_exit(125);
	close(told);
	waitpid(pid, NULL, 0);
	_exit(0);
}

/* ---- in ours
 * ------------------------------------------------------------------ */

/* Reads on until a line begins so; false at the end. */
static bool
read_until(struct target *t, const char *begin)
{
	size_t len = strlen(t->output);

	for (;;) {
		const char *found = strstr(t->output, begin);
		ssize_t got;

		if (found && strchr(found, '\n'))
			return true;
		if (len + 1 >= sizeof(t->output))
			return false;
		got = read(t->out, t->output + len, sizeof(t->output) - 1 - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		len += (size_t)got;
		t->output[len] = '\0';
	}
}

static void
close_on_exec(const int fds[2])
{
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
}

/* In the child: standard input and output, then the program. */
static void
child_main(struct target *t, const int pipes[3][2], enum target_place place,
	   const char *const arguments[], const char *const variables[])
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(pipes[0][0], 0);
	dup2(pipes[1][1], 1);
	unsetenv("TMPDIR");
	if (t->folder[0])
		start_inside(t, place == TARGET_CONTAINER, pipes[2][1], arguments, variables);
	if (place == TARGET_NOBODY && (setgid(NOBODY) || setuid(NOBODY)))
		_exit(126);
	exec_program(t, arguments, variables);
}

static bool
wait_ready(struct target *t, int told)
{
	struct proc_stat stat;

	t->pid = t->child;
	if (t->folder[0] && read(told, &t->pid, sizeof(t->pid)) != sizeof(t->pid))
		return false;
	if (!read_until(t, "ready "))
		return false;
	if (proc_stat(PROC_FOLDER, t->pid, &stat))
		t->start_ticks = stat.start_ticks;
	return true;
}

static struct target *
start(const char *program, const char *version, enum target_place place,
      const char *const arguments[], const char *const variables[])
{
	struct target *t = calloc(1, sizeof(*t));
	int pipes[3][2]; /* its input, its output, its pid */

	assert_non_null(t);
	program_path(t->program, program, version);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pipe(pipes[i]), 0);
		close_on_exec(pipes[i]);
	}
	if (place == TARGET_CONTAINER || place == TARGET_NAMESPACES) {
		snprintf(t->folder, sizeof(t->folder), "/tmp/target.XXXXXX");
		assert_non_null(mkdtemp(t->folder));
	}
	fflush(NULL);
	t->child = fork();
	assert_true(t->child >= 0);
	if (!t->child)
		child_main(t, (const int(*)[2])pipes, place, arguments, variables);
	close(pipes[0][0]);
	close(pipes[1][1]);
	close(pipes[2][1]);
	t->in = pipes[0][1];
	t->out = pipes[1][0];
	if (!wait_ready(t, pipes[2][0])) {
		if (place == TARGET_HERE)
			fail_msg("%s did not start", t->program);
		target_free(t);
		t = NULL;
	}
	close(pipes[2][0]);
	/* It makes its last objects after it has said so; then it answers. */
	if (t)
		target_tell(t, "gc");
	return t;
}

struct target *
target_start(const char *version, enum target_place place, const char *const arguments[],
	     const char *const variables[])
{
	return start(REFERENCE, version, place, arguments, variables);
}

struct target *
target_start_program(const char *program, const char *version, const char *const arguments[])
{
	return start(program, version, TARGET_HERE, arguments, NULL);
}

struct target *
target_start_with(const char *program, const char *version, const char *const arguments[],
		  const char *const variables[])
{
	return start(program, version, TARGET_HERE, arguments, variables);
}

int32_t
target_pid(const struct target *t)
{
	return t->pid;
}

bool
target_is_native(const struct target *t)
{
	return strstr(t->program, "-native");
}

long
target_fact(const struct target *t, const char *name)
{
	char line[64];
	const char *found;

	snprintf(line, sizeof(line), "fact %s ", name);
	found = strstr(t->output, line);
	return found ? strtol(found + strlen(line), NULL, 10) : -1;
}

void
target_tell(struct target *t, const char *line)
{
	char *ready = strstr(t->output, "ready ");

	/* What it says next stands behind that line. */
	assert_non_null(ready);
	ready[strcspn(ready, "\n") + 1] = '\0';
	assert_int_equal(write(t->in, line, strlen(line)), (int)strlen(line));
	assert_int_equal(write(t->in, "\n", 1), 1);
	assert_true(read_until(t, "grown"));
}

/* Killed, it leaves its socket and its pipes. */
static void
remove_leftovers(const struct target *t)
{
	static const char *const names[][2] = {
		{ "dotnet-diagnostic", "socket" },
		{ "clr-debug-pipe", "in" },
		{ "clr-debug-pipe", "out" },
	};
	char path[120];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "/tmp/%s-%d-%" PRIu64 "-%s", names[i][0], t->pid,
			 t->start_ticks, names[i][1]);
		unlink(path);
	}
	if (t->folder[0])
		rmdir(t->folder);
}

void
target_free(struct target *t)
{
	if (!t)
		return;
	if (t->pid > 0)
		kill(t->pid, SIGKILL);
	if (t->child != t->pid && !t->pid)
		kill(t->child, SIGKILL);
	waitpid(t->child, NULL, 0);
	close(t->in);
	close(t->out);
	remove_leftovers(t);
	free(t);
}
