#ifndef CAPTURE_MEMORY_WANTED_H
#define CAPTURE_MEMORY_WANTED_H

/*
 * The memory that is copied of a stopped process: its objects, the runtime's records about them,
 * the stacks, and the writable memory outside of the heap up to a limit.
 */
#include "capture/memory/process_memory.h"
#include "io/runtime/heaps.h"
#include "io/runtime/runtime.h"

struct wanted {
	struct memory_stretch *stretches;
	size_t count, room;
	uint64_t bytes;
};

struct wanted_from {
	const struct memory *memory;
	const struct clr_runtime *runtime;
	const struct clr_heaps *heaps;
};

/* Free `stretches` with memory_free(), also if this fails. */
bool wanted_add_all(struct wanted *w, const struct wanted_from *from, struct error *err) MUST_USE;

#endif
