#ifndef MODEL_ANALYSIS_ASYNC_STATE_H
#define MODEL_ANALYSIS_ASYNC_STATE_H

/* State shared by the parts of async.c. */
#include "model/analysis/async.h"
#include "model/heap/bits.h"
#include "model/heap/node_map.h"

struct async_finder {
	const struct async_input *in;
	const struct heap *heap;
	struct progress *progress;
	struct async_calls *out;
	size_t items_room, nexts_room;
	struct node_map map; /* index of each node's item */
	uint64_t *seen;      /* lists that were read: each belongs to one task */
	/* Objects of runtime async, see async_runtime.h. */
	uint8_t *parts;           /* enum async_part by type; NULL: there are none */
	uint64_t *suspended;      /* continuations that are suspended or running */
	uint64_t *running;        /* the innermost of those that a stack holds */
	struct node_map promises; /* by outermost continuation */
};

/* Adds an item for an object that has none. UINT32_MAX sets `err`. */
uint32_t async_item_add(struct async_finder *f, node_id n, enum async_kind kind, struct error *err);
/* Adds a continuation. The continuations of an item must be added in
   succession. */
bool async_next_add(struct async_finder *f, uint32_t item, uint32_t next,
		    struct error *err) MUST_USE;
/* Calls `look` for all objects; it may add items. */
bool async_each_object(struct async_finder *f, const char *stage,
		       bool (*look)(struct async_finder *f, void *context, node_id n,
				    struct error *err),
		       void *context, struct error *err);

bool async_find_by_fields(struct async_finder *f, struct error *err);
bool async_find_by_references(struct async_finder *f, struct error *err);

#endif
