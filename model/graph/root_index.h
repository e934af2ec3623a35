#ifndef MODEL_GRAPH_ROOT_INDEX_H
#define MODEL_GRAPH_ROOT_INDEX_H

/*
 * The root at the end of every object's path, in constant time. reach_root() walks there, which is
 * fast while paths are short; for a linked list of millions, listing its members would be
 * quadratic. Linear; costs 4 bytes an object if some path is long, nothing otherwise.
 */
#include "model/graph/reach.h"
#include <stdatomic.h>

enum { ROOT_INDEX_SHORT = 256 }; /* paths up to this length are walked */

struct root_index {
	const struct reach *reach; /* must live as long */
	/* One more than the index into heap->roots; 0: unreachable. NULL:
	   walk. */
	_Atomic uint32_t *roots;
	uint64_t bytes; /* resident bytes */
};

struct root_index *root_index_new(const struct reach *reach, struct progress *progress,
				  struct error *err) MUST_USE;
void root_index_free(struct root_index *index); /* NULL is allowed */
/* Returns NULL if the object is unreachable. */
const struct root *root_index_find(const struct root_index *index, node_id n);

#endif
