#include "model/analysis/segments.h"
#include "model/analysis/resident.h"
#include "model/base/less.h"
#include "model/base/sorted.h"

#include <stdlib.h>

/* Returns the first range of objects that ends behind `address`. */
static uint32_t
range_behind(const struct heap *h, uint64_t address)
{
	uint32_t at;

	LOWER_BOUND(at, 0, h->ranges_count, h->ranges[at].end <= address);
	return at;
}

enum generation
segments_generation_at(const struct heap *h, uint64_t address)
{
	uint32_t i = range_behind(h, address);

	return i < h->ranges_count && h->ranges[i].start <= address
		   ? (enum generation)h->ranges[i].generation
		   : GEN_UNKNOWN;
}

unsigned
segments_generations(const struct heap *h, const struct heap_segment *s)
{
	unsigned found = 0;

	for (uint32_t i = range_behind(h, s->start);
	     i < h->ranges_count && h->ranges[i].start < s->allocated; i++)
		found |= 1U << h->ranges[i].generation;
	return found;
}

static void
add_objects(struct segment_sum *sum, const struct map_stretch *s)
{
	sum->live_count += s->live_count;
	sum->live_bytes += s->live_bytes;
	sum->dead_count += s->dead_count;
	sum->dead_bytes += s->dead_bytes;
	sum->pinned_count += s->pinned_count;
}

/* --- memory of the process ----------------------------------------------- */

struct memory_account
memory_account(const struct reach *reach)
{
	const struct heap_memory *m = reach->heap->memory;
	const struct resident r = resident_of(reach->heap);
	struct memory_account a = {
		.resident = m->resident_bytes,
		.managed = r.parts[RESIDENT_MANAGED].bytes,
		.native = resident_native(&r),
		.live = reach->reachable_bytes,
		.dead = reach->heap->bytes_count - reach->reachable_bytes,
	};

	for (uint32_t i = 0; i < m->segments_count; i++) {
		const struct heap_segment *s = &m->segments[i];

		a.allocated += s->allocated - s->start;
		a.committed += s->committed - s->start;
		a.free += s->free_bytes;
	}
	a.unused = less(a.committed, a.allocated);
	a.rest = less(a.allocated, a.live + a.dead + a.free);
	return a;
}

/* --- heaps and generations ----------------------------------------------- */

static void
total_add(struct segments_total *to, const struct segments_total *t)
{
	to->objects.live_count += t->objects.live_count;
	to->objects.live_bytes += t->objects.live_bytes;
	to->objects.dead_count += t->objects.dead_count;
	to->objects.dead_bytes += t->objects.dead_bytes;
	to->objects.pinned_count += t->objects.pinned_count;
	to->free_count += t->free_count;
	to->free_bytes += t->free_bytes;
	to->allocated_bytes += t->allocated_bytes;
	to->committed_bytes += t->committed_bytes;
}

/* Returns the part of a generation that lies in one stretch. */
static struct heap_part
part_of_stretch(const struct heap_map *map, const struct map_stretch *s)
{
	const struct heap_memory *m = map->heap->memory;
	const struct range *r = heap_map_range(map, s);
	uint32_t at = heap_memory_segment(m, s->start);
	struct heap_part p = { .heap_number = r->heap_number,
			       .generation = r->generation,
			       .segments_count = 1 };

	add_objects(&p.total.objects, s);
	p.total.free_count = s->free_count;
	p.total.free_bytes = s->free_bytes;
	p.total.allocated_bytes = p.total.committed_bytes = s->end - s->start;
	if (at != UINT32_MAX && m->segments[at].allocated == s->end)
		p.total.committed_bytes += m->segments[at].committed - m->segments[at].allocated;
	return p;
}

static struct heap_part
part_of_segment(const struct heap_segment *s)
{
	return (struct heap_part){
		.heap_number = s->heap_number,
		.generation = s->generation,
		.segments_count = 1,
		.total.free_count = s->free_count,
		.total.free_bytes = s->free_bytes,
		.total.allocated_bytes = s->allocated - s->start,
		.total.committed_bytes = s->committed - s->start,
	};
}

static int
compare_parts(const void *a, const void *b)
{
	const struct heap_part *x = a, *y = b;

	if (x->heap_number != y->heap_number)
		return x->heap_number < y->heap_number ? -1 : 1;
	return (x->generation > y->generation) - (x->generation < y->generation);
}

static bool
is_same_part(const struct heap_part *a, const struct heap_part *b)
{
	return a->heap_number == b->heap_number && a->generation == b->generation;
}

