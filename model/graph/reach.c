#include "model/graph/reach.h"

#include "model/base/sorted.h"
#include "model/base/worker.h"
#include "model/graph/static_tables.h"
#include "model/heap/bits.h"
#include "model/heap/refs_finder.h"
#include <string.h>

/*
 * One thread searches breadth first: the order of visits decides between paths
 * of equal length and must not change from run to run. A second thread
 * meanwhile looks for the tables of static variables.
 */
enum { BATCH = 1 << 16 }; /* objects and references between checks for Esc */

/* Objects to expand, all at one distance. */
struct frontier {
	node_id *nodes;
	size_t count, room;
};

struct search {
	struct sweep sweep;
	struct refs_finder finder;
	const struct ignored *ignored;
	struct reach *reach;
	uint32_t *distance, *next;
	uint64_t *seen; /* bits */
	struct frontier now, later;
	uint32_t steps; /* distance of `later` */
	uint64_t work, reported;
	uint32_t *seeds; /* best root of each object that has any */
	uint32_t seeds_count;
	struct static_tables tables;
	struct error *err;
};

static bool
frontier_reserve(struct frontier *f, size_t more, struct error *err)
{
	return MAKE_ROOM(f->nodes, f->count + more, f->room, err);
}

/* Reports progress; false when cancelled. */
static bool
search_report(struct search *s)
{
	uint64_t count = s->reach->reachable_count;
	uint64_t more = count - s->reported;

	s->work = 0;
	s->reported = count;
	return progress_add(s->sweep.progress, more) || error_cancelled(s->err);
}

/* Visits an object for the first time; `later` must have room. */
static inline void
search_meet(struct search *s, node_id n, uint32_t distance, uint32_t next)
{
	bits_add(s->seen, n);
	s->distance[n] = distance;
	s->next[n] = next;
	s->reach->reachable_count++;
	/* Avoid a branch, which would be mispredicted half the time. */
	s->later.nodes[s->later.count] = n;
	s->later.count += s->sweep.has_refs[heap_type_of(s->sweep.heap, n)];
}

/* Visits the targets of one object. Each reference of a partly ignored object
   is looked up; that is too slow to do for all objects. */
static inline __attribute__((always_inline)) bool
search_expand(struct search *s, node_id n, bool is_partial)
{
	struct refs r = refs_finder_begin(&s->finder, n);
	uint64_t left = r.left;
	node_id target;

	s->work += left + 1;
	while (left) {
		uint64_t batch = left < BATCH ? left : BATCH;

		if (!frontier_reserve(&s->later, (size_t)batch + 1, s->err))
			return false;
		for (left -= batch; batch && refs_next(&r, &target); batch--) {
			if (!bits_has(s->seen, target) &&
			    !(is_partial &&
			      ignored_is_listed(s->ignored, n, target)))
				search_meet(s, target, s->steps, n);
		}
		if (left && !search_report(s))
			return false;
	}
	refs_finder_end(&s->finder, &r, n);
	return s->work < BATCH || search_report(s);
}

static bool
search_expand_partly(struct search *s, node_id n)
{
	return search_expand(s, n, true);
}

static bool
search_run(struct search *s)
{
	for (s->steps = 1; s->later.count; s->steps++) {
		struct frontier swap = s->now;

		s->now = s->later;
		s->later = swap;
		s->later.count = 0;
		for (size_t i = 0; i < s->now.count; i++) {
			node_id n = s->now.nodes[i];

			refs_finder_prefetch(&s->finder, s->now.nodes,
					     s->now.count, i);
			if (!(ignored_some_of(s->ignored, n)
				  ? search_expand_partly(s, n)
				  : search_expand(s, n, false)))
				return false;
		}
	}
	return true;
}

/* Orders roots by preference: lower is better. */
static uint32_t
root_rank(const struct root *r)
{
	const struct root_kind_info *kind = &root_kinds[r->kind];

	return (uint32_t)kind->tier << 8 | kind->priority;
}

static bool
seeds_collect(struct search *s, struct arena *scratch)
{
	const struct heap *h = s->sweep.heap;

	s->seeds =
	    arena_array(scratch, uint32_t, (size_t)h->roots_count + 1, s->err);
	for (uint32_t i = 0; s->seeds && i < h->roots_count; i++) {
		const struct root *r = &h->roots[i], *best = NULL;

		if (ignored_root(s->ignored, i))
			continue;
		if (s->seeds_count)
			best = &h->roots[s->seeds[s->seeds_count - 1]];
		if (!best || best->object != r->object)
			s->seeds[s->seeds_count++] = i;
		else if (root_rank(r) < root_rank(best))
			s->seeds[s->seeds_count - 1] = i;
	}
	return s->seeds != NULL;
}

/* Returns the lowest rank that is at least `from`, or UINT32_MAX. */
static uint32_t
seeds_next_rank(const struct search *s, uint32_t from)
{
	uint32_t lowest = UINT32_MAX;

	for (uint32_t i = 0; i < s->seeds_count; i++) {
		uint32_t rank = root_rank(&s->sweep.heap->roots[s->seeds[i]]);

		if (rank >= from && rank < lowest)
			lowest = rank;
	}
	return lowest;
}

