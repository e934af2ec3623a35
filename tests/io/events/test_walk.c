/* Heap walks: pairing, faults, several in one stream. */
#include "tests/drive/run_tests.h"
#include "tests/made/walks.h"
#include <string.h>

/*
 * How many objects have all their references to objects that are there, in order; the others have
 * none that is wrong: only fewer.
 */
static uint64_t
count_intact(const struct heap *h, uint64_t n)
{
	uint64_t intact = 0;

	for (uint64_t k = 0; k < n; k++) {
		node_id node = heap_find(h, walks_address(k)), target;
		uint64_t j = 0, found_count = 0, wanted = 0;
		struct refs refs;

		if (node == NODE_NONE)
			continue;
		assert_int_equal(heap_size(h, node), 24 + k % 5);
		for (uint64_t i = 0; i < walks_refs_count(k); i++)
			wanted += heap_find(h, walks_target(k, i, n)) != NODE_NONE;
		refs = heap_refs(h, node);
		while (refs_next(&refs, &target)) {
			uint64_t found = heap_address(h, target);

			if (k == 2 && found == walks_address(n - 1))
				continue; /* the dependent handle */
			/* Holes leave out some of an object's. */
			while (j < walks_refs_count(k) && walks_target(k, j, n) != found)
				j++;
			if (j == walks_refs_count(k))
				fail_msg("object %llu has a wrong reference",
					 (unsigned long long)k);
			j++;
			found_count++;
		}
		intact += found_count == wanted;
	}
	return intact;
}

/* --- faults --- */

struct fault_row {
	const char *name;
	unsigned faults;
	uint64_t n, objects, intact;
	/* As told in the heap. */
	uint64_t lost_events, lost_nodes, lost_refs, partial_nodes;
	const char *missing; /* begins like this; "" if complete */
};

/* clang-format off */
static const struct fault_row fault_rows[] = {
	{ "none",                 0,                     1000, 1000, 1000, 0, 0, 0, 0, "" },
	{ "one object",           0,                        1,    1,    1, 0, 0, 0, 0, "" },
	{ "types last",           TYPES_LAST,            1000, 1000, 1000, 0, 0, 0, 0, "" },
	{ "references first",     REFS_FIRST,            1000, 1000, 1000, 0, 0, 0, 0, "" },
	{ "objects first",        OBJECTS_FIRST,         1000, 1000, 1000, 0, 0, 0, 0, "" },
	{ "no collections",       NO_GC,                 1000, 1000, 1000, 0, 0, 0, 0, "" },
	{ "no types",             NO_TYPES,              1000, 1000, 1000, 0, 0, 0, 0, "" },
	/* The 64th to 95th: those of 43, …, 63, of which five have none. */
	{ "references lost",      LOSE_REFS,             1000, 1000, 984,  1, 0, 32, 16,
	  "1 event with references lost" },
	/* How many there were is known from the runtime. */
	{ "first references",     LOSE_FIRST_REFS | LARGE_EVENTS,
	                                               20000, 20000, 17322, 1, 0, 5354, 2678,
	  "1 event with references lost" },
	/* Those behind the hole get theirs from the end. */
	{ "objects lost",         LOSE_OBJECTS,          1000,  980, 980,  1, 20, 0, 0,
	  "1 event with objects lost" },
	{ "both lost",            LOSE_OBJECTS | LOSE_REFS | OBJECTS_FIRST,
	                                                 1000,  980, 964,  2, 20, 32, 16,
	  "1 event with objects lost, 1 event with references lost" },
	/* Between two holes only those are intact that have no references. */
	{ "objects lost twice",   LOSE_TWICE,            1000,  960, 930,  2, 40, 0, 30,
	  "2 events with objects lost" },
	/* Whose references the last ones are nobody can tell then. */
	{ "objects, last references", LOSE_OBJECTS | LOSE_LAST_REFS | LARGE_EVENTS,
	                                               18000, 15992, 10668, 2, 2008, 0, 5970,
	  "1 event with objects lost, 2 events of the collecting thread lost" },
	{ "end lost",             LOSE_END,              1000, 1000, 1000, 1, 0, 0, 0,
	  "1 event of the collecting thread lost, the end of the collection" },
	/* And behind the hole, if the end is missing; or only to lost ones. */
	{ "end and objects lost", LOSE_END | LOSE_OBJECTS, 1000, 980, 318, 2, 20, 0, 675,
	  "1 event with objects lost" },
	/* Six events with references are those of the first 128. */
	{ "tail lost",            LOSE_TAIL,             1000,  140, 140,  84, 0, 18, 9,
	  "84 events of the collecting thread lost" },
	{ "roots lost",           LOSE_ROOTS,            1000, 1000, 1000, 1, 0, 0, 0,
	  "1 event with roots lost" },
	{ "too many references",  MORE_REFS,             1000, 1000, 1000, 0, 0, 0, 0,
	  "1501 references instead of 1500" },
	{ "impossible count",     HUGE_COUNT,            1000, 1000, 0,    0, 0, 0, 0,
	  "1500 references instead of" },
	/* An event that is too short is a hole like any other. */
	{ "references cut",       CUT_REFS,              1000, 1000, 999,  0, 0, 1, 1,
	  "1 event damaged" },
	{ "objects cut",          CUT_OBJECTS,           1000,  990, 990,  0, 10, 0, 0,
	  "1 event damaged" },
};
/* clang-format on */

