#ifndef MODEL_ANALYSIS_TIMERS_H
#define MODEL_ANALYSIS_TIMERS_H

/*
 * Timers of the base library: whatever has a time to come, Task.Delay and
 * CancelAfter as well, is a TimerQueueTimer in the end. Of memory with what
 * they were set to, and whether they are; of other heaps what they refer to.
 * One look at every object, some microseconds a timer
 * and a callback. On a worker.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

enum timer_list {
	TIMER_SHORT,   /* set, and due within a third of a second, or before */
	TIMER_LONG,    /* set, and due later */
	TIMER_UNSET,   /* has fired, or was stopped */
	TIMER_UNKNOWN, /* no values */
};
#define TIMER_NEVER UINT32_MAX

struct timer {
	node_id node;
	node_id state;      /* what its callback is given; or NODE_NONE */
	node_id callback;   /* a delegate; or NODE_NONE */
	node_id target;     /* the object whose method that is; or NODE_NONE */
	const char *method; /* of the callback, "Leaky.Cache.Evict"; or "" */
	/* TIMER_NEVER, too, where list is TIMER_UNKNOWN. */
	uint32_t due_ms;    /* from when it was set */
	uint32_t period_ms; /* 0 as well: just once */
	uint8_t list;       /* enum timer_list */
};

struct timers {
	struct timer *items; /* ascending */
	uint32_t count, set_count;
	struct arena texts;
};

/* `out` begins all zero. False sets `err`. */
bool timers_find(const struct heap *h, struct timers *out,
		 struct progress *progress, struct error *err);
void timers_clear(struct timers *t);

bool type_is_timer(const struct type *t);
/* From references: what a timer carries, else what its callback is a method
 * of, else itself. */
node_id timer_subject(const struct heap *h, node_id timer);

#endif
