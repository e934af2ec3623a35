#ifndef MODEL_ALLOCATIONS_STACKS_H
#define MODEL_ALLOCATIONS_STACKS_H

/*
 * The stacks of a site or of a type as a tree, in two directions: the callers of the site, outwards
 * to the program, or what it calls, inwards to the types that are allocated. The callers of a type
 * begin with the method that allocates; what leads to it begins with the program. Equal methods
 * below one another are one node, with the sum of their allocations.
 *
 * Takes about 50 ns for each frame of the stacks.
 */
#include "model/allocations/rows.h"

enum stacks_direction { STACKS_CALLERS, STACKS_CALLEES };

struct allocation_stacks {
	/* A row for each node: its method as `site` or, if that is UINT32_MAX, the type that is
	   allocated. Row 0 is the site or type itself. */
	struct allocation_rows rows;
	/* Those of node n are order[first[n]] to order[first[n + 1] - 1], the one with most bytes
	   first. */
	uint32_t *order, *first;
};

/*
 * `name` is a site's or type's as it is shown; "": all stacks. `my_modules` as in
 * allocations_mine(). False sets `err`: nothing has that name, or there is no memory. Clear it even
 * then.
 */
bool allocation_stacks_make(struct allocation_stacks *s, const struct allocations *of,
			    const char *name, enum stacks_direction direction,
			    const char *my_modules, struct progress *progress,
			    struct error *err) MUST_USE;
void allocation_stacks_clear(struct allocation_stacks *s);
/* A hash of the node's name, the same in later copies. */
uint64_t allocation_stacks_hash(const struct allocation_stacks *s, uint32_t node);

#endif
