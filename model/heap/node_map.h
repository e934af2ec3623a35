#ifndef MODEL_HEAP_NODE_MAP_H
#define MODEL_HEAP_NODE_MAP_H

/*
 * A few objects out of many, each with a number: for searches that see a small
 * part of the heap and cannot afford an array over all of it. 8 bytes for each
 * place of a table that is at most half full: half the memory of a u64_map, and
 * what is new is added in two thirds of the time.
 */
#include "model/base/arena.h"
#include "model/heap/addresses.h"

struct node_map {
	struct node_map_entry {
		node_id key; /* NODE_NONE: free */
		uint32_t value;
	} * entries;
	size_t count, room;  /* a power of two, or 0 */
	uint64_t multiplier; /* odd, and nobody's to foresee: see
				model/base/seed.h */
};

void node_map_clear(struct node_map *map);
/* Takes everything out; the memory stays unless it is large. */
void node_map_empty(struct node_map *map);
/* The number of this object, or NULL. Valid until the next change. */
uint32_t *node_map_find(const struct node_map *map, node_id key);
/* Must not be in it yet. */
bool node_map_add(struct node_map *map, node_id key, uint32_t value,
		  struct error *err) MUST_USE;

#endif
