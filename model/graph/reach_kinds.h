#ifndef MODEL_GRAPH_REACH_KINDS_H
#define MODEL_GRAPH_REACH_KINDS_H

/*
 * What sort of root keeps each object: the kind of the root at the end of its
 * way (reach.h), for all objects at once. 1 byte an object, linear, about 10 ns
 * an object.
 */
#include "model/graph/reach.h"

/* Of an object that no root leads to. */
enum { REACH_KIND_NONE = ROOT_KIND_COUNT };

/* heap->nodes_count bytes: enum root_kind, or REACH_KIND_NONE. To be freed with
   memory_free(); NULL sets `err`. */
uint8_t *reach_kinds_new(const struct reach *reach, struct progress *progress,
			 struct error *err) MUST_USE;

#endif
