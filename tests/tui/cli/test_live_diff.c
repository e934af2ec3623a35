/*
 * A real process that grows, captured twice on a real terminal and compared
 * with one key: what a user does who looks for a leak.
 */
#include "tests/drive/home.h"
#include "tests/drive/pty.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/targets.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static struct pty *
start_program(const char *pid)
{
	const char *program = getenv("HEAPTOP");
	const char *const argv[] = { program ? program : "build/heaptop",
				     "--yes", pid, NULL };
	const char *const env[] = { "PATH=/usr/bin:/bin", "TERM=xterm-256color",
				    "LC_CTYPE=C.UTF-8", home_variable(), NULL };
	struct pty *p = pty_start(argv, env, 40, 120);

	assert_non_null(p);
	return p;
}

static void
quit(struct pty *p)
{
	int status;

	pty_send(p, "Q");
	assert_true(pty_wait_text(p, "in no file: :save FILE.heaptop"));
	pty_send(p, "Q");
	status = pty_wait_end(p);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	pty_free(p);
}

/* c, Enter, =: the 5,000 sessions of one step are there, and lead to a root. */
TEST(growth_between_captures)
{
	char pid[16];
	struct target *t;
	struct pty *p;

	if (!target_exists("10.0"))
		skip();
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	snprintf(pid, sizeof pid, "%" PRId32, target_pid(t));
	p = start_program(pid);
	/* Whole, and the referrers too: nothing reads the process any more. */
	assert_true(pty_wait_text(p, "5,001"));
	assert_true(pty_wait_text(p, "statics preferred"));
	target_tell(t, "grow");
	pty_send(p, "c");
	assert_true(pty_wait_text(p, "y captures its"));
	pty_send(p, "\r\r");
	assert_true(pty_wait_text(p, "y captures the heap of this process"));
	pty_send(p, "y");
	assert_true(pty_wait_text(p, "#2 › types"));
	assert_true(pty_wait_text(p, "10,001"));
	assert_true(pty_wait_text(p, "statics preferred"));
	pty_send(p, "=");
	assert_true(pty_wait_text(p, "› diff 2 heaps by type"));
	assert_true(pty_wait_text(p, "+5,000"));
	assert_true(pty_wait_text(p, "+440,000 B"));
	assert_true(pty_find(p, "Leaky.Session ") == pty_find(p, "+440,000 B"));
	pty_send(p, "\r");
	assert_true(pty_wait_text(p, "10,001 objects"));
	pty_send(p, "p");
	assert_true(pty_wait_text(p, "static Leaky.Cache."));
	quit(p);
	target_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AT_HOME(growth_between_captures),
	};
	return run_tests(tests);
}
