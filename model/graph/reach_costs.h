#ifndef MODEL_GRAPH_REACH_COSTS_H
#define MODEL_GRAPH_REACH_COSTS_H

/*
 * The costs by which reach.h chooses among the paths of an object. The path that a person would
 * give as the reason leads through the program's own objects and its collections, from one of its
 * own variables. Another path may have fewer steps through sockets, timers and other plumbing of
 * the framework.
 *
 * A path costs the sum of its root's cost and of the costs of its steps. A step costs by the type
 * of the object that refers, so that everything an object refers to directly has the same cost.
 *
 * A word on a stack that may be a reference (ROOT_STACK_WORD) has no cost that fits it: it may be
 * the variable of a running method or be left over from one that has returned, and every cost lets
 * such a remainder hide the true reason of an object at the end of a long list. So words are of a
 * lesser tier, except where the heap proves that a method runs: a thread that waits for a task adds
 * an object of its own to the task's continuations, and removes it when it returns. A word costs as
 * much as a local variable if it refers to a task whose continuation is such an object, to which a
 * word of the same thread refers. This is how a Main that awaits is known: the thread that started
 * it waits for its task.
 */
#include "model/heap/heap.h"

/* Raise it whenever costs change: paths that were saved with another version are computed again.
   Those of version 0 had the fewest steps. */
enum { REACH_COSTS_VERSION = 2 };

/* The only costs of steps: reach.c has a list for each. */
enum {
	STEP_COST_MIN = 1, /* from an object of the application, an array, a
			      collection or a delegate such as Action */
	STEP_COST_MAX = 3, /* from another object of the framework */
};

struct reach_costs {
	const uint8_t *steps; /* indexed by type_id */
	const uint8_t *roots; /* indexed like heap->roots */
	/* Indexed like heap->roots: the tier of the root's kind (root_kinds), or 0 for a word of a
	   thread that waits. */
	const uint8_t *tiers;
};
/* The arrays are in `a`. About 200 ns a type and 100 ns a root. */
bool reach_costs_init(struct reach_costs *c, const struct heap *h, struct arena *a,
		      struct error *err) MUST_USE;

#endif
