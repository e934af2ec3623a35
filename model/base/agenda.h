#ifndef MODEL_BASE_AGENDA_H
#define MODEL_BASE_AGENDA_H

/* A priority queue, lowest key first: a binary heap in an array. */
#include "model/base/arena.h"

struct agenda {
	struct agenda_item {
		uint64_t key;
		uint32_t what;
	} * items;
	size_t count, room;
};

void agenda_clear(struct agenda *a);
bool agenda_add(struct agenda *a, uint64_t key, uint32_t what, struct error *err) MUST_USE;
/* Removes the item with the lowest key; there must be one. */
struct agenda_item agenda_take(struct agenda *a);

#endif
