#include "tests/drive/run_tests.h"
#include "model/heap/addresses.h"
#include <stdlib.h>

/* How addresses lie: `step` apart on average, in groups far from each other. */
struct layout {
	const char *name;
	uint64_t base, step, gap;
	uint32_t count, group;
	uint64_t align;
};

static const struct layout layouts[] = {
	{ "nothing", 0, 8, 0, 0, 1, 8 },
	{ "one object", 0x7f0000001000, 8, 0, 1, 1, 8 },
	{ "dense", 0x7f0000001000, 64, 0, 100000, 100000, 8 },
	{ "regions far apart", 0x100000, 48, UINT64_C(1) << 38, 60000, 20000, 8 },
	{ "32-bit alignment", 0x10000004, 20, 1 << 24, 30000, 1000, 4 },
	{ "odd addresses", 0x10001, 3, 1 << 24, 30000, 1000, 1 },
	{ "one a page", 0x40000000, 9000, 0, 20000, 1, 8 },
	{ "scattered", 0x1000, 1 << 21, UINT64_C(1) << 30, 20000, 3, 8 },
	{ "up to the highest", 0xffffffef00000000, 64, 0, 5000, 5000, 8 },
};

static uint64_t *
layout_addresses(const struct layout *l, unsigned seed)
{
	uint64_t *addresses = calloc(l->count + 1, sizeof(*addresses));
	uint64_t at = l->base;

	srand(seed);
	for (uint32_t i = 0; i < l->count; i++) {
		addresses[i] = at;
		at += l->align + (uint64_t)rand() % (2 * l->step) / l->align * l->align;
		if (i % l->group == l->group - 1)
			at += l->gap / l->align * l->align;
	}
	return addresses;
}

static void
shuffle(uint64_t *values, uint32_t count)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t k = (uint32_t)rand() % i;
		uint64_t swap = values[k];

		values[k] = values[i - 1];
		values[i - 1] = swap;
	}
}

static struct addresses *
build(const uint64_t *list, uint32_t count, uint32_t made_up)
{
	struct error err = { 0 };
	struct addresses *m = addresses_new(&err);

	assert_non_null(m);
	for (uint32_t i = 0; i < count; i++)
		assert_true(addresses_survey(m, list[i], &err));
	assert_true(addresses_plan(m, &err));
	for (uint32_t i = 0; i < count; i++)
		assert_true(addresses_place(m, list[i]));
	if (count)
		assert_false(addresses_place(m, list[count / 2]));
	for (uint32_t i = 0; i < made_up; i++)
		assert_true(addresses_make_up(m) >= MADE_UP_ADDRESS);
	assert_true(addresses_seal(m, &err));
	return m;
}

/* Noted in any order: placed, unless the addresses are not on 8 bytes. */
static void
check_noted(const struct layout *l, const uint64_t *mixed, const uint64_t *sorted)
{
	struct error err = { 0 };
	struct addresses *m = addresses_new(&err);
	struct addresses_page last = { 0 };
	bool are_placed = l->align == 8;

	assert_non_null(m);
	for (uint32_t i = 0; i < l->count; i++)
		assert_true(addresses_note(m, mixed[i], &err));
	assert_true(addresses_plan(m, &err));
	assert_int_equal(addresses_are_placed(m), are_placed);
	for (uint32_t i = 0; i < l->count; i++)
		assert_int_equal(addresses_place(m, mixed[i]), !are_placed);
	assert_true(addresses_seal(m, &err));
	assert_int_equal(addresses_count(m), l->count);
	for (uint32_t i = 0; i < l->count; i++) {
		assert_int_equal(addresses_find_near(m, sorted[i], &last), i);
		assert_int_equal(addresses_find_near(m, mixed[i], &last),
				 addresses_find(m, mixed[i]));
		assert_int_equal(addresses_of(m, i), sorted[i]);
	}
	addresses_free(m);
}

