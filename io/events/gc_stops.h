#ifndef IO_EVENTS_GC_STOPS_H
#define IO_EVENTS_GC_STOPS_H

/*
 * Requests to stop a program, by thread. A thread writes SuspendBegin before it waits for its turn,
 * so that the requests of two threads overlap: a collection and the runtime's own sampling of
 * stacks, every few milliseconds. SuspendEnd says which of them has stopped the program.
 */
#include "io/events/nettrace.h"

/* Requests that wait; further ones replace the oldest. */
enum { GC_STOPS_MAX = 16 };

struct gc_stop {
	uint64_t thread;
	uint64_t begin, end; /* timestamps; end 0: it has not stopped yet */
	uint32_t reason;
};

struct gc_stops {
	struct gc_stop items[GC_STOPS_MAX];
	uint32_t count;
};

/* The request that a SuspendBegin makes. */
struct gc_stop gc_stop_read(const struct nettrace_event *event);
/* Adds a request. A thread has one at most: a former one is replaced. */
void gc_stops_add(struct gc_stops *s, const struct gc_stop *stop);
/* Moves a thread's request to the caller. False: it has none. */
bool gc_stops_take(struct gc_stops *s, uint64_t thread, struct gc_stop *stop);

#endif
