#include "io/heaptop/objects.h"
#include "io/heaptop/format.h"
#include <inttypes.h>
#include <string.h>

/* ---- addresses ---- */

/* Checks, before allocating, that the file has all bits. */
static bool
check_pages(const struct saved_objects *o, struct error *err)
{
	const struct addresses_parts *parts = &o->addresses;
	uint64_t each = addresses_words_per_page(parts->granule_shift, parts->page_shift);
	uint64_t bytes = saved_raw_bytes(o->in, SAVED_BITS);

	return each * parts->pages_count * 8 == bytes ||
	       error_set(err, ERROR_INPUT,
			 "%" PRIu64 " bytes of addresses for %" PRIu32 " pages of 2^%" PRIu32
			 " bytes",
			 bytes, parts->pages_count, parts->page_shift);
}

static bool
read_pages(struct saved_objects *o, struct error *err)
{
	struct addresses_parts *parts = &o->addresses;
	struct bytes_array numbers;
	uint64_t *copy;
	struct bytes b;
	bool ok;

	if (!saved_unpack_first(o->in, SAVED_PAGE, &b, err))
		return false;
	parts->granule_shift = bytes_u32(&b, "the unit of addresses");
	parts->page_shift = bytes_u32(&b, "the size of pages");
	parts->pages_count = bytes_u32(&b, "the number of pages");
	parts->made_up_count = bytes_u32(&b, "objects without address");
	numbers = bytes_array_take(&b, parts->pages_count, 8, "the pages");
	if (!bytes_ok(&b) || !check_pages(o, err))
		return false;
	copy = memory_new(numbers.count + 1, sizeof(*copy), err);
	if (!copy)
		return false;
	for (uint64_t i = 0; i < numbers.count; i++)
		copy[i] = bytes_array_u64(&numbers, i);
	parts->numbers = copy;
	ok = addresses_restore(heap_builder_addresses(o->builder), parts, err);
	parts->numbers = NULL;
	memory_free(copy);
	return ok;
}

/*
 * Threads share the parts, so they must not overlap: each has a slot of its own in a row of equal
 * slots.
 */
static bool
check_words(const struct saved_objects *o, struct error *err)
{
	size_t parts = (size_t)(o->addresses.words_count / SAVED_WORDS_EACH + 1);
	uint8_t *seen = memory_new(parts, 1, err);
	bool ok = seen;

	for (size_t i = 0; ok && i < o->in->count; i++) {
		const struct saved_section *s = &o->in->items[i];
		uint64_t place = s->index / SAVED_WORDS_EACH;

		if (s->kind != SAVED_BITS)
			continue;
		if (s->index % SAVED_WORDS_EACH || place >= parts || seen[place]++ ||
		    s->raw_len > SAVED_WORDS_EACH * 8)
			ok = error_at(err, s->at, "addresses out of place, or repeated");
	}
	memory_free(seen);
	return ok;
}

static bool
run_words(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct saved_objects *o = context;
	const struct saved_section *s = &o->in->items[part];
	struct bytes b;

	if (s->kind != SAVED_BITS)
		return true;
	if (!saved_unpack(o->in, thread, s, &b, err))
		return false;
	if (s->index > o->addresses.words_count || b.len / 8 > o->addresses.words_count - s->index)
		return error_at(err, s->at, "more addresses than their pages can hold");
	if (b.len)
		memcpy(o->addresses.words + s->index, b.data, b.len / 8 * 8);
	return true;
}

static bool
read_addresses(struct saved_objects *o, struct error *err)
{
	struct addresses *a = heap_builder_addresses(o->builder);

	if (!read_pages(o, err) || !check_words(o, err) ||
	    !worker_run_all(worker_threads(), o->in->count, run_words, o, err) ||
	    !addresses_seal(a, err))
		return false;
	return addresses_count(a) == o->info->nodes_count ||
	       error_set(err, ERROR_INPUT, "%" PRIu32 " addresses for %" PRIu64 " objects",
			 addresses_count(a), o->info->nodes_count);
}

/* ---- chunks ---- */

