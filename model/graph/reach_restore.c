#include "model/base/worker.h"
#include "model/graph/reach.h"
#include "model/heap/bits.h"
#include "model/heap/sweep.h"
#include <stdatomic.h>

/* A sweep over all references looks for each step of a path: about 5 ns a reference, a third of the
   time of the search that finds the paths. */
struct check {
	struct sweep sweep;
	struct reach *reach;
	uint64_t *is_linked; /* bits: the reference to `next` exists */
	_Atomic uint64_t reachable_count, reachable_bytes, steps_count;
};

bool
reach_restore_begin(struct reach_restoring *r, const struct heap *h, uint32_t static_tables_count,
		    struct error *err)
{
	struct reach *reach = memory_new(1, sizeof(*reach), err);
	size_t count = (size_t)h->nodes_count + 1;

	if (!reach)
		return false;
	reach->heap = h;
	reach->is_kept = true;
	arena_init(&reach->arena, 0);
	*r = (struct reach_restoring){ .reach = reach };
	r->distance = arena_array(&reach->arena, uint32_t, count, err);
	if (r->distance)
		r->next = arena_array(&reach->arena, uint32_t, count, err);
	if (r->next)
		r->static_tables = arena_array(&reach->arena, node_id, static_tables_count, err);
	reach->distance = r->distance;
	reach->next = r->next;
	reach->static_tables = r->static_tables;
	reach->static_tables_count = static_tables_count;
	if (r->static_tables && reach_costs_init(&reach->costs, h, &reach->arena, err))
		return true;
	reach_free(reach);
	return false;
}

/* Returns true if the step leads one nearer to a root, or the object is
   rooted. */
static inline bool
is_step(const struct reach *reach, node_id n)
{
	const struct heap *h = reach->heap;
	uint32_t distance = reach->distance[n], next = reach->next[n];

	if (!distance)
		return next < h->roots_count && h->roots[next].object == n;
	return next < h->nodes_count && reach->distance[next] == distance - 1;
}

static inline void
note_step(void *context, node_id source, node_id target)
{
	const struct check *c = context;
	uint64_t bit = UINT64_C(1) << (target & 63);
	uint64_t *word = &c->is_linked[target >> 6];

	if (c->reach->next[target] == source && c->reach->distance[target] &&
	    c->reach->distance[target] != DISTANCE_UNREACHABLE)
		__atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
}

static bool
run_check(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct check *c = context;
	const struct heap *h = c->sweep.heap;
	node_id end = chunk_end(h, (uint32_t)part);
	uint64_t count = 0, bytes = 0, steps = 0;

	(void)thread;
	for (node_id n = chunk_first((uint32_t)part); n < end; n++) {
		if (c->reach->distance[n] == DISTANCE_UNREACHABLE)
			continue;
		if (!is_step(c->reach, n))
			return error_set(err, ERROR_INPUT, "the path of object %u leads to no root",
					 n);
		count++;
		bytes += heap_size(h, n);
		steps += c->reach->distance[n] != 0;
	}
	atomic_fetch_add(&c->reachable_count, count);
	atomic_fetch_add(&c->reachable_bytes, bytes);
	atomic_fetch_add(&c->steps_count, steps);
	return sweep_chunk(&c->sweep, (uint32_t)part, note_step, c) || error_cancelled(err);
}

static bool
check_tables(const struct reach *reach, struct error *err)
{
	for (uint32_t i = 0; i < reach->static_tables_count; i++)
		if (reach->static_tables[i] >= reach->heap->nodes_count ||
		    (i && reach->static_tables[i] <= reach->static_tables[i - 1]))
			return error_set(err, ERROR_INPUT,
					 "tables of static variables are out of order");
	return true;
}

static bool
check_all(struct check *c, struct error *err)
{
	const struct heap *h = c->sweep.heap;

	if (!worker_run_all(worker_threads(), sweep_chunks_count(h), run_check, c, err))
		return false;
	return bits_count(c->is_linked, h->nodes_count) == c->steps_count ||
	       error_set(err, ERROR_INPUT, "a path follows a reference that does not exist");
}

const struct reach *
reach_restore_end(struct reach_restoring *r, uint64_t static_refs_count, struct progress *progress,
		  struct error *err)
{
	struct reach *reach = r->reach;
	const struct heap *h = reach->heap;
	struct check c = { .reach = reach };
	struct arena scratch;
	bool ok;

	arena_init(&scratch, 0);
	c.is_linked = arena_array(&scratch, uint64_t, bits_words(h->nodes_count), err);
	progress_begin(progress, "checking distances to roots", "objects", h->nodes_count);
	ok = c.is_linked && sweep_init(&c.sweep, h, &scratch, progress, err) &&
	     check_tables(reach, err) && check_all(&c, err);
	arena_clear(&scratch);
	reach->reachable_count = c.reachable_count;
	reach->reachable_bytes = c.reachable_bytes;
	reach->static_refs_count = static_refs_count;
	reach->bytes = sizeof(*reach) + reach->arena.used_bytes;
	if (ok)
		return reach;
	reach_free(reach);
	return NULL;
}
