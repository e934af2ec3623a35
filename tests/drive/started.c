#include "tests/drive/started.h"
#include <string.h>
#include <sys/wait.h>

enum { WORDS_MAX = 16 };

/* Signals to die of are the program's, not a sanitizer's. */
static const char *
sanitizer_variable(void)
{
	static char variable[256];
	const char *options = getenv("ASAN_OPTIONS");

	snprintf(variable, sizeof variable,
		 "ASAN_OPTIONS=%s:handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0",
		 options ? options : "");
	return variable;
}

static void
append(const char *words[WORDS_MAX], size_t *count, const char *const *more)
{
	for (; more && *more; more++) {
		assert_true(*count < WORDS_MAX - 1);
		words[(*count)++] = *more;
	}
	words[*count] = NULL;
}

static bool
is_among(const char *const *variables, const char *name)
{
	for (; variables && *variables; variables++)
		if (!strncmp(*variables, name, strlen(name)))
			return true;
	return false;
}

struct pty *
started_other(const char *const argv[], const char *const variables[], int rows, int columns)
{
	const char *const always[] = { "PATH=/usr/bin:/bin", home_variable(), sanitizer_variable(),
				       NULL };
	const char *const utf8[] = { "LC_CTYPE=C.UTF-8", NULL };
	const char *const xterm[] = { "TERM=xterm-256color", NULL };
	const char *env[WORDS_MAX];
	size_t count = 0;
	struct pty *p;

	append(env, &count, always);
	append(env, &count, variables);
	if (!is_among(variables, "LANG=") && !is_among(variables, "LC_"))
		append(env, &count, utf8);
	if (!is_among(variables, "TERM="))
		append(env, &count, xterm);
	p = pty_start(argv, env, rows, columns);
	assert_non_null(p);
	return p;
}

struct pty *
started(const char *const arguments[], const char *const variables[], int rows, int columns)
{
	const char *argv[WORDS_MAX] = { program_path() };
	size_t count = 1;

	append(argv, &count, arguments);
	return started_other(argv, variables, rows, columns);
}

struct pty *
started_on_dump(const char *variable, int rows, int columns)
{
	const char *const arguments[] = { "tests/data/leaky-10.gcdump", NULL };
	const char *const variables[] = { variable, NULL };

	return started(arguments, variables, rows, columns);
}

struct pty *
started_in_shell(const char *arguments)
{
	const char *const argv[] = { "/bin/sh", "-i", NULL };
	const char *const variables[] = { "PS1=ready> ", NULL };
	struct pty *p = started_other(argv, variables, 24, 80);
	char command[512];

	assert_true(pty_wait_text(p, "ready>"));
	snprintf(command, sizeof command, "%s %s\n", program_path(), arguments);
	pty_send(p, command);
	return p;
}

void
pty_expect_exit(struct pty *p, int wanted, const char *file, int line)
{
	int status = pty_wait_end(p);

	_assert_true(WIFEXITED(status), "it exits", file, line);
	_assert_int_equal((unsigned)WEXITSTATUS(status), (unsigned)wanted, file, line);
	_assert_true(pty_modes_are_kept(p), "modes are kept", file, line);
	_assert_true(!pty_is_alternate(p), "the screen is back", file, line);
	_assert_true(pty_cursor_is_visible(p), "a cursor", file, line);
	pty_free(p);
}
