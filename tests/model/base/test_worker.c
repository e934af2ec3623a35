/* Parts that threads write in turn. */
#include "model/base/worker.h"
#include "tests/drive/run_tests.h"

enum { PARTS = 1000, THREADS = 4 };

struct writing {
	struct worker_turns turns;
	uint64_t fails; /* this part; PARTS: none */
	uint64_t written[PARTS];
	uint32_t count;
};

static bool
write_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct writing *w = context;
	bool ok = worker_turn_wait(&w->turns, part);

	(void)thread;
	if (ok && part == w->fails)
		ok = error_set(err, ERROR_SYSTEM, "part %d fails", (int)part);
	else if (ok)
		w->written[w->count++] = part;
	worker_turn_pass(&w->turns, ok);
	return ok;
}

static void
write_parts(struct writing *w, bool ok, struct error *err)
{
	error_clear(err);
	worker_turns_init(&w->turns);
	assert_int_equal(worker_run_all(THREADS, PARTS, write_part, w, err), ok);
	worker_turns_clear(&w->turns);
	for (uint32_t i = 0; i < w->count; i++)
		assert_int_equal(w->written[i], i);
}

TEST(test_in_order)
{
	struct writing w = { .fails = PARTS };
	struct error err;

	write_parts(&w, true, &err);
	assert_int_equal(w.count, PARTS);
}

/* Nothing is written after the part that fails. */
TEST(test_failing_part)
{
	struct writing w = { .fails = 500 };
	struct error err;

	write_parts(&w, false, &err);
	assert_int_equal(w.count, 500);
	assert_string_equal(err.message, "part 500 fails");
}
