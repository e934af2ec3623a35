/* Heap walks: pairing, faults, roots; and the reference trace. */
#include "tests/run_tests.h"
#include "tests/traces.h"
#include "io/gcdump.h"
#include "io/walk.h"
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * A made-up heap: object k lies at BASE + 64 k, has type k % 3, size 24 + k % 5
 * and k % 4 references, the j-th to object (7 k + j) % n.
 */
enum { TYPES_COUNT = 3, OBJECTS_A_EVENT = 20, REFS_A_EVENT = 32 };
#define BASE    UINT64_C(0x10000000)
#define TYPE_ID UINT64_C(0x55000000)

static uint64_t
address_of(uint64_t k)
{
	return BASE + 64 * k;
}

static uint64_t
refs_of(uint64_t k)
{
	return k % 4;
}

static uint64_t
target_of(uint64_t k, uint64_t j, uint64_t n)
{
	return address_of((7 * k + j) % n);
}

static void
put_types(struct trace *t)
{
	static const char *const names[] = { "Test.A", "Test.B`1[Test.A]",
					     "Test.A[]" };

	for (uint64_t i = 0; i < TYPES_COUNT; i++)
		trace_type(t, TYPE_ID + i, 0x77, 0x02000001, names[i]);
}

/* What is wrong with a walk. */
enum fault {
	LOSE_OBJECTS = 1 << 0, /* the fifth event of them */
	LOSE_REFS = 1 << 1,    /* the third */
	LOSE_FIRST_REFS = 1 << 2,
	LOSE_TAIL = 1 << 3, /* all from the eighth event of objects on */
	LOSE_END = 1 << 4,  /* GCEnd */
	TYPES_LAST = 1 << 5,
	REFS_FIRST = 1 << 6,
	OBJECTS_FIRST = 1 << 7,
	NO_GC = 1 << 8,
	NO_TYPES = 1 << 9,
	LOSE_ROOTS = 1 << 10,
	MORE_REFS = 1 << 11, /* one that nobody announced */
	HUGE_COUNT = 1 << 12,
	LOSE_TWICE = 1 << 13,   /* objects, here and there */
	LARGE_EVENTS = 1 << 14, /* as large as the runtime's */
};

struct walking {
	struct trace *trace;
	struct bulk_writer objects, refs;
	uint64_t n;
	unsigned faults;
};

static void
send_object(struct walking *w, uint64_t k)
{
	uint32_t index = w->objects.index;
	bool is_lost = (w->faults & LOSE_OBJECTS && index == 4) ||
		       (w->faults & LOSE_TAIL && index >= 7) ||
		       (w->faults & LOSE_TWICE && (index == 2 || index == 5));
	uint64_t count = refs_of(k);

	if (w->faults & HUGE_COUNT && k == 50)
		count = UINT64_MAX - 5;
	w->trace->is_losing = is_lost;
	bulk_object(&w->objects, address_of(k), 24 + k % 5, TYPE_ID + k % 3,
		    count);
	w->trace->is_losing = false;
}

static void
send_refs(struct walking *w, uint64_t k)
{
	for (uint64_t j = 0; j < refs_of(k); j++) {
		uint32_t index = w->refs.index;

		w->trace->is_losing =
		    (w->faults & LOSE_REFS && index == 2) ||
		    (w->faults & LOSE_FIRST_REFS && index == 0) ||
		    (w->faults & LOSE_TAIL && w->objects.index >= 7);
		bulk_ref(&w->refs, target_of(k, j, w->n));
		w->trace->is_losing = false;
	}
}

static void
send_roots(struct walking *w)
{
	struct bulk_writer b;

	w->trace->is_losing = w->faults & LOSE_ROOTS;
	bulk_begin(&b, w->trace, KIND_ROOTS, 2);
	bulk_root(&b, address_of(0), 2, 0, 0x900); /* a strong handle */
	bulk_root(&b, 0, 0, 0, 0);                 /* nothing */
	w->trace->is_losing = false;
	bulk_root(&b, address_of(1), 2, 2, 0x910); /* weak */
	bulk_end(&b);
	bulk_begin(&b, w->trace, KIND_DEPENDENTS, 10);
	bulk_dependent(&b, address_of(2), address_of(w->n - 1));
	bulk_dependent(&b, 0, 0);
	bulk_end(&b);
}

