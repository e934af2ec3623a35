#include "model/heap_builder.h"
#include "model/heap_memory.h"
#include "model/hash.h"
#include "model/names.h"
#include "model/seed.h"
#include "model/worker.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES_START = 256 /* a power of 2 */, TYPES_NARROW = UINT16_MAX + 1 };

struct heap_builder *
heap_builder_new(struct error *err)
{
	struct heap_builder *b = memory_new(1, sizeof(*b), err);

	if (!b)
		return NULL;
	pthread_mutex_init(&b->lock, NULL);
	b->heap = memory_new(1, sizeof(*b->heap), err);
	b->addresses = addresses_new(err);
	b->slots = memory_new(TYPES_START * 2, sizeof(*b->slots), err);
	b->slots_mask = TYPES_START * 2 - 1;
	if (!b->heap || !b->addresses || !b->slots) {
		heap_builder_free(b);
		return NULL;
	}
	arena_init(&b->heap->arena, 0);
	b->heap->info = (struct heap_info){ .is_64bit = true,
					    .count_multiplier = 1,
					    .size_multiplier = 1 };
	memset(b->size_codes, SIZE_ESCAPE, sizeof(b->size_codes));
	return b;
}

static void
tallies_free(struct heap_builder *b)
{
	while (b->tallies) {
		struct staged_tally *next = b->tallies->next;

		memory_free(b->tallies->tally.types);
		memory_free(b->tallies->tally.sizes);
		memory_free(b->tallies);
		b->tallies = next;
	}
}

void
heap_builder_free(struct heap_builder *b)
{
	if (!b)
		return;
	/* It shows names that are about to go, unless a heap has them now. */
	if (b->heap)
		preview_withdraw(b->preview);
	tallies_free(b);
	for (uint32_t i = 0; b->chunk_sizes && i < b->chunks_count; i++)
		memory_free(b->chunk_sizes[i].sizes);
	memory_free(b->chunk_sizes);
	memory_free(b->types);
	memory_free(b->slots);
	memory_free(b->type_refs);
	memory_free(b->roots);
	memory_free(b->weak);
	memory_free(b->ranges);
	memory_free(b->warnings);
	addresses_free(b->addresses);
	heap_free(b->heap);
	pthread_mutex_destroy(&b->lock);
	memory_free(b);
}

struct arena *
heap_builder_arena(struct heap_builder *b)
{
	return &b->heap->arena;
}

/* --- types --- */

static uint64_t
type_hash(const char *raw, size_t raw_len, const char *module)
{
	uint64_t hash = hash_bytes(seed_random(), raw, raw_len);

	hash = hash_bytes(hash, "", 1);
	return hash_text(hash, module);
}

/* The slot of a type, or the free one where it belongs. */
static type_id *
type_slot(const struct heap_builder *b, const char *raw, size_t raw_len,
	  const char *module)
{
	uint64_t at = type_hash(raw, raw_len, module);

	for (;; at++) {
		type_id *slot = &b->slots[(at ^ at >> 32) & b->slots_mask];
		const struct type *type;

		if (!*slot)
			return slot;
		type = &b->types[*slot - 1];
		if (!strncmp(type->raw, raw, raw_len) && !type->raw[raw_len] &&
		    !strcmp(type->module, module))
			return slot;
	}
}

static bool
type_slots_grow(struct heap_builder *b, struct error *err)
{
	uint32_t slots_count = (b->slots_mask + 1) * 2;
	type_id *slots = memory_new(slots_count, sizeof(*slots), err);

	if (!slots)
		return false;
	memory_free(b->slots);
	b->slots = slots;
	b->slots_mask = slots_count - 1;
	for (type_id t = 0; t < b->types_count; t++) {
		const struct type *type = &b->types[t];

		*type_slot(b, type->raw, strlen(type->raw), type->module) =
		    t + 1;
	}
	return true;
}

