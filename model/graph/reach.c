#include "model/graph/reach.h"

#include "model/base/sorted.h"
#include "model/base/worker.h"
#include "model/graph/static_tables.h"
#include "model/heap/bits.h"
#include "model/heap/refs_finder.h"
#include <string.h>

/*
 * One thread searches, the cheapest path first (Dial's algorithm). All steps from one object cost
 * the same, so an object that is met at cost c waits until c plus that cost and then meets all its
 * targets, whose cost this is. The first meeting is therefore the cheapest, each object is visited
 * once, and
 * the waiting objects need as many lists as there are different costs of a step. The order of
 * visits decides between equal costs and must not change from run to run. A second thread meanwhile
 * looks for the tables of static variables.
 */
enum { BATCH = 1 << 16 }; /* objects and references between checks for Esc */
/* A power of two above STEP_COST_MAX: no list is filled while it is read. */
enum { WAITING_LISTS = 4, ROOM_AHEAD = 4096 };

/* Objects to expand, all at one cost. */
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
	uint64_t *seen;                         /* bits */
	struct frontier waiting[WAITING_LISTS]; /* by cost, modulo */
	struct frontier *near, *far;            /* objects met now wait in one of them */
	const uint8_t *delays;                  /* enum delay, by type */
	uint32_t cost;                          /* current cost */
	size_t room;                            /* objects that each list has room for, at least */
	uint64_t work, reported;
	uint32_t *seeds; /* best root of each object that has any */
	uint32_t seeds_count;
	struct static_tables tables;
	struct error *err;
};

/* How long objects of a type wait. Flags, so that search_meet() can add them to the counts of the
   lists without a branch. */
enum delay {
	DELAY_NONE = 0, /* the type has no references */
	DELAY_NEAR = 1, /* STEP_COST_MIN */
	DELAY_FAR = 2,  /* STEP_COST_MAX */
};

static void
search_set_cost(struct search *s, uint32_t cost)
{
	s->cost = cost;
	s->near = &s->waiting[(cost + STEP_COST_MIN) & (WAITING_LISTS - 1)];
	s->far = &s->waiting[(cost + STEP_COST_MAX) & (WAITING_LISTS - 1)];
}

static bool
reserve_slowly(struct search *s, size_t more)
{
	s->room = SIZE_MAX;
	for (int i = 0; i < WAITING_LISTS; i++) {
		struct frontier *f = &s->waiting[i];

		if (!MAKE_ROOM(f->nodes, f->count + more + ROOM_AHEAD, f->room, s->err))
			return false;
		if (f->room - f->count < s->room)
			s->room = f->room - f->count;
	}
	return true;
}

/* Makes room for this many objects in whichever lists, and for one more, which search_meet() may
   write to no avail. */
