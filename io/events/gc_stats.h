#ifndef IO_EVENTS_GC_STATS_H
#define IO_EVENTS_GC_STATS_H

/*
 * Turns the events of a runtime into one gc_record for each collection, handed out when it has
 * ended and its program runs again. Needs the events of the keyword GC at level 4; level 5 adds the
 * time that heaps wait for each other (joins).
 *
 * Events by time (threads are interleaved in the stream, see nettrace_order.h):
 *
 *   blocking     SuspendBegin, SuspendEnd, Triggered, Start, Mark …,
 *                GlobalHistory, HeapHistory for each heap, End, HeapStats,
 *                RestartBegin, RestartEnd
 *   background   Suspend…, Start, Restart…: its first pause, in which often a
 *                blocking collection of a younger generation runs.
 *                Any number of blocking ones ("foreground").
 *                Suspend…, Restart…: its second pause.
 *                GlobalHistory (whose mechanisms have "concurrent"),
 *                HeapHistory, End, HeapStats; no pause.
 *
 * Only Start and End have a number. Other events belong to the blocking collection that is running,
 * if there is one, else to the background collection; there is at most one of each.
 *
 * A pause lasts from the request to suspend the threads until all may resume. If several blocking
 * collections ran in it, it is divided among them.
 *
 * Memory: a few records, and the events being ordered (nettrace_order.h).
 */
#include "io/events/nettrace.h"
#include "model/base/progress.h"
#include "model/gc/log.h"

struct gc_stats;

struct gc_stats *gc_stats_new(struct gc_sink sink, struct error *err) MUST_USE;
void gc_stats_free(struct gc_stats *s); /* NULL is allowed */
/* Takes the next item of the stream. False: no memory. */
bool gc_stats_take(struct gc_stats *s, const struct nettrace *t, enum nettrace_item item,
		   const struct nettrace_event *event, struct error *err) MUST_USE;
/*
 * Passes on all events that wait to be ordered, when no older ones can follow because the stream is
 * idle.
 */
bool gc_stats_settle(struct gc_stats *s, struct error *err) MUST_USE;
/* Extends the time watched to `ns`, if the events span less. */
void gc_stats_watched(struct gc_stats *s, uint64_t ns);
/* Hands out what has ended, even if its pause has not. */
bool gc_stats_end(struct gc_stats *s, struct error *err) MUST_USE;
/* Takes all items of a stream, then ends. */
bool gc_stats_take_all(struct gc_stats *s, struct nettrace *t, struct progress *progress,
		       struct error *err) MUST_USE;

/* Reads all collections of a stream. False sets `err`. */
bool gc_stats_read(struct nettrace_input input, struct gc_sink sink, struct progress *progress,
		   struct nettrace_status *status, struct error *err) MUST_USE;
/* The same for a file, compressed or not; "-" is standard input. */
bool gc_stats_load(const char *path, struct gc_sink sink, struct gc_source_facts *facts,
		   struct progress *progress, struct error *err) MUST_USE;

#endif