static uint32_t
type_flags(const char *raw, size_t len)
{
	size_t at = len;

	if (len == strlen("System.String") &&
	    !memcmp(raw, "System.String", len))
		return TYPE_STRING;
	if (len > 2 && raw[len - 1] == ']')
		return TYPE_ARRAY;
	/* Two dimensions and more are spelt "System.Int32<,>" in events. */
	if (len > 3 && raw[len - 1] == '>' && raw[len - 2] == ',') {
		for (at = len - 2; at && raw[at - 1] == ','; at--)
			;
		if (at && raw[at - 1] == '<')
			return TYPE_ARRAY;
	}
	return 0;
}

static bool
type_init(struct heap_builder *b, struct type *type, const char *raw,
	  size_t raw_len, const char *module, struct error *err)
{
	struct arena *a = &b->heap->arena;
	struct display_name names;

	*type = (struct type){ .multiplier = 1,
			       .min_bytes = UINT64_MAX,
			       .flags = type_flags(raw, raw_len) };
	type->raw = arena_strndup(a, raw, raw_len, err);
	/* Types of one module come together. */
	if (b->types_count && !strcmp(type[-1].module, module))
		type->module = type[-1].module;
	else
		type->module = arena_strndup(a, module, strlen(module), err);
	if (!type->raw || !type->module ||
	    !name_display(type->raw, a, &names, err))
		return false;
	type->name = names.full;
	type->short_name = names.brief;
	return true;
}

type_id
heap_builder_type(struct heap_builder *b, const char *raw, const char *module,
		  struct error *err)
{
	size_t raw_len = name_folded_len(raw, strlen(raw));
	type_id *slot = type_slot(b, raw, raw_len, module);

	if (*slot)
		return *slot - 1;
	if (b->types_count * 2 >= b->slots_mask) {
		if (b->types_count > UINT32_MAX / 8) {
			error_set(err, ERROR_INPUT, "more than %u types",
				  b->types_count);
			return TYPE_NONE;
		}
		if (!type_slots_grow(b, err))
			return TYPE_NONE;
		slot = type_slot(b, raw, raw_len, module);
	}
	if (!memory_make_room(&b->types, b->types_count, &b->types_room,
			      sizeof(*b->types), err) ||
	    !type_init(b, &b->types[b->types_count], raw, raw_len, module, err))
		return TYPE_NONE;
	*slot = ++b->types_count;
	return b->types_count - 1;
}

void
heap_builder_type_multiplier(struct heap_builder *b, type_id type,
			     float multiplier)
{
	b->types[type].multiplier = multiplier;
}

void
heap_builder_type_flags(struct heap_builder *b, type_id type, uint32_t flags)
{
	b->types[type].flags |= flags;
}

uint32_t
heap_builder_types_count(const struct heap_builder *b)
{
	return b->types_count;
}

const struct type *
heap_builder_types(const struct heap_builder *b)
{
	return b->types;
}

/* --- totals --- */

struct tally *
heap_builder_tally(struct heap_builder *b, struct error *err)
{
	struct staged_tally *staged = memory_new(1, sizeof(*staged), err);
	struct tally *tally;

	if (!staged)
		return NULL;
	tally = &staged->tally;
	staged->next = b->tallies;
	b->tallies = staged;
	tally->types = memory_new(b->types_count, sizeof(*tally->types), err);
	tally->sizes = memory_new(TALLY_SIZES, sizeof(*tally->sizes), err);
	if (!tally->types || !tally->sizes)
		return NULL;
	for (type_id t = 0; t < b->types_count; t++)
		tally->types[t].min_bytes = UINT64_MAX;
	return tally;
}

static void
total_add(struct type *type, const struct tally_type *tally, uint64_t *refs)
{
	type->count += tally->count;
	type->bytes += tally->bytes;
	*refs += tally->refs;
	if (tally->min_bytes < type->min_bytes)
		type->min_bytes = tally->min_bytes;
	if (tally->max_bytes > type->max_bytes)
		type->max_bytes = tally->max_bytes;
	if (tally->refs)
		type->flags |= TYPE_HAS_REFS;
}

struct frequent_size {
	uint64_t count;
	uint32_t size;
};

static int
compare_frequent(const void *a, const void *b)
{
	const struct frequent_size *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->size > y->size) - (x->size < y->size);
}

