#include "io/bytes.h"
#include "io/saved.h"
#include "io/saved_derived.h"
#include "io/saved_format.h"
#include "io/saved_info.h"
#include "io/saved_sections.h"
#include "model/heap_packed.h"
#include "model/worker.h"
#include <inttypes.h>
#include <string.h>

struct reading {
	struct saved_sections in;
	struct heap_builder *builder;
	struct progress *progress;
	struct input *keeps; /* the heap may keep it; or NULL */
	bool borrows;        /* columns that lie there */
	struct packed_columns columns;

	struct saved_info info;
	const char *texts; /* ends with NUL; in the builder's arena */
	size_t texts_len;
	struct chunk_taker *takers[WORKER_MAX];
	struct addresses_parts addresses;
};

/* ---- texts and types --------------------------------------------------------
 */

static bool
read_texts(struct reading *r, struct error *err)
{
	struct bytes b;
	char *texts;

	if (!saved_unpack_the(&r->in, SAVED_TEXT, &b, err))
		return false;
	r->texts_len = b.len;
	texts = arena_strndup(heap_builder_arena(r->builder), "", 0, err);
	if (texts && b.len)
		texts = arena_take(heap_builder_arena(r->builder), b.len + 1, 1,
				   err);
	if (!texts)
		return false;
	if (b.len)
		memcpy(texts, b.data, b.len);
	r->texts = texts;
	return true;
}

/* The text at a place; "" where there is none. */
static const char *
text_at(const struct reading *r, struct bytes *b, const char *what)
{
	uint32_t place = bytes_u32(b, what);

	if (place < r->texts_len || !bytes_ok(b))
		return r->texts + (bytes_ok(b) ? place : 0);
	bytes_fail(b, b->at - 4, "%s is no text of the file", what);
	return "";
}

static bool
read_type(struct reading *r, struct bytes *b, struct type *declared,
	  type_id expected, struct error *err)
{
	const char *raw = text_at(r, b, "the name of a type");
	const char *module = text_at(r, b, "the module of a type");
	type_id type;

	declared->flags = bytes_u32(b, "the flags of a type");
	declared->multiplier = bytes_f32(b, "the multiplier of a type");
	declared->count = bytes_u64(b, "the count of a type");
	declared->bytes = bytes_u64(b, "the bytes of a type");
	declared->min_bytes = bytes_u64(b, "the least size of a type");
	declared->max_bytes = bytes_u64(b, "the largest size of a type");
	if (!bytes_ok(b))
		return false;
	type = heap_builder_type(r->builder, raw, module, err);
	if (type == TYPE_NONE)
		return false;
	return type == expected || bytes_fail(b, b->at - SAVED_TYPE_BYTES,
					      "type %.60s is there twice", raw);
}

static bool
read_sizes(struct reading *r, uint64_t sizes[SIZE_CODES], struct error *err)
{
	struct bytes b;

	if (!saved_unpack_the(&r->in, SAVED_SIZE, &b, err))
		return false;
	for (int i = 0; i < SIZE_CODES; i++)
		sizes[i] = bytes_u64(&b, "a frequent size");
	return bytes_ok(&b);
}

static bool
read_types(struct reading *r, struct error *err)
{
	uint64_t sizes[SIZE_CODES];
	struct type *declared;
	struct bytes b;
	uint32_t count;
	bool ok = true;

	if (!saved_unpack_the(&r->in, SAVED_TYPE, &b, err))
		return false;
	count = (uint32_t)(b.len / SAVED_TYPE_BYTES);
	declared = memory_new((size_t)count + 1, sizeof(*declared), err);
	if (!declared)
		return false;
	for (uint32_t t = 0; ok && t < count; t++)
		ok = read_type(r, &b, &declared[t], t, err);
	ok = ok && read_sizes(r, sizes, err) &&
	     heap_builder_declare(r->builder, declared, sizes, err);
	memory_free(declared);
	return ok;
}

