#include "model/segments.h"

enum { REPORT_NODES = 65536 };

uint32_t
segments_find(const struct heap_memory *m, uint64_t address)
{
	uint32_t low = 0, high = m->segments_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->segments[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < m->segments[low - 1].allocated ? low - 1
							       : UINT32_MAX;
}

static void
sum_nodes(struct segment_sum *sum, const struct heap *h,
	  const struct reach *reach, node_id first, node_id end)
{
	for (node_id n = first; n < end; n++)
		if (reach->distance[n] != DISTANCE_UNREACHABLE) {
			sum->live_count++;
			sum->live_bytes += heap_size(h, n);
		} else {
			sum->dead_count++;
			sum->dead_bytes += heap_size(h, n);
		}
}

static bool
sum_range(struct segment_sum *sum, const struct heap *h,
	  const struct reach *reach, const struct range *r,
	  struct progress *progress)
{
	node_id end = r->first + r->count;

	for (node_id n = r->first; n < end; n += REPORT_NODES) {
		node_id stop = end - n > REPORT_NODES ? n + REPORT_NODES : end;

		sum_nodes(sum, h, reach, n, stop);
		if (!progress_add(progress, stop - n))
			return false;
		if (stop == end)
			break;
	}
	return true;
}

static void
count_pinned(struct segment_sum *sums, const struct heap *h)
{
	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *r = &h->roots[i];
		uint32_t at =
		    r->is_pinned
			? segments_find(h->memory, heap_address(h, r->object))
			: UINT32_MAX;

		if (at != UINT32_MAX)
			sums[at].pinned_count++;
	}
}

struct segment_sum *
segments_sum_up(const struct heap *h, const struct reach *reach,
		struct progress *progress, struct error *err)
{
	const struct heap_memory *m = h->memory;
	struct segment_sum *sums =
	    memory_new((size_t)m->segments_count + 1, sizeof *sums, err);

	progress_begin(progress, "adding up segments", h->nodes_count);
	for (uint32_t i = 0; sums && i < h->ranges_count; i++) {
		uint32_t at = segments_find(m, h->ranges[i].start);

		if (at == UINT32_MAX ||
		    sum_range(&sums[at], h, reach, &h->ranges[i], progress))
			continue;
		memory_free(sums);
		error_cancelled(err);
		return NULL;
	}
	if (sums)
		count_pinned(sums, h);
	return sums;
}

struct segments_total
segments_total(const struct heap_memory *m, const struct segment_sum *sums)
{
	struct segments_total t = { .resident_bytes = m->resident_bytes };

	for (uint32_t i = 0; i < m->segments_count; i++) {
		const struct heap_segment *s = &m->segments[i];

		t.objects.live_count += sums[i].live_count;
		t.objects.live_bytes += sums[i].live_bytes;
		t.objects.dead_count += sums[i].dead_count;
		t.objects.dead_bytes += sums[i].dead_bytes;
		t.objects.pinned_count += sums[i].pinned_count;
		t.free_count += s->free_count;
		t.free_bytes += s->free_bytes;
		t.allocated_bytes += s->allocated - s->start;
		t.committed_bytes += s->committed - s->start;
	}
	return t;
}
