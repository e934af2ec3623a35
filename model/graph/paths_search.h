#ifndef MODEL_GRAPH_PATHS_SEARCH_H
#define MODEL_GRAPH_PATHS_SEARCH_H

/* The internals of a search for paths (paths.h), shared by paths.c and paths_search.c only: tasks,
   prefixes of paths, and doubtful branches. */
#include "model/graph/detour.h"
#include "model/graph/paths.h"

#define NO_REST  UINT32_MAX /* the path continues as in reach.h */
#define NO_DOUBT UINT32_MAX

enum { PATHS_BYTES_MAX = 1 << 29 };

/* The prefixes of all paths, seen from the object: a tree. Each place is the object at the end of a
   prefix; an object may have many places. */
struct paths_place {
	node_id node;
	uint32_t parent;  /* place it refers to; the first one: itself */
	uint32_t depth;   /* references to the object */
	uint32_t cost;    /* of these */
	uint32_t nearest; /* fewest steps to a root on the prefix */
	uint32_t doubt;   /* the doubt of branches from here, or NO_DOUBT */
};

enum paths_task_kind {
	TASK_TRY,    /* find the cheapest rest of a new place */
	TASK_DOUBT,  /* find which of several branches has the cheapest rest */
	TASK_REPORT, /* report a path that is known */
	TASK_END,    /* report the path from a root of the place's object */
	TASK_FOLLOW, /* look for branches along a reported path */
	TASK_BRANCH, /* try the referrers of a place, one after another */
	TASK_ROOT,   /* report the same path with its next root */
};

struct paths_task {
	uint8_t kind; /* enum paths_task_kind */
	uint32_t place;
	uint32_t rest;     /* index into rests, or NO_REST */
	uint32_t position; /* FOLLOW: index in that rest */
	/* BRANCH: the referrer already taken. Branches of a least cost from `from` to `to` are due
	   now, then those of `next`. */
	node_id taken;
	uint32_t from, to, next;
	struct referrers referrers;
	/* ROOT: the path reported last, and the root that was looked at last
	   or ROOT_NOWHERE. */
	uint32_t path, root;
	uint32_t next_free;
};

/*
 * Branches from one place whose cheapest rests return to the prefix. One search finds the best of
 * all: one for each would take forever where a hundred thousand objects refer to their holder.
 */
struct paths_doubt {
	uint32_t *places;
	size_t count, room;
	uint32_t due; /* cost at which its task is due; UINT32_MAX: none. A
			 task that comes at another cost is an old one. */
};

/* The result of a detour: the objects after a place. */
struct paths_rest {
	size_t first; /* index in rest_nodes */
	uint32_t count, root;
};

/* A path is a place and its rest. */
struct paths_known {
	struct path path;
	uint32_t place, rest;
};

struct paths {
	struct upward up;
	const struct dominators *dominators; /* or NULL */
	struct paths_place *places;
	size_t places_count, places_room;
	struct paths_task *tasks;
	size_t tasks_count, tasks_room;
	uint32_t free_task; /* head of a list, or UINT32_MAX */
	struct agenda agenda;
	uint32_t sequence;
	struct paths_doubt *doubts;
	size_t doubts_count, doubts_room;
	struct paths_rest *rests;
	size_t rests_count, rests_room;
	node_id *rest_nodes;
	size_t rest_nodes_count, rest_nodes_room;
	struct paths_known *found;
	size_t found_count, found_room;

	/* Objects of the prefix that ends at `on_path_of`. */
	struct node_map on_path;
	uint32_t on_path_of;
	/* Objects all of whose paths return to the object, or to the prefix that ends at
	   `dead_of`. */
	struct node_map dead, dead_here;
	uint32_t dead_of;
	/* The first path that continues from here as in reach.h. */
	struct node_map owners;
	struct node_map costs; /* for upward_guess() */

	struct detour detour;
	bool is_detouring;
	uint32_t detour_task; /* the task that waits for it */
	uint32_t cost;        /* path cost of the current task */
	bool gave_up;
	struct path_circle circles[PATH_CIRCLES_MAX];
	uint32_t circles_count;
	uint64_t *budget;
	struct error *err;
};

static inline void
paths_spend(struct paths *p, uint64_t visits)
{
	*p->budget -= visits < *p->budget ? visits : *p->budget;
}

/* Tasks: the cheapest first; among equals the one added last. */
bool paths_task_add(struct paths *p, const struct paths_task *task, uint32_t cost) MUST_USE;
bool paths_task_schedule(struct paths *p, uint32_t task, uint32_t cost) MUST_USE;
void paths_task_drop(struct paths *p, uint32_t index);

/* Prefixes. */
bool paths_place_add(struct paths *p, node_id node, uint32_t parent, uint32_t *index) MUST_USE;
/* Adds costs, up to UINT32_MAX. */
static inline uint32_t
paths_cost(uint32_t a, uint32_t b)
{
	return a < UINT32_MAX - b ? a + b : UINT32_MAX;
}
/* Registers a rest that ends at the place. */
bool paths_rest_none(struct paths *p, uint32_t root, uint32_t *rest) MUST_USE;
/* Returns true if the prefix that ends at `place` contains the object. */
bool paths_place_has(struct paths *p, uint32_t place, node_id node, bool *has) MUST_USE;
/* Returns true if all paths of the object return to the prefix that ends at `parent`. */
bool paths_is_dead(struct paths *p, uint32_t parent, node_id node);
void paths_circle_add(struct paths *p, uint32_t place);

/* Doubtful branches; see struct paths_doubt. */
bool paths_doubt_add(struct paths *p, uint32_t place) MUST_USE;
bool paths_detour_start(struct paths *p, uint32_t task) MUST_USE;
bool paths_detour_end(struct paths *p, enum detour_end end) MUST_USE;

#endif
