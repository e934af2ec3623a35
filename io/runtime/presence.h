#ifndef IO_RUNTIME_PRESENCE_H
#define IO_RUNTIME_PRESENCE_H

/*
 * Refuses dumps without a heap. Dumps of kind Mini or Triage have at most a tenth of its pages
 * (measured), too few for any analysis; dumps of kind Heap or Full have all of it.
 */
#include "io/runtime/heaps.h"

/*
 * False sets `err`: under a quarter of the sampled pages is present, or the records of at least
 * half of the ranges are absent. Samples up to 4096 pages in a few milliseconds. Memory that is not
 * a dump passes.
 */
bool clr_presence_check(const struct clr_heaps *heaps, struct error *err) MUST_USE;

#endif
