#include "model/graph/freed.h"

#include "model/graph/flood.h"
#include <stdlib.h>

enum { BATCH = 1 << 16 }; /* objects between checks for Esc */

uint64_t *
reach_bits(const struct reach *reach, struct progress *progress, struct error *err)
{
	uint32_t count = reach->heap->nodes_count;
	uint64_t *bits = memory_new(bits_words(count), sizeof(*bits), err);

	for (node_id n = 0; bits && n < count; n++) {
		if (reach->distance[n] != DISTANCE_UNREACHABLE)
			bits_add(bits, n);
		if (!(n & (BATCH - 1)) && progress_is_cancelled(progress)) {
			error_cancelled(err);
			memory_free(bits);
			return NULL;
		}
	}
	return bits;
}

static int
compare_types(const void *left, const void *right)
{
	const struct freed_type *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return (a->type > b->type) - (a->type < b->type);
}

static void
drop_empty_types(struct freed *freed)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < freed->types_count; i++)
		if (freed->types[i].count)
			freed->types[kept++] = freed->types[i];
	freed->types_count = kept;
	qsort(freed->types, kept, sizeof(*freed->types), compare_types);
}

bool
freed_compute(struct freed *freed, const uint64_t *before, const struct reach *now,
	      struct progress *progress, struct error *err)
{
	const struct heap *h = now->heap;

	*freed = (struct freed){ .types_count = h->types_count };
	freed->types = memory_new((size_t)h->types_count + 1, sizeof(*freed->types), err);
	if (!freed->types)
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		freed->types[t].type = t;
	for (node_id n = 0; n < h->nodes_count; n++) {
		struct freed_type *type;

		if (!(n & (BATCH - 1)) && progress_is_cancelled(progress))
			return error_cancelled(err);
		if (now->distance[n] != DISTANCE_UNREACHABLE || !bits_has(before, n))
			continue;
		type = &freed->types[heap_type_of(h, n)];
		type->count++;
		type->bytes += heap_size(h, n);
		freed->count++;
		freed->bytes += heap_size(h, n);
	}
	drop_empty_types(freed);
	return true;
}

void
freed_clear(struct freed *freed)
{
	memory_free(freed->types);
	*freed = (struct freed){ 0 };
}

bool
freed_by_cut(struct freed *freed, const struct reach *reach, const struct ignored *ignored,
	     const struct cut *cut, struct progress *progress, struct error *err)
{
	struct flood flood;
	bool is_ok = flood_init(&flood, reach->heap, progress, err);

	*freed = (struct freed){ 0 };
	flood.ignored = ignored;
	flood.cut_sources = cut->sources;
	flood.cut_targets = cut->targets;
	flood.cut_roots = cut->roots;
	is_ok = is_ok && flood_add_roots(&flood) && flood_run(&flood);
	freed->count = reach->reachable_count - flood.count;
	freed->bytes = reach->reachable_bytes - flood.bytes;
	flood_clear(&flood);
	return is_ok;
}
