#ifndef MODEL_GRAPH_ROOT_INDEX_H
#define MODEL_GRAPH_ROOT_INDEX_H

/*
 * The root at the end of any object's way, at once. reach_root() walks there,
 * which is fast as long as ways are short; a linked list of millions would
 * make a table of its members quadratic. Costs 4 bytes an object where some
 * way is long, nothing otherwise; linear.
 */
#include "model/graph/reach.h"

enum { ROOT_INDEX_SHORT = 256 }; /* ways that are walked each time */

struct root_index {
	const struct reach *reach; /* must live as long */
	uint32_t *roots;           /* index into heap->roots; NULL: walk */
	uint64_t bytes;            /* resident */
};

struct root_index *root_index_new(const struct reach *reach,
				  struct progress *progress,
				  struct error *err) MUST_USE;
void root_index_free(struct root_index *index); /* NULL is allowed */
/* NULL where unreachable. */
const struct root *root_index_find(const struct root_index *index, node_id n);

#endif
