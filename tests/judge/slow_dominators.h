#ifndef TESTS_JUDGE_SLOW_DOMINATORS_H
#define TESTS_JUDGE_SLOW_DOMINATORS_H

/*
 * Dominators another way, to compare with: by the iteration of Cooper, Harvey and Kennedy, on plain
 * arrays, knowing nothing of model/graph/dominators. Slow on large heaps. What fails fails the
 * test.
 */
#include "model/graph/ignored.h"

/* A plain graph: the references that count, and where it is entered. */
struct plain_graph {
	uint32_t count;
	uint32_t *starts; /* count + 1: where an object's targets begin */
	node_id *targets;
	bool *is_entry; /* held by a root, or a start of unreachable parts */
	bool *is_reachable;
};

struct plain_graph *plain_graph_new(const struct heap *h, const struct ignored *ig);
void plain_graph_free(struct plain_graph *g);
/*
 * Marks in `seen` what the entries reach that is reachable, or is not, as `reachable` says, without
 * entering or passing what `without` has; NULL: all.
 */
void plain_graph_search(const struct plain_graph *g, bool reachable, const bool *without,
			bool *seen);
/* The immediate dominator of each object, NODE_NONE if it has none. */
node_id *slow_dominators(const struct plain_graph *g);

#endif