static bool
read_chunk(struct saved_objects *o, unsigned thread, const struct saved_section *s,
	   struct error *err)
{
	bool is_wide = heap_builder_types_count(o->builder) > UINT16_MAX + 1;
	struct packed_chunk c = { 0 };
	struct error why = { 0 };
	struct bytes b;

	if (!saved_unpack(o->in, thread, s, &b, err))
		return false;
	b.err = &why;
	c.nodes_count = bytes_u32(&b, "the number of objects");
	c.large_count = bytes_u32(&b, "the number of large sizes");
	c.refs_len = bytes_u64(&b, "the length of references");
	c.types = bytes_take(&b, (uint64_t)c.nodes_count * (is_wide ? 4 : 2), "types");
	c.size_codes = bytes_take(&b, c.nodes_count, "sizes");
	c.large_sizes = bytes_take(&b, (uint64_t)c.large_count * PACKED_LARGE_BYTES, "large sizes");
	c.refs = bytes_take(&b, c.refs_len, "references");
	if (bytes_ok(&b) && s->index > UINT32_MAX >> CHUNK_SHIFT)
		bytes_fail(&b, 0, "it is chunk %" PRIu64 ", beyond the largest number of objects",
			   (uint64_t)s->index);
	if (bytes_ok(&b) && chunk_loader_load(o->loaders[thread], (uint32_t)s->index, &c, &why))
		return true;
	return saved_fail(s, &why, err);
}

static bool
run_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct saved_objects *o = context;
	const struct saved_section *s = &o->in->items[part];

	if (s->kind != SAVED_NODE)
		return true;
	if (!progress_add(o->progress, CHUNK_NODES))
		return error_cancelled(err);
	return read_chunk(o, thread, s, err);
}

/* Bytes of each object's type and size. */
static unsigned
node_bytes(const struct saved_objects *o)
{
	return heap_builder_types_count(o->builder) > UINT16_MAX + 1 ? 5 : 3;
}

/* Checks, before allocating, that the file has data for every object. */
static bool
check_chunks(const struct saved_objects *o, struct error *err)
{
	uint64_t chunks = 0, least = o->info->nodes_count * node_bytes(o);

	for (size_t i = 0; i < o->in->count; i++)
		chunks += o->in->items[i].kind == SAVED_NODE;
	return (chunks == (o->info->nodes_count + CHUNK_NODES - 1) >> CHUNK_SHIFT &&
		saved_raw_bytes(o->in, SAVED_NODE) >= least) ||
	       error_set(err, ERROR_INPUT,
			 "%" PRIu64 " chunks of %" PRIu64 " bytes for %" PRIu64 " objects", chunks,
			 saved_raw_bytes(o->in, SAVED_NODE), o->info->nodes_count);
}

/* An upper bound, exact unless there are large sizes. */
static uint64_t
refs_bytes_max(const struct saved_objects *o)
{
	return saved_raw_bytes(o->in, SAVED_NODE) - o->info->nodes_count * node_bytes(o);
}

static bool
make_loaders(struct saved_objects *o, unsigned threads, struct error *err)
{
	for (unsigned i = 0; i < threads; i++) {
		o->loaders[i] = chunk_loader_new(o->builder, err);
		if (!o->loaders[i])
			return false;
	}
	return true;
}

static bool
read_packed(struct saved_objects *o, unsigned threads, struct error *err)
{
	uint64_t count = o->info->nodes_count;

	return check_chunks(o, err) &&
	       heap_builder_fits(count, count * 11 / 2 + refs_bytes_max(o), err) &&
	       read_addresses(o, err) && heap_builder_objects(o->builder, err) &&
	       heap_builder_expect_refs(o->builder, refs_bytes_max(o), err) &&
	       make_loaders(o, threads, err) &&
	       worker_run_all(threads, o->in->count, run_part, o, err);
}

/* ---- raw columns ---- */

