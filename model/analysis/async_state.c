#include "model/analysis/async_state.h"

enum { LOOK_EVERY = 65536 };

uint32_t
async_item_add(struct async_finder *f, node_id n, enum async_kind kind, struct error *err)
{
	struct async_calls *c = f->out;

	if (!MAKE_ROOM(c->items, c->items_count + 1, f->items_room, err) ||
	    !node_map_add(&f->map, n, c->items_count, err))
		return UINT32_MAX;
	c->items[c->items_count] = (struct async_item){ .node = n, .kind = (uint8_t)kind };
	return c->items_count++;
}

bool
async_next_add(struct async_finder *f, uint32_t item, uint32_t next, struct error *err)
{
	struct async_calls *c = f->out;

	if (!MAKE_ROOM(c->nexts, c->nexts_count + 1, f->nexts_room, err))
		return false;
	if (!c->items[item].nexts_count)
		c->items[item].nexts_first = c->nexts_count;
	c->nexts[c->nexts_count++] = next;
	c->items[item].nexts_count++;
	c->items[next].has_previous = true;
	return true;
}

bool
async_each_object(struct async_finder *f, const char *stage,
		  bool (*look)(struct async_finder *f, void *context, node_id n, struct error *err),
		  void *context, struct error *err)
{
	const struct heap *h = f->heap;

	progress_begin(f->progress, stage, "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (n % LOOK_EVERY == 0 && !progress_add(f->progress, LOOK_EVERY))
			return error_cancelled(err);
		if (!look(f, context, n, err))
			return false;
	}
	return true;
}
