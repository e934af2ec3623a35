#ifndef IO_RUNTIME_PRESENCE_H
#define IO_RUNTIME_PRESENCE_H

/*
 * How much of the heap a dump has. One of kind Mini or Triage has a few pages
 * of it at most (measured: none to a tenth), from which no answer is worth
 * anything; one of kind Heap or Full has all of it.
 */
#include "io/runtime/heaps.h"

/*
 * False sets `err`: less than a quarter is there, or of half of its ranges not
 * even the records. Up to 4096 pages are looked at, in a few milliseconds.
 * Memory that is no dump has all of its heap.
 */
bool clr_presence_check(const struct clr_heaps *heaps,
			struct error *err) MUST_USE;

#endif
