#ifndef CAPTURE_REMOTE_REMOTE_EVENTS_H
#define CAPTURE_REMOTE_REMOTE_EVENTS_H

/*
 * Collections and allocations of processes elsewhere, as in struct live_ops. The agent sends the
 * runtime's events, which are decoded here.
 *
 * If the connection is lost during a recording whose sink wants copies, what has arrived is kept,
 * and its facts say so.
 */
#include "model/heap/live.h"

bool remote_collections(const struct live_target *target, bool wants_joins, struct gc_sink sink,
			struct gc_source_facts *facts, struct progress *progress,
			struct error *err) MUST_USE;
bool remote_plan_allocations(const struct live_target *target, struct live_allocations *plan,
			     struct progress *progress, struct error *err) MUST_USE;
bool remote_allocations(const struct live_target *target, const struct live_allocations *plan,
			struct allocation_sink sink, struct progress *progress,
			struct error *err) MUST_USE;

#endif
