#ifndef MODEL_ANALYSIS_SEGMENTS_H
#define MODEL_ANALYSIS_SEGMENTS_H

/*
 * What the collector's segments or regions hold: objects that live, objects
 * that are dead but not yet collected, free space between them. For heaps of
 * memory (model/heap/memory.h). One pass over the objects, about 5 ns each.
 */
#include "model/analysis/heap_map.h"
#include "model/heap/memory.h"

struct segment_sum {
	uint64_t live_count, live_bytes;
	uint64_t dead_count, dead_bytes;
	uint64_t pinned_count; /* handles and roots that pin its objects */
};

/* What some segments, or parts of them, have together. */
struct segments_total {
	struct segment_sum objects;
	uint64_t free_count, free_bytes;
	uint64_t allocated_bytes; /* from the first object to the last one */
	uint64_t committed_bytes;
};

/* The generation of an address, also between objects; or GEN_UNKNOWN. */
enum generation segments_generation_at(const struct heap *h, uint64_t address);
/* All that lie in a segment: bits, 1 << enum generation. */
unsigned segments_generations(const struct heap *h,
			      const struct heap_segment *s);

/* --- all memory of the process ------------------------------------------- */

/*
 * Where it went; no pass over the objects:
 *   resident  = native + committed
 *   committed = unused + allocated
 *   allocated = live + dead + free + rest
 */
struct memory_account {
	uint64_t resident; /* 0: unknown */
	/*
	 * An estimate: what is committed need not be resident. 0: unknown, or
	 * more is committed than resident.
	 */
	uint64_t native;
	/* By the collector for segments: regions it keeps free for later, and
	   its tables, are in `native`. */
	uint64_t committed;
	uint64_t unused;    /* behind the objects */
	uint64_t allocated; /* from the first to the last object of each */
	uint64_t live, dead, free;
	uint64_t rest; /* sizes filled up; taken for objects to come */
};
/* Of a heap from memory. */
struct memory_account memory_account(const struct reach *reach);

/* --- heaps and generations ----------------------------------------------- */

/*
 * A generation of a heap, or all of a heap, or all. What is committed behind
 * the objects of a segment counts for the youngest generation in it.
 */
struct heap_part {
	int32_t heap_number; /* HEAP_PART_ALL: of all heaps */
	uint8_t generation;  /* enum generation; GEN_COUNT: all of them */
	uint32_t segments_count;
	struct segments_total total;
};
enum { HEAP_PART_ALL = -2 };

struct heap_parts {
	/*
	 * By heap and generation; behind those of a heap, if there are several,
	 * all of it; all of it all at the end.
	 */
	struct heap_part *items;
	uint32_t count;
	uint32_t heaps_count;
};
bool heap_parts_compute(struct heap_parts *p, const struct heap *h,
			const struct reach *reach, struct progress *progress,
			struct error *err) MUST_USE;
/* The same with one for each of heap->memory->segments; no totals. */
bool heap_parts_of_segments(struct heap_parts *p, const struct heap *h,
			    const struct reach *reach,
			    struct progress *progress,
			    struct error *err) MUST_USE;
void heap_parts_clear(struct heap_parts *p);

/* How evenly server GC has filled its heaps: bytes of objects, live and dead.
 */
struct heaps_balance {
	int32_t largest; /* its number */
	uint64_t largest_bytes, average_bytes;
};
/* False: there is one heap only, or no totals. */
bool heaps_balance(const struct heap_parts *p, struct heaps_balance *out);

#endif
