#ifndef IO_EVENTS_NETTRACE_ORDER_H
#define IO_EVENTS_NETTRACE_ORDER_H

/*
 * Orders events by time. A stream has the events of one thread in a row, then earlier ones of
 * another thread; now and then an event guarantees that nothing older follows. Until then copies
 * wait here, in a binary heap: O(log n) each.
 *
 * Memory: at most NETTRACE_ORDER_EVENTS events and `bytes_max` bytes. When it is full the oldest
 * event is passed on, even if an older one may still follow.
 */
#include "io/events/nettrace.h"

enum { NETTRACE_ORDER_EVENTS = 16384 };

struct nettrace_order {
	struct nettrace_order_item *items;
	size_t count, room, bytes, bytes_max;
	uint32_t payload_max; /* longer payloads are truncated */
	uint64_t arrivals;
	uint8_t *taken; /* payload of the event returned last */
};
void nettrace_order_init(struct nettrace_order *o, size_t bytes_max, uint32_t payload_max);
void nettrace_order_clear(struct nettrace_order *o);
bool nettrace_order_add(struct nettrace_order *o, const struct nettrace_event *event,
			struct error *err) MUST_USE;
/* An event must be taken before another one may be added. */
bool nettrace_order_is_full(const struct nettrace_order *o);
/*
 * Takes the oldest event unless it is newer than `until`; its payload is valid until the next call.
 * False: there is none.
 */
bool nettrace_order_next(struct nettrace_order *o, uint64_t until, struct nettrace_event *event);

#endif
