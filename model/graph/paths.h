#ifndef MODEL_GRAPH_PATHS_H
#define MODEL_GRAPH_PATHS_H

/*
 * All paths from the roots to an object, cheapest first (reach_costs.h), one at a time on request:
 * the first is the one of reach.h. A path never visits an object twice: where it would, the cycle
 * is reported once and not followed. Paths from roots of lesser tiers (reach_costs.h) come after
 * all better ones, however cheap they are. The same path from another root of its first object
 * follows at once.
 *
 * As the number of paths can be astronomical, the search has a budget of visits (references looked
 * at): it stops when that is used up, and can be resumed. A visit takes about 100 ns and, if it is
 * remembered, 100 bytes.
 *
 * The method is that of Yen and Lawler for the k shortest simple paths: from each path found,
 * others branch off at every object and for every referrer not taken. Branches are ordered by the
 * least cost they can have, known from reach.h; only if the cheapest rest of a branch returns to
 * its own prefix is the true rest searched for (detour.h). The branches of hubs with millions of
 * referrers are produced one by one, cheapest first, without a list.
 */
#include "model/graph/dominators.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"

struct paths; /* used by one thread at a time */

#define PATH_NONE UINT32_MAX

struct path {
	uint32_t root;   /* index into heap->roots */
	uint32_t length; /* references from the rooted object */
	/*
	 * An earlier path whose last `shared_length` references and root are the same; PATH_NONE:
	 * none. `has_same_objects`: the whole path is, except for its root.
	 */
	uint32_t shared_path, shared_length;
	bool has_same_objects;
};

/* The referrer leads only back to the path it belongs to. */
struct path_circle {
	node_id referrer, held;
};
enum { PATH_CIRCLES_MAX = 64 }; /* later ones are not reported */

enum paths_end {
	PATHS_FOUND,
	PATHS_ALL,    /* there are no more */
	PATHS_BUDGET, /* budget used up; call again */
	/* There may be more, but finding them takes too much memory. */
	PATHS_GAVE_UP,
	PATHS_FAILED, /* `err` is set */
};
enum { PATHS_BUDGET_DEFAULT = 200000 }; /* visits, 20 to 50 ms */

/* `reach` must have been computed with the same `ignored` (or NULL). All arguments are borrowed
   until paths_free(). */
struct paths *paths_new(const struct reverse *rev, const struct reach *reach,
			const struct ignored *ignored, node_id object, struct error *err) MUST_USE;
void paths_free(struct paths *p); /* NULL is allowed */
/*
 * Dominators, computed with the same `ignored`, show at once that all paths of an object return;
 * otherwise that takes a search of everything that leads to the path, each time. Borrowed until the
 * next call; NULL: none.
 */
void paths_use_dominators(struct paths *p, const struct dominators *dominators);

/* Finds one more path; subtracts the visits, at most about *budget. */
enum paths_end paths_next(struct paths *p, uint64_t *budget, struct error *err);

uint32_t paths_count(const struct paths *p);
const struct path *paths_get(const struct paths *p, uint32_t index);
/* The objects of a path, from `first` on: 0 is the object itself, `length` the rooted one. Takes as
   many steps as precede the last one. */
void paths_steps(const struct paths *p, uint32_t index, uint32_t first, uint32_t count,
		 node_id *steps);
/* Returns the number of cycles met so far, and the cycles, each once. */
uint32_t paths_circles(const struct paths *p, const struct path_circle **circles);

#endif
