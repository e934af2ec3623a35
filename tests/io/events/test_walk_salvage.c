/*
 * What is saved of a real walk from which events are missing: fewer objects, fewer references, but
 * never a wrong one.
 */
#include "io/base/input.h"
#include "io/events/gc_events.h"
#include "tests/drive/run_tests.h"
#include "tests/made/walks.h"
#include <string.h>

#define TRACE "tests/data/leaky-10.nettrace.zst"

/* Which events do not arrive: the n-th of those with objects or references. */
enum { DROPS_MAX = 4 };
struct drops {
	unsigned count;
	unsigned events[DROPS_MAX];
	bool drops_tail; /* all such events behind the first of them */
};
/* As many records are in all events but the last of their kind. */
enum { FULL_OBJECTS = 2008, FULL_REFS = 5354 };

static bool
is_dropped(const struct drops *d, unsigned number)
{
	for (unsigned i = 0; i < d->count; i++)
		if (d->events[i] == number || (d->drops_tail && number > d->events[i]))
			return true;
	return false;
}

static bool
is_graph(const struct nettrace_event *e)
{
	return e->provider == NETTRACE_RUNTIME && (e->id == GC_BULK_OBJECT || e->id == GC_BULK_REF);
}

/* The heap of what is left; *events: how many there are to drop. */
static const struct heap *
read_without(const struct input *in, const struct drops *d, struct walk_report *report,
	     unsigned *events)
{
	struct walk_options options = { .which = 0 };
	struct nettrace_memory memory;
	struct nettrace_event event, lost = { 0 };
	enum nettrace_item item;
	const struct heap *h;
	struct nettrace *n;
	struct error err = { 0 };
	struct walk *w;

	*events = 0;
	n = nettrace_new(nettrace_memory_input(&memory, in->data, in->len), &err);
	w = walk_new(&options, &err);
	assert_true(n && w);
	while ((item = nettrace_next(n, &event, &err)) != NETTRACE_END) {
		if (item == NETTRACE_EVENT && is_graph(&event) && is_dropped(d, (*events)++)) {
			lost.thread = event.thread;
			lost.lost_count++;
			continue;
		}
		/* The number of the next event tells. */
		if (lost.lost_count && event.thread == lost.thread) {
			lost.timestamp = event.timestamp;
			assert_true(walk_take(w, n, NETTRACE_LOST, &lost, &err));
			lost.lost_count = 0;
		}
		assert_true(walk_take(w, n, item, &event, &err));
	}
	h = walk_finish(w, n, report, NULL, &err);
	assert_ok(h && heap_check(h, &err), &err);
	nettrace_free(n);
	return h;
}

/* The references of an object are among those that it has, in their order. */
static bool
has_only_true_refs(const struct heap *h, node_id node, const struct heap *whole)
{
	node_id same = heap_find(whole, heap_address(h, node)), target, other;
	struct refs some = heap_refs(h, node), all;

	if (same == NODE_NONE || heap_size(h, node) != heap_size(whole, same))
		return false;
	all = heap_refs(whole, same);
	while (refs_next(&some, &target)) {
		bool is_found = false;

		while (!is_found && refs_next(&all, &other))
			is_found = heap_address(h, target) == heap_address(whole, other);
		if (!is_found)
			return false;
	}
	return true;
}

/* One event behind which there are others: all but its own is known. */
static bool
is_well_saved(const struct heap *h, const struct heap *whole)
{
	const struct losses *l = &h->info.losses;

	if (l->lost_nodes)
		return l->lost_nodes == FULL_OBJECTS && !l->partial_nodes &&
		       h->nodes_count + FULL_OBJECTS == whole->nodes_count;
	return l->lost_refs == FULL_REFS && h->nodes_count == whole->nodes_count &&
	       h->refs_count + FULL_REFS == whole->refs_count;
}

/* Returns whether all is there but what the events themselves held. */
static bool
check_saved(const struct input *in, const struct heap *whole, const struct drops *d)
{
	struct walk_report report;
	const struct heap *h;
	unsigned events;
	bool is_well;

	h = read_without(in, d, &report, &events);
	for (node_id n = 0; n < h->nodes_count; n++)
		if (!has_only_true_refs(h, n, whole))
			fail_msg("without events %u, %u, %u (%u of them): object %u has a wrong "
				 "reference",
				 d->events[0], d->events[1], d->events[2], d->count, n);
	assert_true(losses_are_incomplete(&h->info.losses));
	assert_false(walk_is_complete(&report));
	assert_true(h->info.losses.lost_nodes + h->nodes_count <= whole->nodes_count);
	is_well = is_well_saved(h, whole);
	heap_free(h);
	return is_well;
}

struct reference {
	struct input in;
	const struct heap *whole;
	unsigned events;
};

static void
reference_open(struct reference *r)
{
	const struct drops none = { 0 };
	struct walk_report report;
	struct error err = { 0 };

	assert_true(input_open(&r->in, TRACE, NULL, &err));
	r->whole = read_without(&r->in, &none, &report, &r->events);
	assert_true(walk_is_complete(&report));
	assert_true(r->events > 25);
}

static void
reference_close(struct reference *r)
{
	heap_free(r->whole);
	input_close(&r->in);
}

TEST(test_one_event)
{
	struct reference r;
	unsigned well_count = 0;

	reference_open(&r);
	for (unsigned i = 0; i < r.events; i++) {
		struct drops d = { 1, { i }, false };

		well_count += check_saved(&r.in, r.whole, &d);
		d.drops_tail = true;
		(void)check_saved(&r.in, r.whole, &d);
	}
	/* The last of either kind holds nobody knows how much. */
	assert_int_equal(well_count, r.events - 2);
	reference_close(&r);
}

TEST(test_some_events)
{
	uint32_t random = 1;
	struct reference r;

	reference_open(&r);
	for (unsigned round = 0; round < 60; round++) {
		struct drops d = { .count = 2 + round % 3 };

		for (unsigned i = 0; i < d.count; i++) {
			random = random * 1664525 + 1013904223;
			d.events[i] = (random >> 8) % r.events;
		}
		(void)check_saved(&r.in, r.whole, &d);
	}
	reference_close(&r);
}
