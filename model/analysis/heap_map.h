#ifndef MODEL_ANALYSIS_HEAP_MAP_H
#define MODEL_ANALYSIS_HEAP_MAP_H

/*
 * The heap as it lies in memory, cut into stretches of one size: how much of
 * each lives, is dead, is free. An object that lies in several counts with its
 * bytes where they are, and as one object where it begins. One pass over the
 * objects, about 5 ns each, and 64 bytes a stretch.
 *
 * Stretches end where heap->ranges do, so the sums of one generation or segment
 * are the sums of its stretches. Free space is known of heaps from memory only
 * (model/heap/memory.h).
 */
#include "model/graph/reach.h"

enum {
	HEAP_MAP_MAX = 1 << 18,   /* stretches */
	HEAP_MAP_SHIFT_MIN = 8,   /* 256 bytes each */
	HEAP_MAP_SHIFT_WHOLE = 63 /* a range is one stretch */
};

struct map_stretch {
	uint64_t start, end; /* addresses, end excluded */
	uint64_t live_bytes, dead_bytes, free_bytes;
	node_id first; /* the first object that begins here or behind it */
	/* What begins here. */
	uint32_t live_count, dead_count, free_count;
	uint32_t pinned_count; /* roots that pin its objects */
	uint32_t range;        /* which of heap->ranges it lies in */
};

/* What most of a stretch is: three quarters of it. */
enum map_kind { MAP_FREE, MAP_LIVE, MAP_DEAD, MAP_MIXED, MAP_KINDS };

struct heap_map {
	const struct heap *heap;
	struct map_stretch *stretches; /* by heap, generation, address */
	uint32_t count;
	unsigned shift; /* each is 1 << shift bytes, or the end of a range */
};

/* The smallest shift with at most so many stretches; else the largest. */
unsigned heap_map_shift(const struct heap *h, uint64_t stretches_max);
/* How many stretches there would be. */
uint64_t heap_map_count(const struct heap *h, unsigned shift);

/*
 * ERROR_USAGE if there would be more than HEAP_MAP_MAX, and ranges are cut at
 * all. Empty if the heap does not tell its ranges. Clear it if it was made.
 */
bool heap_map_init(struct heap_map *map, const struct heap *h,
		   const struct reach *reach, unsigned shift,
		   struct progress *progress, struct error *err) MUST_USE;
void heap_map_clear(struct heap_map *map);

const struct range *heap_map_range(const struct heap_map *map,
				   const struct map_stretch *s);
enum map_kind heap_map_kind(const struct map_stretch *s);
/* The object that lies at the start of the stretch, or the first behind. */
node_id heap_map_first(const struct heap_map *map, const struct map_stretch *s);

#endif
