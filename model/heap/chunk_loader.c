/* Checks and loads one chunk of a packed heap: types, sizes, references. */
#include "model/heap/builder.h"
#include "model/heap/packed.h"
#include <inttypes.h>
#include <string.h>

/* Varints are decoded without branches on their unpredictable length. */
enum { WORD_BYTES = 8, MASK_BYTES = 64 };

/* The longest number: differences of two ids have 33 bits. PAST_LONGEST plus the index of a
   number's last byte is 8 or more if it is longer than that. */
enum { NUMBER_BYTES = 5, PAST_LONGEST = WORD_BYTES - NUMBER_BYTES };

struct loaded_type { /* in an order that keeps gcc from vectorizing badly */
	uint64_t count, min_bytes, bytes, max_bytes;
};

/* The position among the numbers of a chunk's references. */
struct ref_position {
	uint64_t next_count; /* numbers before the next count of references */
	uint64_t last;       /* the object that the next difference adds to */
	uint64_t highest;    /* object seen */
	uint64_t numbers_done;
	uint32_t holders_done;
};

struct chunk_loader {
	struct heap_builder *b;
	/* Two by type, for even and odd objects: consecutive objects are mostly of one type, and
	   one sum would make each addition wait. */
	struct loaded_type *totals;
	uint64_t sizes[SIZE_CODES + 1];
	uint8_t *has_refs; /* indexed by type */

	const struct packed_chunk *p;
	node_id first;
	struct large_size *large;
	node_id large_base; /* ids of large sizes are relative to this one */
	uint64_t refs_count;

	/* Objects that may have references, and the offsets of their records.
	 */
	uint16_t holders[CHUNK_NODES + MASK_BYTES + 1];
	uint32_t holder_starts[CHUNK_NODES + MASK_BYTES + 1];
	uint32_t holders_count;
	/* Holders before each block; finally, the block's offset. */
	uint32_t offsets[CHUNK_NODES >> BLOCK_SHIFT];
};

static uint32_t
get_u32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline bool
types_are_wide(const struct heap_builder *b)
{
	return b->types_count > UINT16_MAX + 1;
}

struct chunk_loader *
chunk_loader_new(struct heap_builder *b, struct error *err)
{
	struct chunk_loader *t = memory_new(1, sizeof(*t), err);

	if (!t)
		return NULL;
	t->b = b;
	t->totals = memory_new(b->types_count, 2 * sizeof(*t->totals), err);
	t->has_refs = memory_new(b->types_count, 1, err);
	if (!t->totals || !t->has_refs) {
		chunk_loader_free(t);
		return NULL;
	}
	for (type_id type = 0; type < b->types_count; type++) {
		t->totals[2 * type].min_bytes = UINT64_MAX;
		t->totals[2 * type + 1].min_bytes = UINT64_MAX;
		t->has_refs[type] = (b->types[type].flags & TYPE_HAS_REFS) != 0;
	}
	memcpy(t->sizes, b->heap->sizes, sizeof(b->heap->sizes));
	return t;
}

void
chunk_loader_free(struct chunk_loader *t)
{
	if (!t)
		return;
	memory_free(t->totals);
	memory_free(t->has_refs);
	memory_free(t);
}

static bool
fail_at(const struct chunk_loader *t, uint32_t i, const char *what, struct error *err)
{
	return error_set(err, ERROR_INPUT, "object %" PRIu64 ": %s", (uint64_t)t->first + i, what);
}

/* ---- types and sizes ---- */

static inline type_id
packed_type(const uint8_t *types, bool is_wide, uint32_t i)
{
	uint16_t narrow;

	if (is_wide)
		return get_u32(types + 4 * (size_t)i);
	memcpy(&narrow, types + 2 * (size_t)i, sizeof(narrow));
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? narrow : __builtin_bswap16(narrow);
}