/* Objects and references, as far ahead of each other as is wanted. */
static void
send_graph(struct walking *w)
{
	for (uint64_t k = 0; k < w->n; k++) {
		if (!(w->faults & REFS_FIRST))
			send_object(w, k);
		if (!(w->faults & OBJECTS_FIRST))
			send_refs(w, k);
	}
	for (uint64_t k = 0; k < w->n; k++) {
		if (w->faults & REFS_FIRST)
			send_object(w, k);
		if (w->faults & OBJECTS_FIRST)
			send_refs(w, k);
	}
	if (w->faults & MORE_REFS)
		bulk_ref(&w->refs, address_of(0));
}

static void
put_walk(struct trace *t, uint32_t gc, uint64_t n, unsigned faults)
{
	struct walking w = { .trace = t, .n = n, .faults = faults };

	if (!(faults & NO_GC))
		trace_gc_start(t, gc, 2);
	if (!(faults & (TYPES_LAST | NO_TYPES)))
		put_types(t);
	bulk_begin(&w.objects, t, KIND_OBJECTS,
		   faults & LARGE_EVENTS ? 2008 : OBJECTS_A_EVENT);
	bulk_begin(&w.refs, t, KIND_REFS,
		   faults & LARGE_EVENTS ? 64256 / (t->pointer_bytes + 4)
					 : REFS_A_EVENT);
	send_graph(&w);
	send_roots(&w);
	t->is_losing = faults & LOSE_TAIL;
	bulk_end(&w.objects);
	bulk_end(&w.refs);
	t->is_losing = false;
	if (faults & TYPES_LAST)
		put_types(t);
	t->is_losing = faults & LOSE_END;
	if (!(faults & NO_GC))
		trace_gc_end(t, gc, 2);
	t->is_losing = false;
}

static const struct heap *
read_trace(const struct trace *t, uint32_t which, struct walk_report *report)
{
	struct error err;
	const struct heap *h;

	error_clear(&err);
	h = walk_read(t->out.data, t->out.len, which, report, NULL, NULL, &err);
	if (!h)
		fail_msg("%s", err.message);
	if (!heap_check(h, &err))
		fail_msg("%s", err.message);
	return h;
}

/*
 * How many objects have all their references to objects that are there, in
 * order; the others have none that is wrong: only fewer.
 */
