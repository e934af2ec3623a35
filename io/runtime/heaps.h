#ifndef IO_RUNTIME_HEAPS_H
#define IO_RUNTIME_HEAPS_H

/*
 * The collector's heaps: which stretches of memory hold objects, of which
 * generation and heap, and where threads have taken room that they have not
 * filled yet.
 *
 * All from GcDacVars, a structure of 8-byte fields that only ever grew at its
 * end (minor < 4: 320 bytes). Most are addresses of variables:
 *
 *   0    u8 major, u8 minor     8    bytes of a generation    16  how many (5)
 *   48   table of generations   72   *state of the collector  80  *ephemeral
 *   120  *end of allocation     144  *finalizer queue
 *   176  *number of heaps, 0: workstation                     184 *the heaps
 *   192  *not 0: being moved about                            232 handles
 *   240  offsets in a heap: 0 end of allocation, 1 ephemeral, 2 finalizer
 *        queue, 18 table of generations
 *   248  offsets in a generation: 2 is -1 with regions
 *   320  *adaptation to load (minor 4)
 *
 * Generations and segments, or regions, are in io/runtime/layout.h, but 64, the
 * start of a generation (segments). Flags of a segment: 1 read-only, 16 swept.
 */
#include "io/runtime/runtime.h"
#include "model/heap/heap.h"

struct clr_heap {
	uint64_t address; /* of the gc_heap; 0 with workstation GC */
	uint64_t generations, alloc_allocated, ephemeral, finalize_queue;
};

/* Objects lie in [start, end), one behind the other. */
struct clr_range {
	uint64_t start, end, committed, reserved;
	uint64_t segment; /* its descriptor */
	uint64_t flags;
	uint64_t ephemeral_start[2]; /* of gen0, gen1 in it; or UINT64_MAX */
	uint32_t heap;
	uint8_t
	    generation;    /* enum generation; of an ephemeral segment: GEN_2 */
	bool is_ephemeral; /* allocation goes on at its end */
};

/* Room between the two is no object yet. */
struct clr_context {
	uint64_t pointer, limit;
};

/* Of the background collection. */
enum { CLR_STATE_SWEEPING = 1 };

struct clr_heaps {
	const struct clr_runtime *runtime;
	struct arena arena;
	uint8_t major, minor; /* of GcDacVars */
	bool is_server, has_regions;
	uint32_t state;         /* 0 marking, 1 sweeping, 2 no background GC */
	uint32_t invalid_count; /* not 0: being moved about, do not walk */
	int32_t adaptation;     /* of the number of heaps; -1: unknown */
	const struct clr_heap *heaps;
	uint32_t heaps_count;
	const struct clr_range *ranges; /* by start, apart from each other */
	size_t ranges_count;
	uint32_t
	    absent_count; /* ranges of which not even the record is there */
	const struct clr_context *contexts; /* by pointer */
	size_t contexts_count;
	const char *doubts[CLR_DOUBTS_MAX];
	size_t doubts_count;
};

/*
 * NULL sets `err`: what leads to the heaps is absent or damaged. A range that
 * cannot be is left out, with a doubt. `rt` is borrowed and outlives it.
 */
struct clr_heaps *clr_heaps_open(const struct clr_runtime *rt,
				 struct error *err) MUST_USE;
void clr_heaps_close(struct clr_heaps *h);

/* Of all ranges. */
uint64_t clr_heaps_bytes(const struct clr_heaps *h);
/* An object's generation; `range` is where it lies. */
enum generation clr_range_generation(const struct clr_range *range,
				     uint64_t address);
/*
 * A background collection knows what is dead in it and has not swept all of it.
 * Other collections go on meanwhile and no longer look at what the dead refer
 * to: there may be anything by now.
 */
bool clr_range_is_unswept(const struct clr_heaps *h,
			  const struct clr_range *range);
/* The range around an address, or NULL. */
const struct clr_range *clr_heaps_range_at(const struct clr_heaps *h,
					   uint64_t address);

/* Regions that hold nothing, kept for later. All 0 where nobody can tell. */
struct clr_free_regions {
	uint64_t count, bytes, committed;
};
struct clr_free_regions clr_heaps_free(const struct clr_heaps *h);

#endif
