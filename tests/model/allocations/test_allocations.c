/*
 * Estimates from samples drawn as the runtime draws them, sites, and stacks whose addresses turn
 * out to be of one method.
 */
#include "model/allocations/stacks.h"
#include "model/allocations/tally.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- estimates ----------------------------------------------------------- */

/* xorshift64*, so that every run draws the same samples. */
static double
draw(uint64_t *random)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (double)(*random * UINT64_C(0x2545f4914f6cdd1d) >> 11) * 0x1.0p-53;
}

/* Samples `count` objects of a size: a coin is tossed for every byte. */
static struct allocation_sum
sample(uint64_t size, uint64_t count, uint64_t *random)
{
	const double mean = ALLOCATION_MEAN_BYTES;
	struct allocation_sum sum = { 0 };
	double object = 0, offset = 0;

	for (;;) {
		/* Bytes until the next success. */
		offset += floor(log(1 - draw(random)) / log1p(-1 / mean));
		object += floor(offset / (double)size);
		if (object >= (double)count)
			return sum;
		allocation_sum_add(&sum, size);
		object++; /* tosses for it end; the next object begins */
		offset = 0;
	}
}

static const struct estimated {
	const char *name;
	uint64_t size, count;
} estimated[] = {
	{ "47 samples", 24, 200000 },           { "4,700 samples", 24, 20000000 },
	{ "1,000 samples", 1024, 100000 },      { "most objects", 102400, 200 },
	{ "nearly all objects", 1048576, 100 },
};
enum { RUNS = 1000 };

TEST_ROWS(intervals_cover_the_truth, estimated)
{
	const struct estimated *row = *state;
	uint64_t random = 88172645463325252u;
	double truth = (double)(row->size * row->count), bytes = 0;
	unsigned bytes_covered = 0, objects_covered = 0;

	for (int i = 0; i < RUNS; i++) {
		struct allocation_sum sum = sample(row->size, row->count, &random);
		struct allocation_interval b = allocation_bytes_interval(&sum);
		struct allocation_interval o = allocation_objects_interval(&sum);

		bytes += sum.bytes / RUNS;
		bytes_covered += b.low <= truth && truth <= b.high;
		objects_covered += o.low <= (double)row->count && (double)row->count <= o.high;
	}
	assert_true(fabs(bytes - truth) < 0.02 * truth);
	assert_true(bytes_covered >= RUNS * 90 / 100);
	assert_true(objects_covered >= RUNS * 90 / 100);
	/* An interval that always covers says too little. */
	assert_true(row->size > 1000000 || bytes_covered <= RUNS * 99 / 100);
}

TEST(few_samples_give_an_upper_limit)
{
	uint64_t random = 42;
	unsigned covered = 0;

	for (int i = 0; i < RUNS; i++) {
		struct allocation_sum sum = sample(1024, 500, &random);
		struct allocation_interval b = allocation_bytes_interval(&sum);

		assert_true(sum.samples < ALLOCATION_SAMPLES_MIN);
		assert_true(b.low == 0);
		covered += !sum.samples || 1024 * 500 <= b.high;
	}
	assert_true(covered >= RUNS * 95 / 100);
}

TEST(a_tick_stands_for_its_budget)
{
	struct allocation_sum sum = { 0 };

	allocation_sum_add_tick(&sum, 1000, 100000);
	assert_true(sum.bytes == 100000 && sum.objects == 100);
	/* A large object is at least itself. */
	allocation_sum_add_tick(&sum, 500000, 100000);
	assert_true(sum.bytes == 600000 && sum.objects == 101);
}

/* ---- stacks -------------------------------------------------------------- */

/* Addresses are 0x100 apart; the two below 0x200 are of one method. */
static bool
name(void *context, uint64_t address, struct arena *scratch, struct allocation_method *out,
     struct error *err)
{
	static const struct allocation_method methods[] = {
		{ "Shop.Main", "shop.dll", false, false },
		{ "Shop.Cache.Add", "shop.dll", false, false },
		{ "List.Add", "System.Private.CoreLib.dll", true, false },
		{ "code at 0x400", "", false, true },
	};

