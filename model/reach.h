#ifndef MODEL_REACH_H
#define MODEL_REACH_H

/*
 * Why is this object still here? For every object the distance to its nearest
 * root and the next step there; one breadth-first pass, iterative, 8 bytes an
 * object. Deterministic: roots by priority, then objects by id.
 *
 * Roots come in tiers (root_kinds): finalizer registrations and dependent
 * handles explain only what nothing better reaches.
 *
 * Double rooting: the runtime keeps static variables in Object[] tables that
 * handles hold. Without care every static object would seem to be held by such
 * a table. With `prefer_statics` the references from such a table to an object
 * that a static root names are not followed (they stay visible elsewhere).
 * A table is a handle-rooted Object[] that only itself refers to.
 */
#include "model/reverse.h"

#define DISTANCE_UNREACHABLE UINT32_MAX

struct reach {
	const struct heap *heap;
	const uint32_t
	    *distance; /* references from a root; 0: a root names it */
	/* Distance 0: index into heap->roots. Else the object that refers to
	   it, one step nearer. Undefined where unreachable. */
	const uint32_t *next;
	uint64_t reachable_count, reachable_bytes;
	uint32_t static_tables_count; /* double rooting: how many were found */
	uint64_t static_refs_count;   /* …and references not followed */
	uint64_t bytes;               /* resident */
	struct arena arena;
};

const struct reach *reach_compute(const struct heap *h, bool prefer_statics,
				  struct progress *progress,
				  struct error *err) MUST_USE;
void reach_free(const struct reach *reach); /* NULL is allowed */

/* The root at the end of the way, or NULL. Costs `distance` steps. */
const struct root *reach_root(const struct reach *reach, node_id n);

#endif