static bool
check_types(const struct chunk_loader *t, struct error *err)
{
	const uint8_t *types = t->p->types;
	uint32_t count = t->p->nodes_count, i = 0;
	bool is_wide = types_are_wide(t->b);
	type_id highest = 0;

	for (uint32_t k = 0; k < count; k++) {
		type_id type = packed_type(types, is_wide, k);

		highest = type > highest ? type : highest;
	}
	if (highest < t->b->types_count)
		return true;
	while (packed_type(types, is_wide, i) < t->b->types_count)
		i++;
	return fail_at(t, i, "there is no such type", err);
}

static bool
load_large(struct chunk_loader *t, uint32_t i, uint32_t place, uint64_t *size, struct error *err)
{
	const uint8_t *entry = t->p->large_sizes + (size_t)place * PACKED_LARGE_BYTES;

	if (place == t->p->large_count || get_u32(entry) != t->large_base + i)
		return fail_at(t, i, "its size is missing", err);
	if (t->large)
		t->large[place] =
		    (struct large_size){ t->first + i, get_u32(entry + 4), get_u32(entry + 8) };
	*size = get_u32(entry + 4) | (uint64_t)get_u32(entry + 8) << 32;
	return true;
}

static inline void
count_object(struct loaded_type *total, uint64_t size)
{
	total->count++;
	total->bytes += size;
	total->min_bytes = size < total->min_bytes ? size : total->min_bytes;
	total->max_bytes = size > total->max_bytes ? size : total->max_bytes;
}

static bool
load_sizes(struct chunk_loader *t, struct error *err)
{
	const uint32_t block_mask = (1U << BLOCK_SHIFT) - 1;
	const uint8_t *types = t->p->types, *codes = t->p->size_codes;
	const uint8_t *has_refs = t->has_refs;
	struct loaded_type *totals = t->totals;
	bool is_wide = types_are_wide(t->b);
	uint32_t count = t->p->nodes_count, large_at = 0, holders = 0;

	for (uint32_t i = 0; i < count; i++) {
		type_id type = packed_type(types, is_wide, i);
		uint64_t size = t->sizes[codes[i]];

		if (codes[i] == SIZE_ESCAPE && !load_large(t, i, large_at++, &size, err))
			return false;
		count_object(&totals[2 * (size_t)type + (i & 1)], size);
		if (!(i & block_mask))
			t->offsets[i >> BLOCK_SHIFT] = holders;
		t->holders[holders] = (uint16_t)i;
		holders += has_refs[type];
	}
	t->holders_count = holders;
	return large_at == t->p->large_count ||
	       fail_at(t, count, "sizes of no object are left over", err);
}

/* ---- references ---- */

static inline uint64_t
load_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? word : __builtin_bswap64(word);
}

/* Returns a mask with one bit for each of 64 bytes that ends a number. */
static inline uint64_t
ends_mask(const uint8_t *at)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < MASK_BYTES / WORD_BYTES; i++) {
		uint64_t ends =
		    (~load_word(at + i * WORD_BYTES) >> 7) & UINT64_C(0x0101010101010101);

		mask |= (ends * UINT64_C(0x0102040810204080)) >> 56 << 8 * i;
	}
	return mask;
}

/* Joins the groups of 7 bits of a number of up to 5 bytes. */
static inline uint64_t
join_groups(uint64_t word)
{
	return (word & 0x7f) | (word >> 1 & 0x7f << 7) | (word >> 2 & 0x7f << 14) |
	       (word >> 3 & 0x7f << 21) | (word >> 32 & 0x7f) << 28;
}

/* Loads the number that begins at offset `from`: a holder's count of references, or the difference
   between two targets. Which of them, no branch could predict. Numbers past the last holder are
   refused by their caller. */