static bool
seeds_plant(struct search *s, uint32_t rank)
{
	const struct heap *h = s->sweep.heap;

	if (!frontier_reserve(&s->later, (size_t)s->seeds_count + 1, s->err))
		return false;
	for (uint32_t i = 0; i < s->seeds_count; i++) {
		const struct root *r = &h->roots[s->seeds[i]];

		if (root_rank(r) == rank && !bits_has(s->seen, r->object))
			search_meet(s, r->object, 0, s->seeds[i]);
	}
	return true;
}

/* Visit the roots of each tier by priority, then all objects that they
   reach. */
static bool
search_tiers(struct search *s)
{
	uint32_t rank = seeds_next_rank(s, 0);

	while (rank != UINT32_MAX) {
		uint32_t tier = rank >> 8;

		for (; rank != UINT32_MAX && rank >> 8 == tier;
		     rank = seeds_next_rank(s, rank + 1))
			if (!seeds_plant(s, rank))
				return false;
		if (!search_run(s))
			return false;
	}
	return search_report(s);
}

static bool
search_sum_up(struct search *s)
{
	const struct heap *h = s->sweep.heap;

	for (node_id n = 0; n < h->nodes_count; n++) {
		if (bits_has(s->seen, n))
			s->reach->reachable_bytes += heap_size(h, n);
		if (!(n & (BATCH - 1)) &&
		    progress_is_cancelled(s->sweep.progress))
			return error_cancelled(s->err);
	}
	return true;
}

static bool
search_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct search *s = context;

	(void)thread;
	if (part)
		return static_tables_find(&s->tables, &s->sweep, err);
	s->err = err;
	return search_tiers(s) && search_sum_up(s);
}

static bool
search_all(struct search *s, bool prefer_statics, struct arena *scratch,
	   struct error *err)
{
	const struct heap *h = s->sweep.heap;
	struct reach *reach = s->reach;
	uint32_t parts = 1;

	s->err = err;
	s->seen =
	    arena_array(scratch, uint64_t, bits_words(h->nodes_count), err);
	if (!s->seen || !seeds_collect(s, scratch))
		return false;
	if (prefer_statics &&
	    !static_tables_init(&s->tables, h, &reach->arena, scratch, err))
		return false;
	if (s->tables.count)
		parts = 2;
	progress_begin(s->sweep.progress, "measuring distances to roots",
		       "objects", (uint64_t)h->nodes_count * parts);
	if (!worker_run_all(worker_threads(), parts, search_part, s, err))
		return false;
	reach->static_tables = s->tables.nodes;
	reach->static_tables_count = s->tables.count;
	reach->static_refs_count = s->tables.static_refs_count;
	/* Unreachable objects are done as well. */
	progress_add(s->sweep.progress,
		     h->nodes_count - reach->reachable_count);
	return true;
}

uint64_t
reach_bytes(const struct heap *h)
{
	uint64_t nodes = h->nodes_count;

	/* Two arrays, and a third for the search's sets and frontiers, later
	   used by root_index.h. */
	return nodes * 3 * sizeof(uint32_t);
}

const struct reach *
reach_compute(const struct heap *h, bool prefer_statics,
	      struct progress *progress, struct error *err)
{
	return reach_compute_without(h, prefer_statics, NULL, progress, err);
}

const struct reach *
reach_compute_without(const struct heap *h, bool prefer_statics,
		      const struct ignored *ignored, struct progress *progress,
		      struct error *err)
{
	struct reach *reach = memory_new(1, sizeof(*reach), err);
	struct search s = { .reach = reach, .ignored = ignored };
	struct arena scratch;
	bool is_ok;

	if (!reach)
		return NULL;
	reach->heap = h;
	arena_init(&reach->arena, 0);
	arena_init(&scratch, 0);
	s.distance = arena_array(&reach->arena, uint32_t,
				 (size_t)h->nodes_count + 1, err);
	if (s.distance)
		s.next = arena_array(&reach->arena, uint32_t,
				     (size_t)h->nodes_count + 1, err);
	is_ok = s.next && sweep_init(&s.sweep, h, &scratch, progress, err);
	if (is_ok) {
		s.finder = (struct refs_finder){ h, s.sweep.has_refs, 0, NULL };
		memset(s.distance, 0xff, h->nodes_count * sizeof(*s.distance));
		is_ok = search_all(&s, prefer_statics, &scratch, err);
	}
	memory_free(s.now.nodes);
	memory_free(s.later.nodes);
	arena_clear(&scratch);
	reach->distance = s.distance;
	reach->next = s.next;
	reach->bytes = sizeof(*reach) + reach->arena.used_bytes;
	if (is_ok)
		return reach;
	reach_free(reach);
	return NULL;
}

void
reach_free(const struct reach *reach)
{
	struct reach *owned = (struct reach *)(uintptr_t)reach;

	if (!reach)
		return;
	arena_clear(&owned->arena);
	memory_free(owned);
}

const struct root *
reach_root(const struct reach *reach, node_id n)
{
	if (reach->distance[n] == DISTANCE_UNREACHABLE)
		return NULL;
	while (reach->distance[n])
		n = reach->next[n];
	return &reach->heap->roots[reach->next[n]];
}

bool
reach_is_static_ref(const struct reach *reach, node_id source, node_id target)
{
	uint32_t at;

	LOWER_BOUND(at, 0, reach->static_tables_count,
		    reach->static_tables[at] < source);
	return at < reach->static_tables_count &&
	       reach->static_tables[at] == source &&
	       static_root_names(reach->heap, target);
}
