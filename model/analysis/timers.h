#ifndef MODEL_ANALYSIS_TIMERS_H
#define MODEL_ANALYSIS_TIMERS_H

/*
 * Timers of the base library. Everything with a due time, such as Task.Delay and CancelAfter, uses
 * a TimerQueueTimer. In heaps with memory, due times and states are known; other heaps only show
 * the objects to which timers refer. One pass over all objects, and some microseconds a timer and a
 * callback. Run it on a worker.
 */
#include "model/base/progress.h"
#include "model/graph/retained.h"
#include "model/heap/heap.h"

enum timer_list {
	TIMER_SHORT,   /* set, due within a third of a second or overdue */
	TIMER_LONG,    /* set, due later */
	TIMER_UNSET,   /* has fired or was stopped */
	TIMER_UNKNOWN, /* no field values */
};
#define TIMER_NEVER UINT32_MAX

struct timer {
	node_id node;
	node_id state;      /* argument of the callback, or NODE_NONE */
	node_id callback;   /* a delegate, or NODE_NONE */
	node_id target;     /* object that the callback calls, or NODE_NONE */
	const char *method; /* method of the callback: "Leaky.Cache.Evict",
			       or "" */
	/* Both are TIMER_NEVER, too, if list is TIMER_UNKNOWN. */
	uint32_t due_ms;    /* counted from when it was set */
	uint32_t period_ms; /* 0 or TIMER_NEVER: once only */
	uint8_t list;       /* enum timer_list */
};

struct timers {
	struct timer *items; /* sorted by node */
	uint32_t count, set_count;
	struct arena texts;
};

/* `out` must be all zero. False sets `err`. */
bool timers_find(const struct heap *h, struct timers *out, struct progress *progress,
		 struct error *err);
void timers_clear(struct timers *t);

bool type_is_timer(const struct type *t);
/* Returns the timer's state, else the target of its callback, else the timer; uses references
   only. */
node_id timer_subject(const struct heap *h, node_id timer);
/* Returns the delegate that the timer calls, or NODE_NONE; uses references only. */
node_id timer_callback(const struct heap *h, node_id timer);
/*
 * Finds what these timers retain themselves. The runtime keeps timers in lists, so that each
 * retains those after it, whoever set them; these do not count, unless they are given, too. The
 * timers are distinct. O(n log n).
 */
bool timers_retained(const struct retained *r, const node_id *timers, uint32_t count,
		     struct retained_sum *sum, struct error *err) MUST_USE;

#endif