static inline void
load_number(struct chunk_loader *t, struct ref_position *r, uint64_t value, size_t from)
{
	uint64_t is_count = -(uint64_t)(r->numbers_done == r->next_count);
	uint64_t holder = t->first + t->holders[r->holders_done];
	uint64_t target = r->last + (uint64_t)varint_unzigzag(value);

	t->holder_starts[r->holders_done] = (uint32_t)from;
	r->holders_done += is_count & 1;
	r->next_count += is_count & (value + 1);
	r->numbers_done++;
	r->last = (is_count & holder) | (~is_count & target);
	r->highest = r->last > r->highest ? r->last : r->highest;
}

/* Loads the numbers that end in the next 64 bytes, of which the rest of the file has 8 more. False:
   one is too long. */
static bool
load_block(struct chunk_loader *t, struct ref_position *position, size_t at, size_t *begin)
{
	struct ref_position r = *position; /* in registers */
	const uint8_t *refs = t->p->refs;
	size_t from = *begin, any_len = 0;

	for (uint64_t mask = ends_mask(refs + at); mask; mask &= mask - 1) {
		size_t last = at + (size_t)__builtin_ctzll(mask);
		unsigned unused = (unsigned)(7 - (last - from)) * 8;
		uint64_t word = load_word(refs + from) << (unused & 63);

		any_len |= last - from + PAST_LONGEST;
		load_number(t, &r, join_groups(word >> (unused & 63)), from);
		from = last + 1;
	}
	*position = r;
	*begin = from;
	return any_len < WORD_BYTES;
}

/* Loads one number near the end. Returns false if it has no end or is too long. */
static bool
load_single(struct chunk_loader *t, struct ref_position *r, size_t *begin)
{
	const uint8_t *refs = t->p->refs;
	uint64_t value = 0;
	size_t at = *begin;

	while (at < t->p->refs_len && at - *begin < NUMBER_BYTES) {
		uint8_t byte = refs[at];

		value |= (uint64_t)(byte & 0x7f) << 7 * (at++ - *begin);
		if (byte & 0x80)
			continue;
		load_number(t, r, value, *begin);
		*begin = at;
		return true;
	}
	return false;
}

static bool
load_all_refs(struct chunk_loader *t, struct ref_position *r)
{
	size_t len = t->p->refs_len, begin = 0, at = 0;

	for (; len - at >= MASK_BYTES + WORD_BYTES; at += MASK_BYTES)
		if (!load_block(t, r, at, &begin) || r->holders_done > t->holders_count)
			return false;
	while (begin < len)
		if (!load_single(t, r, &begin) || r->holders_done > t->holders_count)
			return false;
	return r->numbers_done == r->next_count && r->holders_done == t->holders_count;
}

static bool
fail_refs(const struct chunk_loader *t, const struct ref_position *r, struct error *err)
{
	if (r->holders_done > t->holders_count)
		return fail_at(t, t->p->nodes_count,
			       "something is left over behind the last of the chunk", err);
	return fail_at(t, r->holders_done ? t->holders[r->holders_done - 1] : 0,
		       "its references are cut", err);
}

static bool
load_refs(struct chunk_loader *t, struct error *err)
{
	struct ref_position r = { 0 };

	if (!load_all_refs(t, &r))
		return fail_refs(t, &r, err);
	if (r.highest >= t->b->heap->nodes_count)
		return error_set(err, ERROR_INPUT,
				 "among objects %" PRIu64 " to %" PRIu64
				 ", one refers to no object",
				 (uint64_t)t->first, (uint64_t)t->first + t->p->nodes_count - 1);
	t->refs_count = r.numbers_done - r.holders_done;
	t->holder_starts[t->holders_count] = (uint32_t)t->p->refs_len;
	for (uint32_t i = 0; i << BLOCK_SHIFT < t->p->nodes_count; i++)
		t->offsets[i] = t->holder_starts[t->offsets[i]];
	return true;
}

/* ---- a whole chunk ---- */

static bool
one_too_many(uint32_t chunk, struct error *err)
{
	return error_set(err, ERROR_INPUT, "chunk %" PRIu32 " is one too many", chunk);
}

