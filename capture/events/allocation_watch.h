#ifndef CAPTURE_EVENTS_ALLOCATION_WATCH_H
#define CAPTURE_EVENTS_ALLOCATION_WATCH_H

/*
 * Records samples of what a running process allocates, by an event session: AllocationSampled from
 * .NET 10 on, AllocationTick before, with stacks, and which objects survive each collection, if
 * wanted. No collection is forced; reporting survivors stops the process
 * (live_allocations.survival_stop_ns). The runtime buffers at most live_allocations.buffer_mb of
 * events and drops the rest, which is counted.
 *
 * Methods are named by two lists from the runtime: one before, in a session of its own, in case the
 * process ends; one at the end of the session itself, which has methods that were compiled or first
 * called meanwhile. Code that was unloaded in between has only an address. If the sink wants copies
 * in between, there are further lists (allocation_copies.h).
 */
#include "capture/events/event_stream.h"
#include "model/heap/live.h"

/*
 * Returns false and sets `err` if the process cannot be recorded, or if the memory that it may use
 * leaves no room for buffers.
 */
bool allocation_plan(const struct live_target *target, struct live_allocations *plan,
		     struct progress *progress, struct error *err) MUST_USE;
/*
 * Runs until the time is over, the process ends, the session is closed, or `progress` is cancelled;
 * none of these is a failure.
 */
bool allocation_watch(const struct live_target *target, const struct live_allocations *plan,
		      struct allocation_sink sink, struct progress *progress,
		      struct error *err) MUST_USE;

/* The same for events that are decoded elsewhere: passes them to plan->keep as they arrive. `end`:
   as in struct allocation_facts. */
bool allocation_events(const struct live_target *target, const struct live_allocations *plan,
		       char end[EVENT_STREAM_END_BYTES], struct progress *progress,
		       struct error *err) MUST_USE;
/* Passes the events of one list of methods to `keep`. */
bool allocation_methods(const struct live_target *target, uint32_t buffer_mb, struct output *keep,
			struct progress *progress, struct error *err) MUST_USE;

#endif