/* One that cannot be told from another, or is none, is not placed. */
TEST(test_not_to_be_noted)
{
	static const uint64_t last[] = { 0x10008, 0, 0x1000c, MADE_UP_ADDRESS };
	for (int i = 0; i < 5; i++) {
		struct error err = { 0 };
		struct addresses *m = addresses_new(&err);

		assert_true(addresses_note(m, 0x20000, &err));
		assert_true(addresses_note(m, 0x10008, &err));
		if (i < 4)
			assert_true(addresses_note(m, last[i], &err));
		else
			assert_true(addresses_survey(m, 0x30000, &err));
		assert_true(addresses_note(m, 0x10010, &err));
		assert_true(addresses_plan(m, &err));
		assert_false(addresses_are_placed(m));
		assert_true(addresses_place(m, 0x10008));
		assert_true(addresses_place(m, 0x20000));
		assert_true(addresses_place(m, 0x10010));
		assert_true(addresses_seal(m, &err));
		assert_int_equal(addresses_find(m, 0x20000), 2);
		addresses_free(m);
	}
}

/* From the first, from the middle, and from the made-up ones on. */
static void
check_scans(const struct layout *l, const struct addresses *m)
{
	uint32_t count = addresses_count(m);
	const uint32_t starts[] = { 0, 1, l->count / 3, l->count, count };

	for (size_t i = 0; i < COUNT_OF(starts); i++) {
		struct addresses_scan scan;
		uint64_t address;

		if (starts[i] > count)
			continue;
		addresses_scan_init(&scan, m, starts[i]);
		for (uint32_t id = starts[i]; id < count; id++) {
			assert_true(addresses_scan_next(&scan, &address));
			assert_int_equal(address, addresses_of(m, id));
		}
		assert_false(addresses_scan_next(&scan, &address));
	}
}

static void
check_layout(const struct layout *l)
{
	uint64_t *sorted = layout_addresses(l, 1), *mixed;
	struct addresses *m;

	mixed = layout_addresses(l, 1);
	shuffle(mixed, l->count);
	m = build(mixed, l->count, 3);
	assert_int_equal(addresses_count(m), l->count + 3);
	for (uint32_t i = 0; i < l->count; i++) {
		assert_int_equal(addresses_find(m, sorted[i]), i);
		assert_int_equal(addresses_of(m, i), sorted[i]);
		assert_int_equal(addresses_rank(m, sorted[i]), i);
		assert_int_equal(addresses_rank(m, sorted[i] + 1), i + 1);
		if (i + 1 == l->count || sorted[i + 1] != sorted[i] + 1)
			assert_int_equal(addresses_find(m, sorted[i] + 1), NODE_NONE);
	}
	assert_int_equal(addresses_find(m, MADE_UP_ADDRESS + MADE_UP_STEP), l->count + 1);
	assert_int_equal(addresses_find(m, MADE_UP_ADDRESS + 3 * MADE_UP_STEP), NODE_NONE);
	assert_int_equal(addresses_of(m, l->count + 2), MADE_UP_ADDRESS + 2 * MADE_UP_STEP);
	check_scans(l, m);
	assert_int_equal(addresses_rank(m, 0), 0);
	assert_int_equal(addresses_rank(m, UINT64_MAX), l->count);
	if (l->count > 1000 && l->align == 8)
		assert_in_range(addresses_bytes(m), 0, (uint64_t)l->count * 150);
	addresses_free(m);
	check_noted(l, mixed, sorted);
	free(sorted);
	free(mixed);
}

TEST(test_layouts)
{
	for (size_t i = 0; i < COUNT_OF(layouts); i++) {
		print_message("%s\n", layouts[i].name);
		check_layout(&layouts[i]);
	}
}

/* The promise of the header for an ordinary heap: 72 bytes an object. */
TEST(test_bytes_per_object)
{
	const struct layout ordinary = { "", 0x7f0000000000, 64, 0, 1000000, 1000000, 8 };
	uint64_t *list = layout_addresses(&ordinary, 2);
	struct addresses *m = build(list, ordinary.count, 0);

	assert_in_range(addresses_bytes(m), 0, ordinary.count * 3 / 2);
	addresses_free(m);
	free(list);
}
