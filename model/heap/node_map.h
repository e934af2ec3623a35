#ifndef MODEL_HEAP_NODE_MAP_H
#define MODEL_HEAP_NODE_MAP_H

/*
 * A hash map from object ids to numbers, for searches that visit a small part of the heap and
 * cannot afford an array over all of it. 8 bytes a slot, at most half full: half the memory of a
 * u64_map, and insertion takes two thirds of the time.
 */
#include "model/base/arena.h"
#include "model/heap/addresses.h"

struct node_map {
	struct node_map_entry {
		node_id key; /* NODE_NONE: free */
		uint32_t value;
	} * entries;
	size_t count, room;  /* a power of two, or 0 */
	uint64_t multiplier; /* odd and unpredictable: model/base/seed.h */
};

void node_map_clear(struct node_map *map);
/* Removes all entries; keeps the memory unless it is large. */
void node_map_empty(struct node_map *map);
/* Returns the value of this key, or NULL. Valid until the next change. */
uint32_t *node_map_find(const struct node_map *map, node_id key);
/* The key must not be in the map. */
bool node_map_add(struct node_map *map, node_id key, uint32_t value, struct error *err) MUST_USE;

#endif
