/* Threads of made-up processes between two looks: what waits, what works. */
#include "capture/process/pulse.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_process.h"
#include <inttypes.h>
#include <stdio.h>

struct numbers {
	uint64_t run_us, slices, faults;
};

/* Thread 10 runs most; measured, but for the last three. */
static const struct {
	const char *what;
	struct numbers first, second, third; /* threads 10, 11, 12 */
	bool waits;
	int32_t waits_for;
} rows[] = {
	{ "a thread does not stop",
	  { 952677, 47821, 0 },
	  { 181350, 27800, 0 },
	  { 25, 1, 0 },
	  true,
	  11 },
	{ "one that takes no signal", { 952677, 47821, 0 }, { 60, 3, 0 }, { 25, 1, 0 }, true, 0 },
	{ "marking", { 7900000, 2600, 0 }, { 300, 40, 0 }, { 0 }, false, 0 },
	{ "with 1 % of the CPU", { 80000, 80, 0 }, { 8000, 800, 0 }, { 0 }, false, 0 },
	{ "reading back swapped pages", { 200000, 20000, 19000 }, { 0 }, { 0 }, false, 0 },
	{ "two that mark, and wait for each other",
	  { 90000, 9000, 0 },
	  { 89000, 9000, 0 },
	  { 80000, 9000, 0 },
	  false,
	  11 },
	{ "nothing", { 0 }, { 0 }, { 0 }, false, 0 },
};

static void
put_thread(int32_t tid, struct numbers n, uint64_t before)
{
	char name[40], text[120];

	made_folder("proc/%d/task/%" PRId32, MADE_PID, tid);
	snprintf(name, sizeof(name), "task/%" PRId32 "/schedstat", tid);
	snprintf(text, sizeof(text), "%" PRIu64 " 77 %" PRIu64 "\n", (before + n.run_us) * 1000,
		 before + n.slices);
	made_process_file(name, text);
	snprintf(name, sizeof(name), "task/%" PRId32 "/stat", tid);
	snprintf(text, sizeof(text),
		 "%" PRId32 " (a) b) S 1 1 1 0 -1 4194304 9 0 %" PRIu64 " 0 5 6\n", tid,
		 before + n.faults);
	made_process_file(name, text);
}

TEST(tells_waiting_from_work)
{
	static const struct made_process ordinary = { 0 };
	static const struct numbers none = { 0 };
	static struct pulse before, after;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int32_t tid = 0;
		bool waits;

		made_process_begin(&ordinary);
		put_thread(10, none, 1000);
		put_thread(11, none, 1000);
		pulse_read(&before, made_proc(), MADE_PID);
		put_thread(10, rows[i].first, 1000);
		put_thread(11, rows[i].second, 1000);
		put_thread(12, rows[i].third, 0); /* it is new */
		pulse_read(&after, made_proc(), MADE_PID);
		made_process_end();
		assert_int_equal(after.count, before.count + 1);
		waits = pulse_waits(&before, &after, &tid);
		if (waits != rows[i].waits || (waits && tid != rows[i].waits_for))
			fail_msg("%s: %d, thread %" PRId32, rows[i].what, waits, tid);
	}
}

/* The kernel counts nothing, or there is no such process. */
TEST(says_nothing_of_the_unknown)
{
	static struct pulse none;
	int32_t tid;

	pulse_read(&none, "/nowhere", MADE_PID);
	assert_int_equal(none.count, 0);
	assert_false(pulse_waits(&none, &none, &tid));
}
