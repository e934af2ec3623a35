#include "model/graph/dominators.h"

#include "model/base/worker.h"
#include "model/graph/semi_nca.h"
#include <inttypes.h>

/*
 * The steps after semi_nca.h. By number, `ends` is first the size of a subtree, then the end of its
 * next child, counting down, and finally its own position plus one. By object, `slots` is first the
 * number, finally the position.
 */
enum { BATCH = 1 << 16, MINIMA_SHIFT = 6 };
/* A position without a numbered object; greater than any number of objects. */
#define PARENT_UNSET UINT32_MAX

struct layout {
	struct depth_first df;
	uint32_t *dominators; /* indexed by number */
	uint32_t *ends;
	uint32_t *parents; /* indexed by position */
	node_id *objects;
	uint32_t reachable_count;
	struct arena scratch;
	uint64_t peak_bytes;
	struct error *err;
};

/* ---- steps over all chunks of objects, or batches of numbers ---- */

/* Avoid branches: they are hard to predict, since pruned objects are
   irregular. */
static inline void
count_leaf(void *context, node_id source, node_id target)
{
	struct layout *l = context;

	l->ends[l->df.slots[source]] += bits_has(l->df.pruned, target);
}

static bool
run_count_leaves(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct layout *l = context;

	(void)thread;
	return sweep_chunk(&l->df.sweep, (uint32_t)part, count_leaf, l) || error_cancelled(err);
}

struct leaf_placing {
	uint32_t *slots, *ends;
	const uint64_t *pruned;
	uint32_t nowhere;
};

static inline void
place_leaf(void *context, node_id source, node_id target)
{
	struct leaf_placing *p = context;
	bool is_leaf = bits_has(p->pruned, target);
	uint32_t *end = &p->ends[p->slots[source]];
	uint32_t *to = is_leaf ? &p->slots[target] : &p->nowhere;

	*end -= is_leaf;
	*to = *end;
}

static bool
run_place_leaves(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct layout *l = context;
	struct leaf_placing p = { l->df.slots, l->ends, l->df.pruned, 0 };

	(void)thread;
	return sweep_chunk(&l->df.sweep, (uint32_t)part, place_leaf, &p) || error_cancelled(err);
}

static bool
run_parents(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct layout *l = context;
	uint32_t first = (uint32_t)(part * BATCH), count = BATCH;

	(void)thread;
	if (count > l->df.numbers_count - first)
		count = l->df.numbers_count - first;
	for (uint32_t w = first + 1; w <= first + count; w++) {
		uint32_t d = l->dominators[w];

		l->parents[l->ends[w] - 1] = d ? l->ends[d] : 0;
	}
	return progress_add(l->df.sweep.progress, count) || error_cancelled(err);
}

static bool
run_positions(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct layout *l = context;
	const struct heap *h = l->df.sweep.heap;
	node_id first = chunk_first((uint32_t)part);
	node_id end = chunk_end(h, (uint32_t)part);

	(void)thread;
	for (node_id n = first; n < end; n++)
		if (!bits_has(l->df.pruned, n))
			l->df.slots[n] = l->ends[l->df.slots[n]] - 1;
	return progress_add(l->df.sweep.progress, end - first) || error_cancelled(err);
}

static bool
run_objects(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct layout *l = context;
	const struct heap *h = l->df.sweep.heap;
	node_id first = chunk_first((uint32_t)part);
	node_id end = chunk_end(h, (uint32_t)part);

	(void)thread;
	for (node_id n = first; n < end; n++)
		l->objects[l->df.slots[n]] = n;
	return progress_add(l->df.sweep.progress, end - first) || error_cancelled(err);
}

static bool
run_chunks(struct layout *l, worker_run *run)
{
	return worker_run_all(worker_threads(), sweep_chunks_count(l->df.sweep.heap), run, l,
			      l->err);
}

static bool
run_batches(struct layout *l, worker_run *run)
{
	uint64_t parts = ((uint64_t)l->df.numbers_count + BATCH - 1) / BATCH;

	return worker_run_all(worker_threads(), parts, run, l, l->err);
}

/* ---- steps in the order of numbers ---- */

/* A dominator has a lower number than the objects it dominates. */
static bool
sum_sizes(struct layout *l)
{
	for (uint32_t w = l->df.numbers_count; w > 0; w--) {
		l->ends[l->dominators[w]] += l->ends[w];
		if (!(w & (BATCH - 1)) && !progress_add(l->df.sweep.progress, BATCH))
			return error_cancelled(l->err);
	}
	return true;
}

