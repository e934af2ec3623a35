#include "model/base/agenda.h"

void
agenda_clear(struct agenda *a)
{
	memory_free(a->items);
	*a = (struct agenda){ 0 };
}

bool
agenda_add(struct agenda *a, uint64_t key, uint32_t what, struct error *err)
{
	size_t at = a->count;

	if (!MAKE_ROOM(a->items, a->count + 1, a->room, err))
		return false;
	a->count++;
	for (; at && a->items[(at - 1) / 2].key > key; at = (at - 1) / 2)
		a->items[at] = a->items[(at - 1) / 2];
	a->items[at] = (struct agenda_item){ key, what };
	return true;
}

struct agenda_item
agenda_take(struct agenda *a)
{
	struct agenda_item first = a->items[0], last = a->items[--a->count];
	size_t at = 0;

	for (;;) {
		size_t below = at * 2 + 1;

		if (below >= a->count)
			break;
		if (below + 1 < a->count && a->items[below + 1].key < a->items[below].key)
			below++;
		if (a->items[below].key >= last.key)
			break;
		a->items[at] = a->items[below];
		at = below;
	}
	a->items[at] = last;
	return first;
}
