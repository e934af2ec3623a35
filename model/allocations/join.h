#ifndef MODEL_ALLOCATIONS_JOIN_H
#define MODEL_ALLOCATIONS_JOIN_H

/*
 * Finds the samples of a recording in a heap of the same process, by address, type and size, and
 * declares the table of the result.
 *
 * A sample in the heap is confirmed. Another one was freed or moved between the last collection
 * that the recording followed and the moment of the heap, or another object lies in its place. The
 * recording is best followed until the heap was captured: by allocations_load(), or if the
 * heap's collection is one of `full`.
 */
#include "model/allocations/allocations.h"
#include "model/table/samples.h"
#include "model/table/table.h"

/* The result borrows from `h`, and not from `a`. `my_modules`, as in allocations_mine(), decide
   which method is the site. Sorts the samples; linear in cells, and in the depths of their stacks.
   NULL: no memory, or cancelled. */
struct samples *samples_join(const struct allocations *a, const struct heap *h,
			     const char *my_modules, struct progress *progress,
			     struct error *err) MUST_USE;

extern const struct table samples_table;

enum { SAMPLES_TEXT_BYTES = 320 };
/* A sentence about how many are in the heap. */
void samples_text(const struct samples *s, char text[SAMPLES_TEXT_BYTES]);

#endif
