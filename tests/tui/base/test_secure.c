/*
 * --secure and HEAPTOPSECURE=1: each thing that is forbidden is refused with a
 * sentence, and leaves nothing behind; what only looks goes on. Runs $HEAPTOP in a folder of its
 * own, which must be empty afterwards.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "tests/drive/started.h"
#include "tui/base/secure.h"
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program;
static char dump[PATH_MAX + 40];
static char own_home[64];

enum { OUTPUT_BYTES = 4096 };

#define SHELL_REFUSED   "shell commands are not run, because "
#define PIPE_REFUSED    "nothing is piped to other programs, because "
#define WRITE_REFUSED   "no files are written, because "
#define CAPTURE_REFUSED "processes are neither captured nor watched, because "

/* clang-format off */
static const struct {
	const char *arguments; /* $F: the dump, $$: a process */
	const char *refused;   /* NULL: it works */
} cases[] = {
	{ "-o x.heaptop $F",                          "-o: " WRITE_REFUSED },
	{ "-o x.gclog $F",                            "-o: " WRITE_REFUSED },
	{ "-o- $F",                                   "-o: " WRITE_REFUSED },
	{ "--force -o x.heaptop $F",                  "-o: " WRITE_REFUSED },
	{ "-o x.nettrace $$",                         "-o: " WRITE_REFUSED },
	{ "convert $F x.gcdump",                      "convert: " WRITE_REFUSED },
	{ "-m $$",                                    "PID: " CAPTURE_REFUSED },
	{ "check --max A=0 --junit x.xml $F",         "--junit: " WRITE_REFUSED },
	{ "-b types -x 'w x.csv' $F",                 "w: " WRITE_REFUSED },
	{ "-b types -x 'w! x.csv' $F",                "w: " WRITE_REFUSED },
	{ "-b types -x 'write x.json' $F",            "w: " WRITE_REFUSED },
	{ "-b types -x 'save x.heaptop' $F",          "save: " WRITE_REFUSED },
	{ "-b types -x 'save! x.heaptop' $F",         "save: " WRITE_REFUSED },
	{ "-b types -x 'w !cat >x' $F",               "w !: " PIPE_REFUSED },
	{ "-b types -x 'w csv !cat >x' $F",           "w !: " PIPE_REFUSED },
	{ "-b types -x '!echo >x' $F",                "!: " SHELL_REFUSED },
	{ "-b types -x 'shell echo >x' $F",           "!: " SHELL_REFUSED },
	{ "-b types -x 'source rc' $F",               "rc:1:1: !: " SHELL_REFUSED },
	{ "$$",                                       "PID: " CAPTURE_REFUSED },
	{ "-b types $$",                              "PID: " CAPTURE_REFUSED },
	{ "check --max A=0 $$",                       "PID: " CAPTURE_REFUSED },
	{ "-g $$",                                    "PID: " CAPTURE_REFUSED },
	{ "--probe $$",                               "PID: " CAPTURE_REFUSED },
	{ "--port x",                                 "--port: " CAPTURE_REFUSED },
	{ "-g --port x",                              "--port: " CAPTURE_REFUSED },
	{ "-b types -x 'capture 1' $F",               "capture works only on the screen" },
	{ "-b types -x 'set nosecure' $F",            "there is no setting \"nosecure\"" },
	{ "-b types -n 1 $F",                         NULL },
	{ "check --allow-missing --max 'No.Such=0' $F",               NULL },
	{ "--version",                                NULL },
};
static const struct {
	const char *option, *variable, *by;
} ways[] = {
	{ "--secure ", "HEAPTOPSECURE=",           "--secure" },
	{ "",          "HEAPTOPSECURE=1",          "HEAPTOPSECURE" },
	{ "",          "HEAPTOPSECURE=yes",        "HEAPTOPSECURE" },
	{ "--secure ", "HEAPTOPSECURE=0",          "--secure" },
};
/* clang-format on */

/* Nothing but what the test itself has put there. */
static void
assert_empty(const char *after)
{
	const struct dirent *entry;
	DIR *dir = opendir(".");

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "rc") != 0)
			fail_msg("%s left %s", after, entry->d_name);
	closedir(dir);
}

static int
run_program(const char *way, const char *variable, const char *arguments, char output[OUTPUT_BYTES])
{
	return shell_prints(output, OUTPUT_BYTES, "F=%s; %s %s %s %s 2>&1 </dev/null", dump,
			    variable, program, way, arguments);
}

