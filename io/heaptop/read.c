#include "io/base/bytes.h"
#include "io/heaptop/derived.h"
#include "io/heaptop/format.h"
#include "io/heaptop/heaptop.h"
#include "io/heaptop/objects.h"
#include <inttypes.h>
#include <string.h>

struct reading {
	struct saved_sections in;
	struct heap_builder *builder;
	struct progress *progress;
	struct input *keeps; /* the heap may take it over; or NULL */

	struct saved_info info;
	const char *texts; /* end with a NUL; in the builder's arena */
	size_t texts_len;
	struct saved_objects objects;
};

/* ---- texts and types ----------------------------------------------------- */

static bool
read_texts(struct reading *r, struct error *err)
{
	struct bytes b;
	char *texts;

	if (!saved_unpack_first(&r->in, SAVED_TEXT, &b, err))
		return false;
	r->texts_len = b.len;
	texts = arena_strndup(heap_builder_arena(r->builder), "", 0, err);
	if (texts && b.len)
		texts = arena_take(heap_builder_arena(r->builder), b.len + 1, 1, err);
	if (!texts)
		return false;
	if (b.len)
		memcpy(texts, b.data, b.len);
	r->texts = texts;
	return true;
}

/* Reads a text's offset and returns the text; "" if it is invalid. */
static const char *
text_at(const struct reading *r, struct bytes *b, const char *what)
{
	uint32_t place = bytes_u32(b, what);

	if (place < r->texts_len || !bytes_ok(b))
		return r->texts + (bytes_ok(b) ? place : 0);
	bytes_fail(b, b->at - 4, "%s is beyond the texts of the file", what);
	return "";
}

static bool
read_type(struct reading *r, struct bytes *b, struct type *declared, type_id expected,
	  struct error *err)
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
	if (!(declared->multiplier > 0 && declared->multiplier <= 1e9F))
		return bytes_fail(b, b->at - SAVED_TYPE_BYTES, "the multiplier of a type is %g",
				  (double)declared->multiplier);
	type = heap_builder_type(r->builder, raw, module, err);
	if (type == TYPE_NONE)
		return false;
	return type == expected ||
	       bytes_fail(b, b->at - SAVED_TYPE_BYTES, "type %.60s is repeated", raw);
}

static bool
read_sizes(struct reading *r, uint64_t sizes[SIZE_CODES], struct error *err)
{
	struct bytes b;

	if (!saved_unpack_first(&r->in, SAVED_SIZE, &b, err))
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

	if (!saved_unpack_first(&r->in, SAVED_TYPE, &b, err))
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

/* Needed only if the objects are not read. */
static bool
read_generations(struct reading *r, struct error *err)
{
	size_t cells = (size_t)heap_builder_types_count(r->builder) * GEN_COUNT;
	uint64_t *counts, *bytes;
	struct bytes b;
	bool ok;

	if (!saved_section_of(&r->in, SAVED_GENS))
		return true;
	if (!saved_unpack_first(&r->in, SAVED_GENS, &b, err))
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

/* ---- objects, roots, ranges ---------------------------------------------- */

static bool
read_objects(struct reading *r, struct error *err)
{
	r->objects = (struct saved_objects){
		.in = &r->in,
		.builder = r->builder,
		.info = &r->info,
		.progress = r->progress,
		/* The bytes used must be those that were checked. */
		.borrows = saved_section_of(&r->in, SAVED_CTYP) && r->keeps &&
			   file_is_held(&r->keeps->file),
	};
	return saved_objects_read(&r->objects, err);
}

static bool
read_root(struct reading *r, struct bytes *b, struct error *err)
{
	uint32_t object = bytes_u32(b, "the object of a root");
	uint8_t kind = bytes_u8(b, "the kind of a root");
	uint8_t is_pinned = bytes_u8(b, "whether a root is pinned");
	const char *name, *label;

	bytes_u16(b, "reserved bytes");
	name = text_at(r, b, "the name of a root");
	label = text_at(r, b, "the label of a root");
	if (!bytes_ok(b))
		return false;
	if (object >= r->info.nodes_count || kind >= ROOT_KIND_COUNT)
		return bytes_fail(b, b->at - SAVED_ROOT_BYTES,
				  "a root has an invalid object or kind");
	return heap_builder_root(r->builder, object, (enum root_kind)kind, is_pinned, name, label,
				 err);
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
				  "a range is empty or has an invalid generation");
	return heap_builder_range(r->builder, start, end, (enum generation)gen, heap_number, err);
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
				  "a weak handle has an invalid object");
	return heap_builder_weak(r->builder, object, count, err);
}

