/* Bars in proportion, and what is told of a job's rate and end. */
#include "tests/run_tests.h"
#include "tui/meter.h"
#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000000000 };

/* All cells are used, in proportion, and nothing that is there is unseen. */
static void
cells_are_in_proportion(void **state)
{
	struct meter_part parts[METER_PARTS_MAX] = { 0 };
	int cells[METER_PARTS_MAX];

	(void)state;
	srand(7);
	for (int turn = 0; turn < 20000; turn++) {
		unsigned count = 1 + (unsigned)rand() % METER_PARTS_MAX;
		int width = 10 + rand() % 31, sum = 0;
		uint64_t whole = 0;

		for (unsigned i = 0; i < count; i++) {
			parts[i].bytes = (uint64_t)rand() << rand() % 24;
			if (rand() % 3 == 0)
				parts[i].bytes = 0;
			whole += parts[i].bytes;
		}
		meter_cells(parts, count, width, cells);
		for (unsigned i = 0; i < count; i++) {
			double exact = whole ? (double)parts[i].bytes /
						   (double)whole * width
					     : 0;

			assert_true(cells[i] >= (parts[i].bytes > 0));
			assert_true(cells[i] <= exact + METER_PARTS_MAX);
			assert_true(cells[i] >= exact - METER_PARTS_MAX);
			sum += cells[i];
		}
		assert_int_equal(sum, whole ? width : 0);
	}
}

static void
assert_rate(bool is_of_bytes, uint64_t done, uint64_t total, int64_t elapsed,
	    const char *expected)
{
	struct progress p = { 0 };
	char text[96];

	(is_of_bytes ? progress_begin_bytes : progress_begin)(&p, "x", total);
	assert_true(progress_add(&p, done));
	assert_string_equal(meter_rate(&p, atomic_load(&p.begun_ns) + elapsed,
				       text, sizeof text),
			    expected);
}

static void
rates_are_told(void **state)
{
	(void)state;
	assert_rate(false, 100, 200, SECOND / 2, "");
	assert_rate(false, 0, 200, 2 * (int64_t)SECOND, "");
	assert_rate(false, 2000, 6000, 2 * (int64_t)SECOND,
		    ", 1,000/s, 4.0 s left");
	assert_rate(true, 2 << 20, 0, 2 * (int64_t)SECOND, ", 1.00 MiB/s");
	assert_rate(false, 9, 5, (int64_t)SECOND, ", 9/s");
}

static void
own_memory_is_known(void **state)
{
	(void)state;
	assert_in_range(meter_own_bytes(), 100 << 10, (uint64_t)64 << 30);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_in_proportion),
		cmocka_unit_test(rates_are_told),
		cmocka_unit_test(own_memory_is_known),
	};

	return run_tests(tests);
}
