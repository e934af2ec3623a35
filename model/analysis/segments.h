#ifndef MODEL_ANALYSIS_SEGMENTS_H
#define MODEL_ANALYSIS_SEGMENTS_H

/*
 * Sums over the collector's segments or regions: live objects, dead objects that are not yet
 * collected, and free space between them. Requires a heap with memory (model/heap/memory.h). One
 * pass over the objects, about 5 ns each.
 */
#include "model/analysis/heap_map.h"
#include "model/heap/memory.h"

struct segment_sum {
	uint64_t live_count, live_bytes;
	uint64_t dead_count, dead_bytes;
	uint64_t pinned_count; /* handles and other roots that pin its objects */
};

/* Totals of several segments or parts of segments. */
struct segments_total {
	struct segment_sum objects;
	uint64_t free_count, free_bytes;
	uint64_t allocated_bytes; /* from the first object to the end of the last */
	uint64_t committed_bytes;
};

/* Returns the generation of an address, which may lie between objects, or GEN_UNKNOWN. */
enum generation segments_generation_at(const struct heap *h, uint64_t address);
/* Returns the generations of the segment's objects: bits, 1 << enum
   generation. */
unsigned segments_generations(const struct heap *h, const struct heap_segment *s);

/* --- memory of the process ----------------------------------------------- */

/*
 * Breakdown of the process memory; no pass over the objects:
 *
 *   resident  = managed + native + images, and the collector's tables
 *   committed = unused + allocated
 *   allocated = live + dead + free + rest
 */
struct memory_account {
	uint64_t resident; /* 0 if unknown */
	/* As in the table `resident`. Managed memory includes free regions that the collector
	   keeps, but not what is committed and was never
	   touched. */
	uint64_t managed, native;
	uint64_t committed; /* by the collector for segments */
	uint64_t unused;    /* behind the last object */
	uint64_t allocated; /* from the first object to the end of the last */
	uint64_t live, dead, free;
	uint64_t rest; /* padding; room reserved by threads for new objects */
};
/* Requires a heap with memory. */
struct memory_account memory_account(const struct reach *reach);

/* --- heaps and generations ----------------------------------------------- */

/* A generation of a heap, a whole heap, or all heaps. Committed memory behind the objects of a
   segment counts for the youngest generation in it. */
struct heap_part {
	int32_t heap_number; /* HEAP_PART_ALL: all heaps */
	uint8_t generation;  /* enum generation; GEN_COUNT: all generations */
	uint32_t segments_count;
	struct segments_total total;
};
enum { HEAP_PART_ALL = -2 };

struct heap_parts {
	/* Sorted by heap and generation. If there are several heaps, the sum of each follows its
	   generations. The last item is the total. */
	struct heap_part *items;
	uint32_t count;
	uint32_t heaps_count;
};
bool heap_parts_compute(struct heap_parts *p, const struct heap *h, const struct reach *reach,
			struct progress *progress, struct error *err) MUST_USE;
/* The same with one item for each of heap->memory->segments, without totals. */
bool heap_parts_of_segments(struct heap_parts *p, const struct heap *h, const struct reach *reach,
			    struct progress *progress, struct error *err) MUST_USE;
void heap_parts_clear(struct heap_parts *p);

/* How evenly server GC has filled its heaps: bytes of live and dead objects. */
struct heaps_balance {
	int32_t largest; /* heap number */
	uint64_t largest_bytes, average_bytes;
};
/* Returns false if there is only one heap or there are no totals. */
bool heaps_balance(const struct heap_parts *p, struct heaps_balance *out);

#endif