/* One byte for each of the most frequent sizes; the others are listed. */
static bool
choose_size_codes(struct heap_builder *b, struct error *err)
{
	struct frequent_size *sizes;
	uint32_t count = 0;

	sizes = memory_new(TALLY_SIZES, sizeof(*sizes), err);
	if (!sizes)
		return false;
	for (uint32_t size = 0; size < TALLY_SIZES; size++) {
		uint64_t objects = 0;

		for (struct staged_tally *s = b->tallies; s; s = s->next)
			objects += s->tally.sizes[size];
		if (objects)
			sizes[count++] =
			    (struct frequent_size){ objects, size };
	}
	qsort(sizes, count, sizeof(*sizes), compare_frequent);
	if (count > SIZE_CODES)
		count = SIZE_CODES;
	for (uint32_t i = 0; i < count; i++) {
		b->heap->sizes[i] = sizes[i].size;
		b->size_codes[sizes[i].size] = (uint8_t)i;
	}
	memory_free(sizes);
	return true;
}

bool
heap_builder_publish(struct heap_builder *b, struct preview *preview,
		     uint64_t seen, uint64_t total, bool is_final,
		     struct error *err)
{
	struct type *types;
	bool ok;

	if (!preview)
		return true;
	b->preview = preview;
	types = memory_new(b->types_count, sizeof(*types), err);
	if (!types)
		return false;
	for (type_id t = 0; t < b->types_count; t++) {
		uint64_t refs = 0;

		types[t] = b->types[t];
		for (struct staged_tally *s = b->tallies; s; s = s->next)
			total_add(&types[t], &s->tally.types[t], &refs);
	}
	ok = preview_publish(preview, types, b->types_count, seen, total,
			     is_final, err);
	memory_free(types);
	return ok;
}

bool
heap_builder_totals(struct heap_builder *b, struct error *err)
{
	b->type_refs = memory_new(b->types_count, sizeof(*b->type_refs), err);
	if (!b->type_refs)
		return false;
	for (struct staged_tally *s = b->tallies; s; s = s->next) {
		for (type_id t = 0; t < b->types_count; t++)
			total_add(&b->types[t], &s->tally.types[t],
				  &b->type_refs[t]);
	}
	for (type_id t = 0; t < b->types_count; t++) {
		b->heap->bytes_count += b->types[t].bytes;
		if (!b->types[t].count)
			b->types[t].min_bytes = 0;
	}
	if (!choose_size_codes(b, err))
		return false;
	tallies_free(b);
	return true;
}

bool
heap_builder_changed(struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "the input changed while it was being read");
}

/* --- objects --- */

struct addresses *
heap_builder_addresses(struct heap_builder *b)
{
	return b->addresses;
}

bool
heap_builder_objects(struct heap_builder *b, struct error *err)
{
	struct arena *a = &b->heap->arena;
	uint32_t count = addresses_count(b->addresses);
	uint32_t chunks =
	    (uint32_t)(((uint64_t)count + CHUNK_NODES - 1) >> CHUNK_SHIFT);

	b->heap->nodes_count = count;
	b->heap->has_objects = true;
	if (b->types_count <= TYPES_NARROW)
		b->types16 = arena_array(a, uint16_t, count, err);
	else
		b->types32 = arena_array(a, uint32_t, count, err);
	b->node_sizes = arena_array(a, uint8_t, count, err);
	b->chunks = arena_array(a, struct chunk, chunks, err);
	b->chunk_sizes = memory_new(chunks, sizeof(*b->chunk_sizes), err);
	if ((!b->types16 && !b->types32) || !b->node_sizes || !b->chunks ||
	    !b->chunk_sizes)
		return false;
	memory_want_large_pages(b->types16 ? (void *)b->types16 : b->types32,
				(size_t)count * (b->types16 ? 2 : 4));
	memory_want_large_pages(b->node_sizes, count);
	b->chunks_count = chunks;
	return true;
}

/* --- roots, ranges, info --- */

