/*
 * A monkey at the terminal: whatever is typed, sent or done to the window, the program ends as its
 * manual says, gives the terminal back, and no sanitizer has anything to tell. Runs $HEAPTOP,
 * always with --secure: what a monkey types is not for a shell.
 *
 * HEAPTOP_MONKEY=SEED      that script alone, and it is printed
 * HEAPTOP_MONKEY_FIRST=N   begins with that seed, not with 1
 * HEAPTOP_MONKEY_MINUTES=N goes on for so long
 * HEAPTOP_MONKEY_CORE=FILE a core of .NET to look at as well
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "tests/drive/files.h"
#include "tests/drive/monkey.h"
#include "tests/drive/pty.h"
#include "tests/drive/run_tests.h"
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	SCRIPTS = 40,
	SECONDS = 20, /* on a busy machine there are fewer scripts */
	SANITIZER_STATUS = 99,
	STOPPED_MS = 20,
	END_MS = 4000,
	SIGNALS_MAX = 3, /* the program may die of a fourth */
	ARGUMENTS_MAX = 14,
};

static char program[PATH_MAX], data[PATH_MAX];

/* --- starting ------------------------------------------------------------ */

/* What the monkey is given in place of `place`, "$@" being the program. */
static const char *const shells[MONKEY_PLACES] = {
	[MONKEY_LEADER] = "exec \"$@\"",
	[MONKEY_JOB] =
	    ("trap : INT TERM HUP; \"$@\"; s=$?; while [ $s -ge 147 ] && [ $s -le 150 ]; "
	     "do fg >/dev/null; s=$?; done; exit $s"),
	[MONKEY_NO_INPUT] = "exec \"$@\" </dev/null",
	[MONKEY_CLOSED_INPUT] = "exec \"$@\" <&-",
};

/* The first bytes of the file, as after a full disk. */
static void
cut_file(const char *path, size_t len)
{
	size_t whole = 0;
	char *bytes = access(path, F_OK) ? NULL : file_read(path, &whole);

	file_write(in_folder("cut"), bytes, len < whole ? len : whole);
	free(bytes);
}

static const char *
input_path(const struct monkey_script *script, int which, char *path, size_t path_size)
{
	const char *core = getenv("HEAPTOP_MONKEY_CORE");

	if (core && !script->files[1] && !script->option && script->seed % 3 == 0)
		return core;
	snprintf(path, path_size, "%s/%s", data, script->files[which]);
	if (which || !script->cut)
		return path;
	cut_file(path, script->cut);
	return in_folder("cut");
}

static struct pty *
script_start(const struct monkey_script *script)
{
	const char *argv[ARGUMENTS_MAX] = { "/bin/sh" };
	char home[64], asan[128], ubsan[128], paths[2][PATH_MAX + 64];
	const char *const env[] = { "PATH=/usr/bin:/bin",
				    script->term,
				    script->locale,
				    script->colours,
				    home,
				    asan,
				    ubsan,
				    NULL };
	size_t n = 1;

	snprintf(home, sizeof(home), "HOME=%s", folder_path());
	/* The SIGCONT of a hang-up may wake the program from the stop in which leaks are looked
	 * for, and then that waits for ever. */
	snprintf(asan, sizeof(asan), "ASAN_OPTIONS=log_path=%s/asan:exitcode=%d:detect_leaks=%d",
		 folder_path(), SANITIZER_STATUS, script->end != MONKEY_HANGS_UP);
	snprintf(ubsan, sizeof(ubsan), "UBSAN_OPTIONS=log_path=%s/ubsan:print_stacktrace=1",
		 folder_path());
	argv[n++] = script->place == MONKEY_JOB ? "-mc" : "-c";
	argv[n++] = shells[script->place];
	argv[n++] = "sh";
	argv[n++] = program;
	argv[n++] = "--secure";
	if (script->option)
		argv[n++] = script->option;
	if (script->settings) {
		argv[n++] = "-x";
		argv[n++] = script->settings;
	}
	for (int i = 0; i < MONKEY_FILES && script->files[i]; i++)
		argv[n++] = input_path(script, i, paths[i], sizeof(paths[i]));
	return pty_start_unseen(argv, env, script->rows, script->columns);
}

/* --- playing ------------------------------------------------------------- */

static void
take_output(struct pty *p, int wait_ms)
{
	for (int i = 0; i < 50 && pty_sends_within(p, wait_ms); i++)
		wait_ms = 0;
}

static void
step_play(struct pty *p, const struct monkey_step *step)
{
	switch (step->kind) {
	case MONKEY_BYTES:
		pty_send_bytes(p, step->bytes, step->len);
		break;
	case MONKEY_TORN:
		for (size_t i = 0; i < step->len; i++) {
			pty_send_bytes(p, step->bytes + i, 1);
			take_output(p, step->number);
		}
		break;
	case MONKEY_SIZE:
		pty_resize(p, step->rows, step->columns);
		break;
	case MONKEY_SIGNAL:
		pty_signal_job(p, step->number);
		if (step->number == SIGTSTP || step->number == SIGSTOP) {
			take_output(p, STOPPED_MS);
			pty_signal_job(p, SIGCONT);
			/* The shell, if it was hit while it handed on the terminal. */
			pty_signal(p, SIGCONT);
		}
		break;
	case MONKEY_WAIT:
		take_output(p, step->number);
		break;
	}
	take_output(p, 0);
}

