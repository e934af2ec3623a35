#ifndef MODEL_GRAPH_PATHS_H
#define MODEL_GRAPH_PATHS_H

/*
 * All ways from the roots to an object, the shortest first, one at a time for
 * as long as somebody asks. A way never comes to an object twice: where it
 * would, that is a circle, told once and not followed. Ways from finalizer
 * registrations and dependent handles come after all better ones, however
 * short they are (the tiers of root_kinds).
 *
 * There may be more ways than anybody can count, so the search is paid for in
 * visits (references looked at): it stops when they are used up, and goes on
 * from there. About 100 ns and, where it has to remember, 100 bytes a visit.
 *
 * The method is that of Yen and Lawler for the k shortest simple paths: from
 * each way found others branch off, at every object and for every referrer
 * that was not taken. What is due next is decided by the length a branch will
 * have at least, which reach.h knows; only where the shortest rest comes back
 * to the way itself, the true rest is searched for (detour.h). Hubs with
 * millions of referrers give one branch after the other, nearest first,
 * without being listed.
 */
#include "model/graph/dominators.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"

struct paths; /* in paths.c; for one thread at a time */

#define PATH_NONE UINT32_MAX

struct path {
	uint32_t root;   /* index into heap->roots */
	uint32_t length; /* references from the object that the root names */
	/*
	 * An earlier way with the same rest: the objects of the last
	 * `shared_length` references and the root are alike. PATH_NONE: no
	 * such. If `has_same_objects`, all are, only the root is another.
	 */
	uint32_t shared_path, shared_length;
	bool has_same_objects;
};

/* The referrer leads back to a way it stands on, and nowhere else. */
struct path_circle {
	node_id referrer, held;
};
enum { PATH_CIRCLES_MAX = 64 }; /* no more are told */

enum paths_end {
	PATHS_FOUND,
	PATHS_ALL,    /* there are no more */
	PATHS_BUDGET, /* the visits are used up; ask again */
	/* There may be more, but looking further takes too much memory. */
	PATHS_GAVE_UP,
	PATHS_FAILED, /* `err` is set */
};
enum { PATHS_BUDGET_DEFAULT = 200000 }; /* visits, 20 to 50 ms */

/*
 * `reach` must have been computed without what is ignored (NULL: nothing). All
 * are borrowed for as long as the paths live.
 */
struct paths *paths_new(const struct reverse *rev, const struct reach *reach,
			const struct ignored *ignored, node_id object,
			struct error *err) MUST_USE;
void paths_free(struct paths *p); /* NULL is allowed */
/*
 * With dominators, computed without the same that is ignored, it is seen at
 * once where all ways of an object come back: without them that takes a search
 * of all that hangs on the ways, once for each. Borrowed until the next call;
 * NULL: none.
 */
void paths_use_dominators(struct paths *p, const struct dominators *dominators);

/* One more way; spends at most about *budget visits, which are taken off. */
enum paths_end paths_next(struct paths *p, uint64_t *budget, struct error *err);

uint32_t paths_count(const struct paths *p);
const struct path *paths_get(const struct paths *p, uint32_t index);
/*
 * The objects of a way, from `first` on: 0 is the object itself, `length` the
 * one that the root names. Costs as many steps as come before the last one.
 */
void paths_steps(const struct paths *p, uint32_t index, uint32_t first,
		 uint32_t count, node_id *steps);
/* Those met so far, each once. */
uint32_t paths_circles(const struct paths *p,
		       const struct path_circle **circles);

#endif
