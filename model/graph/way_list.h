#ifndef MODEL_GRAPH_WAY_LIST_H
#define MODEL_GRAPH_WAY_LIST_H

/*
 * Copies of paths (paths.h), for a screen: they stay as they are while the
 * search goes on. The middle of a long one is left out.
 */
#include "model/graph/paths.h"
#include "model/graph/stack_words.h"

enum { WAY_FIRST_STEPS = 50, WAY_LAST_STEPS = 10 };

struct way {
	struct path path;
	/* Outermost first, from where it leaves the way it shares a rest with;
	   `skipped` more stand behind the first WAY_FIRST_STEPS. */
	node_id *nodes;
	uint32_t count, skipped;
	uint32_t distance; /* of the first of them from the root */
};

struct ways {
	struct way *items;
	size_t count, room;
};
void ways_clear(struct ways *ways);

/* Adds what a word on a stack holds. */
bool ways_add_word(struct ways *ways, const struct stack_word *word,
		   struct error *err) MUST_USE;

/* One look for more ways, on a worker. */
struct way_search {
	struct paths *paths;
	uint64_t wanted, budget; /* ways; visits */
	struct ways found;
	uint64_t visits;
	enum paths_end end;
};
bool way_search_run(void *search, struct progress *progress, struct error *err);

/* The object of a way at this distance from the root; NODE_NONE: left out. */
node_id way_node(const struct ways *ways, const struct way *way,
		 uint32_t distance);
/* The first object that is its own: other ways may read like it. */
node_id way_own_node(const struct way *way);

#endif
