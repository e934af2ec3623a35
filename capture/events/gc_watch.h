#ifndef CAPTURE_EVENTS_GC_WATCH_H
#define CAPTURE_EVENTS_GC_WATCH_H

/*
 * The collections of a running process, as they end. One event session of the
 * keyword GC, level 4 (about fifteen events a collection and nothing between
 * them); no collection is forced, nothing is stopped. The runtime holds at most
 * GC_WATCH_BUFFER_MB of events for us and throws away what does not fit, which
 * is told; it never waits.
 *
 * Events come ten times a second, so a collection is told within a fifth of
 * one. Memory does not grow with time.
 *
 * With `wants_joins` a runtime from 10 on also tells how long the heaps of
 * server GC wait for each other: level 5, but none of the other events of that
 * level. That is about thirty events a heap and collection more.
 *
 * The session is stopped when it is cancelled. If we are killed instead, the
 * runtime ends it with the next collection, when it finds nobody to write to.
 */
#include "model/gc/log.h"
#include "model/heap/live.h"

enum { GC_WATCH_BUFFER_MB = 8 };

/*
 * Until the process ends, the session is ended by others, or `progress` is
 * cancelled, which is no failure here. False: it could not be watched, with a
 * sentence that says why.
 */
bool gc_watch(const struct live_target *target, bool wants_joins,
	      struct gc_sink sink, struct gc_source_facts *facts,
	      struct progress *progress, struct error *err) MUST_USE;

#endif