static bool
read_records(struct reading *r, uint32_t kind, uint64_t *count,
	     bool (*read)(struct reading *r, struct bytes *b, struct error *err), struct error *err)
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
	       error_set(err, ERROR_INPUT, "%" PRIu64 " roots, not %" PRIu64, roots,
			 r->info.roots_count);
}

/* ---- the file ------------------------------------------------------------ */

static bool
read_version(struct reading *r, struct error *err)
{
	struct heap_info *info = heap_builder_info(r->builder);
	uint16_t version, least;
	struct bytes b;

	bytes_init(&b, r->in.data, r->in.len, err);
	bytes_skip(&b, SAVED_MAGIC_BYTES, "the magic number");
	version = bytes_u16(&b, "the version");
	least = bytes_u16(&b, "the least version of a reader");
	if (!bytes_ok(&b))
		return false;
	if (least > SAVED_VERSION)
		return error_set(
		    err, ERROR_INPUT,
		    "the file was written by a later heaptop: version %u of the format, while this "
		    "heaptop reads %d; convert it with the later one: heaptop -o FILE.gcdump "
		    "FILE.heaptop",
		    least, SAVED_VERSION);
	info->saved_as = arena_printf(heap_builder_arena(r->builder), err, "heaptop %u", version);
	return info->saved_as != NULL;
}

/* Reads what the first screen needs. */
static bool
read_front(struct reading *r, struct error *err)
{
	return read_version(r, err) && saved_sections_find(&r->in, err) &&
	       saved_info_read(&r->info, &r->in, r->builder, err) && read_texts(r, err) &&
	       read_types(r, err);
}

/* The types are complete, as they precede the objects in the file. */
static bool
keep_types_only(struct reading *r, struct error *err)
{
	heap_builder_info(r->builder)->losses.missing_bytes =
	    r->in.missing_bytes ? r->in.missing_bytes : 1;
	return heap_builder_warning(
	    r->builder, err,
	    "the file was cut short: only its types were read, which are complete; the %" PRIu64
	    " objects and their references are missing",
	    r->info.nodes_count);
}

/* Moves the input and r->in into the heap if it needs them. */
static bool
keep_input(struct reading *r, struct error *err)
{
	struct saved_kept *kept;

	if (!r->keeps || (!r->objects.borrows && !saved_section_of(&r->in, SAVED_DERI)))
		return true;
	kept = saved_kept_new(r->keeps, &r->in, (uint32_t)r->info.nodes_count, r->builder, err);
	if (!kept)
		return false;
	heap_builder_keep(r->builder, saved_kept_free, kept, &kept->derived);
	return input_is_intact(&kept->input, err);
}

static bool
read_all(struct reading *r, enum load_what what, struct preview *preview, struct error *err)
{
	if (!read_front(r, err) || !heap_builder_publish(r->builder, preview, r->info.nodes_count,
							 r->info.nodes_count, true, err))
		return false;
	if (r->in.is_cut)
		return read_generations(r, err) && keep_types_only(r, err);
	if (what == LOAD_TYPES || !(r->info.flags & SAVED_HAS_OBJECTS))
		return read_generations(r, err);
	return read_objects(r, err) && read_rest(r, err) && keep_input(r, err);
}

static bool
reading_init(struct reading *r, const uint8_t *data, size_t len, struct progress *progress,
	     struct error *err)
{
	*r = (struct reading){ .in = { .data = data, .len = len }, .progress = progress };
	r->builder = heap_builder_new(err);
	return r->builder != NULL;
}