/* Returns memory for a chunk's references: see heap_builder_expect_refs(). */
static uint8_t *
refs_room(struct heap_builder *b, size_t len, struct error *err)
{
	uint8_t *room = b->refs_room;

	if (len > b->refs_left)
		return arena_array(&b->heap->arena, uint8_t, len, err);
	b->refs_room += len;
	b->refs_left -= len;
	return room;
}

bool
heap_builder_expect_refs(struct heap_builder *b, uint64_t bytes, struct error *err)
{
	size_t blocks = (size_t)b->chunks_count << (CHUNK_SHIFT - BLOCK_SHIFT);

	b->offsets = arena_array(&b->heap->arena, uint32_t, blocks, err);
	b->refs_room = arena_array(&b->heap->arena, uint8_t, bytes, err);
	if (!b->offsets || !b->refs_room)
		return false;
	b->refs_left = bytes;
	return true;
}

/* The arena needs the lock. Two threads may have read the same chunk, if a damaged file has it
   twice. */
static bool
store(struct chunk_loader *t, uint32_t chunk, struct error *err)
{
	struct heap_builder *b = t->b;
	uint32_t *offsets = b->offsets + ((size_t)chunk << (CHUNK_SHIFT - BLOCK_SHIFT));
	size_t width = b->types16 ? 2 : 4;
	uint8_t *types =
	    b->types16 ? (uint8_t *)(b->types16 + t->first) : (uint8_t *)(b->types32 + t->first);
	uint8_t *refs = NULL;
	bool is_first;

	pthread_mutex_lock(&b->lock);
	is_first = !b->chunks[chunk].bytes;
	if (is_first)
		refs = refs_room(b, t->p->refs_len, err);
	if (refs) {
		b->chunks[chunk] = (struct chunk){ refs, offsets };
		b->heap->refs_count += t->refs_count;
	}
	pthread_mutex_unlock(&b->lock);
	if (!refs)
		return is_first ? false : one_too_many(chunk, err);
	memcpy(types, t->p->types, t->p->nodes_count * width);
	memcpy(b->node_sizes + t->first, t->p->size_codes, t->p->nodes_count);
	memcpy(offsets, t->offsets, ((t->p->nodes_count + 7) >> BLOCK_SHIFT) * sizeof(*offsets));
	if (t->p->refs_len)
		memcpy(refs, t->p->refs, t->p->refs_len);
	b->chunk_sizes[chunk] = (struct chunk_sizes){ t->large, t->p->large_count };
	t->large = NULL;
	return true;
}

static bool
chunk_loader_begin(struct chunk_loader *t, uint32_t chunk, const struct packed_chunk *p,
		   struct error *err)
{
	uint32_t wanted;

	if (chunk >= t->b->chunks_count)
		return one_too_many(chunk, err);
	t->p = p;
	t->first = chunk_first(chunk);
	wanted = chunk_end(t->b->heap, chunk) - t->first;
	if (p->nodes_count == wanted && p->refs_len <= UINT32_MAX)
		return true;
	return error_set(err, ERROR_INPUT,
			 "chunk %" PRIu32 " has %" PRIu32 " objects, not %" PRIu32, chunk,
			 p->nodes_count, wanted);
}

bool
chunk_loader_load(struct chunk_loader *t, uint32_t chunk, const struct packed_chunk *p,
		  struct error *err)
{
	bool ok;

	if (!chunk_loader_begin(t, chunk, p, err))
		return false;
	t->large_base = 0;
	t->large = memory_new(p->large_count, sizeof(*t->large), err);
	ok = t->large && check_types(t, err) && load_sizes(t, err) && load_refs(t, err) &&
	     store(t, chunk, err);
	memory_free(t->large);
	t->large = NULL;
	return ok;
}

/* ---- borrowed columns ---- */

static bool
check_large_order(const struct heap_builder *b, const struct packed_columns *c, struct error *err)
{
	for (uint32_t i = 0; i < c->large_count; i++) {
		node_id n = c->large_sizes[i].node;

		if (n >= b->heap->nodes_count || (i && c->large_sizes[i - 1].node >= n))
			return error_set(err, ERROR_INPUT, "large sizes are out of order");
	}
	return true;
}