TEST(refuses)
{
	char output[OUTPUT_BYTES];

	file_write("rc", "!echo >x\n", 9);
	for (size_t w = 0; w < COUNT_OF(ways); w++)
		for (size_t i = 0; i < COUNT_OF(cases); i++) {
			const char *arguments = cases[i].arguments;
			int code = run_program(ways[w].option, ways[w].variable, arguments, output);

			if (cases[i].refused ? code != 2 || !strstr(output, cases[i].refused)
					     : code != 0)
				fail_msg("%s%s: %d, %s", ways[w].option, arguments, code, output);
			if (cases[i].refused && strstr(cases[i].refused, "because ") &&
			    !strstr(output, ways[w].by))
				fail_msg("%s: not by %s: %s", arguments, ways[w].by, output);
			assert_empty(arguments);
		}
}

/* The same without it: the table would be of no use if nothing worked. */
TEST(allows)
{
	char output[OUTPUT_BYTES];

	assert_int_equal(run_program("", "HEAPTOPSECURE=0", "-b types -x '!true' $F", output), 0);
	assert_int_equal(run_program("", "HEAPTOPSECURE=", "-b types -x 'w x.csv' $F", output), 0);
	assert_int_equal(unlink("x.csv"), 0);
}

TEST(says_who)
{
	struct error err;
	struct secure s = secure_of(false, NULL);

	assert_false(secure_is_on(&s));
	for (int kind = 0; kind < SECURE_KINDS; kind++)
		assert_true(secure_allows(&s, (enum secure_kind)kind, "", &err));
	s = secure_of(true, "1");
	for (int kind = 0; kind < SECURE_KINDS; kind++) {
		error_clear(&err);
		assert_false(secure_allows(&s, (enum secure_kind)kind, "what", &err));
		assert_non_null(strstr(err.message, "what: "));
		assert_non_null(strstr(err.message, ", because --secure forbids it"));
	}
}

/* --- on the screen ---------------------------------------------------------
 */

static struct pty *
start(void)
{
	const char *const argv[] = { program, "--secure", dump, NULL };
	const char *const env[] = { "PATH=/usr/bin:/bin",
				    "TERM=xterm-256color",
				    "LC_CTYPE=C.UTF-8",
				    "EDITOR=touch x;",
				    "SHELL=/bin/sh",
				    own_home,
				    NULL };
	struct pty *p = pty_start(argv, env, 24, 100);

	assert_non_null(p);
	assert_true(pty_wait_text(p, "Session[]"));
	return p;
}

static const struct {
	const char *typed, *refused;
} typed[] = {
	{ "!touch x\r", SHELL_REFUSED },
	{ ":!touch x\r", SHELL_REFUSED },
	{ ":w x.csv\r", WRITE_REFUSED },
	{ ":w! x.csv\r", WRITE_REFUSED },
	{ ":w !cat >x\r", PIPE_REFUSED },
	{ ":save x.heaptop\r", WRITE_REFUSED },
	{ ":open x\r", "no further files are opened, because --secure forbids it" },
	{ ":capture 1\r", CAPTURE_REFUSED },
	{ ":c 1\r", "commands begin with" },
};

/* Nor may the line editor: ~/.editrc could bind a key to an editor. */
TEST(refuses_on_the_screen)
{
	static const char bindings[] = "bind -v\nbind ^T vi-histedit\n"
				       "bind -a v vi-histedit\n";
	struct pty *p;

	file_write(".editrc", bindings, strlen(bindings));
	p = start();
	for (size_t i = 0; i < COUNT_OF(typed); i++) {
		pty_send(p, typed[i].typed);
		if (!pty_wait_text(p, typed[i].refused))
			fail_msg("%s", typed[i].typed);
		pty_send(p, "k");
		assert_true(pty_wait_no_text(p, typed[i].refused));
	}
	/* What ^T does without that file. */
	pty_types(p, ":types\024", ":typse");
	pty_send(p, "\033");
	assert_true(pty_wait_no_text(p, ":typse"));
	pty_quits(p);
	assert_empty("the screen");
	/* No history either. */
	assert_int_not_equal(access(".local", F_OK), 0);
	unlink(".editrc");
}

static int
enter_folder(void **state)
{
	char name[PATH_MAX];
	static char absolute[PATH_MAX];

	if (!realpath(program_path(), absolute) || !getcwd(name, sizeof name) || folder_make(state))
		return -1;
	program = absolute;
	snprintf(dump, sizeof dump, "%s/tests/data/leaky-10.gcdump", name);
	snprintf(own_home, sizeof own_home, "HOME=%s", folder_path());
	setenv("HOME", folder_path(), 1);
	return chdir(folder_path());
}

static int
leave_folder(void **state)
{
	unlink("rc");
	return chdir("/") || folder_remove(state);
}
TESTS_BETWEEN(enter_folder, leave_folder);