/* More than once: a shell that is about to say fg may have got the first. */
static void
send_until_it_ends(struct pty *p, int number)
{
	for (int i = 0; i < SIGNALS_MAX && !pty_ends_within(p, 0); i++) {
		pty_signal_job(p, number);
		pty_ends_within(p, END_MS);
	}
}

static void
script_end(struct pty *p, enum monkey_end end)
{
	/* If ^S came before the program did, the terminal itself stands. */
	pty_send(p, "\021\021");
	switch (end) {
	case MONKEY_TYPES_Q:
		pty_send(p, "\003");
		take_output(p, 100);
		pty_send(p, "Q");
		pty_ends_within(p, END_MS);
		send_until_it_ends(p, SIGTERM); /* Q is another key by now */
		break;
	case MONKEY_SENDS_TERM:
		send_until_it_ends(p, SIGTERM);
		break;
	case MONKEY_SENDS_HUP:
		send_until_it_ends(p, SIGHUP);
		break;
	case MONKEY_HANGS_UP:
		pty_hang_up(p);
		break;
	case MONKEY_ENDS:
		break;
	}
}

/* --- judging ------------------------------------------------------------- */

/* A sanitizer's report, which is printed and removed. */
static bool
was_reported(void)
{
	DIR *dir = opendir(folder_path());
	const struct dirent *entry;
	char path[PATH_MAX], text[4096];
	bool is_there = false;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		FILE *report;
		size_t len;

		if (!strstr(entry->d_name, "san."))
			continue;
		is_there = true;
		snprintf(path, sizeof(path), "%s/%s", folder_path(), entry->d_name);
		report = fopen(path, "r");
		while (report && (len = fread(text, 1, sizeof(text), report)))
			fwrite(text, 1, len, stderr);
		if (report)
			fclose(report);
		unlink(path);
	}
	closedir(dir);
	return is_there;
}

/* As the manual says; or of a signal that it was told to end with. */
static bool
is_documented(int status)
{
	static const int statuses[] = {
		0, 1, 2, 3, 4, 5, 6, 130, 128 + SIGTERM, 128 + SIGHUP,
	};

	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGHUP ||
		       WTERMSIG(status) == SIGINT;
	for (size_t i = 0; i < COUNT_OF(statuses); i++)
		if (WEXITSTATUS(status) == statuses[i])
			return true;
	return false;
}

/* NULL: nothing. */
static const char *
what_is_wrong(const struct monkey_script *script, struct pty *p, int status)
{
	static char text[64];

	if (status == -1)
		return "it does not end";
	if (was_reported())
		return "a sanitizer has a complaint";
	if (!is_documented(status)) {
		snprintf(text, sizeof(text), "the wait status is %#x", (unsigned)status);
		return text;
	}
	if (script->end == MONKEY_HANGS_UP)
		return NULL;
	return !pty_modes_are_kept(p)      ? "the terminal's modes have changed"
	       : pty_is_alternate(p)       ? "the other screen is still shown"
	       : !pty_cursor_is_visible(p) ? "there is no cursor"
					   : NULL;
}

static void
script_run(const struct monkey_script *script)
{
	struct pty *p = script_start(script);
	const char *complaint;

	assert_non_null(p);
	for (size_t i = 0; i < script->count && !pty_ends_within(p, 0); i++)
		step_play(p, &script->steps[i]);
	if (!pty_ends_within(p, 0))
		script_end(p, script->end);
	complaint = what_is_wrong(script, p, pty_wait_end(p));
	pty_free(p);
	if (!complaint)
		return;
	monkey_print(script, stderr);
	fail_msg("HEAPTOP_MONKEY=%llu: %s", (unsigned long long)script->seed, complaint);
}

/* --- the test ------------------------------------------------------------ */

static long
variable(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

static int
set_up(void **state)
{
	const struct rlimit none = { 0, 0 };
	const char *path = getenv("HEAPTOP");

	setrlimit(RLIMIT_CORE, &none);
	if (!realpath(path ? path : "build/heaptop", program) || !realpath("tests/data", data) ||
	    folder_make(state))
		return -1;
	return 0;
}

/* Fails if the program has left something. */
static int
tear_down(void **state)
{
	unlink(in_folder("cut"));
	return folder_remove(state);
}

TEST_BETWEEN(whatever_a_monkey_does, set_up, tear_down)
{
	static struct monkey_script script;
	long alone = variable("HEAPTOP_MONKEY");
	long first = variable("HEAPTOP_MONKEY_FIRST");
	long minutes = variable("HEAPTOP_MONKEY_MINUTES");
	time_t end = time(NULL) + (minutes ? minutes * 60 : SECONDS);
	unsigned long long seed = (unsigned long long)(first ? first : 1);
	unsigned done = 0;

	if (alone) {
		monkey_write(&script, (unsigned long long)alone);
		monkey_print(&script, stdout);
		script_run(&script);
		return;
	}
	for (; time(NULL) < end && (minutes || done < SCRIPTS); done++) {
		monkey_write(&script, seed++);
		script_run(&script);
	}
	assert_true(done > 0);
	printf("%u scripts\n", done);
}