	(void)context, (void)scratch, (void)err;
	*out = methods[address / 0x100 - 1];
	return true;
}

static void
add(struct allocation_tally *t, const char *type, const uint64_t *frames, uint32_t count)
{
	struct allocation_sample s = {
		.type = type, .size = 102400, .frames = frames, .frames_count = count
	};
	struct error err = { 0 };
	uint32_t cell;

	assert_true(allocation_tally_add(t, &s, &cell, &err));
}

static struct allocation_tally *
tallied(void)
{
	static const uint64_t one[] = { 0x300, 0x200, 0x110 };
	static const uint64_t other[] = { 0x300, 0x200, 0x120 };
	static const uint64_t unknown[] = { 0x400, 0x110 };
	static const uint64_t framework[] = { 0x310, 0x300 };
	struct error err = { 0 };
	struct allocation_tally *t = allocation_tally_new(&err);

	assert_non_null(t);
	t->facts.is_random = true;
	t->facts.time_ns = 2000000000;
	add(t, "System.Byte[]", one, 3);
	add(t, "System.Byte[]", other, 3);
	add(t, "System.String", one, 3);
	add(t, "System.String", unknown, 2);
	add(t, "System.String", framework, 2);
	add(t, "System.String", NULL, 0);
	assert_int_equal(t->nodes_count, 10);
	return t;
}

static struct allocations *
named(const struct allocation_tally *t)
{
	struct allocation_namer namer = { name, NULL };
	struct error err = { 0 };
	struct allocations *a = allocations_name(t, namer, &err);

	assert_non_null(a);
	return a;
}

static struct allocations *
recorded(void)
{
	struct allocation_tally *t = tallied();
	struct allocations *a = named(t);

	allocation_tally_free(t);
	return a;
}

TEST(methods_merge)
{
	struct allocations *a = recorded();

	/* The root, main, cache, add; unknown; and twice List.Add. */
	assert_int_equal(a->nodes_count, 7);
	assert_int_equal(a->cells_count, 5);
	assert_int_equal(a->facts.total.samples, 6);
	assert_int_equal(a->facts.without_stack, 1);
	allocations_free(a);
}

/* A recording that goes on changes no copy. */
TEST(copies_are_independent)
{
	static const uint64_t frames[] = { 0x200, 0x110 };
	struct allocation_tally *t = tallied();
	struct allocations *before = named(t), *after;

	add(t, "Shop.Order", frames, 2);
	after = named(t);
	allocation_tally_free(t);
	assert_int_equal(before->facts.total.samples, 6);
	assert_int_equal(before->cells_count, 5);
	assert_int_equal(before->types_count, 2);
	assert_int_equal(after->facts.total.samples, 7);
	assert_int_equal(after->cells_count, 6);
	assert_string_equal(after->types[2].name, "Shop.Order");
	assert_string_equal(after->methods[0].name, "Shop.Main");
	allocations_free(before);
	allocations_free(after);
}

/* Samples that were counted before have no rows. */
TEST(counting_starts_anew)
{
	static const uint64_t frames[] = { 0x200, 0x110 };
	struct allocation_tally *t = tallied();
	struct allocations *a;

	allocation_tally_restart(t);
	add(t, "System.String", frames, 2);
	a = named(t);
	allocation_tally_free(t);
	assert_int_equal(a->facts.total.samples, 1);
	assert_int_equal(a->facts.without_stack, 0);
	assert_int_equal(a->cells_count, 1);
	assert_int_equal(a->cells[0].sum.samples, 1);
	assert_string_equal(a->types[a->cells[0].type].name, "string");
	allocations_free(a);
}

static const struct allocation_row *
row_named(const struct allocation_rows *rows, const char *site)
{
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t n = rows->items[i].site;

		if (n == UINT32_MAX ? !*site : !strcmp(rows->of->methods[n].name, site))
			return &rows->items[i];
	}
	fail_msg("no row of %s", site);
	return NULL;
}

