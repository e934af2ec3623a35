/* Turns what a builder has gathered into a heap: sorted, counted by generation, in the heap's own
   arena. */
#include "model/base/sorted.h"
#include "model/base/worker.h"
#include "model/heap/builder.h"
#include <stdlib.h>
#include <string.h>

static int
compare_roots(const void *a, const void *b)
{
	const struct root *x = a, *y = b;
	uint8_t px = root_kinds[x->kind].priority;
	uint8_t py = root_kinds[y->kind].priority;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (px != py)
		return px < py ? -1 : 1;
	if (strcmp(x->name, y->name))
		return strcmp(x->name, y->name);
	return strcmp(x->label, y->label);
}

/* Copies to the heap's arena; `kept` is the address of a pointer. */
static bool
keep_array(struct heap_builder *b, void *kept, const void *array, uint32_t count, size_t size,
	   struct error *err)
{
	void *copy;

	if (!count)
		return true;
	copy = arena_take(&b->heap->arena, count, size, err);
	if (!copy)
		return false;
	memcpy(copy, array, count * size);
	memcpy(kept, &copy, sizeof(copy));
	return true;
}

static bool
finish_large_sizes(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;
	struct large_size *sizes;
	uint32_t at = 0;

	for (uint32_t i = 0; i < b->chunks_count; i++)
		h->large_sizes_count += b->chunk_sizes[i].count;
	sizes = arena_array(&h->arena, struct large_size, h->large_sizes_count, err);
	if (!sizes)
		return false;
	for (uint32_t i = 0; i < b->chunks_count; i++) {
		struct chunk_sizes *chunk = &b->chunk_sizes[i];

		if (chunk->count)
			memcpy(sizes + at, chunk->sizes, chunk->count * sizeof(*sizes));
		at += chunk->count;
	}
	h->large_sizes = sizes;
	return true;
}

static bool
finish_objects(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;

	for (uint32_t i = 0; i < b->chunks_count; i++) {
		if (!b->chunks[i].bytes)
			return heap_builder_changed(err);
	}
	h->chunks = b->chunks;
	h->addresses = b->addresses;
	b->addresses = NULL;
	if (b->columns) /* the heap has these already */
		return true;
	h->types16 = b->types16;
	h->types32 = b->types32;
	h->size_codes = b->node_sizes;
	return finish_large_sizes(b, err);
}

/* Overlapping ranges would count objects twice: drop the later one. */
static bool
finish_ranges(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;
	uint32_t kept = 0, dropped = 0;

	if (!b->ranges_count)
		return true;
	qsort(b->ranges, b->ranges_count, sizeof(*b->ranges), compare_u64_pair);
	for (uint32_t i = 0; i < b->ranges_count; i++) {
		struct range r = b->ranges[i];

		if (kept && r.start < b->ranges[kept - 1].end) {
			dropped++;
			continue;
		}
		r.first = addresses_rank(h->addresses, r.start);
		r.count = addresses_rank(h->addresses, r.end) - r.first;
		b->ranges[kept++] = r;
	}
	h->ranges_count = kept;
	if (dropped && !heap_builder_warning(
			   b, err, "%u memory ranges overlap others and were left out", dropped))
		return false;
	return keep_array(b, &h->ranges, b->ranges, kept, sizeof(*b->ranges), err);
}

static bool
finish_weak(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;
	uint32_t kept = 0;

	SORT_BY(b->weak, b->weak_count, object);
	for (uint32_t i = 0; i < b->weak_count; i++) {
		if (kept && b->weak[kept - 1].object == b->weak[i].object)
			b->weak[kept - 1].count += b->weak[i].count;
		else
			b->weak[kept++] = b->weak[i];
	}
	h->weak_count = kept;
	return keep_array(b, &h->weak, b->weak, kept, sizeof(*b->weak), err);
}

/* Counts and bytes by type and generation; one a thread. */
struct by_generation {
	const struct heap *heap;
	uint64_t *counts, *bytes;
};

static bool
count_generations(void *context, uint64_t chunk, unsigned thread, struct error *err)
{
	struct by_generation *g = &((struct by_generation *)context)[thread];
	const struct heap *h = g->heap;
	node_id first = chunk_first((uint32_t)chunk);
	node_id end = chunk_end(h, (uint32_t)chunk);
	uint32_t range = heap_range_from(h, first);

	(void)err;
	for (node_id n = first; n < end; n++) {
		enum generation gen = GEN_UNKNOWN;
		size_t cell;

		while (range < h->ranges_count &&
		       h->ranges[range].first + h->ranges[range].count <= n)
			range++;
		if (range < h->ranges_count && h->ranges[range].first <= n)
			gen = h->ranges[range].generation;
		cell = (size_t)heap_type_of(h, n) * GEN_COUNT + gen;
		g->counts[cell]++;
		g->bytes[cell] += heap_size(h, n);
	}
	return true;
}

