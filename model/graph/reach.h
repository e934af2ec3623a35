#ifndef MODEL_GRAPH_REACH_H
#define MODEL_GRAPH_REACH_H

/*
 * Why is this object still here? For every object the distance to its nearest
 * root and the next step there; breadth first, iterative. 8 bytes an object;
 * while computing up to 8 more, mostly far fewer. About 30 ns an object.
 * Deterministic: roots by priority, then objects by id.
 *
 * Roots come in tiers (root_kinds): words on stacks that may be references,
 * finalizer registrations and dependent handles explain only what nothing
 * better reaches.
 *
 * Double rooting: the runtime keeps static variables in Object[] tables that
 * handles hold, so every static object has such a table among its referrers.
 * With `prefer_statics` the tables are found, to be told from the program's own
 * references: an Object[] is one if a handle holds it, nobody but itself
 * refers to it, and it refers to objects that static roots name. Distances do
 * not depend on it: a static root names its object itself, which is nearer
 * than any table.
 */
#include "model/graph/ignored.h"

#define DISTANCE_UNREACHABLE UINT32_MAX

struct reach {
	const struct heap *heap;
	const uint32_t
	    *distance; /* references from a root; 0: a root names it */
	/* Distance 0: index into heap->roots. Else the object that refers to
	   it, one step nearer. Undefined where unreachable. */
	const uint32_t *next;
	uint64_t reachable_count, reachable_bytes;
	const node_id *static_tables; /* ascending; see above */
	uint32_t static_tables_count;
	uint64_t static_refs_count; /* references from them to static objects */
	uint64_t bytes;             /* resident */
	bool is_kept; /* from a file, not computed: see derived.h */
	struct arena arena;
};

const struct reach *reach_compute(const struct heap *h, bool prefer_statics,
				  struct progress *progress,
				  struct error *err) MUST_USE;
/* The same without what is ignored, which is not needed afterwards. The static
   tables do not depend on it. */
const struct reach *reach_compute_without(const struct heap *h,
					  bool prefer_statics,
					  const struct ignored *ignored,
					  struct progress *progress,
					  struct error *err) MUST_USE;
/*
 * What computing takes at its peak, result and root_index.h included: about,
 * from counts alone. At worst, where most objects are at one distance, 4 more
 * an object.
 */
uint64_t reach_bytes(const struct heap *h);
/*
 * Of what somebody kept: between the two the arrays are filled. What does not
 * lead to a root, step by step along references, is refused, and freed; `next`
 * of what is unreachable is 0.
 */
struct reach_restoring {
	struct reach *reach;
	uint32_t *distance, *next;
	node_id *static_tables;
};
bool reach_restore_begin(struct reach_restoring *r, const struct heap *h,
			 uint32_t static_tables_count,
			 struct error *err) MUST_USE;
const struct reach *reach_restore_end(struct reach_restoring *r,
				      uint64_t static_refs_count,
				      struct progress *progress,
				      struct error *err) MUST_USE;
void reach_free(const struct reach *reach); /* NULL is allowed */

/* The root at the end of the way, or NULL. Costs `distance` steps. */
const struct root *reach_root(const struct reach *reach, node_id n);

/*
 * Whether `source` is a table of static variables that holds `target` only
 * because a static variable does: no reason of its own to show or follow.
 */
bool reach_is_static_ref(const struct reach *reach, node_id source,
			 node_id target);

#endif