/* ---- rates --------------------------------------------------------------- */

enum { SECOND = 1000000000 };

/* Adds samples of 1 MiB, at this time of a clock in ns. */
static void
add_at(struct allocation_tally *t, uint64_t time, unsigned count, const uint64_t *frames)
{
	struct allocation_sample s = { .type = "System.Byte[]",
				       .time = time,
				       .size = 1 << 20,
				       .frames = frames,
				       .frames_count = 2 };
	struct error err = { 0 };
	uint32_t cell;

	while (count--)
		assert_true(allocation_tally_add(t, &s, &cell, &err));
}

static const uint64_t add_stack[] = { 0x200, 0x100 };
static const uint64_t list_stack[] = { 0x300, 0x100 };

/* A recording that began at 1 s of its clock. */
static struct allocation_tally *
tally_with_recent(void)
{
	struct error err = { 0 };
	struct allocation_tally *t = allocation_tally_new(&err);

	assert_true(t && allocation_tally_keep_recent(t, &err));
	t->facts.is_random = true;
	t->clock_hz = SECOND;
	t->clock_start = SECOND;
	return t;
}

static struct allocations *
named_after(struct allocation_tally *t, unsigned seconds)
{
	t->facts.time_ns = seconds * UINT64_C(1000000000);
	t->until = t->clock_start + t->facts.time_ns;
	return named(t);
}

TEST(rates_are_of_the_last_seconds)
{
	struct allocation_tally *t = tally_with_recent();
	struct error err = { 0 };
	struct allocation_rows rows;
	const struct allocation_row *row;
	struct allocations *a;

	add_at(t, 2 * (uint64_t)SECOND, 100, add_stack);
	add_at(t, 26 * (uint64_t)SECOND, 40, add_stack);
	add_at(t, 30 * (uint64_t)SECOND, 5, add_stack);
	/* Threads write in turn: one from before comes late. */
	add_at(t, 3 * (uint64_t)SECOND, 1, list_stack);
	a = named_after(t, 30);
	assert_true(a->facts.recent_ns == RECENT_SECONDS * (uint64_t)SECOND);
	assert_int_equal(a->facts.recent.samples, 45);
	assert_int_equal(a->facts.total.samples, 146);
	assert_true(allocations_rate_seconds(a) == RECENT_SECONDS);
	assert_true(allocation_rows_make(&rows, a, ALLOCATIONS_BY_TYPE, NULL, NULL, &err));
	assert_int_equal(rows.items[0].rate.samples, 45);
	assert_int_equal(rows.items[0].sum.samples, 146);
	allocation_rows_clear(&rows);
	assert_true(allocation_rows_make(&rows, a, ALLOCATIONS_BY_SITE, NULL, NULL, &err));
	row = row_named(&rows, "Shop.Cache.Add");
	assert_int_equal(row->rate.samples, 45);
	assert_true(row->rate.largest_bytes == row->sum.largest_bytes);
	row = row_named(&rows, "Shop.Main");
	assert_int_equal(row->rate.samples, 0);
	assert_int_equal(row->sum.samples, 1);
	allocation_rows_clear(&rows);
	allocations_free(a);
	/* Nothing any more. */
	a = named_after(t, 41);
	assert_true(a->facts.recent_ns == RECENT_SECONDS * (uint64_t)SECOND);
	assert_int_equal(a->facts.recent.samples, 0);
	allocations_free(a);
	allocation_tally_free(t);
}

TEST(rates_of_a_short_recording_are_of_all)
{
	struct allocation_tally *t = tally_with_recent();
	struct allocations *a;

	add_at(t, 2 * (uint64_t)SECOND, 3, add_stack);
	a = named_after(t, 4);
	assert_true(a->facts.recent_ns == 4 * (uint64_t)SECOND);
	assert_int_equal(a->facts.recent.samples, 3);
	allocations_free(a);
	/* Counting anew. */
	allocation_tally_restart(t);
	t->clock_start = 9 * (uint64_t)SECOND;
	add_at(t, 10 * (uint64_t)SECOND, 2, add_stack);
	a = named_after(t, 2);
	assert_true(a->facts.recent_ns == 2 * (uint64_t)SECOND);
	assert_int_equal(a->facts.recent.samples, 2);
	allocations_free(a);
	allocation_tally_free(t);
}