static void
reading_clear(struct reading *r)
{
	heap_builder_free(r->builder);
	saved_sections_clear(&r->in);
}

const struct heap *
saved_read(const uint8_t *data, size_t len, struct input *keeps, const struct load_how *how,
	   struct error *err)
{
	const struct heap *heap = NULL;
	struct heap_info *info;
	struct reading r;

	if (!reading_init(&r, data, len, how->progress, err))
		return NULL;
	r.keeps = keeps;
	info = heap_builder_info(r.builder);
	if (read_all(&r, how->what, how->preview, err)) {
		if (!info->source)
			info->source = arena_strndup(heap_builder_arena(r.builder), how->path,
						     strlen(how->path), err);
		heap = heap_builder_finish(r.builder, err);
		r.builder = NULL;
	}
	if (heap && heap->has_objects && heap->refs_count != r.info.refs_count) {
		error_set(err, ERROR_INPUT, "%" PRIu64 " references instead of %" PRIu64,
			  heap->refs_count, r.info.refs_count);
		preview_withdraw(how->preview);
		heap_free(heap);
		heap = NULL;
	}
	reading_clear(&r);
	return heap;
}

static bool
accepts(const uint8_t *head, size_t head_len)
{
	return head_len >= SAVED_MAGIC_BYTES && !memcmp(head, SAVED_MAGIC, SAVED_MAGIC_BYTES);
}

/* ---- streams ------------------------------------------------------------- */

enum { EARLY_BYTES = 1 << 12, EARLY_MAX_BYTES = 1 << 26 };

/* `reading` owns the names of the types. */
struct saved_early {
	struct reading reading;
};

static bool
publish_early(struct reading *r, struct preview *preview, struct error *err)
{
	return saved_sections_find(&r->in, err) && saved_section_of(&r->in, SAVED_SIZE) &&
	       saved_info_read(&r->info, &r->in, r->builder, err) && read_texts(r, err) &&
	       read_types(r, err) &&
	       preview_publish(preview, heap_builder_types(r->builder),
			       heap_builder_types_count(r->builder), r->info.nodes_count,
			       r->info.nodes_count, true, err);
}

struct saved_early *
saved_early_show(const uint8_t *data, size_t len, struct preview *preview)
{
	struct error ignored = { 0 };
	struct saved_early *early = memory_new(1, sizeof(*early), &ignored);

	if (early && reading_init(&early->reading, data, len, NULL, &ignored) &&
	    publish_early(&early->reading, preview, &ignored))
		return early;
	saved_early_free(early);
	return NULL;
}

void
saved_early_free(struct saved_early *early)
{
	if (early)
		reading_clear(&early->reading);
	memory_free(early);
}

static struct saved_early *
show_early(const char *path, struct progress *progress, struct preview *preview)
{
	for (uint64_t wanted = EARLY_BYTES; wanted <= EARLY_MAX_BYTES; wanted *= 2) {
		struct error ignored = { 0 };
		struct saved_early *early;
		struct file f;
		bool is_all;

		if (!file_open(&f, path, wanted, progress, &ignored))
			return NULL;
		is_all = f.len < wanted;
		early = saved_early_show(f.data, f.len, preview);
		file_close(&f);
		if (early || is_all || progress_is_cancelled(progress))
			return early;
	}
	return NULL;
}

static const struct heap *
load(struct input *in, const struct load_how *how, struct error *err)
{
	struct saved_early *early = NULL;
	const struct heap *heap = NULL;

	/* An early look at a regular file on standard input would drop its lease. */
	if (how->preview && input_is_partial(in))
		early = show_early(how->path, how->progress, how->preview);
	if (input_complete(in, how->progress, err))
		heap = saved_read(in->data, in->len, in, how, err);
	if (!heap)
		preview_withdraw(how->preview);
	saved_early_free(early);
	return heap;
}

const struct source source_saved = {
	.name = "heaptop",
	.help = "heaps saved by heaptop",
	.accepts = accepts,
	.load = load,
};
