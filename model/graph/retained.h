#ifndef MODEL_GRAPH_RETAINED_H
#define MODEL_GRAPH_RETAINED_H

/*
 * Retained size: what an object holds alone, itself included; so many bytes
 * would be free if it were not there. The sum over its subtree in the tree of
 * dominators, which is a difference of two sums because subtrees are
 * intervals. Resident: 1.1 bytes an object besides the dominators; 2 ns an
 * object to make, 0.2 µs to ask.
 *
 * Of many objects: the set of all that any one of them dominates, each counted
 * once, never the sum. It may be less than what would be freed if all of them
 * went at once, by what several of them hold together and none alone; that is
 * retained_without(), a search of its own.
 */
#include "model/graph/dominators.h"

struct retained {
	const struct heap *heap;
	const struct dominators *dominators;
	const uint8_t *codes;   /* by position: as heap->size_codes */
	const uint64_t *before; /* bytes before every 64th position */
	uint64_t bytes;         /* resident */
	struct arena arena;
};

struct retained_sum {
	uint64_t count, bytes; /* objects and their sizes */
};

const struct retained *retained_compute(const struct dominators *d,
					struct progress *progress,
					struct error *err) MUST_USE;
void retained_free(const struct retained *r); /* NULL is allowed */

/* Of the objects at positions from `first` up to `end`. */
struct retained_sum retained_between(const struct retained *r, uint32_t first,
				     uint32_t end);

static inline struct retained_sum
retained_of(const struct retained *r, node_id n)
{
	uint32_t first = r->dominators->positions[n];

	return retained_between(r, first, dominators_end(r->dominators, first));
}

/*
 * Of the objects of each type: an array by type, from the arena. One linear
 * pass, about 4 ns an object. `reachable` objects only, or all.
 */
struct retained_sum *retained_by_type(const struct retained *r,
				      bool only_reachable, struct arena *a,
				      struct progress *progress,
				      struct error *err) MUST_USE;

/* Of a set of objects, bits by object. One linear pass. */
bool retained_of_set(const struct retained *r, const uint64_t *set,
		     struct progress *progress, struct retained_sum *sum,
		     struct error *err) MUST_USE;
/* The same for a few objects: sorts their ids' positions. */
bool retained_of_list(const struct retained *r, const node_id *nodes,
		      size_t count, struct retained_sum *sum,
		      struct error *err) MUST_USE;

/*
 * What would be freed if all objects of the set went at once: it may be more
 * than retained_of_set(). A search through what would remain (flood.h), about
 * 20 ns an object. `ig` is what the dominators were computed with.
 */
bool retained_without(const struct retained *r, const struct ignored *ig,
		      const uint64_t *set, struct progress *progress,
		      struct retained_sum *sum, struct error *err) MUST_USE;

#endif