/* What is missing is in the heap, for whoever shows it. */
static void
check_losses(const struct fault_row *row, const struct heap *h, bool is_complete)
{
	const struct losses *l = &h->info.losses;

	if (losses_are_incomplete(l) == is_complete)
		fail_msg("%s: the losses do not say so", row->name);
	if (l->is_unfinished != !!(row->faults & LOSE_END))
		fail_msg("%s: the end", row->name);
	assert_int_equal(l->unnamed_nodes, row->faults & NO_TYPES ? row->objects : 0);
	assert_int_equal(l->unnamed_types, row->faults & NO_TYPES ? 3 : 0);
	if (row->faults & HUGE_COUNT)
		return;
	if (l->lost_events != row->lost_events || l->lost_nodes != row->lost_nodes ||
	    l->lost_refs != row->lost_refs || l->partial_nodes != row->partial_nodes)
		fail_msg("%s: %llu events, %llu objects, %llu references lost, %llu objects not "
			 "whole",
			 row->name, (unsigned long long)l->lost_events,
			 (unsigned long long)l->lost_nodes, (unsigned long long)l->lost_refs,
			 (unsigned long long)l->partial_nodes);
	assert_int_equal(l->damaged_refs, row->faults & MORE_REFS ? 1 : 0);
	assert_int_equal(l->damaged_events, row->faults & (CUT_REFS | CUT_OBJECTS) ? 1 : 0);
}

static void
check_fault(const struct fault_row *row, enum trace_format format, unsigned pointer_bytes)
{
	struct walk_report report;
	const struct heap *h;
	char text[400];
	struct trace t;
	uint64_t intact;
	/* Events of the runtime's size hold other numbers then. */
	bool is_exact = pointer_bytes == 8 || !(row->faults & LARGE_EVENTS);

	trace_begin(&t, format, pointer_bytes);
	walks_put(&t, 3, row->n, row->faults);
	trace_module(&t, 0x77, "/app/test.dll");
	trace_end(&t);
	h = walks_read(&t, 0, &report);
	walk_missing(&report, text, sizeof(text));
	intact = count_intact(h, row->n);
	if (h->nodes_count != row->objects || (row->intact && is_exact && intact != row->intact) ||
	    strncmp(text, row->missing, strlen(row->missing)) != 0)
		fail_msg("%s: %u objects, %llu intact, missing: %s", row->name, h->nodes_count,
			 (unsigned long long)intact, text);
	assert_int_equal(walk_is_complete(&report), !*text);
	assert_int_equal(h->info.warnings_count > 0, *text || row->faults & NO_TYPES);
	if (!(row->faults & NO_TYPES))
		assert_int_equal(report.untyped_objects, 0);
	else
		assert_int_equal(report.untyped_objects, row->n);
	if (is_exact)
		check_losses(row, h, !*text);
	else
		assert_true(losses_are_incomplete(&h->info.losses));
	heap_free(h);
	trace_free(&t);
}

