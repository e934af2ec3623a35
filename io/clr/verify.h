#ifndef IO_CLR_VERIFY_H
#define IO_CLR_VERIFY_H

/*
 * Whether a heap in memory is sound: every object and every reference, their
 * headers and cards, and what the collector and the runtime keep beside:
 * regions, room of threads, lists of free blocks, handles, finalizer queues,
 * sync blocks. A reference must lead to where an object starts; SOS asks for a
 * method table there and no more.
 *
 * One pass, about 50 ns an object with its references. What could not be looked
 * at, `out` says.
 */
#include "io/runtime/types.h"
#include "io/runtime/runtime.h"
#include "model/heap/faults.h"

/*
 * `h` was made of this memory; `types` has all of its types. `only` is an
 * object, or NODE_NONE for all of them. Adds to `out`, which begins all zero.
 * False sets `err`: no memory, cancelled, or the heaps cannot be found.
 */
bool clr_verify(const struct clr_runtime *rt, const struct clr_types *types,
		const struct heap *h, node_id only, struct faults *out,
		struct progress *progress, struct error *err) MUST_USE;

#endif
