/*
 * The events of collections in made-up streams: which ones belong to which collection, in which
 * order, and what is lost or damaged. Another provider's event stands for a sample.
 */
#include "io/base/bytes.h"
#include "io/events/gc_events.h"
#include "io/events/gc_survivors.h"
#include "tests/drive/run_tests.h"
#include "tests/made/traces.h"
#include <string.h>

enum { MB = 1 << 20, KIND_OF_SAMPLE = KIND_OTHER };

/* ---- writing --------------------------------------------------------------
 */

static void
put(struct trace *t, unsigned kind, struct blob *payload)
{
	trace_event(t, kind, payload);
	blob_free(payload);
}

static void
put_empty(struct trace *t, unsigned kind)
{
	struct blob b = { 0 };

	blob_u16(&b, 0);
	put(t, kind, &b);
}

static void
put_sample(struct trace *t, uint64_t address, uint64_t size)
{
	struct blob b = { 0 };

	blob_u64(&b, address);
	blob_u64(&b, size);
	put(t, KIND_OF_SAMPLE, &b);
}

static void
put_start(struct trace *t, uint32_t number, uint32_t generation, uint32_t type)
{
	struct blob b = { 0 };

	blob_u32(&b, number);
	blob_u32(&b, generation);
	blob_u32(&b, 0);
	blob_u32(&b, type);
	blob_u16(&b, 0);
	blob_u64(&b, 0);
	put(t, KIND_GC_START, &b);
}

static void
put_regions(struct trace *t)
{
	for (uint8_t g = 0; g < 5; g++)
		trace_range(t, g, (g + 1) * UINT64_C(0x100000), MB);
}

static void
put_plug(struct trace *t, uint64_t from, uint64_t to, uint64_t length)
{
	bool is_moved = from != to;
	struct blob b = { 0 };

	blob_u32(&b, 0);
	blob_u32(&b, 1);
	blob_u16(&b, 0);
	blob_pointer(&b, t, from);
	if (is_moved)
		blob_pointer(&b, t, to);
	blob_u64(&b, length);
	put(t, is_moved ? KIND_MOVED : KIND_SURVIVING, &b);
}

static void
put_suspend(struct trace *t, uint32_t reason)
{
	struct blob b = { 0 };

	blob_u32(&b, reason);
	blob_u32(&b, 0);
	blob_u16(&b, 0);
	put(t, KIND_SUSPEND, &b);
	put_empty(t, KIND_SUSPENDED);
}

/* Puts a collection of generation 0; the plug is its only survivor, unless its length is 0. */
static void
put_young(struct trace *t, uint32_t number, uint64_t from, uint64_t to, uint64_t length)
{
	put_suspend(t, 1);
	put_start(t, number, 0, 0);
	put_regions(t);
	put_empty(t, KIND_MARK);
	if (length)
		put_plug(t, from, to, length);
	put_regions(t);
	trace_gc_end(t, number, 0);
	put_empty(t, KIND_RESTART);
}

/*
 * Later events are written by the other thread, whose numbers go on where they were: `*other` is
 * what the last call has left there, at first 0.
 */
static void
change_thread(struct trace *t, uint32_t *other)
{
	uint32_t sequence = t->sequence;

	trace_flush(t);
	t->thread ^= 1;
	t->sequence = *other;
	*other = sequence;
	t->is_mixed = true;
}

/* ---- reading --------------------------------------------------------------
 */

struct read {
	struct survived *survived;
	struct gc_survivors *survivors;
	struct survived_sample last_gone;
};

static void
note_gone(void *context, const struct survived_sample *sample)
{
	struct read *r = context;

	r->last_gone = *sample;
}

static void
take_event(struct read *r, const struct nettrace_event *e, struct error *err)
{
	struct survived_sample sample = { 0 };
	struct error ignored;
	struct bytes b = gc_payload(e, &ignored);

	if (e->provider != NETTRACE_OTHER)
		return;
	sample.address = bytes_u64(&b, "an address");
	sample.size = bytes_u64(&b, "a size");
	assert_ok(gc_survivors_add(r->survivors, e, &sample, err), err);
}

static void
read_trace(struct read *r, struct trace *t)
{
	struct nettrace_memory memory;
	struct nettrace_event e;
	enum nettrace_item item;
	struct error err = { 0 };
	struct nettrace *n;

	trace_end(t);
	*r = (struct read){ 0 };
	r->survived = survived_new((struct survived_sink){ .gone = note_gone, .context = r }, &err);
	r->survivors = gc_survivors_new(r->survived, &err);
	n = nettrace_new(nettrace_memory_input(&memory, t->out.data, t->out.len), &err);
	assert_ok(n && r->survivors, &err);
	while ((item = nettrace_next(n, &e, &err)) != NETTRACE_END) {
		assert_int_not_equal(item, NETTRACE_FAILED);
		assert_ok(gc_survivors_take(r->survivors, n, item, &e, &err), &err);
		if (item == NETTRACE_EVENT)
			take_event(r, &e, &err);
	}
	assert_ok(gc_survivors_settle(r->survivors, &err), &err);
	nettrace_free(n);
	trace_free(t);
}