TEST(test_faults)
{
	for (size_t i = 0; i < COUNT_OF(fault_rows); i++) {
		check_fault(&fault_rows[i], TRACE_4, 8);
		check_fault(&fault_rows[i], TRACE_4, 4);
		check_fault(&fault_rows[i], TRACE_6, 8);
	}
}

/* The runtime's events: 2008 objects, 5354 references. */
TEST(test_references_far_ahead)
{
	enum { AHEAD = 1000000 };
	struct bulk_writer objects, refs;
	struct walk_report report;
	const struct heap *h;
	struct trace t;
	struct refs found;
	node_id target;
	uint64_t count = 0;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	walks_put_types(&t);
	bulk_begin(&objects, &t, KIND_OBJECTS, 2008);
	bulk_begin(&refs, &t, KIND_REFS, 5354);
	for (uint64_t i = 0; i < AHEAD; i++)
		bulk_ref(&refs, walks_address(i % 5000));
	bulk_object(&objects, walks_address(0), 8000016, WALKS_TYPE + 2, AHEAD);
	for (uint64_t i = 1; i < 5000; i++)
		bulk_object(&objects, walks_address(i), 24, WALKS_TYPE, 0);
	bulk_end(&objects);
	bulk_end(&refs);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = walks_read(&t, 0, &report);
	assert_true(walk_is_complete(&report));
	assert_int_equal(h->refs_count, AHEAD);
	found = heap_refs(h, 0);
	while (refs_next(&found, &target))
		assert_int_equal(heap_address(h, target), walks_address(count++ % 5000));
	assert_int_equal(count, AHEAD);
	heap_free(h);
	trace_free(&t);
}

/* Cut anywhere, it gives a heap or a sentence. */
TEST(test_cut_at_every_byte)
{
	const struct walk_options options = { .which = 0 };
	struct trace t;
	uint32_t objects = 0;

	trace_begin(&t, TRACE_4, 8);
	walks_put(&t, 3, 60, 0);
	trace_end(&t);
	for (size_t len = 0; len < t.out.len; len++) {
		struct walk_report report;
		struct error err = { 0 };
		const struct heap *h;

		h = walk_read(t.out.data, len, &options, &report, NULL, NULL, &err);
		if (!h) {
			assert_int_equal(objects, 0);
			assert_true(err.message[0]);
			continue;
		}
		if (!heap_check(h, &err))
			fail_msg("%zu: %s", len, err.message);
		(void)count_intact(h, 60);
		assert_true(h->nodes_count >= objects);
		assert_true(h->info.warnings_count > 0);
		objects = h->nodes_count;
		heap_free(h);
	}
	assert_int_equal(objects, 60);
	trace_free(&t);
}

/* --- memory --- */

static const struct {
	const char *name;
	uint64_t objects, refs; /* whose memory is allowed */
	unsigned faults;
	bool is_good;
} memory_rows[] = {
	{ "enough", 1000, 1500, 0, true },
	{ "one reference too many", 1000, 1499, 0, false },
	{ "half of the objects", 500, 0, 0, false },
	{ "nothing", 0, 0, 0, false },
	{ "incomplete, too", 500, 0, LOSE_OBJECTS | LOSE_REFS, false },
};

