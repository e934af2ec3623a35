#include "model/heap_packed.h"
#include "model/heap_builder.h"
#include <inttypes.h>
#include <string.h>

/* --- packing -------------------------------------------------------------- */

uint32_t
heap_chunks_count(const struct heap *h)
{
	return (uint32_t)(((uint64_t)h->nodes_count + CHUNK_NODES - 1) >>
			  CHUNK_SHIFT);
}

/* The first of them that is not below `node`. */
static uint32_t
large_from(const struct heap *h, uint64_t node)
{
	uint32_t low = 0, high = h->large_sizes_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (h->large_sizes[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Nothing says where a chunk's references end: behind those of its last. */
static size_t
chunk_refs_len(const struct heap *h, node_id first, node_id last)
{
	struct refs_scan scan;
	struct refs refs;
	node_id target;

	refs_scan_init(&scan, h, last);
	refs = refs_scan_begin(&scan);
	while (refs_next(&refs, &target))
		;
	return (size_t)(refs.at - h->chunks[first >> CHUNK_SHIFT].bytes);
}

void
heap_pack_chunk(const struct heap *h, uint32_t chunk, struct packed_chunk *out)
{
	node_id first = chunk << CHUNK_SHIFT;
	uint64_t end = (uint64_t)first + CHUNK_NODES;

	if (end > h->nodes_count)
		end = h->nodes_count;
	*out = (struct packed_chunk){
		.nodes_count = (uint32_t)(end - first),
		.types = h->types16 ? (const uint8_t *)(h->types16 + first)
				    : (const uint8_t *)(h->types32 + first),
		.size_codes = h->size_codes + first,
		.large_count = large_from(h, end) - large_from(h, first),
		.refs = h->chunks[chunk].bytes,
		.refs_len = chunk_refs_len(h, first, (node_id)(end - 1)),
	};
}

static void
put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t
get_u32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

void
heap_pack_large(const struct heap *h, uint32_t chunk, uint32_t i,
		uint8_t out[PACKED_LARGE_BYTES])
{
	node_id first = chunk << CHUNK_SHIFT;
	const struct large_size *large =
	    &h->large_sizes[large_from(h, first) + i];

	put_u32(out, large->node - first);
	put_u32(out + 4, large->size_low);
	put_u32(out + 8, large->size_high);
}

/* --- taking in ------------------------------------------------------------ */

static bool
is_possible(const struct type *t)
{
	long double count = (long double)t->count;

	/* Nor is it a number of objects that one stands for. */
	if (!(t->multiplier >= 0 && t->multiplier < 1e12F))
		return false;
	if (!t->count)
		return !t->bytes && !t->min_bytes && !t->max_bytes;
	return t->min_bytes <= t->max_bytes &&
	       (long double)t->bytes >= count * (long double)t->min_bytes &&
	       (long double)t->bytes <= count * (long double)t->max_bytes;
}

bool
heap_builder_declare(struct heap_builder *b, const struct type *declared,
		     const uint64_t sizes[SIZE_CODES], struct error *err)
{
	const uint32_t kept =
	    TYPE_ARRAY | TYPE_STRING | TYPE_HAS_REFS | TYPE_UNNAMED;

	for (type_id t = 0; t < b->types_count; t++) {
		struct type *type = &b->types[t];

		if (!is_possible(&declared[t]))
			return error_set(
			    err, ERROR_INPUT,
			    "type %.60s: %" PRIu64 " objects of %" PRIu64
			    " to %" PRIu64 " bytes cannot have %" PRIu64
			    " together",
			    type->name, declared[t].count,
			    declared[t].min_bytes, declared[t].max_bytes,
			    declared[t].bytes);
		type->count = declared[t].count;
		type->bytes = declared[t].bytes;
		type->min_bytes = declared[t].min_bytes;
		type->max_bytes = declared[t].max_bytes;
		type->multiplier = declared[t].multiplier;
		type->flags |= declared[t].flags & kept;
		b->heap->bytes_count += type->bytes;
	}
	memcpy(b->heap->sizes, sizes, sizeof(b->heap->sizes));
	return true;
}

static uint64_t
sum_of(const uint64_t *numbers)
{
	uint64_t sum = 0;

	for (int gen = 0; gen < GEN_COUNT; gen++)
		sum += numbers[gen];
	return sum;
}

bool
heap_builder_declare_generations(struct heap_builder *b, const uint64_t *counts,
				 const uint64_t *bytes, struct error *err)
{
	size_t cells = (size_t)b->types_count * GEN_COUNT;
	struct arena *a = &b->heap->arena;
	uint64_t *kept_counts = arena_array(a, uint64_t, cells, err);
	uint64_t *kept_bytes = arena_array(a, uint64_t, cells, err);

	if (!kept_counts || !kept_bytes)
		return false;
	for (type_id t = 0; t < b->types_count; t++)
		if (sum_of(counts + (size_t)t * GEN_COUNT) !=
			b->types[t].count ||
		    sum_of(bytes + (size_t)t * GEN_COUNT) != b->types[t].bytes)
			return error_set(err, ERROR_INPUT,
					 "type %.60s: its generations do not "
					 "add up",
					 b->types[t].name);
	memcpy(kept_counts, counts, cells * sizeof(*counts));
	memcpy(kept_bytes, bytes, cells * sizeof(*bytes));
	b->heap->generation_counts = kept_counts;
	b->heap->generation_bytes = kept_bytes;
	return true;
}

/* One chunk while it is checked and copied. */
struct taking {
	struct heap_builder *b;
	const struct packed_chunk *p;
	node_id first;
	const uint8_t *at, *end; /* of the references */
	uint32_t large_at;
	uint64_t refs_count;
	uint32_t offsets[CHUNK_NODES >> BLOCK_SHIFT];
	struct large_size *large;
};

static bool
fail_at(const struct taking *t, uint32_t i, const char *what, struct error *err)
{
	return error_set(err, ERROR_INPUT, "object %" PRIu64 ": %s",
			 (uint64_t)t->first + i, what);
}

static inline bool
take_varint(struct taking *t, uint64_t *value)
{
	unsigned shift = 0;
	uint64_t v = 0;

	while (t->at < t->end && shift < 64) {
		uint8_t byte = *t->at++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			*value = v;
			return true;
		}
	}
	return false;
}

static bool
take_refs(struct taking *t, uint32_t i, uint64_t *count, struct error *err)
{
	node_id last = t->first + i;
	uint64_t delta;

	if (!take_varint(t, count) || *count > (uint64_t)(t->end - t->at))
		return fail_at(t, i, "its references are cut", err);
	for (uint64_t k = 0; k < *count; k++) {
		int64_t target;

		if (!take_varint(t, &delta))
			return fail_at(t, i, "its references are cut", err);
		if (__builtin_add_overflow((int64_t)last,
					   varint_unzigzag(delta), &target) ||
		    target < 0 || target >= t->b->heap->nodes_count)
			return fail_at(t, i, "it refers to no object", err);
		last = (node_id)target;
	}
	t->refs_count += *count;
	return true;
}

static bool
take_size(struct taking *t, uint32_t i, uint64_t *size, struct error *err)
{
	uint8_t code = t->p->size_codes[i];
	const uint8_t *entry =
	    t->p->large_sizes + (size_t)t->large_at * PACKED_LARGE_BYTES;

	if (code != SIZE_ESCAPE) {
		*size = t->b->heap->sizes[code];
		return true;
	}
	if (t->large_at == t->p->large_count || get_u32(entry) != i)
		return fail_at(t, i, "its size is missing", err);
	t->large[t->large_at++] =
	    (struct large_size){ t->first + i, get_u32(entry + 4),
				 get_u32(entry + 8) };
	*size = get_u32(entry + 4) | (uint64_t)get_u32(entry + 8) << 32;
	return true;
}

static inline type_id
packed_type(const struct taking *t, uint32_t i)
{
	const uint8_t *at = t->p->types;

	if (t->b->types32)
		return get_u32(at + 4 * (size_t)i);
	return at[2 * (size_t)i] | (type_id)at[2 * (size_t)i + 1] << 8;
}

static bool
take_object(struct taking *t, uint32_t i, struct tally_type *totals,
	    struct error *err)
{
	struct heap_builder *b = t->b;
	type_id type = packed_type(t, i);
	uint64_t size = 0, refs_count = 0;

	if (type >= b->types_count)
		return fail_at(t, i, "there is no such type", err);
	if (b->types16)
		b->types16[t->first + i] = (uint16_t)type;
	else
		b->types32[t->first + i] = type;
	b->node_sizes[t->first + i] = t->p->size_codes[i];
	if (!(i & ((1 << BLOCK_SHIFT) - 1)))
		t->offsets[i >> BLOCK_SHIFT] = (uint32_t)(t->at - t->p->refs);
	if (!take_size(t, i, &size, err) ||
	    (b->types[type].flags & TYPE_HAS_REFS &&
	     !take_refs(t, i, &refs_count, err)))
		return false;
	if (!totals[type].count || size < totals[type].min_bytes)
		totals[type].min_bytes = size;
	if (size > totals[type].max_bytes)
		totals[type].max_bytes = size;
	totals[type].count++;
	totals[type].bytes += size;
	totals[type].refs += refs_count;
	return true;
}

static bool
one_too_many(uint32_t chunk, struct error *err)
{
	return error_set(err, ERROR_INPUT, "chunk %" PRIu32 " is one too many",
			 chunk);
}

/*
 * The heap's arena is for one thread at a time. Another thread may have read
 * the same chunk meanwhile: a file may have one twice and lack another.
 */
static bool
store(struct taking *t, uint32_t chunk, struct error *err)
{
	struct arena *a = &t->b->heap->arena;
	uint32_t blocks =
	    (t->p->nodes_count + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT;
	uint32_t *offsets = NULL;
	uint8_t *refs = NULL;
	bool is_first;

	pthread_mutex_lock(&t->b->lock);
	is_first = !t->b->chunks[chunk].bytes;
	if (is_first)
		offsets = arena_array(a, uint32_t, blocks, err);
	if (offsets)
		refs = arena_array(a, uint8_t, t->p->refs_len, err);
	if (refs) {
		t->b->chunks[chunk] = (struct chunk){ refs, offsets };
		t->b->heap->refs_count += t->refs_count;
	}
	pthread_mutex_unlock(&t->b->lock);
	if (!refs)
		return is_first ? false : one_too_many(chunk, err);
	memcpy(offsets, t->offsets, blocks * sizeof(*offsets));
	if (t->p->refs_len)
		memcpy(refs, t->p->refs, t->p->refs_len);
	t->b->chunk_sizes[chunk] =
	    (struct chunk_sizes){ t->large, t->p->large_count };
	t->large = NULL;
	return true;
}

static bool
take_all(struct taking *t, uint32_t chunk, struct tally_type *totals,
	 struct error *err)
{
	for (uint32_t i = 0; i < t->p->nodes_count; i++)
		if (!take_object(t, i, totals, err))
			return false;
	if (t->at != t->end || t->large_at != t->p->large_count)
		return fail_at(t, t->p->nodes_count,
			       "something is left over behind the last of the "
			       "chunk",
			       err);
	return store(t, chunk, err);
}

bool
heap_builder_take_chunk(struct heap_builder *b, uint32_t chunk,
			const struct packed_chunk *p, struct tally_type *totals,
			struct error *err)
{
	node_id first = chunk << CHUNK_SHIFT;
	struct taking t = { .b = b,
			    .p = p,
			    .first = first,
			    .at = p->refs,
			    .end = p->refs + p->refs_len };
	uint32_t left, wanted;
	bool ok;

	if (chunk >= b->chunks_count)
		return one_too_many(chunk, err);
	left = b->heap->nodes_count - first;
	wanted = left < CHUNK_NODES ? left : CHUNK_NODES;
	if (p->nodes_count != wanted || p->refs_len > UINT32_MAX)
		return error_set(err, ERROR_INPUT,
				 "chunk %" PRIu32 " has %" PRIu32
				 " objects, not %" PRIu32,
				 chunk, p->nodes_count, wanted);
	t.large = memory_new(p->large_count + 1, sizeof(*t.large), err);
	ok = t.large && take_all(&t, chunk, totals, err);
	memory_free(t.large);
	return ok;
}

bool
heap_builder_compare_totals(struct heap_builder *b,
			    struct tally_type *const totals[],
			    unsigned threads_count, struct error *err)
{
	for (type_id t = 0; t < b->types_count; t++) {
		const struct type *type = &b->types[t];
		uint64_t count = 0, bytes = 0, min = UINT64_MAX, max = 0;

		for (unsigned i = 0; i < threads_count; i++) {
			const struct tally_type *part = &totals[i][t];

			if (!part->count)
				continue;
			count += part->count;
			bytes += part->bytes;
			min = part->min_bytes < min ? part->min_bytes : min;
			max = part->max_bytes > max ? part->max_bytes : max;
		}
		if (count != type->count || bytes != type->bytes ||
		    (count &&
		     (min != type->min_bytes || max != type->max_bytes)))
			return error_set(
			    err, ERROR_INPUT,
			    "type %.60s: %" PRIu64 " objects of %" PRIu64
			    " bytes are there, not %" PRIu64 " of %" PRIu64,
			    type->name, count, bytes, type->count, type->bytes);
	}
	return true;
}
