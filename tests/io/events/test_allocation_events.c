/*
 * Samples of allocations out of recorded streams: a web shop on .NET 10, which samples at random,
 * and the reference program on .NET 8, which does not. Both programs are in tests/programs.
 */
#include "io/base/input.h"
#include "io/events/allocation_events.h"
#include "model/allocations/sentences.h"
#include "tests/drive/run_tests.h"
#include "tests/made/traces.h"
#include <string.h>

#define SHOP "tests/data/allocations-10.nettrace.zst"
#define BUSY "tests/data/allocations-8.nettrace.zst"

static struct allocations *
loaded(const char *path)
{
	struct error err = { 0 };
	struct allocations *a = allocations_load(path, NULL, NULL, &err);

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
	assert_ok(allocation_rows_make(&rows, a, grouping, NULL, NULL, &err), &err);
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
	assert_true(a->facts.time_ns > 1000000000 && a->facts.time_ns < 1200000000);
	for (size_t i = 0; i < COUNT_OF(sites); i++) {
		const struct allocation_row *row = row_of_site(rows, sites[i].site);
		double size = row->sum.bytes / row->sum.objects;

		assert_string_equal(a->methods[row->site].module, sites[i].module);
		if (sites[i].bytes)
			assert_true(size > (double)sites[i].bytes - 8 &&
				    size < (double)sites[i].bytes + 8);
	}
}

/* Three methods of .NET 11 whose calls are suspended: each allocates in its own name, and the
   objects that keep the calls have no name in the events. */
TEST(sites_of_suspended_calls)
{
	static const char *const methods[] = { "P.Make", "P.Load", "P.Middle" };
	const struct allocations *a = loaded("tests/data/async-11.nettrace.zst");
	const struct allocation_rows *rows = rows_by(a, ALLOCATIONS_BY_SITE);
	unsigned calls = 0;

	for (size_t i = 0; i < COUNT_OF(methods); i++)
		assert_true(row_of_site(rows, methods[i])->sum.samples > 20);
	for (uint32_t i = 0; i < a->types_count; i++) {
		assert_true(*a->types[i].name != '\0');
		calls += !strcmp(a->types[i].name, "Continuation");
	}
	assert_int_equal(calls, 1);
}

TEST(every_method_has_a_name)
{
	const struct allocations *a = loaded(SHOP);

	assert_true(a->methods_count > 50);
	for (uint32_t i = 0; i < a->methods_count; i++)
		assert_false(a->methods[i].is_unknown);
}

/* Whether a sentence of this topic has these words. */
static bool
says(const struct allocation_rows *rows, enum sentence_topic wanted, const char *words)
{
	char text[ALLOCATION_TEXT_BYTES];
	enum sentence_topic topic;

	for (unsigned i = 0; allocation_sentence(rows, i, &topic, text); i++)
		if (topic == wanted && strstr(text, words))
			return true;
	return false;
}

TEST(ticks_of_a_busy_program)
{
	const struct allocations *a = loaded(BUSY);
	const struct allocation_rows *rows = rows_by(a, ALLOCATIONS_BY_SITE);
	const struct allocation_row *row = row_of_site(rows, "Leaky.Program.StartBusy lambda 21_0");

	assert_false(a->facts.is_random);
	assert_false(says(rows, SENTENCE_DOUBT, "no name, as the last list"));
	assert_int_equal(a->facts.total.samples, 1452);
	assert_int_equal(row->sum.samples, 1451);
	assert_string_equal(a->types[row->type].name, "byte[]");
	/* Each stands for what was allocated since the one before. */
	assert_true(row->sum.bytes / 1451 > 90000 && row->sum.bytes / 1451 < 120000);
}

/* ---- what stays ---------------------------------------------------------- */

/*
 * The reference program keeps what Grow makes, and the last 20,000 arrays of a busy thread. It
 * collected about ten times.
 */
static const struct leaking {
	const char *path, *version;
} leaking[] = {
	{ "tests/data/survival-10.nettrace.zst", "10.0" },
	{ "tests/data/survival-8.nettrace.zst", "8.0" },
};

