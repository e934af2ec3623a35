#include "model/heap/builder.h"
#include <string.h>

enum { REF_BYTES = 5 }; /* longest encoded difference of two 32-bit ids */

struct chunk_builder {
	struct heap_builder *builder;
	uint32_t chunk;
	node_id first, node, end;
	uint8_t *bytes, *at;
	size_t bytes_room;
	uint32_t offsets[CHUNK_NODES >> BLOCK_SHIFT];
	node_id last_target;
	uint64_t refs_left, refs_count;
	bool has_too_many; /* more references than announced */
	struct large_size *sizes;
	uint32_t sizes_count;
	size_t sizes_room;
};

struct chunk_builder *
chunk_builder_new(struct heap_builder *b, struct error *err)
{
	struct chunk_builder *c = memory_new(1, sizeof(*c), err);

	if (c)
		c->builder = b;
	return c;
}

void
chunk_builder_free(struct chunk_builder *c)
{
	if (!c)
		return;
	memory_free(c->bytes);
	memory_free(c->sizes);
	memory_free(c);
}

void
chunk_builder_begin(struct chunk_builder *c, uint32_t chunk)
{
	c->chunk = chunk;
	c->first = c->node = chunk_first(chunk);
	c->end = chunk_end(c->builder->heap, chunk);
	c->at = c->bytes;
	c->refs_left = c->refs_count = 0;
	c->has_too_many = false;
	c->sizes_count = 0;
}

static bool
chunk_reserve(struct chunk_builder *c, uint64_t refs_count, struct error *err)
{
	size_t used = (size_t)(c->at - c->bytes), wanted;

	if (used > UINT32_MAX)
		return error_set(err, ERROR_INPUT,
				 "65,536 neighbouring objects have more references than fit in 4 "
				 "GiB");
	wanted = used + VARINT_MAX_BYTES + refs_count * REF_BYTES;
	if (!MAKE_ROOM(c->bytes, wanted, c->bytes_room, err))
		return false;
	c->at = c->bytes + used;
	return true;
}

static bool
chunk_large_size(struct chunk_builder *c, uint64_t size, struct error *err)
{
	return APPEND(c->sizes, c->sizes_count, c->sizes_room, err,
		      (struct large_size){
			  .node = c->node,
			  .size_low = (uint32_t)size,
			  .size_high = (uint32_t)(size >> 32),
		      });
}

bool
chunk_builder_object(struct chunk_builder *c, type_id type, uint64_t size, uint64_t refs_count,
		     struct error *err)
{
	struct heap_builder *b = c->builder;
	uint8_t code = SIZE_ESCAPE;

	if (c->node == c->end || c->refs_left || (refs_count && !b->type_refs[type]))
		return heap_builder_changed(err);
	if (b->types16)
		b->types16[c->node] = (uint16_t)type;
	else
		b->types32[c->node] = type;
	if (size < TALLY_SIZES)
		code = b->size_codes[size];
	if (code == SIZE_ESCAPE && !chunk_large_size(c, size, err))
		return false;
	b->node_sizes[c->node] = code;
	if (!chunk_reserve(c, refs_count, err))
		return false;
	if (!(c->node & ((1 << BLOCK_SHIFT) - 1)))
		c->offsets[(c->node - c->first) >> BLOCK_SHIFT] = (uint32_t)(c->at - c->bytes);
	if (b->type_refs[type])
		c->at = varint_put(c->at, refs_count);
	c->last_target = c->node++;
	c->refs_left = refs_count;
	c->refs_count += refs_count;
	return true;
}

void
chunk_builder_ref(struct chunk_builder *c, node_id target)
{
	if (!c->refs_left) {
		c->has_too_many = true;
		return;
	}
	c->at = varint_put(c->at, varint_zigzag((int64_t)target - (int64_t)c->last_target));
	c->last_target = target;
	c->refs_left--;
}

static bool
chunk_store(struct chunk_builder *c, struct error *err)
{
	struct heap_builder *b = c->builder;
	struct arena *a = &b->heap->arena;
	size_t blocks = (c->end - c->first + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT;
	uint32_t *offsets = arena_array(a, uint32_t, blocks, err);
	uint8_t *bytes = arena_array(a, uint8_t, (size_t)(c->at - c->bytes), err);
	struct chunk_sizes *kept = &b->chunk_sizes[c->chunk];

	if (!offsets || !bytes)
		return false;
	memcpy(offsets, c->offsets, blocks * sizeof(*offsets));
	if (c->at != c->bytes)
		memcpy(bytes, c->bytes, (size_t)(c->at - c->bytes));
	b->chunks[c->chunk] = (struct chunk){ bytes, offsets };
	b->heap->refs_count += c->refs_count;
	if (!c->sizes_count)
		return true;
	kept->sizes = memory_new(c->sizes_count, sizeof(*kept->sizes), err);
	if (!kept->sizes)
		return false;
	memcpy(kept->sizes, c->sizes, c->sizes_count * sizeof(*c->sizes));
	kept->count = c->sizes_count;
	return true;
}

bool
chunk_builder_end(struct chunk_builder *c, struct error *err)
{
	bool ok;

	if (c->node != c->end || c->refs_left || c->has_too_many)
		return heap_builder_changed(err);
	pthread_mutex_lock(&c->builder->lock);
	ok = chunk_store(c, err);
	pthread_mutex_unlock(&c->builder->lock);
	return ok;
}
