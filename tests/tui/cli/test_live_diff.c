/*
 * A real process that grows, captured twice on a real terminal and compared with one key: what a
 * user does who looks for a leak.
 */
#include "tests/drive/started.h"
#include "tests/drive/targets.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void
quit(struct pty *p)
{
	pty_types(p, "Q", "in no file: :save FILE.heaptop");
	pty_quits(p);
}

/* c, Enter, =: the 5,000 sessions of one step are there, Enter lists just these, and they lead to a
   root. */
TEST_AT_HOME(growth_between_captures)
{
	char pid[16];
	const char *const arguments[] = { "--yes", pid, NULL };
	struct target *t;
	struct pty *p;

	if (!target_exists("10.0"))
		skip();
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	snprintf(pid, sizeof pid, "%" PRId32, target_pid(t));
	p = started(arguments, NULL, 40, 120);
	/* Whole, and the referrers too: nothing reads the process any more. */
	assert_true(pty_wait_text(p, "5,001"));
	assert_true(pty_wait_text(p, "are in one List<"));
	target_tell(t, "grow");
	pty_types(p, "c", "y captures its");
	pty_types(p, "\r\r", "y captures the heap of this process");
	pty_types(p, "y", "#2 › types");
	assert_true(pty_wait_text(p, "10,001"));
	assert_true(pty_wait_text(p, "are in one List<"));
	pty_types(p, "=", "› diff 2 heaps by type");
	assert_true(pty_wait_text(p, "+5,000"));
	assert_true(pty_wait_text(p, "+440,000 B"));
	assert_true(pty_find(p, "Session ") == pty_find(p, "+440,000 B"));
	assert_true(pty_wait_text(p, "objects are new"));
	pty_types(p, "\r", "5,000 objects");
	assert_true(pty_wait_text(p, ", where new"));
	pty_types(p, "p", "static Leaky.Cache.");
	quit(p);
	target_free(t);
}

/* q in a view of another heap says how to save the one that was captured. */
TEST_AT_HOME(q_says_that_a_heap_is_in_no_file)
{
	static const char *const arguments[] = { "-m", NULL };
	char command[32];
	struct target *t;
	struct pty *p;

	if (!target_exists("10.0"))
		skip();
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	snprintf(command, sizeof command, ":capture %" PRId32 "\r", target_pid(t));
	p = started(arguments, NULL, 24, 80);
	assert_true(pty_wait_text(p, "Enter capture"));
	pty_types(p, command, "y captures its heap");
	pty_types(p, "y", "5,001");
	pty_types(p, "q", "Enter shows what a capture would cost");
	pty_types(p, "q",
		  "1 captured heap is in no file: :save it from :snapshots, q again discards it");
	/* A second capture asks again, and names the key that quits here. */
	pty_types(p, command, "y captures its heap");
	pty_types(p, "y", "5,001");
	pty_types(p, "Q", "2 captured heaps are in no file: :save FILE.heaptop");
	assert_true(pty_wait_text(p, "saves this one, Q again"));
	pty_quits(p);
	target_free(t);
}
