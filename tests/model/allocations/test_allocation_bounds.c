/*
 * A recording of a program that allocates in as many places as there is room for, with names as
 * many or as long as possible: memory is bounded, and what is left out is counted or said.
 */
#include "model/allocations/rows.h"
#include "model/allocations/tally.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct bound {
	const char *name;
	int name_bytes;
	bool are_too_long; /* all methods' names together */
} bounds[] = {
	{ "many names", 50, false },
	{ "long names", 1000, true },
};

/* Every address is a method of its own. */
static bool
name(void *context, uint64_t address, struct arena *scratch, struct allocation_method *out,
     struct error *err)
{
	const struct bound *row = context;
	char *text = arena_printf(scratch, err, "%0*" PRIu64, row->name_bytes, address);

	*out = (struct allocation_method){ .name = text, .module = "shop.dll" };
	return text != NULL;
}

/* Adds a sample of each of so many types and stacks, which differ in their last two methods. */
static void
fill(struct allocation_tally *t, const struct bound *row, uint32_t count)
{
	char *type = malloc((size_t)row->name_bytes + 1);
	uint64_t frames[3] = { 0, 0, 1 };
	struct allocation_sample s = {
		.type = type, .size = 1 << 20, .frames = frames, .frames_count = 3
	};
	struct error err = { 0 };
	uint32_t cell;

	assert_non_null(type);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(type, (size_t)row->name_bytes + 1, "T%0*" PRIu32, row->name_bytes - 1, i);
		frames[0] = 2 * (uint64_t)i + 2;
		frames[1] = 2 * (uint64_t)i + 3;
		s.time = i;
		assert_ok(allocation_tally_add(t, &s, &cell, &err), &err);
	}
	free(type);
}

/* As if a collection had left as many samples as may be. */
static void
keep_all(const struct allocation_tally *t, struct allocation_samples *to)
{
	struct error err = { 0 };

	to->count = SURVIVED_SAMPLES_MAX;
	to->items = memory_new(to->count, sizeof *to->items, &err);
	assert_non_null(to->items);
	for (uint32_t i = 0; i < to->count; i++)
		to->items[i] = (struct survived_sample){
			.size = 1 << 20,
			.owner = i % t->cells_count,
			.state = SURVIVED_ALIVE,
		};
}

/* As if every cell had points of growth, and all samples were alive. */
static void
keep_alive(struct allocation_tally *t)
{
	struct error err = { 0 };

	assert_true(allocation_tally_follow(t, &err));
	for (size_t i = 0; i < ALLOCATION_FULL; i++)
		keep_all(t, &t->kept[i]);
	for (uint32_t i = 0; i < t->cells_count; i++) {
		t->cells[i].alive = arena_new(&t->arena, struct allocation_alive, &err);
		assert_non_null(t->cells[i].alive);
	}
}

static uint32_t
count_named(const struct allocations *a, const char *wanted)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a->methods_count; i++)
		count += !strcmp(a->methods[i].name, wanted);
	return count;
}

TEST_ROWS(memory_is_bounded, bounds)
{
	const struct bound *row = *state;
	const uint64_t mib = 1 << 20, before = memory_held();
	const uint32_t samples = ALLOCATION_CELLS + 10;
	struct allocation_namer namer = { name, (void *)row };
	struct error err = { 0 };
	struct allocation_tally *t = allocation_tally_new(&err);
	uint64_t tally_bytes, copy_bytes;
	struct allocations *a;

	assert_true(t && allocation_tally_keep_recent(t, &err));
	t->clock_hz = 1000000000;
	t->facts.time_ns = t->until = samples;
	fill(t, row, samples);
	keep_alive(t);
	tally_bytes = memory_held() - before;
	assert_true(tally_bytes < ALLOCATION_TALLY_MB * mib);
	assert_int_equal(t->cells_count, ALLOCATION_CELLS);
	assert_int_equal(t->nodes_count, ALLOCATION_NODES);
	assert_true(t->types_text_bytes <= ALLOCATION_TYPE_TEXT_BYTES);
	assert_true(t->facts.folded > samples / 2);
	a = allocations_name(t, namer, &err);
	assert_ok(a != NULL, &err);
	copy_bytes = memory_held() - before - tally_bytes;
	assert_true(copy_bytes < ALLOCATION_COPY_MB * mib);
	assert_int_equal(a->facts.total.samples, samples);
	assert_int_equal(count_named(a, "(other methods)"), row->are_too_long);
	allocations_free(a);
	allocation_tally_free(t);
	assert_true(memory_held() == before);
}
