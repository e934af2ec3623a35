#include "model/analysis/heap_map.h"

#include "model/base/sorted.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <stdlib.h>

enum { REPORT_NODES = 65536 };

static uint64_t
range_stretches(const struct range *r, unsigned shift)
{
	return ((r->end - r->start - 1) >> shift) + 1;
}

uint64_t
heap_map_count(const struct heap *h, unsigned shift)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->ranges_count; i++)
		count += range_stretches(&h->ranges[i], shift);
	return count;
}

unsigned
heap_map_shift(const struct heap *h, uint64_t stretches_max)
{
	unsigned shift = HEAP_MAP_SHIFT_MIN;

	while (shift < HEAP_MAP_SHIFT_WHOLE && heap_map_count(h, shift) > stretches_max)
		shift++;
	return shift;
}

/* --- empty stretches ----------------------------------------------------- */

struct map_order {
	struct range range;
	uint32_t index;
};

static int
compare_ranges(const void *a, const void *b)
{
	const struct map_order *x = a, *y = b;

	if (x->range.heap_number != y->range.heap_number)
		return x->range.heap_number < y->range.heap_number ? -1 : 1;
	if (x->range.generation != y->range.generation)
		return x->range.generation < y->range.generation ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static void
cut_range(struct heap_map *map, const struct map_order *o)
{
	const uint64_t bytes = UINT64_C(1) << map->shift;

	for (uint64_t at = o->range.start; at < o->range.end;) {
		uint64_t left = o->range.end - at;
		uint64_t end = at + (left < bytes ? left : bytes);

		map->stretches[map->count++] = (struct map_stretch){
			.start = at, .end = end, .first = NODE_NONE, .range = o->index
		};
		at = end;
	}
}

/* Cuts all ranges; firsts[] gets the first stretch of each. */
static bool
cut_ranges(struct heap_map *map, uint32_t *firsts, struct error *err)
{
	const struct heap *h = map->heap;
	struct map_order *order = memory_new((size_t)h->ranges_count + 1, sizeof *order, err);

	if (!order)
		return false;
	for (uint32_t i = 0; i < h->ranges_count; i++)
		order[i] = (struct map_order){ h->ranges[i], i };
	qsort(order, h->ranges_count, sizeof *order, compare_ranges);
	for (uint32_t i = 0; i < h->ranges_count; i++) {
		firsts[order[i].index] = map->count;
		cut_range(map, &order[i]);
	}
	memory_free(order);
	return true;
}

/* --- filling the stretches ----------------------------------------------- */

enum part { PART_LIVE, PART_DEAD, PART_FREE };

/* Adds the bytes from `start` to `end`; `stretches` is the first of their
   range. */
static void
add_bytes(struct map_stretch *stretches, unsigned shift, uint64_t start, uint64_t end,
	  enum part part)
{
	struct map_stretch *s = &stretches[(start - stretches->start) >> shift];

	s->live_count += part == PART_LIVE;
	s->dead_count += part == PART_DEAD;
	s->free_count += part == PART_FREE;
	for (; start < end; s++) {
		uint64_t to = end < s->end ? end : s->end;

		s->live_bytes += part == PART_LIVE ? to - start : 0;
		s->dead_bytes += part == PART_DEAD ? to - start : 0;
		s->free_bytes += part == PART_FREE ? to - start : 0;
		start = to;
	}
}

static uint64_t
end_before(uint64_t start, uint64_t bytes, uint64_t limit)
{
	return limit - start < bytes ? limit : start + bytes;
}

/* Sets the first object of stretches where none begins, from back to front. */
static void
spread_firsts(struct map_stretch *stretches, uint64_t count, node_id end)
{
	while (count--) {
		if (stretches[count].first == NODE_NONE)
			stretches[count].first = end;
		end = stretches[count].first;
	}
}

/* Objects of a damaged heap may overlap: each ends where the next one
   begins. */
static bool
add_objects(struct heap_map *map, const struct range *r, struct map_stretch *stretches,
	    const struct reach *reach, struct progress *progress)
{
	const struct heap *h = map->heap;
	node_id end = r->first + r->count;
	uint64_t address = 0, next = r->end;
	struct addresses_scan scan;

	if (r->count) {
		addresses_scan_init(&scan, h->addresses, r->first);
		(void)addresses_scan_next(&scan, &address);
	}
	for (node_id n = r->first; n < end; n++, address = next) {
		bool is_dead = reach->distance[n] == DISTANCE_UNREACHABLE;
		struct map_stretch *s;

		if (n + 1 == end || !addresses_scan_next(&scan, &next))
			next = r->end;
		s = &stretches[(address - r->start) >> map->shift];
		if (s->first == NODE_NONE)
			s->first = n;
		add_bytes(stretches, map->shift, address,
			  end_before(address, heap_size(h, n), next),
			  is_dead ? PART_DEAD : PART_LIVE);
		if (n % REPORT_NODES == 0 && !progress_add(progress, REPORT_NODES))
			return false;
	}
	spread_firsts(stretches, range_stretches(r, map->shift), end);
	return true;
}

/* Returns the index of the range that contains `address`, or UINT32_MAX. */
static uint32_t
range_at(const struct heap *h, uint64_t address)
{
	uint32_t at;

	LOWER_BOUND(at, 0, h->ranges_count, h->ranges[at].start <= address);
	return at && address < h->ranges[at - 1].end ? at - 1 : UINT32_MAX;
}

static void
add_free_blocks(struct heap_map *map, const uint32_t *firsts)
{
	const struct heap *h = map->heap;
	const struct heap_memory *m = h->memory;

	for (uint32_t i = 0; m && i < m->free_blocks_count; i++) {
		const struct heap_free_block *f = &m->free_blocks[i];
		uint32_t range = range_at(h, f->address);

		if (range != UINT32_MAX)
			add_bytes(&map->stretches[firsts[range]], map->shift, f->address,
				  end_before(f->address, f->bytes, h->ranges[range].end),
				  PART_FREE);
	}
}

static void
count_pinned(struct heap_map *map, const uint32_t *firsts)
{
	const struct heap *h = map->heap;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		uint64_t address;
		uint32_t range;

		if (!h->roots[i].is_pinned)
			continue;
		address = heap_address(h, h->roots[i].object);
		range = range_at(h, address);
		if (range != UINT32_MAX)
			map->stretches[firsts[range] +
				       ((address - h->ranges[range].start) >> map->shift)]
			    .pinned_count++;
	}
}

