#ifndef MODEL_GRAPH_PATHS_SEARCH_H
#define MODEL_GRAPH_PATHS_SEARCH_H

/*
 * What a search for paths (paths.h) keeps, and the parts of it that paths.c is
 * made from: what is to be done, the beginnings of ways, and the branches that
 * are in doubt. Nobody else includes this.
 */
#include "model/graph/detour.h"
#include "model/graph/paths.h"

#define NO_REST  UINT32_MAX /* the rest of a way is that of reach.h */
#define NO_DOUBT UINT32_MAX

enum { PATHS_BYTES_MAX = 1 << 29 };

/*
 * The beginnings of all ways, seen from the object: a tree. Each place is an
 * object at the end of one beginning; the same object has many.
 */
struct paths_place {
	node_id node;
	uint32_t parent;  /* the place it refers to; the first is its own */
	uint32_t depth;   /* references to the object */
	uint32_t nearest; /* least distance to a root on the beginning */
	uint32_t doubt;   /* about branches from here, or NO_DOUBT */
};

enum paths_task_kind {
	TASK_TRY,    /* a new place: what is its shortest rest? */
	TASK_DOUBT,  /* of several branches the one with the shortest rest */
	TASK_TELL,   /* it is known: this is the next way */
	TASK_FOLLOW, /* look for branches along a way that was told */
	TASK_BRANCH, /* the referrers of a place, one after the other */
	TASK_ROOT,   /* the next root of an object at the end of a way */
};

struct paths_task {
	uint8_t kind; /* enum paths_task_kind */
	uint32_t place;
	uint32_t rest;     /* index into rests, or NO_REST */
	uint32_t position; /* FOLLOW: in that rest */
	/* BRANCH: the referrer already taken; what may branch off now has at
	   least a length from `from` to `to`, and then `next`. */
	node_id taken;
	uint32_t from, to, next;
	struct referrers referrers;
	uint32_t path, root; /* ROOT: the way told last, its root */
	uint32_t next_free;
};

/*
 * Branches from one place whose shortest rests come back to the beginning.
 * One search looks for the best of them all; one for each would take for ever
 * where a hundred thousand objects refer to the one that holds them.
 */
struct paths_doubt {
	uint32_t *places;
	size_t count, room;
	bool is_due; /* there is a task */
};

/* What a detour found: objects from a place on, the place left out. */
struct paths_rest {
	size_t first; /* in rest_nodes */
	uint32_t count, root;
};

/* A way is a place and its rest. */
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
	uint32_t free_task; /* a list, or UINT32_MAX */
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

	/* The objects of the beginning that ends at `on_path_of`. */
	struct node_map on_path;
	uint32_t on_path_of;
	/* Objects whose ways all come back to the object, or to the beginning
	   that ends at `dead_of`. */
	struct node_map dead, dead_here;
	uint32_t dead_of;
	/* The first way that goes on from here as reach.h says. */
	struct node_map owners;

	struct detour detour;
	bool is_detouring;
	uint32_t detour_task; /* the one that wants to know */
	uint32_t length;      /* of the task being done */
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

/* What is to be done; the last one that came first, if equally long. */
bool paths_task_add(struct paths *p, const struct paths_task *task,
		    uint32_t length) MUST_USE;
bool paths_task_schedule(struct paths *p, uint32_t task,
			 uint32_t length) MUST_USE;
void paths_task_drop(struct paths *p, uint32_t index);

/* Beginnings. */
bool paths_place_add(struct paths *p, node_id node, uint32_t parent,
		     uint32_t *index) MUST_USE;
/* The least length of a way through this object, at that depth. */
uint32_t paths_least_length(const struct paths *p, uint32_t depth,
			    node_id node);
/* Whether the beginning that ends at `place` has the object. */
bool paths_place_has(struct paths *p, uint32_t place, node_id node,
		     bool *has) MUST_USE;
/* All ways of the object come back to the beginning that ends at `parent`. */
bool paths_is_dead(struct paths *p, uint32_t parent, node_id node);
void paths_circle_add(struct paths *p, uint32_t place);

/* Branches whose shortest rests come back: the place joins the others. */
bool paths_doubt_add(struct paths *p, uint32_t place) MUST_USE;
bool paths_detour_start(struct paths *p, uint32_t task) MUST_USE;
bool paths_detour_end(struct paths *p, enum detour_end end) MUST_USE;

#endif