/* Only where the objects are not read, which tell it themselves. */
static bool
read_generations(struct reading *r, struct error *err)
{
	size_t cells = (size_t)heap_builder_types_count(r->builder) * GEN_COUNT;
	uint64_t *counts, *bytes;
	struct bytes b;
	bool ok;

	if (!saved_section_of(&r->in, SAVED_GENS))
		return true;
	if (!saved_unpack_the(&r->in, SAVED_GENS, &b, err))
		return false;
	counts = memory_new(cells + 1, sizeof(*counts), err);
	bytes = memory_new(cells + 1, sizeof(*bytes), err);
	for (size_t i = 0; counts && bytes && i < cells; i++) {
		counts[i] = bytes_u64(&b, "the objects of a generation");
		bytes[i] = bytes_u64(&b, "the bytes of a generation");
	}
	ok = counts && bytes && bytes_ok(&b) &&
	     heap_builder_declare_generations(r->builder, counts, bytes, err);
	memory_free(counts);
	memory_free(bytes);
	return ok;
}

/* ---- objects ----------------------------------------------------------------
 */

/* Before room is made for them: are all the bits there? */
static bool
check_pages(const struct reading *r, struct error *err)
{
	const struct addresses_parts *parts = &r->addresses;
	uint64_t each =
	    addresses_words_per_page(parts->granule_shift, parts->page_shift);
	uint64_t bytes = saved_raw_bytes(&r->in, SAVED_BITS);

	return each * parts->pages_count * 8 == bytes ||
	       error_set(err, ERROR_INPUT,
			 "%" PRIu64 " bytes of addresses for %" PRIu32
			 " pages of 2^%" PRIu32 " bytes",
			 bytes, parts->pages_count, parts->page_shift);
}

static bool
read_pages(struct reading *r, struct error *err)
{
	struct addresses_parts *parts = &r->addresses;
	struct bytes_array numbers;
	uint64_t *copy;
	struct bytes b;
	bool ok;

	if (!saved_unpack_the(&r->in, SAVED_PAGE, &b, err))
		return false;
	parts->granule_shift = bytes_u32(&b, "the unit of addresses");
	parts->page_shift = bytes_u32(&b, "the size of pages");
	parts->pages_count = bytes_u32(&b, "the number of pages");
	parts->made_up_count = bytes_u32(&b, "objects without address");
	numbers = bytes_array_take(&b, parts->pages_count, 8, "the pages");
	if (!bytes_ok(&b) || !check_pages(r, err))
		return false;
	copy = memory_new(numbers.count + 1, sizeof(*copy), err);
	if (!copy)
		return false;
	for (uint64_t i = 0; i < numbers.count; i++)
		copy[i] = bytes_array_u64(&numbers, i);
	parts->numbers = copy;
	ok = addresses_restore(heap_builder_addresses(r->builder), parts, err);
	parts->numbers = NULL;
	memory_free(copy);
	return ok;
}

/*
 * Threads take the parts, so none may lie on another: each has its own place
 * in a row of equal ones.
 */
static bool
check_words(const struct reading *r, struct error *err)
{
	size_t parts =
	    (size_t)(r->addresses.words_count / SAVED_WORDS_EACH + 1);
	uint8_t *seen = memory_new(parts, 1, err);
	bool ok = seen;

	for (size_t i = 0; ok && i < r->in.count; i++) {
		const struct saved_section *s = &r->in.items[i];
		uint64_t place = s->index / SAVED_WORDS_EACH;

		if (s->kind != SAVED_BITS)
			continue;
		if (s->index % SAVED_WORDS_EACH || place >= parts ||
		    seen[place]++ || s->raw_len > SAVED_WORDS_EACH * 8)
			ok = error_at(err, s->at,
				      "addresses out of place, or twice");
	}
	memory_free(seen);
	return ok;
}