TEST_ROWS(the_leak_is_the_site_that_grows, leaking)
{
	const struct leaking *row = *state;
	const struct allocations *a = loaded(row->path);
	const struct allocation_survival *s = &a->facts.survival;
	const struct allocation_rows *rows = rows_by(a, ALLOCATIONS_BY_SITE);
	const struct allocation_row *leak = row_of_site(rows, "Leaky.Program.Grow");
	const struct allocation_row *busy =
	    row_of_site(rows, "Leaky.Program.StartBusy lambda 21_0");
	struct allocation_growth growth = allocation_growth(&s->points, &leak->alive);

	assert_true(s->gen2_collections > 5);
	assert_true(s->collections > s->gen2_collections);
	assert_int_equal(s->lost_samples, 0);
	assert_true(growth.is_known && growth.low > 0);
	assert_true(allocation_growth(&s->points, &busy->alive).bytes < growth.low);
	assert_true(says(rows, SENTENCE_GROWTH, "rise most at Leaky.Program.Grow"));
	/* All that it has made since is alive; of the arrays, few are. */
	assert_true(leak->alive.sum.samples > leak->sum.samples * 7 / 10);
	assert_true(busy->alive.sum.samples < busy->sum.samples / 20);
	assert_true(busy->alive.sum.bytes > 1 << 20);
	assert_true(leak->alive.oldest_ns < UINT64_C(1200000000));
	assert_true(busy->alive.oldest_ns > leak->alive.oldest_ns);
}

/* The samples that are listed make up the rows. */
TEST(live_samples_have_their_cell)
{
	const struct allocations *a = loaded(leaking[0].path);
	uint64_t judged = 0;

	assert_true(a->samples.count > 50);
	for (size_t i = 0; i < a->samples.count; i++) {
		const struct survived_sample *s = &a->samples.items[i];

		assert_true(s->owner < a->cells_count);
		assert_true(s->time < a->facts.time_ns + 200000000);
		assert_true(s->address && s->size >= 24);
		judged += s->state != SURVIVED_NEW;
	}
	assert_int_equal(judged, a->alive.sum.samples);
	assert_true(judged < a->samples.count);
}

/* Samples of the stream until a heap was captured. */
static uint64_t
samples_until(int64_t time, uint32_t time_ns)
{
	const struct heap h = { .info = { .time = time, .time_ns = time_ns } };
	struct error err = { 0 };
	struct allocations *a = allocations_load(BUSY, &h, NULL, &err);
	uint64_t samples;

	assert_ok(a != NULL, &err);
	samples = a->facts.total.samples;
	allocations_free(a);
	return samples;
}

TEST(a_heap_ends_the_samples)
{
	int64_t second = loaded(BUSY)->facts.time + 1;
	uint64_t from_begin = samples_until(second, 1);

	assert_true(from_begin > 0);
	assert_true(samples_until(second, 500000000) > from_begin);
	/* Unknown nanoseconds: all of the second belongs to the heap. */
	assert_int_equal(samples_until(second, 0), samples_until(second + 1, 1));
	assert_true(samples_until(second, 0) > from_begin);
}

/* Without the keyword of survivors all would seem dead. */
TEST(a_stream_without_survivors)
{
	const struct allocations *a = loaded(BUSY);
	const struct allocation_rows *rows = rows_by(a, ALLOCATIONS_BY_SITE);

	assert_int_equal(a->facts.survival.collections, 0);
	assert_int_equal(a->alive.sum.samples, 0);
	assert_true(says(rows, SENTENCE_ALIVE, "what stays alive is unknown"));
	assert_false(says(rows, SENTENCE_GROWTH, ""));
}

/* ---- methods ------------------------------------------------------------- */

static void
list_methods(struct methods *m, uint32_t count)
{
	struct error err = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		struct nettrace_event e = { .provider = NETTRACE_RUNDOWN, .id = 143 };
		struct blob b = { 0 };

		blob_u64(&b, i);
		blob_u64(&b, 0x77);
		blob_u64(&b, 0x10000 + i * 0x100);
		blob_u32(&b, 0x100);
		blob_u64(&b, 0);
		blob_text16(&b, "Shop.Cart");
		blob_text16(&b, i ? "Add" : "Remove");
		e.payload = b.data;
		e.payload_len = (uint32_t)b.len;
		assert_ok(methods_take(m, &e, &err), &err);
		blob_free(&b);
	}
}

static void
assert_named(struct methods *m, uint64_t address, const char *name)
{
	struct allocation_method found;
	struct error err = { 0 };
	struct arena texts;

	arena_init(&texts, 0);
	assert_ok(methods_find(m, address, &texts, &found, &err), &err);
	assert_string_equal(found.name, name);
	arena_clear(&texts);
}

/* A recording of an hour lists the methods of its process several times. */
TEST(methods_are_listed_again)
{
	enum { METHODS = 1000, LISTS = 10 };
	struct error err = { 0 };
	struct methods *m = methods_new(&err);
	uint64_t held;

	assert_non_null(m);
	list_methods(m, METHODS);
	assert_named(m, 0x10001, "Shop.Cart.Remove");
	held = memory_held();
	for (int i = 0; i < LISTS; i++)
		list_methods(m, METHODS);
	assert_int_equal(memory_held(), held);
	assert_named(m, 0x10001, "Shop.Cart.Remove");
	list_methods(m, METHODS + 1);
	assert_named(m, 0x10001 + METHODS * 0x100, "Shop.Cart.Add");
	methods_free(m);
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
	struct allocations *a =
	    allocations_read(nettrace_memory_input(&memory, in->data, len), "", NULL, &err);

	assert_ok(a != NULL, &err);
	return a;
}