bool
heap_builder_borrow(struct heap_builder *b, const struct packed_columns *c, struct error *err)
{
	struct heap *h = b->heap;

	h->nodes_count = addresses_count(b->addresses);
	h->has_objects = true;
	b->columns = c;
	b->chunks_count = heap_chunks_count(h);
	b->chunks = arena_array(&h->arena, struct chunk, b->chunks_count, err);
	if (types_are_wide(b))
		h->types32 = c->types;
	else
		h->types16 = c->types;
	h->size_codes = c->size_codes;
	h->large_sizes = c->large_sizes;
	h->large_sizes_count = c->large_count;
	for (uint32_t i = 0; i < b->chunks_count; i++)
		if (c->begins[i] > c->begins[i + 1])
			return error_set(err, ERROR_INPUT,
					 "references of chunk %" PRIu32 " end before they begin",
					 i);
	return b->chunks && check_large_order(b, c, err);
}

bool
chunk_loader_check(struct chunk_loader *t, uint32_t chunk, struct error *err)
{
	struct heap_builder *b = t->b;
	const struct packed_columns *c = b->columns;
	size_t first = (size_t)chunk << CHUNK_SHIFT;
	struct packed_chunk p = {
		.nodes_count = chunk_end(b->heap, chunk) - (uint32_t)first,
		.types = (const uint8_t *)c->types + first * (types_are_wide(b) ? 4 : 2),
		.size_codes = c->size_codes + first,
		.refs = c->refs + c->begins[chunk],
		.refs_len = (size_t)(c->begins[chunk + 1] - c->begins[chunk]),
	};
	const uint32_t *offsets = c->offsets + (first >> BLOCK_SHIFT);
	uint32_t large = heap_large_from(b->heap, first);

	p.large_sizes = (const uint8_t *)(c->large_sizes + large);
	p.large_count = heap_large_from(b->heap, first + p.nodes_count) - large;
	t->large_base = (node_id)first;
	if (!chunk_loader_begin(t, chunk, &p, err) || !check_types(t, err) || !load_sizes(t, err) ||
	    !load_refs(t, err))
		return false;
	if (memcmp(offsets, t->offsets, ((p.nodes_count + 7) >> BLOCK_SHIFT) * sizeof(*offsets)))
		return error_set(err, ERROR_INPUT,
				 "chunk %" PRIu32 ": a block of references has a wrong offset",
				 chunk);
	b->chunks[chunk] = (struct chunk){ p.refs, offsets };
	pthread_mutex_lock(&b->lock);
	b->heap->refs_count += t->refs_count;
	pthread_mutex_unlock(&b->lock);
	return true;
}

bool
heap_builder_compare_totals(struct heap_builder *b, struct chunk_loader *const loaders[],
			    unsigned loaders_count, struct error *err)
{
	for (type_id t = 0; t < b->types_count; t++) {
		const struct type *type = &b->types[t];
		uint64_t count = 0, bytes = 0, min = UINT64_MAX, max = 0;

		for (unsigned i = 0; i < 2 * loaders_count; i++) {
			const struct loaded_type *part =
			    &loaders[i / 2]->totals[2 * (size_t)t + i % 2];

			count += part->count;
			bytes += part->bytes;
			min = part->min_bytes < min ? part->min_bytes : min;
			max = part->max_bytes > max ? part->max_bytes : max;
		}
		if (count != type->count || bytes != type->bytes ||
		    (count && (min != type->min_bytes || max != type->max_bytes)))
			return error_set(err, ERROR_INPUT,
					 "type %.60s: %" PRIu64 " objects of %" PRIu64
					 " bytes are there, not %" PRIu64 " of %" PRIu64,
					 type->name, count, bytes, type->count, type->bytes);
	}
	return true;
}
