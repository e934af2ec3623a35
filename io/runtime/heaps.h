#ifndef IO_RUNTIME_HEAPS_H
#define IO_RUNTIME_HEAPS_H

/*
 * The GC heaps: the ranges of memory that hold objects, with their generation and heap, and the
 * allocation contexts of threads.
 *
 * Everything is found from GcDacVars, a structure of 8-byte fields that only ever grew at its end
 * (minor < 4: 320 bytes). An asterisk marks the address of a variable:
 *
 *   0    u8 major, u8 minor     8    bytes of a generation    16  how many (5)
 *   48   generation table       72   *background GC state     80  *ephemeral
 *   120  *alloc_allocated       144  *finalizer queue
 *   176  *number of heaps, 0: workstation GC                  184 *heaps
 *   192  *not 0: the heap is being changed                    232 handles
 *   240  offsets in a heap: 0 alloc_allocated, 1 ephemeral, 2 finalizer
 *        queue, 18 generation table
 *   248  offsets in a generation: 2 is -1 with regions
 *   320  *dynamic adaptation of the number of heaps (minor 4)
 *
 * Fields of generations and of segments or regions are in io/runtime/layout.h, except the start of
 * a generation (segments only) at 64. Flags of a segment:
 * 1 read-only, 16 swept.
 */
#include "io/runtime/runtime.h"
#include "model/heap/heap.h"

struct clr_heap {
	uint64_t address; /* gc_heap; 0 with workstation GC */
	uint64_t generations, alloc_allocated, ephemeral, finalize_queue;
};

/* Objects follow one another in [start, end). */
struct clr_range {
	uint64_t start, end, committed, reserved;
	uint64_t segment; /* the heap_segment */
	uint64_t flags;
	uint64_t ephemeral_start[2]; /* where gen0, gen1 start, or UINT64_MAX */
	uint32_t heap;
	uint8_t generation; /* enum generation; GEN_2 if ephemeral */
	bool is_ephemeral;  /* allocations extend it */
};

/* An allocation context: the memory in between holds no objects yet. */
struct clr_context {
	uint64_t pointer, limit;
};

/* Values of clr_heaps.state. */
enum { CLR_STATE_SWEEPING = 1 };

struct clr_heaps {
	const struct clr_runtime *runtime;
	struct arena arena;
	uint8_t major, minor; /* version of GcDacVars */
	bool is_server, has_regions;
	uint32_t state;         /* 0 marking, 1 sweeping, 2 no background GC */
	uint32_t invalid_count; /* not 0: the heap is being changed */
	int32_t adaptation;     /* dynamic number of heaps; -1: unknown */
	const struct clr_heap *heaps;
	uint32_t heaps_count;
	const struct clr_range *ranges; /* by start, disjoint */
	size_t ranges_count;
	uint32_t absent_count;              /* ranges whose record is absent */
	const struct clr_context *contexts; /* by pointer */
	size_t contexts_count;
	struct clr_doubts doubts;
};

/*
 * NULL sets `err`: the way to the heaps is absent or damaged. An impossible range is left out and
 * reported as a doubt. `rt` is borrowed and must outlive the result.
 */
struct clr_heaps *clr_heaps_open(const struct clr_runtime *rt, struct error *err) MUST_USE;
void clr_heaps_close(struct clr_heaps *h);

/* The sum of all ranges. */
uint64_t clr_heaps_bytes(const struct clr_heaps *h);
/* The generation of an object in `range`. */
enum generation clr_range_generation(const struct clr_range *range, uint64_t address);
/* True while a background collection has yet to sweep the range. Its dead objects may then refer to
 * memory that ephemeral collections have reused. */
bool clr_range_is_unswept(const struct clr_heaps *h, const struct clr_range *range);
/* The range that contains the address, or NULL. */
const struct clr_range *clr_heaps_range_at(const struct clr_heaps *h, uint64_t address);

/* Empty regions that the collector keeps; all 0 if unknown. */
struct clr_free_regions {
	uint64_t count, bytes, committed;
};
struct clr_free_regions clr_heaps_free(const struct clr_heaps *h);

#endif
