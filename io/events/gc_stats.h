#ifndef IO_EVENTS_GC_STATS_H
#define IO_EVENTS_GC_STATS_H

/*
 * From the events of a runtime to one gc_record for each collection, handed
 * out when it has ended and its program runs again. All that is needed are the
 * events of the keyword GC, level 4; at level 5 the waiting of heaps for each
 * other (joins) is told as well.
 *
 * The order of what happens, by time (events of several threads lie mixed in
 * the stream, see nettrace_order.h):
 *
 *   blocking     SuspendBegin, SuspendEnd, Triggered, Start, Mark …,
 *                GlobalHistory, HeapHistory for each heap, End, HeapStats,
 *                RestartBegin, RestartEnd
 *   background   Suspend…, Start, Restart…: its first pause; often a blocking
 *                one of a younger generation within it.
 *                Any number of blocking ones ("foreground").
 *                Suspend…, Restart…: its second pause.
 *                GlobalHistory (whose mechanisms say "concurrent"),
 *                HeapHistory, End, HeapStats; no pause.
 *
 * Only Start and End have a number. What has none belongs to the blocking
 * collection that is going on, if there is one, else to that in the
 * background; there is at most one of each.
 *
 * A pause is the time from asking the threads to stop until all may go on. One
 * in which several blocking collections ran is shared out among them.
 *
 * Memory: three records, and the events that wait (nettrace_order.h).
 */
#include "io/events/nettrace.h"
#include "model/base/progress.h"
#include "model/gc/log.h"

struct gc_stats;

struct gc_stats *gc_stats_new(struct gc_sink sink, struct error *err) MUST_USE;
void gc_stats_free(struct gc_stats *s); /* NULL is allowed */
/* The next item of the stream. False: no memory. */
bool gc_stats_take(struct gc_stats *s, const struct nettrace *t,
		   enum nettrace_item item, const struct nettrace_event *event,
		   struct error *err) MUST_USE;
/*
 * Nothing is coming at the moment, so nothing older will: whatever waits for
 * its order is passed on.
 */
bool gc_stats_settle(struct gc_stats *s, const struct nettrace *t,
		     struct error *err) MUST_USE;
/* So long was watched, if that is longer than the events tell. */
void gc_stats_watched(struct gc_stats *s, uint64_t ns);
/* The end: what has ended is handed out though its pause may not have. */
bool gc_stats_end(struct gc_stats *s, const struct nettrace *t,
		  struct error *err) MUST_USE;

/* All collections of a stream. False sets `err`. */
bool gc_stats_read(struct nettrace_input input, struct gc_sink sink,
		   struct progress *progress, struct nettrace_status *status,
		   struct error *err) MUST_USE;
/* The same of a file, "-" is the standard input; packed or not. */
bool gc_stats_load(const char *path, struct gc_sink sink,
		   struct gc_source_facts *facts, struct progress *progress,
		   struct error *err) MUST_USE;

#endif