static bool
run_words(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct reading *r = context;
	const struct saved_section *s = &r->in.items[part];
	struct bytes b;

	if (s->kind != SAVED_BITS)
		return true;
	if (!saved_unpack(&r->in, thread, s, &b, err))
		return false;
	if (s->index > r->addresses.words_count ||
	    b.len / 8 > r->addresses.words_count - s->index)
		return error_at(err, s->at,
				"more addresses than pages for them");
	if (b.len)
		memcpy(r->addresses.words + s->index, b.data, b.len / 8 * 8);
	return true;
}

static bool
read_addresses(struct reading *r, struct error *err)
{
	struct addresses *a = heap_builder_addresses(r->builder);

	if (!read_pages(r, err) || !check_words(r, err) ||
	    !worker_run_all(worker_threads(), r->in.count, run_words, r, err) ||
	    !addresses_seal(a, err))
		return false;
	return addresses_count(a) == r->info.nodes_count ||
	       error_set(err, ERROR_INPUT,
			 "%" PRIu32 " addresses for %" PRIu64 " objects",
			 addresses_count(a), r->info.nodes_count);
}

static bool
read_chunk(struct reading *r, unsigned thread, const struct saved_section *s,
	   struct error *err)
{
	bool is_wide = heap_builder_types_count(r->builder) > UINT16_MAX + 1;
	struct packed_chunk c = { 0 };
	struct error why = { 0 };
	struct bytes b;

	if (!saved_unpack(&r->in, thread, s, &b, err))
		return false;
	b.err = &why;
	c.nodes_count = bytes_u32(&b, "the number of objects");
	c.large_count = bytes_u32(&b, "the number of large sizes");
	c.refs_len = bytes_u64(&b, "the length of references");
	c.types = bytes_take(&b, (uint64_t)c.nodes_count * (is_wide ? 4 : 2),
			     "types");
	c.size_codes = bytes_take(&b, c.nodes_count, "sizes");
	c.large_sizes = bytes_take(
	    &b, (uint64_t)c.large_count * PACKED_LARGE_BYTES, "large sizes");
	c.refs = bytes_take(&b, c.refs_len, "references");
	if (bytes_ok(&b) && s->index <= UINT32_MAX >> CHUNK_SHIFT &&
	    chunk_taker_take(r->takers[thread], (uint32_t)s->index, &c, &why))
		return true;
	if (why.kind == ERROR_SYSTEM) {
		*err = why;
		return false;
	}
	return saved_fail(s, &why, err);
}

static bool
run_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct reading *r = context;
	const struct saved_section *s = &r->in.items[part];

	if (s->kind != SAVED_NODE)
		return true;
	if (!progress_add(r->progress, CHUNK_NODES))
		return error_cancelled(err);
	return read_chunk(r, thread, s, err);
}

/* What each object has, besides references: type and size. */
static unsigned
node_bytes(const struct reading *r)
{
	return heap_builder_types_count(r->builder) > UINT16_MAX + 1 ? 5 : 3;
}

/* Before room is made for them: is there something of every object? */
static bool
check_chunks(const struct reading *r, struct error *err)
{
	uint64_t chunks = 0, least = r->info.nodes_count * node_bytes(r);

	for (size_t i = 0; i < r->in.count; i++)
		chunks += r->in.items[i].kind == SAVED_NODE;
	return (chunks ==
		    (r->info.nodes_count + CHUNK_NODES - 1) >> CHUNK_SHIFT &&
		saved_raw_bytes(&r->in, SAVED_NODE) >= least) ||
	       error_set(err, ERROR_INPUT,
			 "%" PRIu64 " chunks of %" PRIu64 " bytes for %" PRIu64
			 " objects",
			 chunks, saved_raw_bytes(&r->in, SAVED_NODE),
			 r->info.nodes_count);
}

/* Of all chunks; a little more where there are large sizes. */
static uint64_t
refs_bytes_max(const struct reading *r)
{
	return saved_raw_bytes(&r->in, SAVED_NODE) -
	       r->info.nodes_count * node_bytes(r);
}