/* Where it ends, the walk is counted all the same. */
TEST(test_memory_is_limited)
{
	for (size_t i = 0; i < COUNT_OF(memory_rows); i++) {
		struct walk_options options = { .memory_bytes = walk_memory(memory_rows[i].objects,
									    memory_rows[i].refs) };
		struct walk_report report;
		const struct heap *h;
		struct error err = { 0 };
		struct trace t;

		trace_begin(&t, TRACE_4, 8);
		walks_put(&t, 1, 1000, memory_rows[i].faults);
		trace_end(&t);
		h = walk_read(t.out.data, t.out.len, &options, &report, NULL, NULL, &err);
		if ((h != NULL) != memory_rows[i].is_good)
			fail_msg("%s: %s", memory_rows[i].name, err.message);
		assert_int_equal(report.is_too_large, !h);
		if (!h) {
			assert_int_equal(err.kind, ERROR_SYSTEM);
			assert_non_null(strstr(err.message, "MiB may be used"));
		}
		assert_int_equal(report.objects_count, memory_rows[i].faults ? 980 : 1000);
		assert_int_equal(walk_is_complete(&report), !memory_rows[i].faults);
		heap_free(h);
		trace_free(&t);
	}
	assert_true(walk_memory(UINT64_MAX, 1) == UINT64_MAX);
	assert_true(walk_memory(1, UINT64_MAX / 2) == UINT64_MAX);
}

/* --- several walks --- */

static void
put_four_walks(struct trace *t)
{
	trace_begin(t, TRACE_4, 8);
	walks_put(t, 1, 100, LOSE_OBJECTS);
	walks_put(t, 2, 200, 0);
	walks_put(t, 3, 250, 0);
	walks_put(t, 4, 300, LOSE_REFS);
	trace_end(t);
}