/* Lists the parts of all segments, sorted by heap and generation. */
static struct heap_part *
list_pieces(const struct heap *h, const struct heap_map *map, size_t *count, struct error *err)
{
	const struct heap_memory *m = h->memory;
	struct heap_part *pieces =
	    memory_new((size_t)map->count + m->segments_count + 1, sizeof *pieces, err);

	*count = 0;
	for (uint32_t i = 0; pieces && i < map->count; i++)
		pieces[(*count)++] = part_of_stretch(map, &map->stretches[i]);
	for (uint32_t i = 0; pieces && i < m->segments_count; i++)
		if (m->segments[i].allocated == m->segments[i].start)
			pieces[(*count)++] = part_of_segment(&m->segments[i]);
	if (pieces)
		qsort(pieces, *count, sizeof *pieces, compare_parts);
	return pieces;
}

/* Appends a part, or adds it to the last one if heap and generation are the
   same. */
static void
put_part(struct heap_parts *p, const struct heap_part *piece)
{
	struct heap_part *last = p->count ? &p->items[p->count - 1] : NULL;

	if (!last || !is_same_part(last, piece)) {
		last = &p->items[p->count++];
		*last = (struct heap_part){ .heap_number = piece->heap_number,
					    .generation = piece->generation };
	}
	last->segments_count += piece->segments_count;
	total_add(&last->total, &piece->total);
}

static uint32_t
count_heaps(const struct heap_part *pieces, size_t count)
{
	uint32_t heaps = 0;

	for (size_t i = 0; i < count; i++)
		heaps += !i || pieces[i].heap_number != pieces[i - 1].heap_number;
	return heaps;
}

/* Appends the generations of a heap, then their sum. */
static void
put_heap(struct heap_parts *p, const struct heap_part *pieces, size_t count)
{
	struct heap_part piece;

	for (size_t i = 0; i < count; i++)
		put_part(p, &pieces[i]);
	for (size_t i = 0; p->heaps_count > 1 && i < count; i++) {
		piece = pieces[i];
		piece.generation = GEN_COUNT;
		put_part(p, &piece);
	}
}

static void
put_all(struct heap_parts *p, const struct heap_part *pieces, size_t count)
{
	struct heap_part all = { .heap_number = HEAP_PART_ALL, .generation = GEN_COUNT };
	size_t from = 0;

	p->heaps_count = count_heaps(pieces, count);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && pieces[i].heap_number == pieces[from].heap_number)
			continue;
		put_heap(p, pieces + from, i - from);
		from = i;
	}
	for (size_t i = 0; i < count; i++) {
		all.segments_count += pieces[i].segments_count;
		total_add(&all.total, &pieces[i].total);
	}
	p->items[p->count++] = all;
}

bool
heap_parts_compute(struct heap_parts *p, const struct heap *h, const struct reach *reach,
		   struct progress *progress, struct error *err)
{
	struct heap_part *pieces;
	struct heap_map map;
	size_t count;

	*p = (struct heap_parts){ 0 };
	if (!heap_map_init(&map, h, reach, HEAP_MAP_SHIFT_WHOLE, progress, err))
		return false;
	pieces = list_pieces(h, &map, &count, err);
	heap_map_clear(&map);
	/* Each heap may add a sum; there are at most as many heaps as
	   pieces. */
	p->items = pieces ? memory_new(2 * count + 1, sizeof *p->items, err) : NULL;
	if (p->items)
		put_all(p, pieces, count);
	memory_free(pieces);
	return p->items != NULL;
}

bool
heap_parts_of_segments(struct heap_parts *p, const struct heap *h, const struct reach *reach,
		       struct progress *progress, struct error *err)
{
	const struct heap_memory *m = h->memory;
	struct heap_map map;

	*p = (struct heap_parts){ .count = m->segments_count };
	if (!heap_map_init(&map, h, reach, HEAP_MAP_SHIFT_WHOLE, progress, err))
		return false;
	p->items = memory_new((size_t)p->count + 1, sizeof *p->items, err);
	for (uint32_t i = 0; p->items && i < p->count; i++)
		p->items[i] = part_of_segment(&m->segments[i]);
	for (uint32_t i = 0; p->items && i < map.count; i++) {
		uint32_t at = heap_memory_segment(m, map.stretches[i].start);

		if (at != UINT32_MAX)
			add_objects(&p->items[at].total.objects, &map.stretches[i]);
	}
	heap_map_clear(&map);
	return p->items != NULL;
}

void
heap_parts_clear(struct heap_parts *p)
{
	memory_free(p->items);
	*p = (struct heap_parts){ 0 };
}

bool
heaps_balance(const struct heap_parts *p, struct heaps_balance *out)
{
	uint64_t all = 0;

	*out = (struct heaps_balance){ 0 };
	if (p->heaps_count < 2)
		return false;
	for (uint32_t i = 0; i + 1 < p->count; i++) {
		const struct heap_part *part = &p->items[i];
		uint64_t bytes = part->total.objects.live_bytes + part->total.objects.dead_bytes;

		if (part->generation != GEN_COUNT)
			continue;
		all += bytes;
		if (bytes >= out->largest_bytes) {
			out->largest_bytes = bytes;
			out->largest = part->heap_number;
		}
	}
	out->average_bytes = all / p->heaps_count;
	return true;
}
