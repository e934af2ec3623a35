#ifndef MODEL_GRAPH_WAY_LIST_H
#define MODEL_GRAPH_WAY_LIST_H

/* Copies of paths (paths.h) for a screen: they do not change while the search continues. The middle
   of a long path is left out. */
#include "model/graph/paths.h"
#include "model/graph/stack_words.h"

enum { WAY_FIRST_STEPS = 50, WAY_LAST_STEPS = 10 };

struct way {
	struct path path;
	/* From the root's end on, beginning where the path leaves the one that it shares a rest
	   with. `skipped` objects are left out after the first WAY_FIRST_STEPS. */
	node_id *nodes;
	uint32_t count, skipped;
	uint32_t distance; /* distance of the first object from the root */
};

struct ways {
	struct way *items;
	size_t count, room;
};
void ways_clear(struct ways *ways);

/* Adds the path from a word on a stack. */
bool ways_add_word(struct ways *ways, const struct stack_word *word, struct error *err) MUST_USE;

/* One search for more paths, which runs on a worker. */
struct way_search {
	struct paths *paths;
	uint64_t wanted, budget; /* paths; visits */
	struct ways found;
	uint64_t visits;
	enum paths_end end;
};
bool way_search_run(void *search, struct progress *progress, struct error *err);

/* Returns the object at this distance from the root, or NODE_NONE if it was left out. */
node_id way_node(const struct ways *ways, const struct way *way, uint32_t distance);
/* Returns the first object after the part that the path may share with
   others. */
node_id way_own_node(const struct way *way);

#endif
