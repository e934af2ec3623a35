/*
 * Samples of allocations out of recorded streams: a web shop on .NET 10, which
 * samples at random, and the reference program on .NET 8, which does not. Both
 * programs are in tests/programs.
 */
#include "io/base/input.h"
#include "io/events/allocation_events.h"
#include "model/allocations/rows.h"
#include "tests/drive/run_tests.h"
#include <string.h>

#define SHOP "tests/data/allocations-10.nettrace.zst"
#define BUSY "tests/data/allocations-8.nettrace.zst"

static struct allocations *
loaded(const char *path)
{
	struct error err = { 0 };
	struct allocations *a = allocations_load(path, NULL, &err);

	assert_ok(a != NULL, &err);
	test_owns(a, (void (*)(void *))allocations_free);
	return a;
}

static struct allocation_rows *
rows_by(const struct allocations *a, enum allocation_grouping grouping)
{
	static struct allocation_rows rows;
	struct error err = { 0 };

	allocation_rows_clear(&rows);
	assert_ok(allocation_rows_make(&rows, a, grouping, NULL, &err), &err);
	return &rows;
}

static const struct allocation_row *
row_of_site(const struct allocation_rows *rows, const char *site)
{
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t n = rows->items[i].site;

		if (n != UINT32_MAX && !strcmp(rows->of->methods[n].name, site))
			return &rows->items[i];
	}
	fail_msg("no site %s", site);
	return NULL;
}

/* The sizes of the arrays are in the source of the program. */
static const struct site {
	const char *site, *module;
	uint64_t bytes; /* of an object; 0: several types */
} sites[] = {
	{ "Shop.PriceView..ctor", "shop.dll", 2024 },
	{ "Shop.Quote..ctor", "shop.dll", 1528 - 4 },
	{ "Shop.Reservation..ctor", "shop.dll", 728 - 4 },
	{ "Program.Serve", "shop.dll", 0 },          /* async */
	{ "Program.Build lambda 0", "shop.dll", 0 }, /* a lambda */
	{ "HttpConnection.SendAsync", "System.Net.Http.dll", 0 },
};

TEST(sites_of_a_shop)
{
	const struct allocations *a = loaded(SHOP);
	const struct allocation_rows *rows = rows_by(a, ALLOCATIONS_BY_SITE);

	assert_true(a->facts.is_random);
	assert_false(a->facts.is_cut);
	assert_int_equal(a->facts.lost_events, 0);
	assert_int_equal(a->facts.without_stack, 0);
	assert_int_equal(a->facts.folded, 0);
	assert_int_equal(a->facts.total.samples, 808);
	assert_true(a->facts.time_ns > 1000000000 &&
		    a->facts.time_ns < 1200000000);
	for (size_t i = 0; i < COUNT_OF(sites); i++) {
		const struct allocation_row *row =
		    row_of_site(rows, sites[i].site);
		double size = row->sum.bytes / row->sum.objects;

		assert_string_equal(a->methods[row->site].module,
				    sites[i].module);
		if (sites[i].bytes)
			assert_true(size > (double)sites[i].bytes - 8 &&
				    size < (double)sites[i].bytes + 8);
	}
}

TEST(every_method_has_a_name)
{
	const struct allocations *a = loaded(SHOP);

	assert_true(a->methods_count > 50);
	for (uint32_t i = 0; i < a->methods_count; i++)
		assert_false(a->methods[i].is_unknown);
}

TEST(ticks_of_a_busy_program)
{
	const struct allocations *a = loaded(BUSY);
	const struct allocation_rows *rows = rows_by(a, ALLOCATIONS_BY_SITE);
	const struct allocation_row *row =
	    row_of_site(rows, "Leaky.Program.StartBusy lambda 21_0");

	assert_false(a->facts.is_random);
	assert_int_equal(a->facts.total.samples, 1452);
	assert_int_equal(row->sum.samples, 1451);
	assert_string_equal(a->types[row->type].name, "byte[]");
	/* Each stands for what was allocated since the one before. */
	assert_true(row->sum.bytes / 1451 > 90000 &&
		    row->sum.bytes / 1451 < 120000);
}

/* ---- streams that are not whole ------------------------------------------ */

static struct input *
whole(const char *path)
{
	static struct input in;
	struct error err = { 0 };

	assert_ok(input_open(&in, path, NULL, &err), &err);
	test_owns(&in, (void (*)(void *))input_close);
	return &in;
}

static struct allocations *
read_part(const struct input *in, size_t len)
{
	struct nettrace_memory memory;
	struct error err = { 0 };
	struct allocations *a = allocations_read(
	    nettrace_memory_input(&memory, in->data, len), "", NULL, &err);

	assert_ok(a != NULL, &err);
	return a;
}

/* Without the list of methods at its end it has addresses for names. */
TEST(a_stream_that_ends_early)
{
	const struct input *in = whole(BUSY);
	struct allocations *a = read_part(in, in->len / 10);
	char text[ALLOCATION_TEXT_BYTES];
	unsigned line = 0;

	assert_true(a->facts.is_cut);
	assert_true(a->facts.total.samples > 10 &&
		    a->facts.total.samples < 1452);
	assert_true(a->methods_count > 0);
	assert_true(a->methods[0].is_unknown);
	assert_false(strncmp(a->methods[0].name, "code at 0x", 10));
	while (allocations_text(a, line, text) && !strstr(text, "ends in"))
		line++;
	assert_non_null(strstr(text, "the stream ends in the middle"));
	allocations_free(a);
}

/* Every cut leaves rows that can be shown. */
TEST(any_cut)
{
	enum { CUTS = 50 };
	const struct input *in = whole(BUSY);
	uint64_t before = 0;

	for (size_t i = 1; i < CUTS; i++) {
		struct allocations *a = read_part(in, in->len * i / CUTS);

		assert_true(a->facts.total.samples >= before);
		before = a->facts.total.samples;
		(void)rows_by(a, ALLOCATIONS_BY_TYPE);
		allocations_free(a);
	}
	assert_true(before == 1452);
}

TEST(another_file_is_refused)
{
	struct error err = { 0 };

	assert_null(allocations_load("tests/data/leaky-10.gcdump", NULL, &err));
	assert_non_null(strstr(err.message, "not a .nettrace file"));
}
