#ifndef IO_EVENTS_NETTRACE_ORDER_H
#define IO_EVENTS_NETTRACE_ORDER_H

/*
 * Events in the order of their time. In a stream those of one thread stand
 * together, and those of the next behind them, though they happened before;
 * now and then an event says that nothing older follows. Until then copies
 * wait here, in a heap with the oldest on top: O(log n) each.
 *
 * Memory: at most NETTRACE_ORDER_EVENTS of them, of at most `bytes_max` bytes.
 * When there are more, the oldest goes out although something older might still
 * come.
 */
#include "io/events/nettrace.h"

enum { NETTRACE_ORDER_EVENTS = 16384 };

struct nettrace_order {
	struct nettrace_order_item *items;
	size_t count, room, bytes, bytes_max;
	uint32_t payload_max; /* what is longer is cut */
	uint64_t arrivals;
	uint8_t *taken; /* the payload of the last that went out */
};
void nettrace_order_init(struct nettrace_order *o, size_t bytes_max,
			 uint32_t payload_max);
void nettrace_order_clear(struct nettrace_order *o);
bool nettrace_order_add(struct nettrace_order *o,
			const struct nettrace_event *event,
			struct error *err) MUST_USE;
/* It must go out, to make room. */
bool nettrace_order_is_full(const struct nettrace_order *o);
/*
 * The oldest, if it is older than `until` or as old; its payload stays until
 * the next call. False: there is none.
 */
bool nettrace_order_next(struct nettrace_order *o, uint64_t until,
			 struct nettrace_event *event);

#endif
