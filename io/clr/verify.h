#ifndef IO_CLR_VERIFY_H
#define IO_CLR_VERIFY_H

/*
 * Verifies a heap in memory: every object, reference, header and card, and the structures around
 * them: regions, allocation contexts, free lists, handles, finalization queues, sync blocks. A
 * reference must lead to the start of an object; SOS only checks for a method table there.
 *
 * Takes one pass of about 50 ns an object, with its references. `out` records what could not be
 * checked.
 */
#include "io/runtime/types.h"
#include "io/runtime/runtime.h"
#include "model/heap/faults.h"

/*
 * `h` was made from this memory, and `types` has all of its types. `only` is one object, or
 * NODE_NONE for all. Adds to `out`, which starts as all zero. False sets `err`: no memory,
 * cancelled, or the GC heaps were not found.
 */
bool clr_verify(const struct clr_runtime *rt, const struct clr_types *types, const struct heap *h,
		node_id only, struct faults *out, struct progress *progress,
		struct error *err) MUST_USE;

#endif