static uint64_t
count_intact(const struct heap *h, uint64_t n)
{
	uint64_t intact = 0;

	for (uint64_t k = 0; k < n; k++) {
		node_id node = heap_find(h, address_of(k)), target;
		uint64_t j = 0, found_count = 0, wanted = 0;
		struct refs refs;

		if (node == NODE_NONE)
			continue;
		assert_int_equal(heap_size(h, node), 24 + k % 5);
		for (uint64_t i = 0; i < refs_of(k); i++)
			wanted += heap_find(h, target_of(k, i, n)) != NODE_NONE;
		refs = heap_refs(h, node);
		while (refs_next(&refs, &target)) {
			uint64_t found = heap_address(h, target);

			if (k == 2 && found == address_of(n - 1))
				continue; /* the dependent handle */
			/* Holes leave out some of an object's. */
			while (j < refs_of(k) && target_of(k, j, n) != found)
				j++;
			if (j == refs_of(k))
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
	const char *missing; /* begins like this; "" if complete */
};

/* clang-format off */
static const struct fault_row fault_rows[] = {
	{ "none",                 0,                     1000, 1000, 1000, "" },
	{ "one object",           0,                        1,    1,    1, "" },
	{ "types last",           TYPES_LAST,            1000, 1000, 1000, "" },
	{ "references first",     REFS_FIRST,            1000, 1000, 1000, "" },
	{ "objects first",        OBJECTS_FIRST,         1000, 1000, 1000, "" },
	{ "no collections",       NO_GC,                 1000, 1000, 1000, "" },
	{ "no types",             NO_TYPES,              1000, 1000, 1000, "" },
	/* The 64th to 95th: those of 43, …, 63, of which five have none. */
	{ "references lost",      LOSE_REFS,             1000, 1000, 984,
	  "1 event with references lost" },
	/* How many there were is known from the runtime. */
	{ "first references",     LOSE_FIRST_REFS | LARGE_EVENTS,
	                                               20000, 20000, 0,
	  "1 event with references lost" },
	/* Those behind the hole get theirs from the end. */
	{ "objects lost",         LOSE_OBJECTS,          1000,  980, 980,
	  "1 event with objects lost" },
	{ "both lost",            LOSE_OBJECTS | LOSE_REFS | OBJECTS_FIRST,
	                                                 1000,  980, 964,
	  "1 event with objects lost, 1 event with references lost" },
	/* Between two holes only those are intact that have no references. */
	{ "objects lost twice",   LOSE_TWICE,            1000,  960, 930,
	  "2 events with objects lost" },
	{ "end lost",             LOSE_END,              1000, 1000, 1000,
	  "1 event of the collecting thread lost, the end of the collection" },
	/* And behind the hole, if the end is missing; or only to lost ones. */
	{ "end and objects lost", LOSE_END | LOSE_OBJECTS, 1000, 980, 318,
	  "1 event with objects lost" },
	/* Six events with references are those of the first 128. */
	{ "tail lost",            LOSE_TAIL,             1000,  140, 140,
	  "84 events of the collecting thread lost" },
	{ "roots lost",           LOSE_ROOTS,            1000, 1000, 1000,
	  "1 event with roots lost" },
	{ "too many references",  MORE_REFS,             1000, 1000, 1000,
	  "1501 references of 1500 there" },
	{ "impossible count",     HUGE_COUNT,            1000, 1000, 0,
	  "1500 references of" },
};
/* clang-format on */

static void
check_fault(const struct fault_row *row, enum trace_format format,
	    unsigned pointer_bytes)
{
	struct walk_report report;
	const struct heap *h;
	char text[400];
	struct trace t;
	uint64_t intact;

	trace_begin(&t, format, pointer_bytes);
	put_walk(&t, 3, row->n, row->faults);
	trace_module(&t, 0x77, "/app/test.dll");
	trace_end(&t);
	h = read_trace(&t, 0, &report);
	walk_missing(&report, text, sizeof(text));
	intact = count_intact(h, row->n);
	if (h->nodes_count != row->objects ||
	    (row->intact && intact != row->intact) ||
	    strncmp(text, row->missing, strlen(row->missing)) != 0)
		fail_msg("%s: %u objects, %llu intact, missing: %s", row->name,
			 h->nodes_count, (unsigned long long)intact, text);
	assert_int_equal(walk_is_complete(&report), !*text);
	assert_int_equal(h->info.warnings_count > 0,
			 *text || row->faults & NO_TYPES);
	if (!(row->faults & NO_TYPES))
		assert_int_equal(report.untyped_objects, 0);
	else
		assert_int_equal(report.untyped_objects, row->n);
	/* The others are all there. */
	if (row->faults & LARGE_EVENTS)
		assert_int_equal(intact, t.pointer_bytes == 8 ? 17322 : 15983);
	heap_free(h);
	trace_free(&t);
}

static void
test_faults(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(fault_rows); i++) {
		check_fault(&fault_rows[i], TRACE_4, 8);
		check_fault(&fault_rows[i], TRACE_4, 4);
		check_fault(&fault_rows[i], TRACE_6, 8);
	}
}

/* The runtime's events: 2008 objects, 5354 references. */
static void
test_references_far_ahead(void **state)
{
	enum { AHEAD = 1000000 };
	struct bulk_writer objects, refs;
	struct walk_report report;
	const struct heap *h;
	struct trace t;
	struct refs found;
	node_id target;
	uint64_t count = 0;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	put_types(&t);
	bulk_begin(&objects, &t, KIND_OBJECTS, 2008);
	bulk_begin(&refs, &t, KIND_REFS, 5354);
	for (uint64_t i = 0; i < AHEAD; i++)
		bulk_ref(&refs, address_of(i % 5000));
	bulk_object(&objects, address_of(0), 8000016, TYPE_ID + 2, AHEAD);
	for (uint64_t i = 1; i < 5000; i++)
		bulk_object(&objects, address_of(i), 24, TYPE_ID, 0);
	bulk_end(&objects);
	bulk_end(&refs);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = read_trace(&t, 0, &report);
	assert_true(walk_is_complete(&report));
	assert_int_equal(h->refs_count, AHEAD);
	found = heap_refs(h, 0);
	while (refs_next(&found, &target))
		assert_int_equal(heap_address(h, target),
				 address_of(count++ % 5000));
	assert_int_equal(count, AHEAD);
	heap_free(h);
	trace_free(&t);
}

/* Cut anywhere, it gives a heap or a sentence. */
static void
test_cut_at_every_byte(void **state)
{
	struct trace t;
	uint32_t objects = 0;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	put_walk(&t, 3, 60, 0);
	trace_end(&t);
	for (size_t len = 0; len < t.out.len; len++) {
		struct walk_report report;
		struct error err;
		const struct heap *h;

		error_clear(&err);
		h = walk_read(t.out.data, len, 0, &report, NULL, NULL, &err);
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

/* --- several walks --- */

static void
put_three_walks(struct trace *t)
{
	trace_begin(t, TRACE_4, 8);
	put_walk(t, 1, 100, LOSE_OBJECTS);
	put_walk(t, 2, 200, 0);
	put_walk(t, 3, 300, LOSE_REFS);
	trace_end(t);
}

static void
test_several_walks(void **state)
{
	struct nettrace_memory memory;
	struct walk_list list;
	struct error err;
	struct trace t;

	(void)state;
	error_clear(&err);
	put_three_walks(&t);
	assert_true(walk_list(
	    &list, nettrace_memory_input(&memory, t.out.data, t.out.len), NULL,
	    &err));
	assert_int_equal(list.count, 3);
	assert_int_equal(list.reports[0].gc_number, 1);
	assert_int_equal(list.reports[1].gc_number, 2);
	assert_int_equal(list.reports[1].objects_count, 200);
	assert_int_equal(list.reports[1].gc_generation, 2);
	assert_int_equal(list.reports[1].gc_reason, 1);
	assert_true(walk_is_complete(&list.reports[1]));
	assert_false(walk_is_complete(&list.reports[2]));
	assert_int_equal(walk_list_default(&list), 2);
	/* None complete: the one with most objects. */
	list.reports[1].has_end = false;
	assert_int_equal(walk_list_default(&list), 3);
	list.reports[2].objects_count = 5;
	assert_int_equal(walk_list_default(&list), 2);
	walk_list_clear(&list);
	assert_int_equal(walk_list_default(&list), 0);

	for (uint32_t which = 0; which < 4; which++) {
		static const uint32_t objects[] = { 200, 80, 200, 300 };
		const struct heap *h = read_trace(&t, which, NULL);

		assert_int_equal(h->nodes_count, objects[which]);
		assert_true(strstr(
		    h->info.warnings[0],
		    "the trace holds 3 walks of the heap, this is number "));
		heap_free(h);
	}
	assert_null(
	    walk_read(t.out.data, t.out.len, 4, NULL, NULL, NULL, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	trace_free(&t);
}

/* A live session takes the first complete walk, in one pass. */
static void
test_first_complete_walk(void **state)
{
	struct walk_options options = { .which = 0 };
	struct nettrace_memory memory;
	struct nettrace_event event;
	enum nettrace_item item;
	struct walk_report report;
	const struct heap *h;
	struct nettrace *n;
	struct error err;
	struct walk *w;
	struct trace t;
	unsigned changes = 0;
	enum walk_state before = WALK_NONE;

	(void)state;
	error_clear(&err);
	put_three_walks(&t);
	n = nettrace_new(nettrace_memory_input(&memory, t.out.data, t.out.len),
			 &err);
	w = walk_new(&options, &err);
	assert_int_equal(walk_state(w), WALK_NONE);
	while ((item = nettrace_next(n, &event, &err)) != NETTRACE_END) {
		assert_true(walk_take(w, n, item, &event, &err));
		changes += walk_state(w) != before;
		before = walk_state(w);
	}
	/* Running, done, running, done; the third is not looked at. */
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

/*
 * The runtime numbers events by the buffer: the end arrives, and only the next
 * event tells that all before it are not there.
 */
static void
test_loss_that_shows_late(void **state)
{
	struct walk_report report;
	struct trace t;
	const struct heap *h;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	put_walk(&t, 1, OBJECTS_A_EVENT * 5, 0);
	t.sequence += 100;
	trace_end(&t);
	h = read_trace(&t, 0, &report);
	assert_int_equal(report.lost_events, 0); /* the last are not full */
	assert_true(walk_is_complete(&report));
	heap_free(h);
	trace_free(&t);

	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	put_types(&t);
	for (uint32_t k = 0; k < 2; k++) {
		struct bulk_writer b;

		bulk_begin(&b, &t, KIND_OBJECTS, 2008);
		for (uint64_t i = 0; i < 2008; i++)
			bulk_object(&b, address_of(i), 24, TYPE_ID, 0);
		blob_free(&b.records);
		trace_gc_end(&t, 1, 2);
		trace_gc_start(&t, 2, 2);
	}
	t.sequence += 100;
	trace_end(&t);
	h = read_trace(&t, 0, &report);
	assert_int_equal(report.lost_events, 100);
	assert_true(report.has_end);
	assert_false(walk_is_complete(&report));
	heap_free(h);
	trace_free(&t);
}

static void
test_young_collections_are_no_walks(void **state)
{
	struct bulk_writer b;
	struct error err;
	struct trace t;

	(void)state;
	error_clear(&err);
	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 1);
	bulk_begin(&b, &t, KIND_OBJECTS, 100);
	bulk_object(&b, BASE, 24, TYPE_ID, 0);
	bulk_end(&b);
	trace_gc_end(&t, 1, 1);
	trace_end(&t);
	assert_null(
	    walk_read(t.out.data, t.out.len, 0, NULL, NULL, NULL, &err));
	assert_true(strstr(err.message, "holds no walk of the heap"));
	trace_free(&t);
}

/* --- roots and ranges --- */

static const struct root *
find_root(const struct heap *h, uint64_t address, enum root_kind kind)
{
	uint32_t count;
	node_id node = heap_find(h, address);
	const struct root *roots;

	assert_int_not_equal(node, NODE_NONE);
	roots = heap_roots_of(h, node, &count);
	for (uint32_t i = 0; i < count; i++)
		if (roots[i].kind == kind)
			return &roots[i];
	return NULL;
}

struct root_row {
	uint8_t source;
	uint32_t flags;
	enum root_kind kind;
	bool is_pinned;
};

/* clang-format off */
static const struct root_row root_rows[] = {
	{ 0, 0, ROOT_STACK,       false },
	{ 0, 1, ROOT_STACK,       true },
	{ 0, 4, ROOT_STACK,       false },
	{ 1, 0, ROOT_FINALIZER,   false },
	{ 2, 0, ROOT_STRONG,      false },
	{ 2, 1, ROOT_PINNED,      true },
	{ 2, 8, ROOT_REF_COUNTED, false },
	{ 3, 0, ROOT_OTHER,       false },
	{ 4, 0, ROOT_SIZED_REF,   false },
	{ 5, 0, ROOT_OTHER,       false },
	{ 9, 0, ROOT_OTHER,       false },
};
/* clang-format on */

static void
put_objects(struct trace *t, uint64_t first, uint64_t count)
{
	struct bulk_writer b;

	bulk_begin(&b, t, KIND_OBJECTS, 1000);
	for (uint64_t i = first; i < first + count; i++)
		bulk_object(&b, address_of(i), 24, TYPE_ID, 0);
	bulk_end(&b);
}

static void
test_root_kinds(void **state)
{
	struct walk_report report;
	struct bulk_writer b;
	const struct heap *h;
	struct trace t;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	put_types(&t);
	put_objects(&t, 0, COUNT_OF(root_rows) + 1);
	bulk_begin(&b, &t, KIND_ROOTS, 4);
	for (size_t i = 0; i < COUNT_OF(root_rows); i++)
		bulk_root(&b, address_of(i), root_rows[i].source,
			  root_rows[i].flags, 0);
	bulk_root(&b, address_of(COUNT_OF(root_rows)), 2, 2, 0); /* weak */
	bulk_root(&b, 0, 0, 0, 0);
	bulk_root(&b, BASE - 64, 2, 0, 0); /* of no object */
	bulk_end(&b);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = read_trace(&t, 0, &report);
	assert_int_equal(h->roots_count, COUNT_OF(root_rows));
	assert_int_equal(report.roots_count, COUNT_OF(root_rows) + 1);
	assert_int_equal(report.weak_count, 1);
	assert_int_equal(h->info.losses.undefined_roots, 1);
	for (size_t i = 0; i < COUNT_OF(root_rows); i++) {
		const struct root *r =
		    find_root(h, address_of(i), root_rows[i].kind);

		assert_non_null(r);
		assert_int_equal(r->is_pinned, root_rows[i].is_pinned);
	}
	heap_free(h);
	trace_free(&t);
}

static void
put_method(struct trace *t, uint64_t id, const char *type, const char *name)
{
	struct blob b = { 0 };

	blob_u64(&b, id);
	blob_u64(&b, 0x77);
	blob_u64(&b, 0x7000);
	for (int i = 0; i < 3; i++)
		blob_u32(&b, 0);
	blob_text16(&b, type);
	blob_text16(&b, name);
	blob_text16(&b, "void  ()");
	blob_u16(&b, 0);
	blob_u64(&b, 0);
	trace_event(t, KIND_METHOD, &b);
	blob_free(&b);
}

static void
test_stack_roots_have_methods(void **state)
{
	struct bulk_writer b;
	const struct heap *h;
	const struct root *r;
	struct trace t;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	put_types(&t);
	put_objects(&t, 0, 3);
	bulk_begin(&b, &t, KIND_ROOTS, 100);
	for (int i = 0; i < 84; i++)
		bulk_root(&b, address_of(0), 0, 0, 0xabc);
	bulk_root(&b, address_of(0), 0, 0, 0xdef);
	bulk_root(&b, address_of(1), 0, 0, 0);
	bulk_end(&b);
	trace_gc_end(&t, 1, 2);
	put_method(&t, 0xabc, "System.Collections.Generic.List`1[Test.A]",
		   "Add");
	put_method(&t, 0x123, "Test.B", "NotWanted");
	trace_end(&t);
	h = read_trace(&t, 0, NULL);
	assert_int_equal(h->roots_count, 3);
	r = find_root(h, address_of(0), ROOT_STACK);
	assert_string_equal(r[0].name, "");
	assert_string_equal(r[1].name, "List<Test.A>.Add");
	heap_free(h);
	trace_free(&t);
}

static void
test_dependents_are_references(void **state)
{
	struct bulk_writer b;
	const struct heap *h;
	struct trace t;
	struct refs refs;
	node_id target;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	put_types(&t);
	bulk_begin(&b, &t, KIND_DEPENDENTS, 100); /* before its objects */
	bulk_dependent(&b, address_of(3), address_of(1));
	bulk_dependent(&b, address_of(3), address_of(2));
	bulk_dependent(&b, BASE - 64, address_of(0)); /* no such key */
	bulk_dependent(&b, 0, address_of(4));
	bulk_end(&b);
	put_objects(&t, 0, 5);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = read_trace(&t, 0, NULL);
	assert_int_equal(h->refs_count, 2);
	refs = heap_refs(h, 3);
	assert_true(refs_next(&refs, &target));
	assert_int_equal(target, 1);
	assert_true(refs_next(&refs, &target));
	assert_int_equal(target, 2);
	assert_int_equal(h->roots_count, 1);
	assert_non_null(find_root(h, address_of(0), ROOT_DEPENDENT));
	heap_free(h);
	trace_free(&t);
}

static void
test_generations(void **state)
{
	struct walk_report report;
	const struct heap *h;
	struct trace t;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	trace_range(&t, 0, address_of(100), 6400); /* where it begins */
	put_types(&t);
	put_objects(&t, 0, 300); /* 0…99 frozen, 200…299 newly made */
	trace_range(&t, 2, address_of(100), 64 * 50);
	trace_range(&t, 0, address_of(150), 64 * 50);
	trace_range(&t, 3, address_of(200), 64 * 99);
	trace_range(&t, 4, address_of(299), 64);
	trace_range(&t, 1, address_of(400), 0);
	trace_range(&t, 9, address_of(500), 64);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = read_trace(&t, 0, &report);
	assert_true(walk_is_complete(&report));
	assert_int_equal(report.ranges_count, 5);
	for (uint64_t k = 0; k < 300; k++) {
		enum generation gen = k < 100   ? GEN_FROZEN
				      : k < 150 ? GEN_2
				      : k < 200 ? GEN_0
				      : k < 299 ? GEN_LOH
						: GEN_POH;
		node_id node = heap_find(h, address_of(k));

		assert_int_equal(heap_generation(h, node), gen);
		assert_int_equal(
		    find_root(h, address_of(k), ROOT_FROZEN) != NULL, k < 100);
	}
	heap_free(h);
	trace_free(&t);
}

static void
test_statics(void **state)
{
	struct blob b = { 0 };
	const struct heap *h;
	const struct root *r;
	struct trace t;

	(void)state;
	trace_begin(&t, TRACE_4, 8);
	trace_gc_start(&t, 1, 2);
	put_types(&t);
	blob_u32(&b, 2);
	blob_u64(&b, 1); /* domain */
	blob_u16(&b, 0);
	for (uint64_t i = 0; i < 2; i++) {
		blob_u64(&b, 0x900 + i);
		blob_u64(&b, address_of(i));
		blob_u64(&b, TYPE_ID);
		blob_u32(&b, 0);
		blob_text16(&b, i ? "second" : "s_first");
	}
	trace_event(&t, KIND_STATICS, &b);
	blob_free(&b);
	put_objects(&t, 0, 5);
	trace_gc_end(&t, 1, 2);
	trace_end(&t);
	h = read_trace(&t, 0, NULL);
	assert_int_equal(h->roots_count, 2);
	r = find_root(h, address_of(0), ROOT_STATIC);
	assert_string_equal(r->name, "s_first");
	r = find_root(h, address_of(1), ROOT_STATIC);
	assert_string_equal(r->name, "second");
	heap_free(h);
	trace_free(&t);
}

/* --- types --- */

static void
test_types_live_with_the_process(void **state)
{
	struct walk_options options = { .which = 0 };
	struct nettrace_memory memory;
	struct nettrace_event event;
	enum nettrace_item item;
	struct error err;

	(void)state;
	error_clear(&err);
	options.types = walk_types_new(&err);
	/* The second session is not told any types. */
	for (int round = 0; round < 2; round++) {
		struct walk_report report;
		const struct heap *h;
		struct nettrace *n;
		struct walk *w;
		struct trace t;

		trace_begin(&t, TRACE_4, 8);
		put_walk(&t, 1, 100, round ? NO_TYPES : 0);
		trace_end(&t);
		n = nettrace_new(
		    nettrace_memory_input(&memory, t.out.data, t.out.len),
		    &err);
		w = walk_new(&options, &err);
		while ((item = nettrace_next(n, &event, &err)) != NETTRACE_END)
			assert_true(walk_take(w, n, item, &event, &err));
		h = walk_finish(w, n, &report, NULL, &err);
		assert_int_equal(report.untyped_objects, 0);
		assert_int_equal(h->types_count, 3);
		assert_string_equal(h->types[heap_type_of(h, 1)].raw,
				    "Test.B<Test.A>");
		heap_free(h);
		nettrace_free(n);
		trace_free(&t);
	}
	walk_types_free(options.types);
}

static void
test_preview(void **state)
{
	struct walk_options options = { .which = 0 };
	struct nettrace_memory memory;
	struct nettrace_event event;
	enum nettrace_item item;
	struct preview preview;
	struct nettrace *n;
	struct error err;
	struct walk *w;
	struct trace t;
	uint64_t count = 0;

	(void)state;
	error_clear(&err);
	preview_init(&preview);
	trace_begin(&t, TRACE_4, 8);
	put_walk(&t, 1, 90, TYPES_LAST);
	trace_end(&t);
	n = nettrace_new(nettrace_memory_input(&memory, t.out.data, t.out.len),
			 &err);
	w = walk_new(&options, &err);
	while ((item = nettrace_next(n, &event, &err)) != NETTRACE_END) {
		assert_true(walk_take(w, n, item, &event, &err));
		assert_true(walk_publish(w, &preview, &err));
	}
	assert_int_equal(preview.types_count, 3);
	assert_int_equal(preview.objects_seen, 90);
	for (uint32_t i = 0; i < preview.types_count; i++)
		count += preview.types[i].count;
	assert_int_equal(count, 90);
	assert_string_equal(preview.types[1].name, "Test.B<Test.A>");
	preview_clear(&preview);
	walk_free(w);
	nettrace_free(n);
	trace_free(&t);
}

/* --- the reference --- */

static const struct heap *
load_file(const struct source *source, const char *path)
{
	struct error err;
	const struct heap *h;

	error_clear(&err);
	h = source->load(path, LOAD_ALL, NULL, NULL, &err);
	if (!h)
		fail_msg("%s: %s", path, err.message);
	if (!heap_check(h, &err))
		fail_msg("%s: %s", path, err.message);
	return h;
}

/* Types of one name and module, added up: names may stand for several. */
static uint64_t
count_of(const struct heap *h, const struct type *like)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->types_count; i++)
		if (!strcmp(h->types[i].name, like->name) &&
		    !strcmp(type_module_file(&h->types[i]),
			    type_module_file(like)))
			count += h->types[i].count;
	return count;
}

/*
 * Two records of one process, a moment apart: every type that the dump knows
 * is in the trace under the same name, with the same count in the program's
 * own module; recording left a few objects of the runtime's.
 */
static void
test_trace_equals_dump(void **state)
{
	const struct heap *trace, *dump;
	uint64_t more = 0, same = 0, known = 0;

	(void)state;
	trace = load_file(&source_nettrace, "tests/data/leaky-10.nettrace.zst");
	dump = load_file(&source_gcdump, "tests/data/leaky-10.gcdump");
	assert_int_equal(trace->info.warnings_count, 0);
	assert_int_equal(trace->info.pid, 6190);
	assert_string_equal(trace->info.format, "nettrace 4");
	for (uint32_t i = 0; i < dump->types_count; i++) {
		const struct type *t = &dump->types[i];
		uint64_t in_trace, in_dump;

		if (!t->count)
			continue;
		in_trace = count_of(trace, t);
		in_dump = count_of(dump, t);
		if (in_trace < in_dump ||
		    (!strcmp(type_module_file(t), "leaky.dll") &&
		     in_trace != in_dump))
			fail_msg("%s: %llu in the trace, %llu in the dump",
				 t->name, (unsigned long long)in_trace,
				 (unsigned long long)in_dump);
		known++;
		more += in_trace - in_dump;
		same += in_trace == in_dump;
	}
	assert_true(same * 10 >= known * 9);
	assert_true(more < dump->nodes_count / 20);
	heap_free(trace);
	heap_free(dump);
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

static void
test_numbers_in_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(path_rows); i++) {
		size_t file_len;

		assert_int_equal(walk_path_number(path_rows[i].path, &file_len),
				 path_rows[i].number);
		assert_int_equal(file_len, path_rows[i].file_len);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_references_far_ahead),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_several_walks),
		cmocka_unit_test(test_first_complete_walk),
		cmocka_unit_test(test_loss_that_shows_late),
		cmocka_unit_test(test_young_collections_are_no_walks),
		cmocka_unit_test(test_root_kinds),
		cmocka_unit_test(test_stack_roots_have_methods),
		cmocka_unit_test(test_dependents_are_references),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_statics),
		cmocka_unit_test(test_types_live_with_the_process),
		cmocka_unit_test(test_preview),
		cmocka_unit_test(test_trace_equals_dump),
		cmocka_unit_test(test_numbers_in_paths),
	};

	return run_tests(tests);
}