static void
read_free(struct read *r)
{
	gc_survivors_free(r->survivors);
	survived_free(r->survived);
}

static struct survived_sample
only_sample(const struct read *r)
{
	size_t count;
	const struct survived_sample *samples = survived_samples(r->survived, &count);

	assert_int_equal(count, 1);
	return samples[0];
}

/* ---- collections ----------------------------------------------------------
 */

static void
check_blocking(enum trace_format format, unsigned pointer_bytes)
{
	struct survived_sample s;
	struct trace t;
	struct read r;

	trace_begin(&t, format, pointer_bytes);
	put_sample(&t, MB + 0x100, 64);
	put_sample(&t, MB + 0x200, 64);
	put_young(&t, 3, MB + 0x100, 2 * MB, 64);
	put_young(&t, 4, 0, 0, 0);
	put_sample(&t, MB + 0x300, 64);
	put_young(&t, 5, MB + 0x700, 2 * MB + 0x1000, 64);
	read_trace(&r, &t);
	s = only_sample(&r);
	assert_int_equal(s.address, 2 * MB);
	assert_int_equal(s.judge_number, 3);
	assert_int_equal(s.generation, 1);
	assert_int_equal(s.state, SURVIVED_ALIVE);
	assert_int_equal(survived_totals(r.survived)->collections, 3);
	assert_int_equal(survived_totals(r.survived)->dead, 2);
	assert_int_equal(gc_survivors_facts(r.survivors)->ranges, 2);
	assert_int_equal(gc_survivors_facts(r.survivors)->losses, 0);
	read_free(&r);
}

TEST(blocking_collections)
{
	check_blocking(TRACE_4, 8);
	check_blocking(TRACE_4, 4);
	check_blocking(TRACE_6, 8);
}

/* The session lacks the keyword of survivors: all would seem dead. */
TEST(a_collection_without_regions)
{
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, MB + 0x100, 64);
	put_start(&t, 3, 0, 0);
	put_empty(&t, KIND_MARK);
	trace_gc_end(&t, 3, 0);
	put_empty(&t, KIND_RESTART);
	read_trace(&r, &t);
	assert_int_equal(r.last_gone.state, SURVIVED_LOST);
	assert_int_equal(survived_totals(r.survived)->collections, 0);
	assert_int_equal(survived_totals(r.survived)->dead, 0);
	assert_int_equal(gc_survivors_facts(r.survivors)->losses, 1);
	read_free(&r);
}

/* Native AOT reports regions, and nothing that survives. */
TEST(a_runtime_without_survivors)
{
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, MB + 0x100, 64);
	put_young(&t, 3, 0, 0, 0);
	put_young(&t, 4, 0, 0, 0);
	read_trace(&r, &t);
	assert_int_equal(r.last_gone.state, SURVIVED_LOST);
	assert_int_equal(survived_totals(r.survived)->collections, 0);
	assert_int_equal(survived_totals(r.survived)->dead, 0);
	read_free(&r);
}

/* A background collection until its survivors are to be reported. */
static void
put_background(struct trace *t, uint32_t number)
{
	put_suspend(t, 1);
	put_start(t, number, 2, 1);
	put_regions(t);
	put_empty(t, KIND_RESTART);
}

TEST(a_background_collection_reports_late)
{
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, 3 * MB + 0x100, 64);
	put_sample(&t, 3 * MB + 0x200, 64);
	put_background(&t, 1);
	put_young(&t, 2, MB, MB, 64);
	put_suspend(&t, 6);
	put_plug(&t, 3 * MB + 0x100, 3 * MB + 0x100, 64);
	put_empty(&t, KIND_RESTART);
	trace_gc_end(&t, 1, 2);
	read_trace(&r, &t);
	assert_int_equal(only_sample(&r).state, SURVIVED_UNCONFIRMED);
	assert_int_equal(only_sample(&r).judge_number, 1);
	assert_int_equal(r.last_gone.address, 3 * MB + 0x200);
	assert_int_equal(survived_totals(r.survived)->background_collections, 1);
	read_free(&r);
}

/* The thread that reports is late to say that the program runs again. */
TEST(another_collection_ends_the_report)
{
	uint32_t other = 0;
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, 3 * MB + 0x100, 64);
	put_sample(&t, 3 * MB + 0x200, 64);
	put_background(&t, 1);
	change_thread(&t, &other);
	put_suspend(&t, 6);
	put_plug(&t, 3 * MB + 0x100, 3 * MB + 0x100, 64);
	change_thread(&t, &other);
	put_young(&t, 2, 0, 0, 0);
	change_thread(&t, &other);
	put_empty(&t, KIND_RESTART);
	read_trace(&r, &t);
	assert_int_equal(only_sample(&r).address, 3 * MB + 0x100);
	assert_int_equal(only_sample(&r).judge_number, 1);
	assert_int_equal(survived_totals(r.survived)->dead, 1);
	read_free(&r);
}

