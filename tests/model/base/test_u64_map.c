/* The map from 64-bit numbers to places in arrays. */
#include "tests/drive/run_tests.h"
#include "model/base/arena.h"
#include "model/base/u64_map.h"
#include <string.h>

enum { COUNT = 5000 };

/* Keys as heaps have them, and the ones that a table may take for free. */
TEST(every_key_has_its_value)
{
	static const struct {
		uint64_t first, step;
	} rows[] = {
		{ 0, 1 },
		{ 0x7f0000000000, 8 },
		{ 0, UINT64_C(1) << 40 },
		{ UINT64_MAX, UINT64_MAX }, /* downwards */
		{ 1, UINT64_C(0x9e3779b97f4a7c15) },
	};
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct u64_map m = { 0 };
		uint64_t key = rows[i].first;

		assert_int_equal(u64_map_get(&m, key), U64_MAP_NONE);
		for (uint32_t k = 0; k < COUNT; k++, key += rows[i].step) {
			assert_int_equal(u64_map_get(&m, key), U64_MAP_NONE);
			assert_true(u64_map_put(&m, key, k, &err));
		}
		assert_int_equal(m.count, COUNT);
		assert_int_equal(u64_map_get(&m, key), U64_MAP_NONE);
		key = rows[i].first;
		for (uint32_t k = 0; k < COUNT; k++, key += rows[i].step)
			assert_int_equal(u64_map_get(&m, key), k);
		u64_map_clear(&m);
		assert_int_equal(u64_map_get(&m, rows[i].first), U64_MAP_NONE);
	}
}

TEST(a_key_can_have_another_value)
{
	struct u64_map m = { 0 };
	struct error err = { 0 };

	assert_true(u64_map_put(&m, 7, 1, &err));
	assert_true(u64_map_put(&m, 7, 2, &err));
	assert_int_equal(m.count, 1);
	assert_int_equal(u64_map_get(&m, 7), 2);
	u64_map_clear(&m);
}

/* Where all have the same hash, each is still found by what it is. */
TEST(what_has_one_hash_is_told_apart)
{
	static const char *const texts[] = { "one", "two", "three" };
	struct u64_map m = { 0 };
	struct error err = { 0 };

	for (uint32_t i = 0; i < 6; i++) {
		uint64_t key = UINT64_MAX;
		uint32_t found;

		U64_MAP_FIND(found, &m, key, !strcmp(texts[found], texts[i % 3]));
		assert_int_equal(found, i < 3 ? U64_MAP_NONE : i - 3);
		if (i < 3)
			assert_true(u64_map_put(&m, key, i, &err));
	}
	assert_int_equal(m.count, 3);
	u64_map_clear(&m);
}

/* Refused memory is an error, and what the map had stays. */
TEST(keeps_what_it_had_when_memory_is_refused)
{
	struct u64_map m = { 0 };
	uint32_t count = 0;
	struct error err = { 0 };

	memory_limit(1);
	while (count < 1 << 20 && u64_map_put(&m, count, count, &err))
		count++;
	memory_limit(0);
	assert_in_range(count, 1, (1 << 20) - 1);
	assert_true(err.is_limit);
	assert_int_equal(m.count, count);
	for (uint32_t k = 0; k < count; k++)
		assert_int_equal(u64_map_get(&m, k), k);
	u64_map_clear(&m);
}
