#include "model/heap/packed.h"
#include "model/heap/builder.h"
#include <inttypes.h>
#include <string.h>

/* --- packing -------------------------------------------------------------- */

/* A chunk's references end after those of its last object: decode these. */
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
	node_id first = chunk_first(chunk), end = chunk_end(h, chunk);

	*out = (struct packed_chunk){
		.nodes_count = end - first,
		.types = h->types16 ? (const uint8_t *)(h->types16 + first)
				    : (const uint8_t *)(h->types32 + first),
		.size_codes = h->size_codes + first,
		.large_count = heap_large_from(h, end) - heap_large_from(h, first),
		.refs = h->chunks[chunk].bytes,
		.refs_len = chunk_refs_len(h, first, end - 1),
	};
}

static void
put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void
heap_pack_large(const struct heap *h, uint32_t chunk, uint32_t i, uint8_t out[PACKED_LARGE_BYTES])
{
	node_id first = chunk_first(chunk);
	const struct large_size *large = &h->large_sizes[heap_large_from(h, first) + i];

	put_u32(out, large->node - first);
	put_u32(out + 4, large->size_low);
	put_u32(out + 8, large->size_high);
}

/* --- declaring ------------------------------------------------------------ */

static bool
is_possible(const struct type *t)
{
	long double count = (long double)t->count;

	/* A sampling factor that no sampler would use. */
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
	for (type_id t = 0; t < b->types_count; t++) {
		struct type *type = &b->types[t];

		if (!is_possible(&declared[t]))
			return error_set(err, ERROR_INPUT,
					 "type %.60s: %" PRIu64 " objects of %" PRIu64
					 " to %" PRIu64 " bytes cannot have %" PRIu64 " together",
					 type->name, declared[t].count, declared[t].min_bytes,
					 declared[t].max_bytes, declared[t].bytes);
		type->count = declared[t].count;
		type->bytes = declared[t].bytes;
		type->min_bytes = declared[t].min_bytes;
		type->max_bytes = declared[t].max_bytes;
		type->multiplier = declared[t].multiplier;
		type->flags |= declared[t].flags & TYPE_FLAGS_ALL;
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
	uint64_t *kept_counts, *kept_bytes;

	if (!heap_builder_generations(b, &kept_counts, &kept_bytes, err))
		return false;
	for (type_id t = 0; t < b->types_count; t++)
		if (sum_of(counts + (size_t)t * GEN_COUNT) != b->types[t].count ||
		    sum_of(bytes + (size_t)t * GEN_COUNT) != b->types[t].bytes)
			return error_set(err, ERROR_INPUT,
					 "type %.60s: its generations do not add up",
					 b->types[t].name);
	memcpy(kept_counts, counts, cells * sizeof(*counts));
	memcpy(kept_bytes, bytes, cells * sizeof(*bytes));
	return true;
}

void
heap_builder_keep(struct heap_builder *b, void (*release)(void *kept), void *kept,
		  const struct heap_derived *derived)
{
	b->heap->release = release;
	b->heap->kept = kept;
	b->heap->derived = derived;
}
