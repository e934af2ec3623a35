#ifndef MODEL_GRAPH_DETOUR_H
#define MODEL_GRAPH_DETOUR_H

/*
 * The cheapest path from an object back to a root that avoids some objects, for when its own
 * cheapest path does not. An A* search against the direction of references, with the costs of the
 * paths of reach.h as the estimate; in pieces, so that the caller need not wait. Visits the objects
 * in between, at worst everything that leads to the object: about 100 ns and 60 bytes an object.
 */
#include "model/base/agenda.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"
#include "model/heap/node_map.h"

/* The paths that are searched. */
struct upward {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;     /* computed with `ignored` */
	const struct ignored *ignored; /* or NULL */
	struct node_map *costs;        /* costs that are known */
	uint8_t tier;                  /* tier of the roots: reach_costs */
	/* The paths of reach.h are from roots of this tier; otherwise they are unusable. */
	bool is_guided;
};

/* Returns a lower bound on the cost of the paths to the object. The first time it takes as many
   steps as the object's path has. */
uint32_t upward_guess(const struct upward *u, node_id n);
/* Returns the cost of a step from this object. */
static inline uint32_t
upward_step(const struct upward *u, node_id source)
{
	return u->reach->costs.steps[heap_type_of(u->heap, source)];
}
/* Returns true if a path may continue from `target` to its referrer
   `source`. */
bool upward_follows(const struct upward *u, node_id source, node_id target);
/* Returns the index of the object's best root of the tier, or ROOT_NOWHERE. */
uint32_t upward_root(const struct upward *u, node_id n);

enum detour_end {
	DETOUR_FOUND,
	DETOUR_NONE,     /* every path returns to an avoided object */
	DETOUR_TOO_LONG, /* gave up after DETOUR_MAX objects */
	DETOUR_BUDGET,   /* budget used up; call again */
	DETOUR_FAILED,   /* out of memory */
};
enum { DETOUR_MAX = 1 << 22 };

struct detour_step {
	node_id node;
	uint32_t from;  /* the step it refers to; a start: itself */
	uint32_t depth; /* references from a start */
	uint32_t cost;  /* of these, and of the start */
};
struct detour {
	const struct upward *up;
	const struct node_map *avoided; /* never visited */
	const struct node_map *dead[2]; /* known to reach no root; or NULL */
	struct detour_step *steps;      /* objects met */
	size_t steps_count, steps_room;
	struct node_map met; /* index of the step */
	struct agenda agenda;
	bool is_expanding; /* the referrers of `expanded` are partly visited */
	uint32_t expanded; /* step of that object */
	struct referrers referrers;
	uint32_t end; /* when found: the step with the root */
	uint32_t root;
	uint32_t cost; /* of the path found, including the root */
};

/* `d` is all zero or was used before; its memory is reused. */
void detour_begin(struct detour *d, const struct upward *up, const struct node_map *avoided);
/* Adds a starting object and its cost; call once for each. They become the first steps, in this
   order. */
bool detour_start(struct detour *d, node_id start, uint32_t cost, struct error *err) MUST_USE;
/* Visits at most *budget references and subtracts them. */
enum detour_end detour_run(struct detour *d, uint64_t *budget, struct error *err);
void detour_clear(struct detour *d);

#endif
