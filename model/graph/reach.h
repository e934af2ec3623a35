#ifndef MODEL_GRAPH_REACH_H
#define MODEL_GRAPH_REACH_H

/*
 * Why each object is alive: the cheapest path from a root, by the costs of reach_costs.h, as the
 * next step towards the root and the number of steps. Iterative. 8 bytes an object; while computing
 * up to 8 more, mostly far fewer. About 30 ns an object. Deterministic: among equal costs roots by
 * priority, then objects in the order in which they were met.
 *
 * Roots come in tiers, which come before costs: stack words that may be references, finalizer
 * registrations and dependent handles count only for objects that no better root reaches. Words of
 * threads that wait are proved to be references and compete with the others; see reach_costs.h.
 *
 * Double rooting: the runtime keeps static variables in Object[] tables that handles hold, so every
 * static object has such a table among its referrers. With `prefer_statics` these tables are found,
 * to distinguish them from the program's own references: an Object[] is one if a handle holds it,
 * nothing but itself refers to it, and it refers to objects with static roots. Distances are not
 * affected: a static root refers to its object directly.
 */
#include "model/graph/ignored.h"
#include "model/graph/reach_costs.h"

#define DISTANCE_UNREACHABLE UINT32_MAX

struct reach {
	const struct heap *heap;
	/* Steps of the path. 0: it begins with a root of the object itself. An object with a root
	   may have a cheaper path from another root. */
	const uint32_t *distance;
	/* Distance 0: index into heap->roots. Otherwise the referrer one step nearer to the root.
	   Undefined for unreachable objects. */
	const uint32_t *next;
	struct reach_costs costs;
	uint64_t reachable_count, reachable_bytes;
	const node_id *static_tables; /* ascending; see above */
	uint32_t static_tables_count;
	uint64_t static_refs_count; /* from these to static objects */
	uint64_t bytes;             /* resident bytes */
	bool is_kept;               /* read from a file: see derived.h */
	struct arena arena;
};

const struct reach *reach_compute(const struct heap *h, bool prefer_statics,
				  struct progress *progress, struct error *err) MUST_USE;
/* The same with some of the graph ignored; `ignored` is not needed afterwards. The static tables
   are not affected. */
const struct reach *reach_compute_without(const struct heap *h, bool prefer_statics,
					  const struct ignored *ignored, struct progress *progress,
					  struct error *err) MUST_USE;
/*
 * Returns an estimate of the peak memory from counts alone, with the result and root_index.h. If
 * most objects are at one distance, 4 bytes an object more are needed.
 */
uint64_t reach_bytes(const struct heap *h);
/*
 * Restores stored results: call begin, fill the arrays (with 0 in `next` of unreachable objects),
 * call end. End refuses, and frees, paths that do not lead to roots along references.
 */
struct reach_restoring {
	struct reach *reach;
	uint32_t *distance, *next;
	node_id *static_tables;
};
bool reach_restore_begin(struct reach_restoring *r, const struct heap *h,
			 uint32_t static_tables_count, struct error *err) MUST_USE;
const struct reach *reach_restore_end(struct reach_restoring *r, uint64_t static_refs_count,
				      struct progress *progress, struct error *err) MUST_USE;
void reach_free(const struct reach *reach); /* NULL is allowed */

/* Returns the root at the end of the path, or NULL. Takes `distance` steps. */
const struct root *reach_root(const struct reach *reach, node_id n);
/* Returns true for a word on a stack that may be no reference. */
static inline bool
reach_is_mere_word(const struct reach *reach, uint32_t root)
{
	return reach->heap->roots[root].kind == ROOT_STACK_WORD && reach->costs.tiers[root];
}
/* Returns the index of the object's own root of this tier that costs least and is not ignored, the
   first among equals, or ROOT_NOWHERE. */
#define ROOT_NOWHERE UINT32_MAX
uint32_t reach_own_root(const struct reach *reach, const struct ignored *ignored, node_id n,
			uint8_t tier);

/*
 * Returns true if `source` is a table of static variables that refers to `target` only because a
 * static variable does: such references are neither shown nor followed.
 */
bool reach_is_static_ref(const struct reach *reach, node_id source, node_id target);

#endif
