#ifndef MODEL_GRAPH_REACH_KINDS_H
#define MODEL_GRAPH_REACH_KINDS_H

/* The kind of root that keeps each object alive: that of the root at the end of its path (reach.h).
   1 byte an object, linear, about 10 ns an object. */
#include "model/graph/reach.h"

/* The kind of an unreachable object. */
enum { REACH_KIND_NONE = ROOT_KIND_COUNT };

/* Returns heap->nodes_count bytes, enum root_kind or REACH_KIND_NONE, to be freed by memory_free().
   NULL sets `err`. */
uint8_t *reach_kinds_new(const struct reach *reach, struct progress *progress,
			 struct error *err) MUST_USE;

#endif
