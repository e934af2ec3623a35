#ifndef MODEL_SQL_BY_TARGET_H
#define MODEL_SQL_BY_TARGET_H

/* The references of a heap in the order of their targets. */
#include "model/heap/heap.h"
#include "model/base/progress.h"

/* Takes a reference; `number` counts those of the source, from 1. */
typedef bool take_ref(void *context, node_id source, uint32_t number, node_id target,
		      struct error *err);

/* Passes over the heap once for every 8 million references, and takes 64 MiB and 4 bytes an
   object. */
bool refs_by_target(const struct heap *h, take_ref *take, void *context, struct progress *progress,
		    struct error *err) MUST_USE;

#endif
