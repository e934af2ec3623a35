#ifndef MODEL_GRAPH_DETOUR_H
#define MODEL_GRAPH_DETOUR_H

/*
 * The shortest way from an object back to a root that keeps clear of some
 * objects, when its own shortest way does not. Searches against the direction
 * of references, what seems nearest to a root first (A*, with the distances of
 * reach.h as the guess); piece by piece, so that whoever asks need not wait.
 * Looks at what stands between, at worst at everything that leads to the
 * object: about 50 ns and 30 bytes an object met.
 */
#include "model/base/agenda.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"
#include "model/heap/node_map.h"

/* Which ways count. */
struct upward {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;     /* computed without what is ignored */
	const struct ignored *ignored; /* NULL: nothing */
	uint8_t tier;                  /* of the roots: root_kinds */
	/* The distances are to roots of this tier; else they say nothing. */
	bool is_guided;
};

/* How many references there must be at least from a root to the object. */
static inline uint32_t
upward_guess(const struct upward *u, node_id n)
{
	return u->is_guided ? u->reach->distance[n] : 0;
}
/* Whether the way may go on from an object to this one that refers to it. */
bool upward_follows(const struct upward *u, node_id source, node_id target);
/* Index of the best root of the tier that names the object; ROOT_NOWHERE. */
#define ROOT_NOWHERE UINT32_MAX
uint32_t upward_root(const struct upward *u, node_id n);

enum detour_end {
	DETOUR_FOUND,
	DETOUR_NONE,     /* every way comes back to what is avoided */
	DETOUR_TOO_LONG, /* after so many objects it was given up */
	DETOUR_BUDGET,   /* used up; call again */
	DETOUR_FAILED,   /* no memory */
};
enum { DETOUR_MAX = 1 << 22 };

struct detour_step {
	node_id node;
	uint32_t from;  /* the step that it refers to; a start: itself */
	uint32_t depth; /* references from a start */
};
struct detour {
	const struct upward *up;
	const struct node_map *avoided; /* none of these */
	const struct node_map *dead[2]; /* known to lead nowhere; or NULL */
	struct detour_step *steps;      /* objects met */
	size_t steps_count, steps_room;
	struct node_map met; /* index of the step */
	struct agenda agenda;
	bool is_expanding; /* in the middle of an object's referrers */
	uint32_t expanded; /* that object's step */
	struct referrers referrers;
	uint32_t end; /* when found: the step that a root names */
	uint32_t root;
};

/* `d` is zeroed or was used before; memory is used again. */
void detour_begin(struct detour *d, const struct upward *up,
		  const struct node_map *avoided);
/* Where it starts from: one or several objects, each once. They become the
   first steps, in this order. */
bool detour_start(struct detour *d, node_id start, struct error *err) MUST_USE;
/* Looks at most at *budget references, which are taken off. */
enum detour_end detour_run(struct detour *d, uint64_t *budget,
			   struct error *err);
void detour_clear(struct detour *d);

#endif