bool
heap_builder_generations(struct heap_builder *b, uint64_t **counts, uint64_t **bytes,
			 struct error *err)
{
	size_t cells = (size_t)b->types_count * GEN_COUNT;
	struct heap *h = b->heap;

	h->generation_counts = *counts = arena_array(&h->arena, uint64_t, cells, err);
	h->generation_bytes = *bytes = arena_array(&h->arena, uint64_t, cells, err);
	return *counts && *bytes;
}

static bool
generations_gather(struct heap_builder *b, const struct by_generation *parts, unsigned count,
		   struct error *err)
{
	size_t cells = (size_t)b->types_count * GEN_COUNT;
	uint64_t *counts, *bytes;

	if (!heap_builder_generations(b, &counts, &bytes, err))
		return false;
	for (unsigned i = 0; i < count; i++)
		for (size_t cell = 0; cell < cells; cell++) {
			counts[cell] += parts[i].counts[cell];
			bytes[cell] += parts[i].bytes[cell];
		}
	return true;
}

static bool
finish_generations(struct heap_builder *b, struct error *err)
{
	struct by_generation parts[WORKER_MAX] = { 0 };
	struct heap *h = b->heap;
	size_t cells = (size_t)h->types_count * GEN_COUNT;
	unsigned threads = h->nodes_count > CHUNK_NODES ? worker_threads() : 1;
	bool is_good = true;

	if (!h->ranges_count)
		return true;
	for (unsigned i = 0; i < threads; i++) {
		parts[i].heap = h;
		parts[i].counts = memory_new(cells, sizeof(uint64_t), err);
		parts[i].bytes = memory_new(cells, sizeof(uint64_t), err);
		is_good = is_good && parts[i].counts && parts[i].bytes;
	}
	is_good = is_good &&
		  worker_run_all(threads, heap_chunks_count(h), count_generations, parts, err) &&
		  generations_gather(b, parts, threads, err);
	for (unsigned i = 0; i < threads; i++) {
		memory_free(parts[i].counts);
		memory_free(parts[i].bytes);
	}
	return is_good;
}

static void
finish_info(struct heap_info *info)
{
	const char **strings[] = { &info->source,  &info->format,    &info->tool,
				   &info->machine, &info->process,   &info->program,
				   &info->pod,     &info->container, &info->log };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (!*strings[i])
			*strings[i] = "";
	}
}

static int
compare_shown(const void *a, const void *b)
{
	const struct type *x = *(struct type *const *)a, *y = *(struct type *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(type_module_file(x), type_module_file(y));
}

/* Types that would look the same keep their raw names, which differ. */
static bool
spell_out_alike(struct heap_builder *b, struct error *err)
{
	struct type **order = memory_new(b->types_count, sizeof *order, err);

	if (!order)
		return false;
	for (type_id t = 0; t < b->types_count; t++)
		order[t] = &b->types[t];
	qsort(order, b->types_count, sizeof *order, compare_shown);
	for (uint32_t first = 0, end; first < b->types_count; first = end) {
		for (end = first + 1;
		     end < b->types_count && !compare_shown(&order[first], &order[end]);)
			end++;
		for (uint32_t i = first; end - first > 1 && i < end; i++)
			order[i]->name = order[i]->short_name = order[i]->raw;
	}
	memory_free(order);
	return true;
}

static bool
gather(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;

	h->types_count = b->types_count;
	if (!heap_builder_async_modules(b, err) || !spell_out_alike(b, err) ||
	    !keep_array(b, &h->types, b->types, b->types_count, sizeof(*b->types), err))
		return false;
	if (!h->has_objects)
		return true;
	if (!finish_objects(b, err) || !finish_ranges(b, err) || !finish_generations(b, err) ||
	    !finish_weak(b, err))
		return false;
	if (b->roots_count)
		qsort(b->roots, b->roots_count, sizeof(*b->roots), compare_roots);
	h->roots_count = b->roots_count;
	return keep_array(b, &h->roots, b->roots, b->roots_count, sizeof(*b->roots), err);
}

const struct heap *
heap_builder_gather(struct heap_builder *b, struct error *err)
{
	b->is_gathered = b->is_gathered || gather(b, err);
	return b->is_gathered ? b->heap : NULL;
}

static bool
finish_all(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;

	if (!heap_builder_gather(b, err))
		return false;
	finish_info(&h->info);
	return keep_array(b, &h->info.warnings, b->warnings, h->info.warnings_count,
			  sizeof(*b->warnings), err);
}

const struct heap *
heap_builder_finish(struct heap_builder *b, struct error *err)
{
	struct heap *h = NULL;

	if (finish_all(b, err)) {
		h = b->heap;
		b->heap = NULL;
	}
	heap_builder_free(b);
	return h;
}