static inline bool
search_reserve(struct search *s, size_t more)
{
	if (s->room <= more && !reserve_slowly(s, more))
		return false;
	s->room -= more;
	return true;
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

/* Visits an object for the first time; the lists must have room. */
static inline void
search_meet(struct search *s, node_id n, uint32_t distance, uint32_t next)
{
	uint32_t delay = s->delays[heap_type_of(s->sweep.heap, n)];
	struct frontier *near = s->near, *far = s->far;

	bits_add(s->seen, n);
	s->distance[n] = distance;
	s->next[n] = next;
	s->reach->reachable_count++;
	/* Avoid branches, which would be mispredicted half the time, and addresses that depend on
	   the type, which is not in the cache. */
	near->nodes[near->count] = n;
	near->count += delay & DELAY_NEAR;
	far->nodes[far->count] = n;
	far->count += delay >> 1;
}

/* Visits the targets of one object. Each reference of a partly ignored object is looked up; that is
   too slow to do for all objects. */
static inline __attribute__((always_inline)) bool
search_expand(struct search *s, node_id n, bool is_partial)
{
	struct refs r = refs_finder_begin(&s->finder, n);
	uint32_t distance = s->distance[n] + 1;
	uint64_t left = r.left;
	node_id target;

	s->work += left + 1;
	while (left) {
		uint64_t batch = left < BATCH ? left : BATCH;

		if (!search_reserve(s, (size_t)batch))
			return false;
		for (left -= batch; batch && refs_next(&r, &target); batch--) {
			if (!bits_has(s->seen, target) &&
			    !(is_partial && ignored_is_listed(s->ignored, n, target)))
				search_meet(s, target, distance, n);
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

/* Expands the objects whose targets have the current cost. */
static bool
search_run(struct search *s)
{
	struct frontier *f = &s->waiting[s->cost & (WAITING_LISTS - 1)];
	size_t count = f->count;

	for (size_t i = 0; i < count; i++) {
		node_id n = f->nodes[i];

		refs_finder_prefetch(&s->finder, f->nodes, count, i);
		if (i + FINDER_NEAR < count)
			__builtin_prefetch(&s->distance[f->nodes[i + FINDER_NEAR]]);
		if (!(ignored_some_of(s->ignored, n) ? search_expand_partly(s, n)
						     : search_expand(s, n, false)))
			return false;
	}
	f->count = 0;
	return true;
}

static bool
search_waits(const struct search *s)
{
	for (int i = 0; i < WAITING_LISTS; i++)
		if (s->waiting[i].count)
			return true;
	return false;
}

/* Orders roots by preference: lower is better. The tier, the cost, then the priority. */
static uint32_t
root_rank(const struct search *s, uint32_t root)
{
	const struct root *r = &s->sweep.heap->roots[root];
	const struct root_kind_info *kind = &root_kinds[r->kind];

	return (uint32_t)s->reach->costs.tiers[root] << 16 |
	       (uint32_t)s->reach->costs.roots[root] << 8 | kind->priority;
}

/* Returns true if roots of this rank are due. Paths can be dearer than any root. */
static bool
is_due(uint32_t rank, uint32_t tier, uint32_t cost)
{
	return rank >> 16 == tier && (rank >> 8 & 0xff) == cost;
}

static bool
seeds_collect(struct search *s, struct arena *scratch)
{
	const struct heap *h = s->sweep.heap;

	s->seeds = arena_array(scratch, uint32_t, (size_t)h->roots_count + 1, s->err);
	for (uint32_t i = 0; s->seeds && i < h->roots_count; i++) {
		uint32_t last = s->seeds_count ? s->seeds[s->seeds_count - 1] : 0;

		if (ignored_root(s->ignored, i))
			continue;
		if (!s->seeds_count || h->roots[last].object != h->roots[i].object)
			s->seeds[s->seeds_count++] = i;
		else if (root_rank(s, i) < root_rank(s, last))
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
		uint32_t rank = root_rank(s, s->seeds[i]);

		if (rank >= from && rank < lowest)
			lowest = rank;
	}
	return lowest;
}

static bool
seeds_plant(struct search *s, uint32_t rank)
{
	const struct heap *h = s->sweep.heap;

	for (uint32_t i = 0; i < s->seeds_count; i++) {
		node_id n = h->roots[s->seeds[i]].object;

		if (root_rank(s, s->seeds[i]) != rank || bits_has(s->seen, n))
			continue;
		if (!search_reserve(s, 1))
			return false;
		search_meet(s, n, 0, s->seeds[i]);
	}
	return true;
}

/* Visits the roots of each tier at their costs, by priority, and all objects that they reach. */
static bool
search_tiers(struct search *s)
{
	uint32_t rank = seeds_next_rank(s, 0);

	while (rank != UINT32_MAX) {
		uint32_t tier = rank >> 16;

		for (uint32_t cost = 0; rank >> 16 == tier || search_waits(s); cost++) {
			search_set_cost(s, cost);
			for (; is_due(rank, tier, cost); rank = seeds_next_rank(s, rank + 1))
				if (!seeds_plant(s, rank))
					return false;
			if (!search_run(s))
				return false;
		}
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
		if (!(n & (BATCH - 1)) && progress_is_cancelled(s->sweep.progress))
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
search_all(struct search *s, bool prefer_statics, struct arena *scratch, struct error *err)
{
	const struct heap *h = s->sweep.heap;
	struct reach *reach = s->reach;
	uint32_t parts = 1;

	s->err = err;
	s->seen = arena_array(scratch, uint64_t, bits_words(h->nodes_count), err);
	if (!s->seen || !seeds_collect(s, scratch))
		return false;
	if (prefer_statics && !static_tables_init(&s->tables, h, &reach->arena, scratch, err))
		return false;
	if (s->tables.count)
		parts = 2;
	progress_begin(s->sweep.progress, "measuring distances to roots", "objects",
		       (uint64_t)h->nodes_count * parts);
	if (!worker_run_all(worker_threads(), parts, search_part, s, err))
		return false;
	reach->static_tables = s->tables.nodes;
	reach->static_tables_count = s->tables.count;
	reach->static_refs_count = s->tables.static_refs_count;
	/* Unreachable objects are done as well. */
	progress_add(s->sweep.progress, h->nodes_count - reach->reachable_count);
	return true;
}

/* Fills the tables by type. */
static bool
search_init(struct search *s, struct arena *scratch, struct progress *progress, struct error *err)
{
	const struct heap *h = s->reach->heap;
	uint8_t *delays;

	if (!sweep_init(&s->sweep, h, scratch, progress, err) ||
	    !reach_costs_init(&s->reach->costs, h, &s->reach->arena, err))
		return false;
	delays = arena_array(scratch, uint8_t, (size_t)h->types_count + 1, err);
	if (!delays)
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		if (s->sweep.has_refs[t])
			delays[t] =
			    s->reach->costs.steps[t] == STEP_COST_MIN ? DELAY_NEAR : DELAY_FAR;
	s->delays = delays;
	s->finder = (struct refs_finder){ h, s->sweep.has_refs, 0, NULL };
	return true;
}

uint64_t
reach_bytes(const struct heap *h)
{
	uint64_t nodes = h->nodes_count;

	/* Two arrays, and a third for the search's sets and frontiers, later used by
	   root_index.h. */
	return nodes * 3 * sizeof(uint32_t);
}

const struct reach *
reach_compute(const struct heap *h, bool prefer_statics, struct progress *progress,
	      struct error *err)
{
	return reach_compute_without(h, prefer_statics, NULL, progress, err);
}

const struct reach *
reach_compute_without(const struct heap *h, bool prefer_statics, const struct ignored *ignored,
		      struct progress *progress, struct error *err)
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
	s.distance = arena_array(&reach->arena, uint32_t, (size_t)h->nodes_count + 1, err);
	if (s.distance)
		s.next = arena_array(&reach->arena, uint32_t, (size_t)h->nodes_count + 1, err);
	is_ok = s.next && search_init(&s, &scratch, progress, err);
	if (is_ok) {
		memset(s.distance, 0xff, h->nodes_count * sizeof(*s.distance));
		is_ok = search_all(&s, prefer_statics, &scratch, err);
	}
	for (int i = 0; i < WAITING_LISTS; i++)
		memory_free(s.waiting[i].nodes);
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

uint32_t
reach_own_root(const struct reach *reach, const struct ignored *ignored, node_id n, uint8_t tier)
{
	const struct heap *h = reach->heap;
	uint32_t count, best = ROOT_NOWHERE;
	const struct root *roots = heap_roots_of(h, n, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = (uint32_t)(roots - h->roots) + i;

		if (reach->costs.tiers[index] == tier && !ignored_root(ignored, index) &&
		    (best == ROOT_NOWHERE || reach->costs.roots[index] < reach->costs.roots[best]))
			best = index;
	}
	return best;
}

bool
reach_is_static_ref(const struct reach *reach, node_id source, node_id target)
{
	uint32_t at;

	LOWER_BOUND(at, 0, reach->static_tables_count, reach->static_tables[at] < source);
	return at < reach->static_tables_count && reach->static_tables[at] == source &&
	       static_root_names(reach->heap, target);
}