static bool
make_takers(struct reading *r, unsigned threads, struct error *err)
{
	for (unsigned i = 0; i < threads; i++) {
		r->takers[i] = chunk_taker_new(r->builder, err);
		if (!r->takers[i])
			return false;
	}
	return true;
}

static bool
read_packed(struct reading *r, unsigned threads, struct error *err)
{
	return check_chunks(r, err) && read_addresses(r, err) &&
	       heap_builder_objects(r->builder, err) &&
	       heap_builder_expect_refs(r->builder, refs_bytes_max(r), err) &&
	       make_takers(r, threads, err) &&
	       worker_run_all(threads, r->in.count, run_part, r, err);
}

/* ---- columns that may stay where they are ---- */

/* `count` entries of `each` bytes; borrowed, or a copy in the heap. */
static const void *
find_column(struct reading *r, uint32_t kind, uint64_t count, size_t each,
	    struct error *err)
{
	const struct saved_section *s = saved_section_of(&r->in, kind);
	struct bytes b;
	uint8_t *copy;

	if (!saved_unpack_the(&r->in, kind, &b, err))
		return NULL;
	if (b.len / each != count || b.len % each) {
		error_at(err, s->at,
			 "a column of %zu bytes for %" PRIu64
			 " entries of %zu bytes",
			 b.len, count, each);
		return NULL;
	}
	if (r->borrows && s->flags & SAVED_IS_STORED &&
	    (uintptr_t)b.data % sizeof(uint64_t) == 0)
		return b.data;
	copy = arena_array(heap_builder_arena(r->builder), uint8_t, b.len, err);
	if (copy && b.len)
		memcpy(copy, b.data, b.len);
	return copy;
}