TEST(test_several_walks)
{
	const struct walk_options fifth = { .which = 5 };
	struct nettrace_memory memory;
	struct walk_list list;
	struct error err = { 0 };
	struct trace t;

	put_four_walks(&t);
	assert_true(
	    walk_list(&list, nettrace_memory_input(&memory, t.out.data, t.out.len), NULL, &err));
	assert_int_equal(list.count, 4);
	assert_int_equal(list.reports[0].gc_number, 1);
	assert_int_equal(list.reports[1].gc_number, 2);
	assert_int_equal(list.reports[1].objects_count, 200);
	assert_int_equal(list.reports[1].gc_generation, 2);
	assert_int_equal(list.reports[1].gc_reason, 1);
	assert_true(walk_is_complete(&list.reports[1]));
	assert_false(walk_is_complete(&list.reports[3]));
	assert_int_equal(walk_list_default(&list), 3); /* the last complete */
	list.reports[2].has_end = false;
	assert_int_equal(walk_list_default(&list), 2);
	/* None complete: the one with most objects. */
	list.reports[1].has_end = false;
	assert_int_equal(walk_list_default(&list), 4);
	list.reports[3].objects_count = 5;
	assert_int_equal(walk_list_default(&list), 3);
	walk_list_clear(&list);
	assert_int_equal(walk_list_default(&list), 0);

	for (uint32_t which = 0; which < 5; which++) {
		static const uint32_t objects[] = { 250, 80, 200, 250, 300 };
		const struct heap *h = walks_read(&t, which, NULL);
		char text[80];

		assert_int_equal(h->nodes_count, objects[which]);
		snprintf(
		    text, sizeof(text),
		    "the trace has 4 walks of the heap, this is number %u:", which ? which : 3);
		assert_non_null(strstr(h->info.warnings[0], text));
		assert_int_equal(h->info.walks_count, 4);
		assert_int_equal(h->info.walk, which ? which - 1 : 2);
		assert_string_equal(h->info.walks[1].path, "#2");
		assert_string_equal(h->info.walks[1].missing, "");
		assert_int_equal(h->info.walks[1].objects_count, 200);
		assert_int_equal(h->info.walks[1].gc_number, 2);
		assert_non_null(strstr(h->info.walks[3].missing, "1 event with references lost"));
		heap_free(h);
	}
	assert_null(walk_read(t.out.data, t.out.len, &fifth, NULL, NULL, NULL, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	trace_free(&t);
}

TEST(test_too_many_walks)
{
	const struct walk_options options = { .which = 0 };
	struct error err = { 0 };
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	for (uint32_t i = 0; i < 65537; i++) {
		trace_gc_start(&t, i, 2);
		walks_put_objects(&t, 0, 1);
		trace_gc_end(&t, i, 2);
	}
	trace_end(&t);
	assert_null(walk_read(t.out.data, t.out.len, &options, NULL, NULL, NULL, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_string_equal(err.message, "the trace has more than 65536 heap walks");
	trace_free(&t);
}

/* A live session takes the first complete walk, in one pass. */
TEST(test_first_complete_walk)
{
	struct walk_options options = { .which = 0 };
	struct nettrace_memory memory;
	struct nettrace_event event;
	enum nettrace_item item;
	struct walk_report report;
	const struct heap *h;
	struct nettrace *n;
	struct error err = { 0 };
	struct walk *w;
	struct trace t;
	unsigned changes = 0;
	enum walk_state before = WALK_NONE;

	put_four_walks(&t);
	n = nettrace_new(nettrace_memory_input(&memory, t.out.data, t.out.len), &err);
	w = walk_new(&options, &err);
	assert_int_equal(walk_state(w), WALK_NONE);
	while ((item = nettrace_next(n, &event, &err)) != NETTRACE_END) {
		assert_true(walk_take(w, n, item, &event, &err));
		changes += walk_state(w) != before;
		before = walk_state(w);
	}
	/* Running, done, running, done; the others are not looked at. */
	assert_int_equal(changes, 4);
	assert_int_equal(walk_state(w), WALK_DONE);
	assert_int_equal(walk_report(w)->gc_number, 2);
	h = walk_finish(w, n, &report, NULL, &err);
	assert_non_null(h);
	assert_int_equal(h->nodes_count, 200);
	assert_true(walk_is_complete(&report));
	heap_free(h);
	nettrace_free(n);
	trace_free(&t);
}

/* Objects `from` to `to`, all of one size, without references. */
static void
put_objects(struct trace *t, uint32_t index, uint64_t from, uint64_t to)
{
	struct bulk_writer b;

	bulk_begin(&b, t, KIND_OBJECTS, 100);
	b.index = index;
	for (uint64_t k = from; k < to; k++)
		bulk_object(&b, walks_address(k), 24, 0x5000, 0);
	bulk_end(&b);
}

/* What was written by one thread until another's events come. */
struct writer {
	uint64_t thread, time;
	uint32_t sequence;
};

static void
go_on_as(struct trace *t, const struct writer *w)
{
	trace_flush(t);
	t->thread = w->thread;
	t->time = w->time;
	t->sequence = w->sequence;
	t->is_mixed = false; /* only of the first */
}

/*
 * Of server GC: one thread says that a collection begins, another one walks the heap and ends it;
 * what the second wrote by then stands in front.
 */
TEST(test_two_threads_tell_one_walk)
{
	static const enum trace_format formats[] = { TRACE_4, TRACE_4_PLAIN, TRACE_6,
						     TRACE_6_PLAIN };
	const struct writer beginner = { 77, 2000100, 0 };
	const struct writer walker = { 6853, 3001000, 3 };
	struct walk_options options = { .which = 0 };

	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		struct walk_report report;
		const struct heap *h;
		struct error err = { 0 };
		struct trace t;

		trace_begin(&t, formats[i], 8);
		trace_type(&t, 0x5000, 1, 0x2000001, "Test.A");
		t.is_mixed = true;
		t.time = 3000000;
		put_objects(&t, 0, 0, 200);
		go_on_as(&t, &beginner);
		trace_gc_start(&t, 7, 2);
		go_on_as(&t, &walker);
		put_objects(&t, 2, 200, 250);
		t.is_mixed = true;
		trace_gc_end(&t, 7, 2);
		trace_end(&t);
		h = walk_read(t.out.data, t.out.len, &options, &report, NULL, NULL, &err);
		assert_ok(h, &err);
		assert_true(walk_is_complete(&report));
		assert_int_equal(report.gc_number, 7);
		assert_int_equal(h->nodes_count, 250);
		heap_free(h);
		trace_free(&t);
	}
}

/* The session is ended then, which alone lets the last ones go. */
TEST(test_end_that_waits)
{
	struct walk_options options = { .which = 0 };
	struct nettrace_memory memory;
	struct nettrace_event event;
	struct nettrace *n;
	struct error err = { 0 };
	struct walk *w;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 7, 2);
	put_objects(&t, 0, 0, 50);
	t.is_mixed = true;
	trace_gc_end(&t, 7, 2);
	trace_end(&t);
	n = nettrace_new(nettrace_memory_input(&memory, t.out.data, t.out.len), &err);
	w = walk_new(&options, &err);
	while (nettrace_next(n, &event, &err) == NETTRACE_EVENT)
		assert_true(walk_take(w, n, NETTRACE_EVENT, &event, &err));
	assert_int_equal(walk_state(w), WALK_DONE);
	assert_false(walk_is_complete(walk_report(w)));
	assert_true(walk_take(w, n, NETTRACE_END, NULL, &err));
	assert_int_equal(walk_state(w), WALK_DONE);
	assert_true(walk_is_complete(walk_report(w)));
	walk_free(w);
	nettrace_free(n);
	trace_free(&t);
}

/*
 * The runtime numbers events by the buffer: the end arrives, and only the next event tells that all
 * before it are not there.
 */
TEST(test_loss_that_shows_late)
{
	struct walk_report report;
	struct trace t;
	const struct heap *h;

	trace_begin(&t, TRACE_4, 8);
	walks_put(&t, 1, OBJECTS_A_EVENT * 5, 0);
	t.sequence += 100;
	trace_end(&t);
	h = walks_read(&t, 0, &report);
	assert_int_equal(report.lost_events, 0); /* the last are not full */
	assert_true(walk_is_complete(&report));
	heap_free(h);
	trace_free(&t);

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	walks_put_types(&t);
	for (uint32_t k = 0; k < 2; k++) {
		struct bulk_writer b;

		bulk_begin(&b, &t, KIND_OBJECTS, 2008);
		for (uint64_t i = 0; i < 2008; i++)
			bulk_object(&b, walks_address(i), 24, WALKS_TYPE, 0);
		blob_free(&b.records);
		trace_gc_end(&t, 1, 2);
		trace_gc_start(&t, 2, 2);
	}
	t.sequence += 100;
	trace_end(&t);
	h = walks_read(&t, 0, &report);
	assert_int_equal(report.lost_events, 100);
	assert_true(report.has_end);
	assert_false(walk_is_complete(&report));
	heap_free(h);
	trace_free(&t);
}

TEST(test_young_collections_are_no_walks)
{
	const struct walk_options options = { .which = 0 };
	struct bulk_writer b;
	struct error err = { 0 };
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 1);
	bulk_begin(&b, &t, KIND_OBJECTS, 100);
	bulk_object(&b, WALKS_BASE, 24, WALKS_TYPE, 0);
	bulk_end(&b);
	trace_gc_end(&t, 1, 1);
	trace_end(&t);
	assert_null(walk_read(t.out.data, t.out.len, &options, NULL, NULL, NULL, &err));
	assert_true(strstr(err.message, "has no heap walk"));
	trace_free(&t);
}

static const struct {
	const char *path;
	uint32_t number;
	size_t file_len;
} path_rows[] = {
	{ "a.nettrace", 0, 10 },
	{ "a.nettrace#2", 2, 10 },
	{ "a#b.nettrace#12", 12, 12 },
	{ "a.nettrace#", 0, 11 },
	{ "a.nettrace#2x", 0, 13 },
	{ "#1", 1, 0 },
	{ "a#99999999999", UINT32_MAX, 1 },
};

TEST(test_numbers_in_paths)
{
	for (size_t i = 0; i < COUNT_OF(path_rows); i++) {
		size_t file_len;

		assert_int_equal(walk_path_number(path_rows[i].path, &file_len),
				 path_rows[i].number);
		assert_int_equal(file_len, path_rows[i].file_len);
	}
}