/* Without the list of methods at its end it has addresses for names. */
TEST(a_stream_that_ends_early)
{
	const struct input *in = whole(BUSY);
	struct allocations *a = read_part(in, in->len / 10);
	const struct allocation_rows rows = { .of = a };

	assert_true(a->facts.is_cut);
	assert_true(a->facts.total.samples > 10 && a->facts.total.samples < 1452);
	assert_true(a->methods_count > 0);
	assert_true(a->methods[0].is_unknown);
	assert_false(strncmp(a->methods[0].name, "code at 0x", 10));
	assert_true(says(&rows, SENTENCE_DOUBT, "the stream ends in the middle"));
	assert_true(says(&rows, SENTENCE_DOUBT, "1 code address has no name, as the last list"));
	allocations_free(a);
}

/* Gives the stream in two parts, and counts anew in between. */
struct parts {
	const struct blob *whole;
	size_t at, first;
	struct allocation_reader *reader;
};

static bool
next_part(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct parts *p = context;

	(void)err;
	*data = p->whole->data + p->at;
	*len = p->at ? p->whole->len - p->at : p->first;
	if (p->at == p->first)
		allocation_reader_restart(p->reader);
	p->at += *len;
	return true;
}

static void
put_losing(struct trace *t)
{
	const struct blob none = { 0 };

	t->is_losing = true;
	trace_event(t, KIND_RESTART, &none);
	t->is_losing = false;
	trace_event(t, KIND_RESTART, &none);
	trace_flush(t);
}

static void
put_tick_1(struct trace *t, uint32_t bytes)
{
	struct blob b = { 0 };

	blob_u32(&b, bytes);
	blob_u32(&b, 0);
	blob_u16(&b, 0);
	trace_event(t, KIND_TICK_1, &b);
	blob_free(&b);
}

static void
put_tick_3(struct trace *t, uint64_t bytes, const char *type)
{
	struct blob b = { 0 };

	blob_u32(&b, (uint32_t)bytes);
	blob_u32(&b, 0);
	blob_u16(&b, 0);
	blob_u64(&b, bytes);
	blob_u64(&b, 0x1234);
	blob_text16(&b, type);
	blob_u32(&b, 0);
	blob_u64(&b, 0x7f0000001000);
	trace_event(t, KIND_TICK_3, &b);
	blob_free(&b);
}

/* .NET Core 3.1: amounts and types, but no sizes, of which counts follow. */
TEST(ticks_of_old_runtimes)
{
	struct nettrace_memory memory;
	struct error err = { 0 };
	struct allocation_rows rows = { 0 };
	struct allocations *a;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	put_tick_3(&t, 106496, "System.String");
	put_tick_3(&t, 106496, "System.String");
	put_tick_1(&t, 104857);
	trace_end(&t);
	a = allocations_read(nettrace_memory_input(&memory, t.out.data, t.out.len), "", NULL, &err);
	assert_ok(a, &err);
	assert_int_equal(a->facts.total.samples, 3);
	assert_int_equal(a->facts.total.unsized, 3);
	assert_int_equal(a->facts.total.bytes, 2 * 106496 + 104857);
	assert_int_equal(a->types_count, 2);
	assert_string_equal(a->types[0].name, "string");
	assert_string_equal(a->types[1].name, "(without a type)");
	rows.of = a;
	assert_true(says(&rows, SENTENCE_TOTAL,
			 "an unknown number of objects a second were allocated (an old runtime, "
			 "whose events lack the sizes"));
	allocations_free(a);
	trace_free(&t);
}

/* Events that were lost before belong to what is forgotten. */
TEST(losses_are_counted_anew)
{
	struct parts p = { 0 };
	struct error err = { 0 };
	struct nettrace *read;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	put_losing(&t);
	put_losing(&t);
	p.first = t.out.len;
	put_losing(&t);
	trace_end(&t);
	p.whole = &t.out;
	p.reader = allocation_reader_new(&err);
	assert_ok(p.reader, &err);
	read = nettrace_new((struct nettrace_input){ next_part, &p }, &err);
	assert_ok(read, &err);
	assert_ok(allocation_reader_take_all(p.reader, read, NULL, &err), &err);
	assert_int_equal(nettrace_status(read)->lost_events_count, 3);
	assert_int_equal(allocation_reader_facts(p.reader)->lost_events, 1);
	nettrace_free(read);
	allocation_reader_free(p.reader);
	trace_free(&t);
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

	assert_null(allocations_load("tests/data/leaky-10.gcdump", NULL, NULL, &err));
	assert_non_null(strstr(err.message, "not a .nettrace file"));
}