/* Assigns intervals: trees one after the other, children last to first. */
static bool
place_numbers(struct layout *l)
{
	uint32_t next_tree = 0;

	for (uint32_t w = 1; w <= l->df.numbers_count; w++) {
		uint32_t d = l->dominators[w], size = l->ends[w];

		if (d) {
			l->ends[w] = l->ends[d];
			l->ends[d] -= size;
		} else {
			next_tree += size;
			l->ends[w] = next_tree;
			if (w <= l->df.reachable_numbers)
				l->reachable_count = next_tree;
		}
		if (!(w & (BATCH - 1)) && !progress_add(l->df.sweep.progress, BATCH))
			return error_cancelled(l->err);
	}
	return true;
}

/* Pruned objects directly follow their dominator. */
static bool
fill_parents(struct layout *l)
{
	uint32_t count = l->df.sweep.heap->nodes_count, parent = 0;

	for (uint32_t p = 0; p < count; p++) {
		if (l->parents[p] == PARENT_UNSET)
			l->parents[p] = parent;
		else
			parent = p + 1;
		if (!(p & (BATCH - 1)) && !progress_add(l->df.sweep.progress, p ? BATCH : 0))
			return error_cancelled(l->err);
	}
	return true;
}

/* ---- together ---- */

static void
note_peak(struct layout *l, const struct dominators *d, uint64_t more)
{
	uint64_t bytes = l->df.arena.used_bytes + l->df.numbers.used_bytes + l->scratch.used_bytes +
			 d->arena.used_bytes + more;

	if (bytes > l->peak_bytes)
		l->peak_bytes = bytes;
}

/* The first access to each page of memory is slow, so check for Esc. */
static bool
fill(const struct layout *l, uint32_t *array, size_t count, uint32_t value)
{
	for (size_t i = 0; i < count; i++) {
		array[i] = value;
		if (!(i & 0xfffff) && progress_is_cancelled(l->df.sweep.progress))
			return error_cancelled(l->err);
	}
	return true;
}

static bool
layout_intervals(struct layout *l)
{
	size_t count = (size_t)l->df.numbers_count + 1;

	l->ends = arena_array(&l->scratch, uint32_t, count, l->err);
	if (!l->ends)
		return false;
	return fill(l, l->ends, count, 1) && run_chunks(l, run_count_leaves) && sum_sizes(l) &&
	       place_numbers(l) && run_chunks(l, run_place_leaves);
}

static bool
layout_parents(struct layout *l, struct dominators *d)
{
	size_t count = d->heap->nodes_count;

	l->parents = arena_array(&d->arena, uint32_t, count + 1, l->err);
	if (!l->parents)
		return false;
	note_peak(l, d, 0);
	if (!fill(l, l->parents, count, PARENT_UNSET) || !run_batches(l, run_parents) ||
	    !run_chunks(l, run_positions) || !fill_parents(l))
		return false;
	d->parents = l->parents;
	arena_clear(&l->scratch);
	return true;
}

/* Returns the minimum of every 64 entries of `below`. */
static const uint32_t *
minima_take(const struct layout *l, struct arena *a, const uint32_t *below, uint32_t below_count,
	    uint32_t count)
{
	uint32_t *minima = arena_array(a, uint32_t, count, l->err);

	for (uint32_t i = 0, k = 0; minima && k < count; k++) {
		uint32_t end = below_count, least = UINT32_MAX;

		if (end - i > 1 << MINIMA_SHIFT)
			end = i + (1 << MINIMA_SHIFT);
		for (; i < end; i++)
			if (below[i] < least)
				least = below[i];
		minima[k] = least;
		if (!(k & (BATCH - 1)) && progress_is_cancelled(l->df.sweep.progress)) {
			error_cancelled(l->err);
			return NULL;
		}
	}
	return minima;
}

static bool
layout_minima(const struct layout *l, struct dominators *d)
{
	const uint32_t *below = d->parents;
	uint32_t below_count = d->heap->nodes_count;

	while (below_count > 1 << MINIMA_SHIFT) {
		uint32_t count = ((below_count - 1) >> MINIMA_SHIFT) + 1;

		below = minima_take(l, &d->arena, below, below_count, count);
		if (!below)
			return false;
		d->minima[d->levels_count] = below;
		d->minima_counts[d->levels_count++] = count;
		below_count = count;
	}
	return true;
}

