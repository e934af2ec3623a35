#ifndef CAPTURE_EVENTS_GC_WATCH_H
#define CAPTURE_EVENTS_GC_WATCH_H

/*
 * Reports the collections of a running process as they end, by an event session with the keyword GC
 * at level 4: about fifteen events a collection and none in between. No collection is forced,
 * nothing is stopped. The runtime buffers at most GC_WATCH_BUFFER_MB of events and drops the rest,
 * which is reported; it never waits.
 *
 * Events arrive ten times a second, so that a collection is reported within 0.2 s. Memory does not
 * grow with time.
 *
 * With `wants_joins` a runtime from 10 on also sends how long the heaps of server GC wait for each
 * other: level 5 with its other events filtered out, about thirty more events for each heap and
 * collection.
 *
 * Cancelling stops the session. If this process is killed, the runtime ends the session at the next
 * collection, when writing to it fails.
 */
#include "io/base/output.h"
#include "model/gc/log.h"
#include "model/heap/live.h"

enum { GC_WATCH_BUFFER_MB = 8 };

/*
 * Runs until the process ends, the session is closed, or `progress` is cancelled, which is not a
 * failure. `keep` also gets the raw events, batch by batch; it may be NULL. False sets `err`: it
 * could not be watched.
 */
bool gc_watch(const struct live_target *target, bool wants_joins, struct gc_sink sink,
	      struct output *keep, struct gc_source_facts *facts, struct progress *progress,
	      struct error *err) MUST_USE;

#endif
