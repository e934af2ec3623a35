#include "io/gc_order.h"
#include "model/arena.h"
#include <string.h>

struct gc_order_item {
	uint64_t arrival; /* of two of the same time, which came first */
	struct nettrace_event event;
	uint8_t *payload; /* of the event; ours */
};

void
gc_order_clear(struct gc_order *o)
{
	for (size_t i = 0; i < o->count; i++)
		memory_free(o->items[i].payload);
	memory_free(o->taken);
	memory_free(o->items);
	*o = (struct gc_order){ 0 };
}

static bool
is_before(const struct gc_order_item *a, const struct gc_order_item *b)
{
	if (a->event.timestamp != b->event.timestamp)
		return a->event.timestamp < b->event.timestamp;
	return a->arrival < b->arrival;
}

static void
swap(struct gc_order_item *a, struct gc_order_item *b)
{
	struct gc_order_item kept = *a;

	*a = *b;
	*b = kept;
}

bool
gc_order_add(struct gc_order *o, const struct nettrace_event *event,
	     struct error *err)
{
	uint32_t len = event->payload_len;
	size_t at = o->count;
	uint8_t *payload;

	if (len > GC_ORDER_PAYLOAD)
		len = GC_ORDER_PAYLOAD;
	if (!memory_make_room(&o->items, o->count, &o->room, sizeof(*o->items),
			      err))
		return false;
	payload = memory_new(len + 1, 1, err);
	if (!payload)
		return false;
	if (len)
		memcpy(payload, event->payload, len);
	o->items[at] = (struct gc_order_item){ o->arrivals++, *event, payload };
	o->items[at].event.payload = payload;
	o->items[at].event.payload_len = len;
	o->count++;
	while (at > 0 && is_before(&o->items[at], &o->items[(at - 1) / 2])) {
		swap(&o->items[at], &o->items[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	return true;
}

bool
gc_order_is_full(const struct gc_order *o)
{
	return o->count >= GC_ORDER_EVENTS;
}

static void
sink_first(struct gc_order *o)
{
	size_t at = 0;

	for (;;) {
		size_t least = 2 * at + 1;

		if (least >= o->count)
			return;
		if (least + 1 < o->count &&
		    is_before(&o->items[least + 1], &o->items[least]))
			least++;
		if (!is_before(&o->items[least], &o->items[at]))
			return;
		swap(&o->items[least], &o->items[at]);
		at = least;
	}
}

bool
gc_order_next(struct gc_order *o, uint64_t until, struct nettrace_event *event)
{
	if (!o->count || o->items[0].event.timestamp > until)
		return false;
	*event = o->items[0].event;
	memory_free(o->taken);
	o->taken = o->items[0].payload;
	o->items[0] = o->items[--o->count];
	sink_first(o);
	return true;
}
