#ifndef MODEL_GRAPH_REACH_COSTS_H
#define MODEL_GRAPH_REACH_COSTS_H

/*
 * The costs by which reach.h chooses among the paths of an object. The path
 * that a person would give as the reason leads through the program's own
 * objects and its collections, from one of its own variables. Another path may
 * have fewer steps through sockets, timers and other plumbing of the framework.
 *
 * A path costs the sum of its root's cost and of the costs of its steps. A step
 * costs by the type of the object that refers, so that everything an object
 * refers to directly has the same cost.
 */
#include "model/heap/heap.h"

/* Raise it whenever costs change: paths that were saved with another version
   are computed again. Those of version 0 had the fewest steps. */
enum { REACH_COSTS_VERSION = 1 };

/* The only costs of steps: reach.c has a list for each. */
enum {
	STEP_COST_MIN = 1, /* from an object of the application, an array, a
			      collection or a delegate such as Action */
	STEP_COST_MAX = 3, /* from another object of the framework */
};

struct reach_costs {
	const uint8_t *steps; /* indexed by type_id */
	const uint8_t *roots; /* indexed like heap->roots */
};
/* Both arrays are in `a`. About 200 ns a type and 100 ns a root. */
bool reach_costs_init(struct reach_costs *c, const struct heap *h,
		      struct arena *a, struct error *err) MUST_USE;

#endif
