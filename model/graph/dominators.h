#ifndef MODEL_GRAPH_DOMINATORS_H
#define MODEL_GRAPH_DOMINATORS_H

/*
 * The dominator tree. X dominates Y if every path from a root to Y leads through X; the nearest
 * such X is the immediate dominator of Y. Each object has exactly one, or none if separate paths
 * lead from the roots to it. The objects below X in the tree are those that would be freed without
 * X.
 *
 * Exact. Each root that is not ignored (ignored.h) is a separate path to its object. Unreachable
 * objects have trees of their own, with one root for each part that nothing else refers to
 * (depth_first.h): they show what dead objects would have retained.
 *
 * Objects are in preorder: an object's subtree follows it without a gap, so that "is Y below X"
 * compares numbers, and sums over a subtree are differences. Reachable objects come first.
 *
 * Resident: 12.1 bytes an object; for the peak see dominators_bytes(). Linear but for a logarithm;
 * about 60 ns an object on two threads. Checks for cancellation every 65,536 objects.
 */
#include "model/graph/ignored.h"
#include "model/graph/reverse.h"

enum { DOMINATOR_LEVELS = 6 };

struct dominators {
	const struct heap *heap;
	const uint32_t *positions; /* indexed by object */
	const node_id *objects;    /* indexed by position */
	/* Indexed by position: 1 + position of the immediate dominator; 0: none. */
	const uint32_t *parents;
	/* Minima of 64 parents each, then of 64 of these minima each, and so on. */
	const uint32_t *minima[DOMINATOR_LEVELS];
	uint32_t minima_counts[DOMINATOR_LEVELS], levels_count;
	uint32_t reachable_count; /* positions below this are reachable */
	uint64_t bytes;           /* resident bytes */
	uint64_t peak_bytes;      /* peak while computing, including the result */
	bool is_kept;             /* read from a file: see derived.h */
	struct arena arena;
};

/*
 * `rev` must be of the same heap; `ig` may be NULL. If more than `limit_bytes` are needed (0: no
 * limit), this fails before most of it is allocated, with an error that states how much is needed.
 */
const struct dominators *dominators_compute(const struct heap *h, const struct reverse *rev,
					    const struct ignored *ig, uint64_t limit_bytes,
					    struct progress *progress, struct error *err) MUST_USE;
/* Restores stored results: call begin, fill the arrays, call end. End refuses, and frees, anything
   but trees in preorder with each object once. */
struct dominators_restoring {
	struct dominators *dominators;
	node_id *objects;
	uint32_t *parents;
};
bool dominators_restore_begin(struct dominators_restoring *r, const struct heap *h,
			      struct error *err) MUST_USE;
const struct dominators *dominators_restore_end(struct dominators_restoring *r,
						uint32_t reachable_count, struct progress *progress,
						struct error *err) MUST_USE;
void dominators_free(const struct dominators *d); /* NULL is allowed */

/*
 * Returns an estimate of the peak memory from counts alone: with the result, without heap and
 * referrers. dominators_compute() knows the exact figure after a pass over all objects.
 */
uint64_t dominators_bytes(const struct heap *h);

/* Returns the immediate dominator, or NODE_NONE. */
static inline node_id
dominators_of(const struct dominators *d, node_id n)
{
	uint32_t parent = d->parents[d->positions[n]];

	return parent ? d->objects[parent - 1] : NODE_NONE;
}

static inline bool
dominators_is_reachable(const struct dominators *d, node_id n)
{
	return d->positions[n] < d->reachable_count;
}

/* Fetches the type of an object ahead of a pass over positions: types are in the order of ids. */
static inline void
dominators_prefetch_type(const struct dominators *d, node_id n)
{
	const struct heap *h = d->heap;

	if (h->types16)
		__builtin_prefetch(&h->types16[n]);
	else
		__builtin_prefetch(&h->types32[n]);
}

/* Returns the end of the subtree at a position, which is the position of the next sibling, if any.
   About 50 ns for any size. */
uint32_t dominators_end(const struct dominators *d, uint32_t position);

/* Returns true if `n` is `holder` or is dominated by it. */
static inline bool
dominators_holds(const struct dominators *d, node_id holder, node_id n)
{
	uint32_t position = d->positions[holder];

	return d->positions[n] >= position && d->positions[n] < dominators_end(d, position);
}

/*
 * The objects that an object dominates directly, or that have no dominator:
 *	for (p = position + 1; p < end; p = dominators_end(d, p))
 * from 0 to reachable_count, and on to nodes_count for unreachable trees.
 */

#endif
