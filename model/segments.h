#ifndef MODEL_SEGMENTS_H
#define MODEL_SEGMENTS_H

/*
 * What the collector's segments or regions hold: objects that live, objects
 * that are dead but not yet collected, free space between them. For heaps of
 * memory (model/heap_memory.h). One pass over the objects, about 5 ns each.
 */
#include "model/heap_memory.h"
#include "model/reach.h"

struct segment_sum {
	uint64_t live_count, live_bytes;
	uint64_t dead_count, dead_bytes;
	uint64_t pinned_count; /* handles and roots that pin its objects */
};

/* One for each of heap->memory->segments; free with memory_free(). */
struct segment_sum *segments_sum_up(const struct heap *h,
				    const struct reach *reach,
				    struct progress *progress,
				    struct error *err) MUST_USE;

/* All of them, and the process around. */
struct segments_total {
	struct segment_sum objects;
	uint64_t free_count, free_bytes;
	uint64_t allocated_bytes; /* from the first object to the last one */
	uint64_t committed_bytes;
	uint64_t resident_bytes; /* of the process; 0: unknown */
};
struct segments_total segments_total(const struct heap_memory *m,
				     const struct segment_sum *sums);

/* The segment around an address, by its index; UINT32_MAX: none. */
uint32_t segments_find(const struct heap_memory *m, uint64_t address);

#endif