/* Memory is bounded, and the time is then shorter. */
TEST(recent_samples_give_way)
{
	struct allocation_tally *t = tally_with_recent();
	struct allocations *a;

	add_at(t, 2 * (uint64_t)SECOND, 10, add_stack);
	add_at(t, 8 * (uint64_t)SECOND, 90, add_stack);
	add_at(t, 9 * (uint64_t)SECOND, RECENT_SAMPLES_MAX - 10, list_stack);
	a = named_after(t, 9);
	/* All of second 8 that are left could have lost others. */
	assert_true(a->facts.recent_ns == 2 * (uint64_t)SECOND);
	assert_int_equal(a->facts.recent.samples, RECENT_SAMPLES_MAX - 10);
	assert_int_equal(a->facts.total.samples, RECENT_SAMPLES_MAX + 90);
	allocations_free(a);
	allocation_tally_free(t);
}

/* ---- sites and types ----------------------------------------------------- */

TEST(sites_are_of_the_application)
{
	struct allocations *a = recorded();
	struct error err = { 0 };
	struct allocation_rows rows;
	const struct allocation_row *row;

	assert_true(allocation_rows_make(&rows, a, ALLOCATIONS_BY_SITE, NULL, NULL, &err));
	assert_int_equal(rows.count, 4);
	row = row_named(&rows, "Shop.Cache.Add");
	assert_int_equal(row->sum.samples, 3);
	assert_int_equal(row->others, 1);
	assert_string_equal(a->types[row->type].name, "byte[]");
	/* The caller of code without a name, the framework without a caller, and no stack at
	   all. */
	assert_int_equal(row_named(&rows, "Shop.Main")->sum.samples, 1);
	assert_int_equal(row_named(&rows, "List.Add")->sum.samples, 1);
	assert_int_equal(row_named(&rows, "")->sum.samples, 1);
	allocation_rows_clear(&rows);
	allocations_free(a);
}

/* Patterns for modules in place of what the framework has. */
TEST(my_modules_have_the_sites)
{
	struct allocations *a = recorded();
	struct error err = { 0 };
	struct allocation_rows rows;

	assert_true(
	    allocation_rows_make(&rows, a, ALLOCATIONS_BY_SITE, "System.Private.*", NULL, &err));
	assert_int_equal(row_named(&rows, "List.Add")->sum.samples, 4);
	/* Without a method of mine it is the innermost of all. */
	assert_int_equal(row_named(&rows, "code at 0x400")->sum.samples, 1);
	allocation_rows_clear(&rows);
	allocations_free(a);
}

TEST(types_name_their_largest_site)
{
	struct allocations *a = recorded();
	struct error err = { 0 };
	struct allocation_rows rows;

	assert_true(allocation_rows_make(&rows, a, ALLOCATIONS_BY_TYPE, NULL, NULL, &err));
	assert_int_equal(rows.count, 2);
	assert_int_equal(rows.items[0].sum.samples, 2);
	assert_int_equal(rows.items[0].others, 0);
	assert_int_equal(rows.items[1].sum.samples, 4);
	assert_int_equal(rows.items[1].others, 3);
	allocation_rows_clear(&rows);
	allocations_free(a);
}

/* --- trees ---------------------------------------------------------------- */

/* Writes "name samples" of each node, indented, those below a node by bytes. */
static void
print_nodes(const struct allocation_stacks *s, uint32_t node, int depth, FILE *to)
{
	for (uint32_t i = s->first[node]; i < s->first[node + 1]; i++) {
		const struct allocation_row *row = &s->rows.items[s->order[i]];

		fprintf(to, "%*s%s %" PRIu64 "\n", depth, "",
			row->site == UINT32_MAX ? s->rows.of->types[row->type].name
						: s->rows.of->methods[row->site].name,
			row->sum.samples);
		print_nodes(s, s->order[i], depth + 1, to);
	}
}

