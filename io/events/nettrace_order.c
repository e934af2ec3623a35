#include "io/events/nettrace_order.h"
#include "model/base/arena.h"
#include <string.h>

struct nettrace_order_item {
	uint64_t arrival; /* orders events of the same time */
	struct nettrace_event event;
	uint8_t *payload; /* our copy */
};

void
nettrace_order_init(struct nettrace_order *o, size_t bytes_max, uint32_t payload_max)
{
	*o = (struct nettrace_order){ .bytes_max = bytes_max, .payload_max = payload_max };
}

void
nettrace_order_clear(struct nettrace_order *o)
{
	for (size_t i = 0; i < o->count; i++)
		memory_free(o->items[i].payload);
	memory_free(o->taken);
	memory_free(o->items);
	nettrace_order_init(o, o->bytes_max, o->payload_max);
}

static bool
is_before(const struct nettrace_order_item *a, const struct nettrace_order_item *b)
{
	if (a->event.timestamp != b->event.timestamp)
		return a->event.timestamp < b->event.timestamp;
	return a->arrival < b->arrival;
}

static void
swap(struct nettrace_order_item *a, struct nettrace_order_item *b)
{
	struct nettrace_order_item kept = *a;

	*a = *b;
	*b = kept;
}

bool
nettrace_order_add(struct nettrace_order *o, const struct nettrace_event *event, struct error *err)
{
	uint32_t len = event->payload_len;
	size_t at = o->count;
	uint8_t *payload;

	if (len > o->payload_max)
		len = o->payload_max;
	if (!MAKE_ROOM(o->items, o->count + 1, o->room, err))
		return false;
	payload = memory_new(len + 1, 1, err);
	if (!payload)
		return false;
	if (len)
		memcpy(payload, event->payload, len);
	o->items[at] = (struct nettrace_order_item){ o->arrivals++, *event, payload };
	o->items[at].event.payload = payload;
	o->items[at].event.payload_len = len;
	o->items[at].event.stack = NULL; /* its bytes do not stay */
	o->items[at].event.stack_len = 0;
	o->count++;
	o->bytes += len;
	while (at > 0 && is_before(&o->items[at], &o->items[(at - 1) / 2])) {
		swap(&o->items[at], &o->items[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	return true;
}

bool
nettrace_order_is_full(const struct nettrace_order *o)
{
	return o->count >= NETTRACE_ORDER_EVENTS || o->bytes >= o->bytes_max;
}

static void
sink_first(struct nettrace_order *o)
{
	size_t at = 0;

	for (;;) {
		size_t least = 2 * at + 1;

		if (least >= o->count)
			return;
		if (least + 1 < o->count && is_before(&o->items[least + 1], &o->items[least]))
			least++;
		if (!is_before(&o->items[least], &o->items[at]))
			return;
		swap(&o->items[least], &o->items[at]);
		at = least;
	}
}

bool
nettrace_order_next(struct nettrace_order *o, uint64_t until, struct nettrace_event *event)
{
	if (!o->count || o->items[0].event.timestamp > until)
		return false;
	*event = o->items[0].event;
	o->bytes -= event->payload_len;
	memory_free(o->taken);
	o->taken = o->items[0].payload;
	o->items[0] = o->items[--o->count];
	sink_first(o);
	return true;
}
