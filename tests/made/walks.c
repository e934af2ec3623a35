#include "tests/made/walks.h"
#include "tests/drive/run_tests.h"

void
walks_put_types(struct trace *t)
{
	static const char *const names[] = { "Test.A", "Test.B`1[Test.A]", "Test.A[]" };

	for (uint64_t i = 0; i < TYPES_COUNT; i++)
		trace_type(t, WALKS_TYPE + i, 0x77, 0x02000001, names[i]);
}

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
	uint64_t count = walks_refs_count(k);

	if (w->faults & HUGE_COUNT && k == 50)
		count = UINT64_MAX - 5;
	w->objects.cut_count = w->faults & CUT_OBJECTS && index == 4 ? 10 : 0;
	w->trace->is_losing = is_lost;
	bulk_object(&w->objects, walks_address(k), 24 + k % 5, WALKS_TYPE + k % 3, count);
	w->trace->is_losing = false;
}

static void
send_refs(struct walking *w, uint64_t k)
{
	for (uint64_t j = 0; j < walks_refs_count(k); j++) {
		uint32_t index = w->refs.index;

		w->trace->is_losing = (w->faults & LOSE_REFS && index == 2) ||
				      (w->faults & LOSE_FIRST_REFS && index == 0) ||
				      (w->faults & LOSE_TAIL && w->objects.index >= 7);
		w->refs.cut_count = w->faults & CUT_REFS && index == 2;
		bulk_ref(&w->refs, walks_target(k, j, w->n));
		w->trace->is_losing = false;
	}
}

static void
send_roots(struct walking *w)
{
	struct bulk_writer b;

	w->trace->is_losing = w->faults & LOSE_ROOTS;
	bulk_begin(&b, w->trace, KIND_ROOTS, 2);
	bulk_root(&b, walks_address(0), 2, 0, 0x900); /* a strong handle */
	bulk_root(&b, 0, 0, 0, 0);                    /* nothing */
	w->trace->is_losing = false;
	bulk_root(&b, walks_address(1), 2, 2, 0x910); /* weak */
	bulk_end(&b);
	bulk_begin(&b, w->trace, KIND_DEPENDENTS, 10);
	bulk_dependent(&b, walks_address(2), walks_address(w->n - 1));
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
		bulk_ref(&w->refs, walks_address(0));
}

void
walks_put(struct trace *t, uint32_t gc, uint64_t n, unsigned faults)
{
	struct walking w = { .trace = t, .n = n, .faults = faults };

	if (!(faults & NO_GC))
		trace_gc_start(t, gc, 2);
	if (!(faults & (TYPES_LAST | NO_TYPES)))
		walks_put_types(t);
	bulk_begin(&w.objects, t, KIND_OBJECTS, faults & LARGE_EVENTS ? 2008 : OBJECTS_A_EVENT);
	bulk_begin(&w.refs, t, KIND_REFS,
		   faults & LARGE_EVENTS ? 64256 / (t->pointer_bytes + 4) : REFS_A_EVENT);
	send_graph(&w);
	send_roots(&w);
	t->is_losing = faults & LOSE_TAIL;
	bulk_end(&w.objects);
	t->is_losing = faults & (LOSE_TAIL | LOSE_LAST_REFS);
	bulk_end(&w.refs);
	t->is_losing = false;
	if (faults & TYPES_LAST)
		walks_put_types(t);
	t->is_losing = faults & LOSE_END;
	if (!(faults & NO_GC))
		trace_gc_end(t, gc, 2);
	t->is_losing = false;
}

const struct heap *
walks_read(const struct trace *t, uint32_t which, struct walk_report *report)
{
	struct walk_options options = { .which = which };
	struct error err = { 0 };
	const struct heap *h;

	h = walk_read(t->out.data, t->out.len, &options, report, NULL, NULL, &err);
	assert_ok(h, &err);
	assert_ok(heap_check(h, &err), &err);
	return h;
}

void
walks_put_objects(struct trace *t, uint64_t first, uint64_t count)
{
	struct bulk_writer b;

	bulk_begin(&b, t, KIND_OBJECTS, 1000);
	for (uint64_t i = first; i < first + count; i++)
		bulk_object(&b, walks_address(i), 24, WALKS_TYPE, 0);
	bulk_end(&b);
}