/* `count` entries of `each` bytes; borrowed, or a copy in the heap. */
static const void *
find_column(struct saved_objects *o, uint32_t kind, uint64_t count, size_t each, struct error *err)
{
	const struct saved_section *s = saved_section_of(o->in, kind);
	struct bytes b;
	uint8_t *copy;

	if (!saved_unpack_first(o->in, kind, &b, err))
		return NULL;
	if (b.len / each != count || b.len % each) {
		error_at(err, s->at, "a column of %zu bytes for %" PRIu64 " entries of %zu bytes",
			 b.len, count, each);
		return NULL;
	}
	if (o->borrows && s->flags & SAVED_IS_STORED && (uintptr_t)b.data % sizeof(uint64_t) == 0)
		return b.data;
	copy = arena_array(heap_builder_arena(o->builder), uint8_t, b.len, err);
	if (copy && b.len)
		memcpy(copy, b.data, b.len);
	return copy;
}

static bool
find_columns(struct saved_objects *o, struct error *err)
{
	uint64_t nodes = o->info->nodes_count, each = node_bytes(o) - 1;
	uint64_t chunks = (nodes + CHUNK_NODES - 1) >> CHUNK_SHIFT;
	uint64_t blocks = (nodes + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT;
	uint64_t large = saved_raw_bytes(o->in, SAVED_CLRG) / sizeof(struct large_size);
	uint64_t refs = saved_raw_bytes(o->in, SAVED_CREF);
	struct packed_columns *c = &o->columns;

	if (large > nodes)
		return error_set(err, ERROR_INPUT,
				 "%" PRIu64 " large sizes for %" PRIu64 " objects", large, nodes);
	c->large_count = (uint32_t)large;
	c->types = find_column(o, SAVED_CTYP, nodes, each, err);
	c->size_codes = c->types ? find_column(o, SAVED_CSIZ, nodes, 1, err) : NULL;
	c->large_sizes = c->size_codes
			     ? find_column(o, SAVED_CLRG, large, sizeof(struct large_size), err)
			     : NULL;
	c->offsets = c->large_sizes ? find_column(o, SAVED_COFF, blocks, 4, err) : NULL;
	c->begins = c->offsets ? find_column(o, SAVED_CBEG, chunks + 1, 8, err) : NULL;
	c->refs = c->begins ? find_column(o, SAVED_CREF, refs, 1, err) : NULL;
	if (!c->refs)
		return false;
	return c->begins[chunks] == refs ||
	       error_set(err, ERROR_INPUT, "%" PRIu64 " bytes of references, not %" PRIu64, refs,
			 c->begins[chunks]);
}

static bool
run_check(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct saved_objects *o = context;

	if (!progress_add(o->progress, CHUNK_NODES))
		return error_cancelled(err);
	return chunk_loader_check(o->loaders[thread], (uint32_t)part, err);
}

static bool
read_columns(struct saved_objects *o, unsigned threads, struct error *err)
{
	uint64_t chunks = (o->info->nodes_count + CHUNK_NODES - 1) >> CHUNK_SHIFT;

	return read_addresses(o, err) && find_columns(o, err) &&
	       heap_builder_borrow(o->builder, &o->columns, err) && make_loaders(o, threads, err) &&
	       worker_run_all(threads, chunks, run_check, o, err);
}

/* ---- both kinds ---- */

static bool
read_objects(struct saved_objects *o, unsigned threads, struct error *err)
{
	return (saved_section_of(o->in, SAVED_CTYP) ? read_columns(o, threads, err)
						    : read_packed(o, threads, err)) &&
	       heap_builder_compare_totals(o->builder, o->loaders, threads, err);
}

bool
saved_objects_read(struct saved_objects *o, struct error *err)
{
	unsigned threads = worker_threads();
	bool ok;

	if (o->info->nodes_count >= NODE_NONE)
		return error_set(err, ERROR_INPUT,
				 "the file announces %" PRIu64 " objects, more than %" PRIu32,
				 o->info->nodes_count, NODE_NONE - 1);
	progress_begin(o->progress, "reading objects", "objects", o->info->nodes_count);
	ok = read_objects(o, threads, err);
	for (unsigned i = 0; i < threads; i++) {
		chunk_loader_free(o->loaders[i]);
		o->loaders[i] = NULL;
	}
	return ok;
}