static bool
layout_objects(struct layout *l, struct dominators *d)
{
	size_t count = (size_t)d->heap->nodes_count + 1;

	d->positions = l->df.slots;
	l->objects = arena_array(&d->arena, node_id, count, l->err);
	d->objects = l->objects;
	note_peak(l, d, 0);
	return l->objects && run_chunks(l, run_objects) && layout_minima(l, d);
}

static bool
layout_run(struct layout *l, struct dominators *d)
{
	uint64_t labels;

	note_peak(l, d, l->df.stack_bytes);
	l->dominators = semi_nca_compute(&l->df, &l->scratch, l->err);
	if (!l->dominators)
		return false;
	labels = ((uint64_t)l->df.numbers_count + 1) * sizeof(uint32_t);
	note_peak(l, d, labels + SEMI_NCA_BYTES);
	depth_first_forget(&l->df);
	progress_begin(l->df.sweep.progress, "laying out dominators", "objects",
		       d->heap->nodes_count * UINT64_C(5) + l->df.numbers_count * UINT64_C(3));
	if (!layout_intervals(l) || !layout_parents(l, d))
		return false;
	d->reachable_count = l->reachable_count;
	return layout_objects(l, d);
}

/* ---- memory ---- */

/* Returns the maximum over the three phases; see the top of the file. */
static uint64_t
peak_of(uint64_t nodes, uint64_t numbers, uint64_t shared)
{
	uint64_t base = nodes * 4 + nodes / 8;
	uint64_t dominators = base + numbers * 12 + numbers / 8 + shared * 4 + SEMI_NCA_BYTES;
	uint64_t parents = base + numbers * 8 + nodes * 4;
	uint64_t result = base + nodes * 8 + nodes / 15;
	uint64_t most = dominators > parents ? dominators : parents;

	return most > result ? most : result;
}

uint64_t
dominators_bytes(const struct heap *h)
{
	uint64_t leaves = 0, shared = h->refs_count / 8 + h->roots_count;

	for (type_id t = 0; t < h->types_count; t++)
		if (!(h->types[t].flags & TYPE_HAS_REFS))
			leaves += h->types[t].count;
	if (shared > h->nodes_count)
		shared = h->nodes_count;
	/* Most leaves have one referrer. */
	return peak_of(h->nodes_count, h->nodes_count - leaves / 10 * 8, shared);
}

/* Returns true if the limit allows it; the remainder is left for the stack. */
static bool
check_limit(const struct depth_first *df, uint64_t limit_bytes, uint64_t *stack_limit,
	    struct error *err)
{
	uint64_t numbers = df->numbers_wanted, shared = df->shared_wanted;
	uint64_t nodes = df->sweep.heap->nodes_count, searching;
	uint64_t wanted = peak_of(nodes, numbers, shared);

	*stack_limit = UINT64_MAX;
	if (!limit_bytes)
		return true;
	if (wanted > limit_bytes)
		return error_set(err, ERROR_SYSTEM,
				 "dominators of this heap need %" PRIu64 " MB, and %" PRIu64
				 " MB are allowed; --mem SIZE or :set mem=SIZE allows more",
				 (wanted >> 20) + 1, limit_bytes >> 20);
	searching = nodes * 4 + nodes / 2 + numbers * 4 + shared * 4;
	*stack_limit = limit_bytes > searching ? limit_bytes - searching : 0;
	return true;
}

const struct dominators *
dominators_compute(const struct heap *h, const struct reverse *rev, const struct ignored *ig,
		   uint64_t limit_bytes, struct progress *progress, struct error *err)
{
	struct dominators *d = memory_new(1, sizeof(*d), err);
	struct layout l = { .err = err };
	uint64_t stack_limit;
	bool is_ok;

	if (!d)
		return NULL;
	d->heap = h;
	arena_init(&d->arena, 0);
	arena_init(&l.scratch, 0);
	is_ok = depth_first_init(&l.df, h, rev, ig, &d->arena, progress, err) &&
		check_limit(&l.df, limit_bytes, &stack_limit, err) &&
		depth_first_run(&l.df, stack_limit, err) && layout_run(&l, d);
	depth_first_clear(&l.df);
	arena_clear(&l.scratch);
	d->bytes = sizeof(*d) + d->arena.used_bytes;
	d->peak_bytes = l.peak_bytes;
	if (is_ok)
		return d;
	dominators_free(d);
	return NULL;
}

