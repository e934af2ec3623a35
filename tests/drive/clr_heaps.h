#ifndef TESTS_DRIVE_CLR_HEAPS_H
#define TESTS_DRIVE_CLR_HEAPS_H

/*
 * The heap of a made-up runtime that has all that is made up beside it. What fails fails the test.
 */
#include "model/heap/heap.h"
#include "tests/made/made_runtime.h"

/* The heap keeps the memory and closes it, but it is the test's. */
struct clr_heap {
	struct made_runtime *runtime;
	struct memory_ops ops;
	struct memory memory;
	const struct heap *heap; /* once it is loaded */
};

struct clr_heap *clr_heap_begin(const struct made_setup *setup);
/* As the memory is by then. */
void clr_heap_load(struct clr_heap *k);
void clr_heap_end(struct clr_heap *k);

#endif
