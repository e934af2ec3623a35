/* Searching in sorted arrays, and sorting by the first field. */
#include "tests/drive/run_tests.h"
#include "model/base/sorted.h"
#include <stdlib.h>

static const uint64_t numbers[] = { 2, 3, 3, 3, 7, UINT64_MAX };
enum { COUNT = COUNT_OF(numbers) };

TEST(finds_the_first_not_before)
{
	static const struct {
		uint32_t first, end;
		uint64_t wanted;
		uint32_t at;
	} rows[] = {
		{ 0, COUNT, 0, 0 },
		{ 0, COUNT, 2, 0 },
		{ 0, COUNT, 3, 1 }, /* the first of several */
		{ 0, COUNT, 4, 4 },
		{ 0, COUNT, 7, 4 },
		{ 0, COUNT, UINT64_MAX, 5 },
		{ 0, 5, UINT64_MAX, 5 }, /* behind all */
		{ 2, COUNT, 0, 2 },      /* not below the first to look at */
		{ 2, 2, 7, 2 },
		{ 0, 0, 7, 0 },
		{ 1, 0, 7, 1 }, /* nothing to look at */
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t narrow;
		size_t wide;

		LOWER_BOUND(narrow, rows[i].first, rows[i].end, numbers[narrow] < rows[i].wanted);
		LOWER_BOUND(wide, rows[i].first, rows[i].end, numbers[wide] < rows[i].wanted);
		assert_int_equal(narrow, rows[i].at);
		assert_int_equal(wide, rows[i].at);
	}
}

/* The middle of the largest indexes does not overflow. */
TEST(searches_up_to_the_largest_index)
{
	uint32_t at;

	LOWER_BOUND(at, 0, UINT32_MAX, at < UINT32_MAX - 1);
	assert_int_equal(at, UINT32_MAX - 1);
	LOWER_BOUND(at, UINT32_MAX - 2, UINT32_MAX, at < UINT32_MAX);
	assert_int_equal(at, UINT32_MAX);
}

struct wide_row {
	uint64_t key;
	char name;
};
struct narrow_row {
	uint32_t key;
	char name;
};

TEST(sorts_by_the_first_field)
{
	/* As signed numbers, or as 32 bits of them, they go another way. */
	struct wide_row wide[] = {
		{ UINT64_C(1) << 63, 'd' }, { UINT64_C(2) << 32, 'c' }, { 7, 'b' }, { 0, 'a' }
	};
	struct narrow_row narrow[] = { { 1U << 31, 'c' }, { 7, 'b' }, { 0, 'a' } };
	uint32_t plain[] = { 5, UINT32_MAX, 1, 5 };
	uint64_t pairs[][2] = { { 2, 1 }, { 1, UINT64_MAX }, { 1, 3 } };
	uint64_t *none = NULL;

	SORT_BY(wide, 4, key);
	for (int i = 0; i < 4; i++)
		assert_int_equal(wide[i].name, 'a' + i);
	SORT_BY(narrow, 3, key);
	for (int i = 0; i < 3; i++)
		assert_int_equal(narrow[i].name, 'a' + i);
	SORT_NUMBERS(plain, 4);
	assert_int_equal(plain[0], 1);
	assert_int_equal(plain[1], 5);
	assert_int_equal(plain[2], 5);
	assert_int_equal(plain[3], UINT32_MAX);
	SORT_NUMBERS(none, 0);
	qsort(pairs, 3, sizeof(pairs[0]), compare_u64_pair);
	assert_true(pairs[0][1] == 3 && pairs[1][1] == UINT64_MAX);
}
