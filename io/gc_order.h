#ifndef IO_GC_ORDER_H
#define IO_GC_ORDER_H

/*
 * Events in the order of their time. In a stream those of one thread stand
 * together, and those of the next behind them, though they happened before;
 * now and then an event says that nothing older follows. Until then copies
 * wait here, in a heap with the oldest on top: O(log n) each.
 *
 * Memory: at most GC_ORDER_EVENTS of them. When there are more, the oldest
 * goes out although something older might still come.
 */
#include "io/nettrace.h"

enum {
	GC_ORDER_EVENTS = 16384,
	GC_ORDER_PAYLOAD = 4096, /* what is longer is cut */
};

struct gc_order {
	struct gc_order_item *items;
	size_t count, room;
	uint64_t arrivals;
	uint8_t *taken; /* the payload of the last that went out */
};
void gc_order_clear(struct gc_order *o);
bool gc_order_add(struct gc_order *o, const struct nettrace_event *event,
		  struct error *err) MUST_USE;
/* It must go out, to make room. */
bool gc_order_is_full(const struct gc_order *o);
/*
 * The oldest, if it is older than `until` or as old; its payload stays until
 * the next call. False: there is none.
 */
bool gc_order_next(struct gc_order *o, uint64_t until,
		   struct nettrace_event *event);

#endif
