#ifndef CAPTURE_MEMORY_GLANCE_H
#define CAPTURE_MEMORY_GLANCE_H

/*
 * Estimates the heap of a running process, for a card. The memory may be changing while it is read.
 * Takes some milliseconds.
 */
#include "io/runtime/heaps.h"
#include "model/heap/live.h"

/* Fills in the runtime, its collector, the bytes of objects and about how many there are. Leaves
 * unchanged what cannot be read. */
void glance_fill(struct live_card *card, const struct clr_heaps *h);

#endif