void
dominators_free(const struct dominators *d)
{
	struct dominators *owned = (struct dominators *)(uintptr_t)d;

	if (!d)
		return;
	arena_clear(&owned->arena);
	memory_free(owned);
}

/* ---- stored dominators ---- */

bool
dominators_restore_begin(struct dominators_restoring *r, const struct heap *h, struct error *err)
{
	size_t count = (size_t)h->nodes_count + 1;
	struct dominators *d = memory_new(1, sizeof(*d), err);

	if (!d)
		return false;
	d->heap = h;
	d->is_kept = true;
	arena_init(&d->arena, 0);
	*r = (struct dominators_restoring){ .dominators = d };
	r->objects = arena_array(&d->arena, node_id, count, err);
	r->parents = arena_array(&d->arena, uint32_t, count, err);
	d->objects = r->objects;
	d->parents = r->parents;
	if (r->objects && r->parents)
		return true;
	dominators_free(d);
	return false;
}

static bool
restore_positions(struct dominators *d, struct progress *progress, struct error *err)
{
	uint32_t count = d->heap->nodes_count;
	uint32_t *positions = arena_array(&d->arena, uint32_t, (size_t)count + 1, err);

	d->positions = positions;
	for (uint32_t p = 0; positions && p < count; p++) {
		node_id n = d->objects[p];

		/* positions[] has 1 + position until all are set. */
		if (n >= count || positions[n])
			return error_set(err, ERROR_INPUT,
					 "position %" PRIu32 " has no object of its own", p);
		positions[n] = p + 1;
		if (!(p & (BATCH - 1)) && progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	for (uint32_t n = 0; positions && n < count; n++)
		positions[n]--;
	return positions != NULL;
}

/* Checks the preorder: the parent of each position is the previous one or an ancestor of it. */
static bool
check_preorder(const struct dominators *d, struct progress *progress, struct error *err)
{
	for (uint32_t p = 0; p < d->heap->nodes_count; p++) {
		uint32_t above = p, parent = d->parents[p];

		while (above > parent)
			above = d->parents[above - 1];
		if (above != parent || (p == d->reachable_count && parent))
			return error_set(err, ERROR_INPUT, "position %" PRIu32 " is out of order",
					 p);
		if (!(p & (BATCH - 1)) && progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	return d->reachable_count <= d->heap->nodes_count;
}

const struct dominators *
dominators_restore_end(struct dominators_restoring *r, uint32_t reachable_count,
		       struct progress *progress, struct error *err)
{
	struct dominators *d = r->dominators;
	struct layout l = { .df.sweep.progress = progress, .err = err };

	d->reachable_count = reachable_count;
	if (check_preorder(d, progress, err) && restore_positions(d, progress, err) &&
	    layout_minima(&l, d)) {
		d->bytes = d->peak_bytes = sizeof(*d) + d->arena.used_bytes;
		return d;
	}
	dominators_free(d);
	return NULL;
}

/* ---- the end of a subtree ---- */

/* Returns the first entry from `from` on that is at most `bound`, before the next multiple of 64;
   otherwise that multiple. */
static uint32_t
first_at_most(const uint32_t *entries, uint32_t from, uint32_t count, uint32_t bound)
{
	uint64_t end = ((uint64_t)(from >> MINIMA_SHIFT) + 1) << MINIMA_SHIFT;

	if (end > count)
		end = count;
	while (from < end && entries[from] > bound)
		from++;
	return from;
}

/* A subtree ends where an entry has a parent before `position`. Searches upwards through coarser
   levels, then downwards through finer ones. */
uint32_t
dominators_end(const struct dominators *d, uint32_t position)
{
	uint32_t counts[DOMINATOR_LEVELS + 1];
	const uint32_t *entries[DOMINATOR_LEVELS + 1];
	uint32_t level = 0, at = position + 1;

	entries[0] = d->parents;
	counts[0] = d->heap->nodes_count;
	for (uint32_t i = 0; i < d->levels_count; i++) {
		entries[i + 1] = d->minima[i];
		counts[i + 1] = d->minima_counts[i];
	}
	for (;;) {
		at = first_at_most(entries[level], at, counts[level], position);
		if (at >= counts[level])
			return d->heap->nodes_count;
		if (entries[level][at] <= position)
			break;
		at >>= MINIMA_SHIFT;
		level++;
	}
	while (level-- > 0)
		at = first_at_most(entries[level], at << MINIMA_SHIFT, counts[level], position);
	return at;
}