static const struct tree {
	const char *name, *of;
	enum stacks_direction direction;
	uint64_t samples;
	const char *text;
} trees[] = {
	{ "callers of a site", "Shop.Cache.Add", STACKS_CALLERS, 3, "Shop.Main 3\n" },
	{ "callees of a site", "Shop.Cache.Add", STACKS_CALLEES, 3,
	  "List.Add 3\n byte[] 2\n string 1\n" },
	{ "callers of a type", "byte[]", STACKS_CALLERS, 2,
	  "List.Add 2\n Shop.Cache.Add 2\n  Shop.Main 2\n" },
	{ "what leads to a type", "byte[]", STACKS_CALLEES, 2,
	  "Shop.Main 2\n Shop.Cache.Add 2\n  List.Add 2\n   byte[] 2\n" },
	{ "a recursion", "List.Add", STACKS_CALLERS, 1, "List.Add 1\n" },
	{ "all", "", STACKS_CALLEES, 6,
	  "Shop.Main 4\n"
	  " Shop.Cache.Add 3\n"
	  "  List.Add 3\n"
	  "   byte[] 2\n"
	  "   string 1\n"
	  " code at 0x400 1\n"
	  "  string 1\n"
	  "List.Add 1\n"
	  " List.Add 1\n"
	  "  string 1\n"
	  "string 1\n" },
};

TEST_ROWS(stacks_are_trees, trees)
{
	const struct tree *row = *state;
	struct allocations *a = recorded();
	struct allocation_stacks s;
	struct error err = { 0 };
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	assert_ok(allocation_stacks_make(&s, a, row->of, row->direction, NULL, NULL, &err), &err);
	print_nodes(&s, 0, 0, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, row->text);
	assert_int_equal(s.rows.items[0].sum.samples, row->samples);
	free(text);
	allocation_stacks_clear(&s);
	allocations_free(a);
}

TEST(an_unknown_name_has_no_tree)
{
	struct allocations *a = recorded();
	struct allocation_stacks s;
	struct error err = { 0 };

	assert_false(allocation_stacks_make(&s, a, "Nothing", STACKS_CALLERS, NULL, NULL, &err));
	assert_non_null(strstr(err.message, "has the name Nothing"));
	allocation_stacks_clear(&s);
	allocations_free(a);
}

TEST(stacks_for_flame_graphs)
{
	struct allocations *a = recorded();
	struct error err = { 0 };
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	assert_non_null(to);
	assert_true(allocations_print_stacks(a, to, &err));
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "Shop.Main;Shop.Cache.Add;List.Add;byte[] 323988\n"
				  "Shop.Main;Shop.Cache.Add;List.Add;string 161994\n"
				  "Shop.Main;code at 0x400;string 161994\n"
				  "List.Add;List.Add;string 161994\n"
				  "string 161994\n");
	free(text);
	allocations_free(a);
}

TEST(what_is_too_much_is_counted)
{
	struct error err = { 0 };
	struct allocation_tally *t = allocation_tally_new(&err);
	uint64_t deep[ALLOCATION_FRAMES + 1];
	char type[32];

	assert_non_null(t);
	for (uint32_t i = 0; i <= ALLOCATION_FRAMES; i++)
		deep[i] = 0x100;
	add(t, "Deep", deep, ALLOCATION_FRAMES + 1);
	assert_int_equal(t->facts.folded, 1);
	for (uint32_t i = 0; i < ALLOCATION_TYPES + 10; i++) {
		snprintf(type, sizeof type, "T%" PRIu32, i);
		add(t, type, NULL, 0);
	}
	assert_true(t->types_count <= ALLOCATION_TYPES);
	assert_true(t->facts.folded > 10);
	assert_int_equal(t->facts.total.samples, ALLOCATION_TYPES + 11);
	allocation_tally_free(t);
}