static bool
fill(struct heap_map *map, const uint32_t *firsts, const struct reach *reach,
     struct progress *progress, struct error *err)
{
	const struct heap *h = map->heap;

	progress_begin(progress, "drawing the map", "objects", h->nodes_count);
	for (uint32_t i = 0; i < h->ranges_count; i++)
		if (!add_objects(map, &h->ranges[i], &map->stretches[firsts[i]], reach, progress))
			return error_cancelled(err);
	add_free_blocks(map, firsts);
	count_pinned(map, firsts);
	return true;
}

bool
heap_map_init(struct heap_map *map, const struct heap *h, const struct reach *reach, unsigned shift,
	      struct progress *progress, struct error *err)
{
	uint64_t count = heap_map_count(h, shift);
	uint32_t *firsts;
	bool is_ok;

	*map = (struct heap_map){ .heap = h, .shift = shift };
	if (count > HEAP_MAP_MAX && shift < HEAP_MAP_SHIFT_WHOLE)
		return error_set(err, ERROR_USAGE,
				 "a map of %" PRIu64 " stretches would be too fine: at most %d are "
				 "drawn",
				 count, HEAP_MAP_MAX);
	map->stretches = memory_new(count + 1, sizeof *map->stretches, err);
	firsts = memory_new((size_t)h->ranges_count + 1, sizeof *firsts, err);
	is_ok = map->stretches && firsts && cut_ranges(map, firsts, err) &&
		fill(map, firsts, reach, progress, err);
	memory_free(firsts);
	if (!is_ok)
		heap_map_clear(map);
	return is_ok;
}

void
heap_map_clear(struct heap_map *map)
{
	memory_free(map->stretches);
	*map = (struct heap_map){ 0 };
}

/* --- reading the map ----------------------------------------------------- */

const struct range *
heap_map_range(const struct heap_map *map, const struct map_stretch *s)
{
	return &map->heap->ranges[s->range];
}

enum map_kind
heap_map_kind(const struct map_stretch *s)
{
	uint64_t bytes = s->end - s->start, used = s->live_bytes + s->dead_bytes;
	uint64_t most = bytes - bytes / 4;

	if (bytes - used >= most)
		return MAP_FREE;
	if (s->live_bytes >= most)
		return MAP_LIVE;
	return s->dead_bytes >= most ? MAP_DEAD : MAP_MIXED;
}

node_id
heap_map_first(const struct heap_map *map, const struct map_stretch *s)
{
	const struct heap *h = map->heap;
	uint64_t before;

	if (s->first == heap_map_range(map, s)->first)
		return s->first;
	before = heap_address(h, s->first - 1);
	return s->start - before < heap_size(h, s->first - 1) ? s->first - 1 : s->first;
}