static bool
find_columns(struct reading *r, struct error *err)
{
	uint64_t nodes = r->info.nodes_count, each = node_bytes(r) - 1;
	uint64_t chunks = (nodes + CHUNK_NODES - 1) >> CHUNK_SHIFT;
	uint64_t blocks = (nodes + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT;
	uint64_t large =
	    saved_raw_bytes(&r->in, SAVED_CLRG) / sizeof(struct large_size);
	uint64_t refs = saved_raw_bytes(&r->in, SAVED_CREF);
	struct packed_columns *c = &r->columns;

	if (large > nodes)
		return error_set(err, ERROR_INPUT,
				 "%" PRIu64 " large sizes for %" PRIu64
				 " objects",
				 large, nodes);
	c->large_count = (uint32_t)large;
	c->types = find_column(r, SAVED_CTYP, nodes, each, err);
	c->size_codes =
	    c->types ? find_column(r, SAVED_CSIZ, nodes, 1, err) : NULL;
	c->large_sizes = c->size_codes
			     ? find_column(r, SAVED_CLRG, large,
					   sizeof(struct large_size), err)
			     : NULL;
	c->offsets =
	    c->large_sizes ? find_column(r, SAVED_COFF, blocks, 4, err) : NULL;
	c->begins =
	    c->offsets ? find_column(r, SAVED_CBEG, chunks + 1, 8, err) : NULL;
	c->refs = c->begins ? find_column(r, SAVED_CREF, refs, 1, err) : NULL;
	if (!c->refs)
		return false;
	return c->begins[chunks] == refs ||
	       error_set(err, ERROR_INPUT,
			 "%" PRIu64 " bytes of references, not %" PRIu64, refs,
			 c->begins[chunks]);
}

static bool
run_check(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct reading *r = context;

	if (!progress_add(r->progress, CHUNK_NODES))
		return error_cancelled(err);
	return chunk_taker_check(r->takers[thread], (uint32_t)part, err);
}

static bool
read_columns(struct reading *r, unsigned threads, struct error *err)
{
	uint64_t chunks =
	    (r->info.nodes_count + CHUNK_NODES - 1) >> CHUNK_SHIFT;

	/* What is checked must be what is used. */
	r->borrows = r->keeps && file_is_held(&r->keeps->file);
	return read_addresses(r, err) && find_columns(r, err) &&
	       heap_builder_borrow(r->builder, &r->columns, err) &&
	       make_takers(r, threads, err) &&
	       worker_run_all(threads, chunks, run_check, r, err);
}

/* ---- objects, either way ---- */

static bool
read_objects(struct reading *r, struct error *err)
{
	unsigned threads = worker_threads();
	bool is_raw = saved_section_of(&r->in, SAVED_CTYP);

	if (r->info.nodes_count >= NODE_NONE)
		return error_set(err, ERROR_INPUT, "%" PRIu64 " objects",
				 r->info.nodes_count);
	progress_begin(r->progress, "reading objects", r->info.nodes_count);
	return (is_raw ? read_columns(r, threads, err)
		       : read_packed(r, threads, err)) &&
	       heap_builder_compare_totals(r->builder, r->takers, threads, err);
}

/* ---- roots, ranges ----------------------------------------------------------
 */

static bool
read_root(struct reading *r, struct bytes *b, struct error *err)
{
	uint32_t object = bytes_u32(b, "the object of a root");
	uint8_t kind = bytes_u8(b, "the kind of a root");
	uint8_t is_pinned = bytes_u8(b, "whether a root is pinned");
	const char *name, *label;

	bytes_u16(b, "nothing");
	name = text_at(r, b, "the name of a root");
	label = text_at(r, b, "the label of a root");
	if (!bytes_ok(b))
		return false;
	if (object >= r->info.nodes_count || kind >= ROOT_KIND_COUNT)
		return bytes_fail(b, b->at - SAVED_ROOT_BYTES,
				  "a root of no object or of no known kind");
	return heap_builder_root(r->builder, object, (enum root_kind)kind,
				 is_pinned, name, label, err);
}

static bool
read_range(struct reading *r, struct bytes *b, struct error *err)
{
	uint64_t start = bytes_u64(b, "the start of a range");
	uint64_t end = bytes_u64(b, "the end of a range");
	int32_t heap_number = bytes_i32(b, "the heap of a range");
	uint32_t gen = bytes_u32(b, "the generation of a range");

	if (!bytes_ok(b))
		return false;
	if (start >= end || gen >= GEN_COUNT)
		return bytes_fail(b, b->at - SAVED_RANGE_BYTES,
				  "a range of no memory or no generation");
	return heap_builder_range(r->builder, start, end, (enum generation)gen,
				  heap_number, err);
}

static bool
read_weak(struct reading *r, struct bytes *b, struct error *err)
{
	uint32_t object = bytes_u32(b, "the object of a weak handle");
	uint32_t count = bytes_u32(b, "the number of weak handles");

	if (!bytes_ok(b))
		return false;
	if (object >= r->info.nodes_count)
		return bytes_fail(b, b->at - SAVED_WEAK_BYTES,
				  "a weak handle to no object");
	return heap_builder_weak(r->builder, object, count, err);
}

static bool
read_records(struct reading *r, uint32_t kind, uint64_t *count,
	     bool (*read)(struct reading *r, struct bytes *b,
			  struct error *err),
	     struct error *err)
{
	for (size_t i = 0; i < r->in.count; i++) {
		const struct saved_section *s = &r->in.items[i];
		struct error why = { 0 };
		struct bytes b;

		if (s->kind != kind)
			continue;
		if (!saved_unpack(&r->in, 0, s, &b, err))
			return false;
		for (b.err = &why; bytes_left(&b); ++*count)
			if (!read(r, &b, &why))
				return saved_fail(s, &why, err);
	}
	return true;
}

static bool
read_rest(struct reading *r, struct error *err)
{
	uint64_t roots = 0, others = 0;

	if (!read_records(r, SAVED_RANGE, &others, read_range, err) ||
	    !read_records(r, SAVED_WEAK, &others, read_weak, err) ||
	    !read_records(r, SAVED_ROOT, &roots, read_root, err))
		return false;
	return roots == r->info.roots_count ||
	       error_set(err, ERROR_INPUT, "%" PRIu64 " roots, not %" PRIu64,
			 roots, r->info.roots_count);
}

/* ---- all --------------------------------------------------------------------
 */

static bool
read_version(const struct reading *r, struct error *err)
{
	struct bytes b;
	uint16_t least;

	bytes_init(&b, r->in.data, r->in.len, err);
	bytes_skip(&b, SAVED_MAGIC_BYTES, "the magic number");
	bytes_u16(&b, "the version");
	least = bytes_u16(&b, "the least version of a reader");
	if (!bytes_ok(&b))
		return false;
	return least <= SAVED_VERSION ||
	       bytes_fail(&b, b.at - 2,
			  "it was written by a later heaptop: version %u of "
			  "the format, this one reads %d",
			  least, SAVED_VERSION);
}

/* What a first screen needs. */
static bool
read_front(struct reading *r, struct error *err)
{
	return read_version(r, err) && saved_sections_find(&r->in, err) &&
	       saved_info_read(&r->info, &r->in, r->builder, err) &&
	       read_texts(r, err) && read_types(r, err);
}

/* The types were counted before the first object was written. */
static bool
keep_types_only(struct reading *r, struct error *err)
{
	heap_builder_info(r->builder)->losses.missing_bytes =
	    r->in.missing_bytes ? r->in.missing_bytes : 1;
	return heap_builder_warning(
	    r->builder, err,
	    "the file was cut short: only its types are here, which are "
	    "complete; of %" PRIu64 " objects no references",
	    r->info.nodes_count);
}

/* Of no use to r->in any more, which is the heap's then. */
static bool
keep_input(struct reading *r, struct error *err)
{
	struct saved_kept *kept;

	if (!r->keeps || (!r->borrows && !saved_section_of(&r->in, SAVED_DERI)))
		return true;
	kept = saved_kept_new(r->keeps, &r->in, (uint32_t)r->info.nodes_count,
			      err);
	if (!kept)
		return false;
	heap_builder_keep(r->builder, saved_kept_free, kept, &kept->derived);
	return input_is_intact(&kept->input, err);
}

static bool
read_all(struct reading *r, enum load_what what, struct preview *preview,
	 struct error *err)
{
	if (!read_front(r, err) ||
	    !heap_builder_publish(r->builder, preview, r->info.nodes_count,
				  r->info.nodes_count, true, err))
		return false;
	if (r->in.is_cut)
		return read_generations(r, err) && keep_types_only(r, err);
	if (what == LOAD_TYPES || !(r->info.flags & SAVED_HAS_OBJECTS))
		return read_generations(r, err);
	return read_objects(r, err) && read_rest(r, err) && keep_input(r, err);
}

static bool
reading_init(struct reading *r, const uint8_t *data, size_t len,
	     struct progress *progress, struct error *err)
{
	*r = (struct reading){ .in = { .data = data, .len = len },
			       .progress = progress };
	r->builder = heap_builder_new(err);
	return r->builder != NULL;
}

static void
reading_clear(struct reading *r)
{
	heap_builder_free(r->builder);
	for (unsigned i = 0; i < WORKER_MAX; i++)
		chunk_taker_free(r->takers[i]);
	saved_sections_clear(&r->in);
}

static const struct heap *
read_bytes(const uint8_t *data, size_t len, const char *name,
	   struct input *keeps, enum load_what what, struct progress *progress,
	   struct preview *preview, struct error *err)
{
	const struct heap *heap = NULL;
	struct heap_info *info;
	struct reading r;

	if (!reading_init(&r, data, len, progress, err))
		return NULL;
	r.keeps = keeps;
	info = heap_builder_info(r.builder);
	if (read_all(&r, what, preview, err)) {
		if (!info->source)
			info->source =
			    arena_strndup(heap_builder_arena(r.builder), name,
					  strlen(name), err);
		heap = heap_builder_finish(r.builder, err);
		r.builder = NULL;
	}
	if (heap && heap->has_objects &&
	    heap->refs_count != r.info.refs_count) {
		error_set(err, ERROR_INPUT,
			  "%" PRIu64 " references, not %" PRIu64,
			  heap->refs_count, r.info.refs_count);
		preview_withdraw(preview);
		heap_free(heap);
		heap = NULL;
	}
	reading_clear(&r);
	return heap;
}

const struct heap *
saved_read(const uint8_t *data, size_t len, const char *name,
	   enum load_what what, struct progress *progress,
	   struct preview *preview, struct error *err)
{
	return read_bytes(data, len, name, NULL, what, progress, preview, err);
}

const struct heap *
saved_read_input(struct input *in, const char *name, enum load_what what,
		 struct progress *progress, struct preview *preview,
		 struct error *err)
{
	return read_bytes(in->data, in->len, name, in, what, progress, preview,
			  err);
}

static bool
accepts(const uint8_t *head, size_t head_len)
{
	return head_len >= SAVED_MAGIC_BYTES &&
	       !memcmp(head, SAVED_MAGIC, SAVED_MAGIC_BYTES);
}

/* ---- streams ----------------------------------------------------------------
 */

enum { EARLY_BYTES = 1 << 12, EARLY_MAX_BYTES = 1 << 26 };

static bool
publish_early(struct reading *r, struct preview *preview, struct error *err)
{
	return saved_sections_find(&r->in, err) &&
	       saved_section_of(&r->in, SAVED_SIZE) &&
	       saved_info_read(&r->info, &r->in, r->builder, err) &&
	       read_texts(r, err) && read_types(r, err) &&
	       preview_publish(preview, heap_builder_types(r->builder),
			       heap_builder_types_count(r->builder),
			       r->info.nodes_count, r->info.nodes_count, true,
			       err);
}

/*
 * The types of a stream are on the screen as soon as they have come. Their
 * names are those of `early`, which must stay until others are shown. What is
 * wrong with the stream is told when all of it is read.
 */
static void
show_early(struct reading *early, const char *path, struct progress *progress,
	   struct preview *preview)
{
	for (uint64_t wanted = EARLY_BYTES; wanted <= EARLY_MAX_BYTES;
	     wanted *= 2) {
		struct error ignored = { 0 };
		bool is_shown = false, is_all;
		struct file f;

		if (!file_open(&f, path, wanted, progress, &ignored))
			return;
		is_all = f.len < wanted;
		if (reading_init(early, f.data, f.len, progress, &ignored))
			is_shown = publish_early(early, preview, &ignored);
		file_close(&f);
		if (is_shown)
			return;
		reading_clear(early);
		*early = (struct reading){ 0 };
		if (is_all || progress_is_cancelled(progress))
			return;
	}
}

static const struct heap *
load_input(const char *path, enum load_what what, struct progress *progress,
	   struct preview *preview, struct error *err)
{
	const struct heap *heap;
	struct input in;

	if (!input_open(&in, path, progress, err))
		return NULL;
	heap = saved_read_input(&in, path, what, progress, preview, err);
	if (!heap)
		input_explain(&in, err);
	if (heap && !input_is_intact(&in, err)) {
		heap_free(heap);
		heap = NULL;
	}
	input_close(&in);
	return heap;
}

static const struct heap *
load(const char *path, enum load_what what, struct progress *progress,
     struct preview *preview, struct error *err)
{
	struct reading early = { 0 };
	const struct heap *heap;

	if (preview && !strcmp(path, "-"))
		show_early(&early, path, progress, preview);
	heap = load_input(path, what, progress, preview, err);
	if (!heap)
		preview_withdraw(preview);
	reading_clear(&early);
	return heap;
}

const struct source source_saved = {
	.name = "heaptop",
	.help = "heaps kept by heaptop",
	.accepts = accepts,
	.load = load,
};
