#ifndef MODEL_GRAPH_DOMINATORS_H
#define MODEL_GRAPH_DOMINATORS_H

/*
 * What would go with an object? X dominates Y if every way from a root to Y
 * leads through X; the nearest of those is the immediate dominator, exactly
 * one for each object, or none where roots hold it on several ways. So they
 * are a tree, or many: what lies below X is what would be freed without X.
 *
 * Exact. Every root that is not left out (ignored.h) holds its object by a way
 * of its own. What no root reaches has trees of its own, from one object of
 * each part that nothing else refers to (depth_first.h): what such dead
 * objects would have held.
 *
 * Objects are laid out in preorder: what an object dominates follows it
 * without a gap, so "is Y inside X" compares numbers, and sums over a subtree
 * are differences. First everything reachable, then the rest.
 *
 * Resident: 12.1 bytes an object. On top of that only while computing, see
 * dominators_bytes(). Linear but for a logarithm; about 60 ns an object on two
 * threads. Cancelled within 65,536 objects.
 */
#include "model/graph/ignored.h"
#include "model/graph/reverse.h"

enum { DOMINATOR_LEVELS = 6 };

struct dominators {
	const struct heap *heap;
	const uint32_t *positions; /* by object */
	const node_id *objects;    /* by position */
	/* By position: 1 + the position of the immediate dominator; 0: none. */
	const uint32_t *parents;
	/* The least of 64 parents, of 64 of those, and so on. */
	const uint32_t *minima[DOMINATOR_LEVELS];
	uint32_t minima_counts[DOMINATOR_LEVELS], levels_count;
	uint32_t reachable_count; /* positions below this are reachable */
	uint64_t bytes;           /* resident */
	uint64_t peak_bytes;      /* while computing, with the result */
	bool is_kept;             /* from a file: see derived.h */
	struct arena arena;
};

/*
 * `rev` is of the same heap; `ig` NULL: nothing is left out. Refused with an
 * error that says how much it needs, before most of it is taken, if that is
 * more than `limit_bytes`; 0: no limit.
 */
const struct dominators *
dominators_compute(const struct heap *h, const struct reverse *rev,
		   const struct ignored *ig, uint64_t limit_bytes,
		   struct progress *progress, struct error *err) MUST_USE;
/*
 * Of what somebody kept: between the two the arrays are filled. What are no
 * trees in preorder, each object once, is refused, and freed.
 */
struct dominators_restoring {
	struct dominators *dominators;
	node_id *objects;
	uint32_t *parents;
};
bool dominators_restore_begin(struct dominators_restoring *r,
			      const struct heap *h, struct error *err) MUST_USE;
const struct dominators *dominators_restore_end(struct dominators_restoring *r,
						uint32_t reachable_count,
						struct progress *progress,
						struct error *err) MUST_USE;
void dominators_free(const struct dominators *d); /* NULL is allowed */

/*
 * How much computing takes at its peak, result included, apart from heap and
 * referrers: about, from counts alone. dominators_compute() knows exactly,
 * after a look at every object.
 */
uint64_t dominators_bytes(const struct heap *h);

/* The immediate dominator; NODE_NONE: none. */
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

/*
 * Where the subtree at a position ends: the position of its next sibling, if
 * it has one. Some 50 ns, whatever the subtree's size.
 */
uint32_t dominators_end(const struct dominators *d, uint32_t position);

/* Whether `n` is `holder` or dominated by it. */
static inline bool
dominators_holds(const struct dominators *d, node_id holder, node_id n)
{
	uint32_t position = d->positions[holder];

	return d->positions[n] >= position &&
	       d->positions[n] < dominators_end(d, position);
}

/*
 * The objects that one dominates directly, or that have no dominator:
 *	for (p = position + 1; p < end; p = dominators_end(d, p))
 * from 0 to reachable_count, and on to nodes_count for unreachable trees.
 */

#endif
