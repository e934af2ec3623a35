#ifndef IO_EVENTS_GC_SURVIVORS_H
#define IO_EVENTS_GC_SURVIVORS_H

/*
 * Follows samples of allocations through the collections of an event stream: puts samples and
 * events in the order of time and gives them to a struct survived. Needs the keywords GC and
 * GCHeapSurvivalAndMovement (0x400001) at level 4. P is the size of a pointer.
 *
 *  21 GCBulkSurvivingObjectRanges  0 u32 index, 4 u32 count, 8 u16,
 *                                  10 count times P start, u64 length
 *  22 GCBulkMovedObjectRanges      0 u32 index, 4 u32 count, 8 u16,
 *                                  10 count times P old start, P new start,
 *                                  u64 length
 *  23 GCGenerationRange            io/events/gc_events.h
 *
 * Events by time:
 *
 *   blocking     Start, a GenerationRange for each region, Mark …, ranges of
 *                survivors, a GenerationRange for each region, End
 *   background   Start, a GenerationRange for each region; any number of
 *                blocking ones; SuspendBegin with reason 6, SuspendEnd: it
 *                frees young objects; again blocking ones; the same stop once
 *                more, with ranges of survivors, then RestartEE, or Start of
 *                another collection. This second stop only reports, and frees
 *                nothing. End and further GenerationRanges come before or
 *                after.
 *
 * If events are missing, or a collection without the ones above, all samples are lost, and
 * following starts again.
 *
 * Memory: that of struct survived, of the events being ordered (nettrace_order.h), and 24 bytes a
 * region.
 */
#include "io/events/nettrace.h"
#include "model/allocations/survived.h"

struct gc_survivors;

/* `into` must outlive it. NULL sets `err`. */
struct gc_survivors *gc_survivors_new(struct survived *into, struct error *err) MUST_USE;
void gc_survivors_free(struct gc_survivors *s); /* NULL is allowed */
/* Adds a sample, decoded from `event`, whose time it gets: address, size, weight and owner. */
bool gc_survivors_add(struct gc_survivors *s, const struct nettrace_event *event,
		      const struct survived_sample *sample, struct error *err) MUST_USE;
/* Takes the next item of the stream. False: no memory. */
bool gc_survivors_take(struct gc_survivors *s, const struct nettrace *t, enum nettrace_item item,
		       const struct nettrace_event *event, struct error *err) MUST_USE;
/*
 * Passes on all that waits to be ordered, when no older events can follow: the stream has ended, or
 * is idle.
 */
bool gc_survivors_settle(struct gc_survivors *s, struct error *err) MUST_USE;

struct gc_survivors_facts {
	uint64_t ranges;      /* of survivors */
	uint64_t late_events; /* came too late to be put in order */
	uint64_t damaged_events;
	uint64_t losses; /* how often following started again */
};
const struct gc_survivors_facts *gc_survivors_facts(const struct gc_survivors *s);

#endif