bool
heap_builder_root(struct heap_builder *b, node_id object, enum root_kind kind,
		  bool is_pinned, const char *name, const char *label,
		  struct error *err)
{
	if (object == NODE_NONE) {
		b->heap->info.losses.undefined_roots++;
		return true;
	}
	if (!memory_make_room(&b->roots, b->roots_count, &b->roots_room,
			      sizeof(*b->roots), err))
		return false;
	b->roots[b->roots_count++] = (struct root){
		.object = object,
		.kind = (uint8_t)kind,
		.is_pinned = is_pinned,
		.name = name ? name : "",
		.label = label ? label : "",
	};
	return true;
}

bool
heap_builder_weak(struct heap_builder *b, node_id object, uint32_t count,
		  struct error *err)
{
	if (!count)
		return true;
	if (!memory_make_room(&b->weak, b->weak_count, &b->weak_room,
			      sizeof(*b->weak), err))
		return false;
	b->weak[b->weak_count++] = (struct weak){ object, count };
	return true;
}

bool
heap_builder_range(struct heap_builder *b, uint64_t start, uint64_t end,
		   enum generation gen, int32_t heap_number, struct error *err)
{
	if (start >= end)
		return true;
	if (!memory_make_room(&b->ranges, b->ranges_count, &b->ranges_room,
			      sizeof(*b->ranges), err))
		return false;
	b->ranges[b->ranges_count++] = (struct range){
		.start = start,
		.end = end,
		.generation = (uint8_t)gen,
		.heap_number = heap_number,
	};
	return true;
}

struct heap_memory *
heap_builder_memory(struct heap_builder *b, struct error *err)
{
	if (!b->memory) {
		b->memory = arena_new(&b->heap->arena, struct heap_memory, err);
		b->heap->memory = b->memory;
	}
	return b->memory;
}

struct heap_info *
heap_builder_info(struct heap_builder *b)
{
	return &b->heap->info;
}

bool
heap_builder_warning(struct heap_builder *b, struct error *err,
		     const char *format, ...)
{
	struct heap_info *info = &b->heap->info;
	char text[512];
	va_list args;
	char *copy;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_strndup(&b->heap->arena, text, strlen(text), err);
	if (!copy ||
	    !memory_make_room(&b->warnings, info->warnings_count,
			      &b->warnings_room, sizeof(*b->warnings), err))
		return false;
	b->warnings[info->warnings_count++] = copy;
	return true;
}

/* --- finishing --- */

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

static int
compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static int
compare_weak(const void *a, const void *b)
{
	const struct weak *x = a, *y = b;

	return (x->object > y->object) - (x->object < y->object);
}

/* A copy in the heap's arena; `kept` is the address of a pointer to it. */
static bool
keep_array(struct heap_builder *b, void *kept, const void *array,
	   uint32_t count, size_t size, struct error *err)
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
	sizes = arena_array(&h->arena, struct large_size, h->large_sizes_count,
			    err);
	if (!sizes)
		return false;
	for (uint32_t i = 0; i < b->chunks_count; i++) {
		struct chunk_sizes *chunk = &b->chunk_sizes[i];

		if (chunk->count)
			memcpy(sizes + at, chunk->sizes,
			       chunk->count * sizeof(*sizes));
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
	if (b->columns) /* they are the heap's already */
		return true;
	h->types16 = b->types16;
	h->types32 = b->types32;
	h->size_codes = b->node_sizes;
	return finish_large_sizes(b, err);
}

/* Overlapping ranges would count objects twice: the later one gives way. */
static bool
finish_ranges(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;
	uint32_t kept = 0, dropped = 0;

	if (!b->ranges_count)
		return true;
	qsort(b->ranges, b->ranges_count, sizeof(*b->ranges), compare_ranges);
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
	if (dropped &&
	    !heap_builder_warning(
		b, err, "%u memory ranges overlap others and were left out",
		dropped))
		return false;
	return keep_array(b, &h->ranges, b->ranges, kept, sizeof(*b->ranges),
			  err);
}