/* Another thread is late with the end of an earlier pause. */
TEST(only_the_reporter_ends_the_report)
{
	uint32_t other = 0;
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, 3 * MB + 0x100, 64);
	put_background(&t, 1);
	change_thread(&t, &other);
	put_suspend(&t, 6);
	put_plug(&t, 3 * MB + 0x800, 3 * MB + 0x800, 64);
	change_thread(&t, &other);
	put_empty(&t, KIND_RESTART);
	change_thread(&t, &other);
	put_plug(&t, 3 * MB + 0x100, 3 * MB + 0x100, 64);
	put_empty(&t, KIND_RESTART);
	read_trace(&r, &t);
	assert_int_equal(only_sample(&r).state, SURVIVED_UNCONFIRMED);
	read_free(&r);
}

TEST(young_samples_are_doubted_after_the_marks)
{
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_background(&t, 1);
	put_sample(&t, MB + 0x100, 64);
	put_suspend(&t, 6);
	put_empty(&t, KIND_RESTART);
	put_young(&t, 2, MB + 0x100, 2 * MB, 64);
	read_trace(&r, &t);
	assert_true(only_sample(&r).is_doubtful);
	assert_int_equal(only_sample(&r).state, SURVIVED_UNKNOWN);
	read_free(&r);
}

/* The program stops again for the report, which frees nothing. */
TEST(samples_before_the_report_are_not_doubted)
{
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_background(&t, 1);
	put_suspend(&t, 6);
	put_empty(&t, KIND_RESTART);
	put_sample(&t, MB + 0x100, 64);
	put_suspend(&t, 6);
	put_plug(&t, MB, MB, 0x1000);
	put_empty(&t, KIND_RESTART);
	put_young(&t, 2, MB + 0x100, 2 * MB, 64);
	read_trace(&r, &t);
	assert_false(only_sample(&r).is_doubtful);
	assert_int_equal(only_sample(&r).state, SURVIVED_ALIVE);
	read_free(&r);
}

/* Regions that the thread of a background collection lists at its end. */
TEST(regions_of_another_thread_are_ignored)
{
	uint32_t other = 0;
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, 3 * MB + 0x100, 64);
	put_background(&t, 1);
	put_start(&t, 2, 0, 2);
	change_thread(&t, &other);
	trace_range(&t, 0, 3 * MB, MB);
	change_thread(&t, &other);
	put_regions(&t);
	put_empty(&t, KIND_MARK);
	put_plug(&t, MB, MB, 64);
	put_regions(&t);
	trace_gc_end(&t, 2, 0);
	read_trace(&r, &t);
	assert_int_equal(only_sample(&r).generation, 2);
	read_free(&r);
}

/* ---- what is missing ------------------------------------------------------
 */

TEST(the_stream_begins_within_a_collection)
{
	struct trace t;
	struct read r;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, MB + 0x100, 64);
	put_plug(&t, MB + 0x800, 2 * MB, 64);
	put_regions(&t);
	trace_gc_end(&t, 1, 0);
	put_empty(&t, KIND_RESTART);
	read_trace(&r, &t);
	assert_int_equal(only_sample(&r).state, SURVIVED_NEW);
	assert_int_equal(survived_totals(r.survived)->collections, 0);
	read_free(&r);
}

static void
check_all_lost(struct trace *t)
{
	struct read r;
	size_t count;

	read_trace(&r, t);
	survived_samples(r.survived, &count);
	assert_int_equal(count, 0);
	assert_int_equal(r.last_gone.state, SURVIVED_LOST);
	assert_true(gc_survivors_facts(r.survivors)->losses > 0);
	read_free(&r);
}

TEST(lost_events_lose_all_samples)
{
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, MB + 0x100, 64);
	trace_flush(&t);
	t.is_losing = true;
	put_empty(&t, KIND_RESTART);
	t.is_losing = false;
	put_empty(&t, KIND_RESTART);
	check_all_lost(&t);
}

TEST(a_missing_end_loses_all_samples)
{
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, MB + 0x100, 64);
	put_start(&t, 1, 0, 0);
	put_start(&t, 2, 0, 0);
	check_all_lost(&t);
}

TEST(damaged_events_lose_all_samples)
{
	struct blob b = { 0 };
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	put_sample(&t, MB + 0x100, 64);
	put_start(&t, 1, 0, 0);
	put_regions(&t);
	blob_u32(&b, 0);
	blob_u32(&b, 0x10000000);
	blob_u16(&b, 0);
	put(&t, KIND_SURVIVING, &b);
	check_all_lost(&t);
}
