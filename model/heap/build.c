#include "model/base/format.h"
#include "model/heap/builder.h"
#include "model/heap/memory.h"
#include "model/base/hash.h"
#include "model/heap/names.h"
#include "model/base/seed.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES_NARROW = UINT16_MAX + 1 };

struct heap_builder *
heap_builder_new(struct error *err)
{
	struct heap_builder *b = memory_new(1, sizeof(*b), err);

	if (!b)
		return NULL;
	pthread_mutex_init(&b->lock, NULL);
	b->heap = memory_new(1, sizeof(*b->heap), err);
	b->addresses = addresses_new(err);
	if (!b->heap || !b->addresses) {
		heap_builder_free(b);
		return NULL;
	}
	arena_init(&b->heap->arena, 0);
	b->heap->info =
	    (struct heap_info){ .is_64bit = true, .count_multiplier = 1, .size_multiplier = 1 };
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
	/* The preview shows names in this arena, unless a heap owns it now. */
	if (b->heap)
		preview_withdraw(b->preview);
	tallies_free(b);
	for (uint32_t i = 0; b->chunk_sizes && i < b->chunks_count; i++)
		memory_free(b->chunk_sizes[i].sizes);
	memory_free(b->chunk_sizes);
	memory_free(b->types);
	u64_map_clear(&b->types_index);
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

static bool
is_type(const struct type *type, const char *raw, size_t raw_len, const char *module)
{
	return !strncmp(type->raw, raw, raw_len) && !type->raw[raw_len] &&
	       !strcmp(type->module, module);
}

/* Whether a source made the name up from a number. */
static bool
is_made_up(const char *raw, size_t len)
{
	static const char *const beginnings[] = { "UNKNOWN 0x", "Type(", "ArrayType(", "TypeID(" };

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (len > strlen(beginnings[i]) &&
		    !memcmp(raw, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static uint32_t
type_flags(const char *raw, size_t len)
{
	size_t at = len;

	if (len == strlen("System.String") && !memcmp(raw, "System.String", len))
		return TYPE_STRING;
	if (len > 2 && raw[len - 1] == ']')
		return TYPE_ARRAY;
	/* Events spell two dimensions and more "System.Int32<,>". */
	if (len > 3 && raw[len - 1] == '>' && raw[len - 2] == ',') {
		for (at = len - 2; at && raw[at - 1] == ','; at--)
			;
		if (at && raw[at - 1] == '<')
			return TYPE_ARRAY;
	}
	return 0;
}

static bool
type_init(struct heap_builder *b, struct type *type, const char *raw, size_t raw_len,
	  const char *module, struct error *err)
{
	struct arena *a = &b->heap->arena;
	struct display_name names;

	*type = (struct type){ .multiplier = 1,
			       .min_bytes = UINT64_MAX,
			       .flags = type_flags(raw, raw_len) };
	if (is_made_up(raw, raw_len))
		type->flags |= TYPE_UNNAMED;
	type->raw = arena_strndup(a, raw, raw_len, err);
	/* Sources list the types of a module together. */
	if (b->types_count && !strcmp(type[-1].module, module))
		type->module = type[-1].module;
	else
		type->module = arena_strndup(a, module, strlen(module), err);
	if (!type->raw || !type->module || !name_display(type->raw, a, &names, err))
		return false;
	type->name = names.full;
	type->short_name = names.brief;
	return true;
}

type_id
heap_builder_type(struct heap_builder *b, const char *raw, const char *module, struct error *err)
{
	size_t raw_len = name_folded_len(raw, strlen(raw));
	uint64_t key = type_hash(raw, raw_len, module);
	type_id known;

	U64_MAP_FIND(known, &b->types_index, key, is_type(&b->types[known], raw, raw_len, module));
	if (known != U64_MAP_NONE)
		return known;
	if (b->types_count > UINT32_MAX / 8) {
		error_set(err, ERROR_INPUT, "more than %u types", b->types_count);
		return TYPE_NONE;
	}
	if (!MAKE_ROOM(b->types, b->types_count + 1, b->types_room, err) ||
	    !type_init(b, &b->types[b->types_count], raw, raw_len, module, err) ||
	    !u64_map_put(&b->types_index, key, b->types_count, err))
		return TYPE_NONE;
	return b->types_count++;
}

void
heap_builder_type_multiplier(struct heap_builder *b, type_id type, float multiplier)
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
	staged->types_count = b->types_count;
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

/* Encodes the most frequent sizes in one byte; all others are listed. */
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
			sizes[count++] = (struct frequent_size){ objects, size };
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
heap_builder_publish(struct heap_builder *b, struct preview *preview, uint64_t seen, uint64_t total,
		     bool is_final, struct error *err)
{
	struct type *types;
	bool ok;

	if (!preview)
		return true;
	b->preview = preview;
	types = memory_new(b->types_count, sizeof(*types), err);
	if (!types)
		return false;
	if (b->types_count)
		memcpy(types, b->types, b->types_count * sizeof(*types));
	for (struct staged_tally *s = b->tallies; s; s = s->next) {
		uint64_t refs = 0;

		for (type_id t = 0; t < s->types_count; t++)
			total_add(&types[t], &s->tally.types[t], &refs);
	}
	ok = preview_publish(preview, types, b->types_count, seen, total, is_final, err);
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
		for (type_id t = 0; t < s->types_count; t++)
			total_add(&b->types[t], &s->tally.types[t], &b->type_refs[t]);
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
	return error_set(err, ERROR_INPUT, "the input changed while it was being read");
}

/* --- objects --- */

struct addresses *
heap_builder_addresses(struct heap_builder *b)
{
	return b->addresses;
}

bool
heap_is_too_large(uint64_t objects_count, uint64_t needed_bytes, uint64_t allowed_bytes,
		  struct error *err)
{
	uint64_t mib = (needed_bytes >> 20) + 1;
	char objects[FORMAT_BYTES];

	error_clear(err);
	error_set(err, ERROR_SYSTEM,
		  "%s%s%s needs about %" PRIu64 " MiB, and %" PRIu64
		  " MiB may be used; --mem %" PRIu64 "M allows it, or :set mem=%" PRIu64
		  "M and :read-again%s",
		  objects_count ? "the heap of " : "reading this heap",
		  objects_count ? format_count(objects_count, objects) : "",
		  objects_count ? " objects" : "", mib, allowed_bytes >> 20, mib, mib,
		  objects_count ? "; only its types are there without" : "");
	err->is_limit = true;
	err->needed_bytes = needed_bytes;
	return false;
}

bool
heap_builder_fits(uint64_t objects_count, uint64_t bytes, struct error *err)
{
	uint64_t most = memory_limit_bytes(), all = memory_held() + bytes;

	return !most || all <= most || heap_is_too_large(objects_count, all, most, err);
}

bool
heap_builder_objects(struct heap_builder *b, struct error *err)
{
	struct arena *a = &b->heap->arena;
	uint32_t count = addresses_count(b->addresses);
	uint32_t chunks;

	b->heap->nodes_count = count;
	chunks = heap_chunks_count(b->heap);
	b->heap->has_objects = true;
	if (b->types_count <= TYPES_NARROW)
		b->types16 = arena_array(a, uint16_t, count, err);
	else
		b->types32 = arena_array(a, uint32_t, count, err);
	b->node_sizes = arena_array(a, uint8_t, count, err);
	b->chunks = arena_array(a, struct chunk, chunks, err);
	b->chunk_sizes = memory_new(chunks, sizeof(*b->chunk_sizes), err);
	if ((!b->types16 && !b->types32) || !b->node_sizes || !b->chunks || !b->chunk_sizes)
		return false;
	b->chunks_count = chunks;
	return true;
}

/* --- roots, ranges, info --- */

bool
heap_builder_root(struct heap_builder *b, node_id object, enum root_kind kind, bool is_pinned,
		  const char *name, const char *label, struct error *err)
{
	if (object == NODE_NONE) {
		b->heap->info.losses.undefined_roots++;
		return true;
	}
	return APPEND(b->roots, b->roots_count, b->roots_room, err,
		      (struct root){
			  .object = object,
			  .kind = (uint8_t)kind,
			  .is_pinned = is_pinned,
			  .name = name ? name : "",
			  .label = label ? label : "",
		      });
}

bool
heap_builder_weak(struct heap_builder *b, node_id object, uint32_t count, struct error *err)
{
	if (!count)
		return true;
	return APPEND(b->weak, b->weak_count, b->weak_room, err, (struct weak){ object, count });
}

bool
heap_builder_range(struct heap_builder *b, uint64_t start, uint64_t end, enum generation gen,
		   int32_t heap_number, struct error *err)
{
	if (start >= end)
		return true;
	return APPEND(b->ranges, b->ranges_count, b->ranges_room, err,
		      (struct range){
			  .start = start,
			  .end = end,
			  .generation = (uint8_t)gen,
			  .heap_number = heap_number,
		      });
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
heap_builder_warning(struct heap_builder *b, struct error *err, const char *format, ...)
{
	struct heap_info *info = &b->heap->info;
	char text[512];
	va_list args;
	char *copy;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_strndup(&b->heap->arena, text, strlen(text), err);
	return copy && APPEND(b->warnings, info->warnings_count, b->warnings_room, err, copy);
}
