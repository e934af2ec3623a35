#ifndef CAPTURE_MEMORY_GLANCE_H
#define CAPTURE_MEMORY_GLANCE_H

/*
 * What the heaps of a process that goes on say at a glance, for a card: no more
 * than an estimate, as all of it may be changing. Some milliseconds.
 */
#include "io/runtime/heaps.h"
#include "model/heap/live.h"

/* The runtime, its collector, how many bytes of objects and about how many
 * objects. What cannot be read stays as it is. */
void glance_fill(struct live_card *card, const struct clr_heaps *h);

#endif