static bool
finish_weak(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;
	uint32_t kept = 0;

	if (b->weak_count)
		qsort(b->weak, b->weak_count, sizeof(*b->weak), compare_weak);
	for (uint32_t i = 0; i < b->weak_count; i++) {
		if (kept && b->weak[kept - 1].object == b->weak[i].object)
			b->weak[kept - 1].count += b->weak[i].count;
		else
			b->weak[kept++] = b->weak[i];
	}
	h->weak_count = kept;
	return keep_array(b, &h->weak, b->weak, kept, sizeof(*b->weak), err);
}

/* Counts and bytes by type and generation, each thread its own. */
struct by_generation {
	const struct heap *heap;
	uint64_t *counts, *bytes;
};

/* The first range that ends behind the object. */
static uint32_t
range_of(const struct heap *h, node_id n)
{
	uint32_t low = 0, high = h->ranges_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (h->ranges[middle].first + h->ranges[middle].count <= n)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A worker_run: one chunk. */
static bool
count_generations(void *context, uint64_t chunk, unsigned thread,
		  struct error *err)
{
	struct by_generation *g = &((struct by_generation *)context)[thread];
	const struct heap *h = g->heap;
	node_id first = (node_id)(chunk << CHUNK_SHIFT);
	node_id end = h->nodes_count - first < CHUNK_NODES
			  ? h->nodes_count
			  : first + CHUNK_NODES;
	uint32_t range = range_of(h, first);

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

static bool
generations_gather(struct heap *h, struct by_generation *parts, unsigned count,
		   struct error *err)
{
	size_t cells = (size_t)h->types_count * GEN_COUNT;
	uint64_t *counts = arena_array(&h->arena, uint64_t, cells, err);
	uint64_t *bytes = arena_array(&h->arena, uint64_t, cells, err);

	for (unsigned i = 0; i < count && counts && bytes; i++)
		for (size_t cell = 0; cell < cells; cell++) {
			counts[cell] += parts[i].counts[cell];
			bytes[cell] += parts[i].bytes[cell];
		}
	h->generation_counts = counts;
	h->generation_bytes = bytes;
	return counts && bytes;
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
		  worker_run_all(threads,
				 ((uint64_t)h->nodes_count + CHUNK_NODES - 1) >>
				     CHUNK_SHIFT,
				 count_generations, parts, err) &&
		  generations_gather(h, parts, threads, err);
	for (unsigned i = 0; i < threads; i++) {
		memory_free(parts[i].counts);
		memory_free(parts[i].bytes);
	}
	return is_good;
}

bool
heap_builder_generations(struct heap_builder *b, uint64_t **counts,
			 uint64_t **bytes, struct error *err)
{
	size_t cells = (size_t)b->types_count * GEN_COUNT;
	struct heap *h = b->heap;

	h->generation_counts = *counts =
	    arena_array(&h->arena, uint64_t, cells, err);
	h->generation_bytes = *bytes =
	    arena_array(&h->arena, uint64_t, cells, err);
	return *counts && *bytes;
}

static void
finish_info(struct heap_info *info)
{
	const char **strings[] = { &info->source,  &info->format,  &info->tool,
				   &info->machine, &info->process, &info->log };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if (!*strings[i])
			*strings[i] = "";
	}
}

static bool
finish_all(struct heap_builder *b, struct error *err)
{
	struct heap *h = b->heap;

	h->types_count = b->types_count;
	if (!keep_array(b, &h->types, b->types, b->types_count,
			sizeof(*b->types), err))
		return false;
	if (h->has_objects) {
		if (!finish_objects(b, err) || !finish_ranges(b, err) ||
		    !finish_generations(b, err) || !finish_weak(b, err))
			return false;
		if (b->roots_count)
			qsort(b->roots, b->roots_count, sizeof(*b->roots),
			      compare_roots);
		h->roots_count = b->roots_count;
		if (!keep_array(b, &h->roots, b->roots, b->roots_count,
				sizeof(*b->roots), err))
			return false;
	}
	finish_info(&h->info);
	return keep_array(b, &h->info.warnings, b->warnings,
			  h->info.warnings_count, sizeof(*b->warnings), err);
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
