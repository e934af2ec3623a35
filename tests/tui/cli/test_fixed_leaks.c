/*
 * A build server compares a program with an earlier heap of it, in which most leaks are not fixed
 * yet: a smaller heap has lower limits, and what has not grown is no news.
 */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"
#include "tests/drive/targets.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* Saves the heap of a run with these faults in the test's folder. */
static void
save_heap(const char *faults, const char *name)
{
	const char *const arguments[] = { "--faults", faults, NULL };
	struct target *t = target_start_program("ingester", "10.0", arguments);
	char text[2000];

	if (shell_prints(text, sizeof text, "exec %s --no-rc --yes -o %s %" PRId32 " 2>&1",
			 program_path(), in_folder(name), target_pid(t)) != 0)
		fail_msg("%s", text);
	target_free(t);
}

static int
check(const char *before, const char *after, char *text, size_t size)
{
	return shell_prints(text, size, "exec %s check --no-new-findings --baseline %s %s 2>&1",
			    program_path(), in_folder(before), in_folder(after));
}

TEST_IN_FOLDER(fixed_leaks_lift_no_others)
{
	char text[2000];

	if (!target_program_exists("ingester", "10.0"))
		skip();
	save_heap("cancellation,fragmentation,strings,async", "leaks.gcdump");
	save_heap("strings", "fixed.gcdump");
	/* The List<byte[]> has less than half of all byte[] of the first heap, and most of those of
	   the second. */
	if (check("leaks.gcdump", "fixed.gcdump", text, sizeof text) != 0)
		fail_msg("%s", text);
	assert_non_null(strstr(text, "3 known or allowed"));
	/* And the leaks would be new. */
	assert_int_equal(check("fixed.gcdump", "leaks.gcdump", text, sizeof text), 1);
	assert_non_null(strstr(text, "registration 5,000 Ingest.Job"));
	unlink(in_folder("leaks.gcdump"));
	unlink(in_folder("fixed.gcdump"));
}
