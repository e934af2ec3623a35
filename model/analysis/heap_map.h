#ifndef MODEL_ANALYSIS_HEAP_MAP_H
#define MODEL_ANALYSIS_HEAP_MAP_H

/*
 * A map of the heap: memory cut into stretches of equal size, with the live, dead and free bytes of
 * each. An object that spans several stretches adds bytes to each of them, and counts as one object
 * where it begins. One pass over the objects, about 5 ns each, and 64 bytes a stretch.
 *
 * Stretches do not cross the ends of heap->ranges, so the stretches of a generation or segment add
 * up to it. Free space is known only for heaps with memory (model/heap/memory.h).
 */
#include "model/graph/reach.h"

enum {
	HEAP_MAP_MAX = 1 << 18,   /* number of stretches */
	HEAP_MAP_SHIFT_MIN = 8,   /* 256 bytes each */
	HEAP_MAP_SHIFT_WHOLE = 63 /* one stretch for each range */
};

struct map_stretch {
	uint64_t start, end; /* addresses; `end` is excluded */
	uint64_t live_bytes, dead_bytes, free_bytes;
	node_id first; /* first object that begins at or after `start` */
	/* Objects and free blocks that begin here. */
	uint32_t live_count, dead_count, free_count;
	uint32_t pinned_count; /* roots that pin these objects */
	uint32_t range;        /* index into heap->ranges */
};

/* The content of three quarters of a stretch or more. */
enum map_kind { MAP_FREE, MAP_LIVE, MAP_DEAD, MAP_MIXED, MAP_KINDS };

struct heap_map {
	const struct heap *heap;
	struct map_stretch *stretches; /* sorted by heap, generation, address */
	uint32_t count;
	unsigned shift; /* a stretch has 1 << shift bytes, or fewer at the end of a range */
};

/* Returns the smallest shift with at most `stretches_max` stretches, or the largest shift if there
   is none. */
unsigned heap_map_shift(const struct heap *h, uint64_t stretches_max);
/* Returns the number of stretches that a map would have. */
uint64_t heap_map_count(const struct heap *h, unsigned shift);

/*
 * Fails with ERROR_USAGE if there would be more than HEAP_MAP_MAX stretches, unless `shift` is
 * HEAP_MAP_SHIFT_WHOLE. The map is empty if the heap has no ranges. After success, free it with
 * heap_map_clear().
 */
bool heap_map_init(struct heap_map *map, const struct heap *h, const struct reach *reach,
		   unsigned shift, struct progress *progress, struct error *err) MUST_USE;
void heap_map_clear(struct heap_map *map);

const struct range *heap_map_range(const struct heap_map *map, const struct map_stretch *s);
enum map_kind heap_map_kind(const struct map_stretch *s);
/* Returns the object that contains the start of the stretch, or the next
   one. */
node_id heap_map_first(const struct heap_map *map, const struct map_stretch *s);

#endif
