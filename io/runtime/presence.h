#ifndef IO_RUNTIME_PRESENCE_H
#define IO_RUNTIME_PRESENCE_H

/*
 * Tells dumps without a heap. Dumps of kind Mini or Triage have at most a tenth of its pages
 * (measured), too few for any analysis; dumps of kind Heap or Full have all of it. Mini and Triage
 * dumps have all that threads and their stacks need.
 */
#include "io/runtime/heaps.h"

/* Says that a dump has only threads, and how to get the rest; a sentence without its full stop. */
extern const char clr_presence_no_heap[];

/*
 * The heap is lacking if under a quarter of the sampled pages is present, or the records of at
 * least half of the ranges are absent. Samples up to 4096 pages in a few milliseconds. Memory that
 * is not a dump has its heap.
 *
 * Sets `lacks_heap` if the dump has stacks all the same. False sets `err`: it has neither, or it
 * was cut short, or `lacks_heap` is NULL.
 */
bool clr_presence_check(const struct clr_heaps *heaps, bool *lacks_heap,
			struct error *err) MUST_USE;

#endif
