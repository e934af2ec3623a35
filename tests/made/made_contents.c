#include "tests/made/made_contents.h"
#include "tests/drive/run_tests.h"
#include "model/heap/literal.h"
#include <stdlib.h>
#include <string.h>

#define BASE UINT64_C(0x7f0000001000)

struct made_contents {
	struct heap_stream *stream;
	type_id types[MADE_KINDS];
	struct heap_table tables[MADE_KINDS];
	uint8_t *bytes; /* from BASE on */
	size_t len, room, last;
	uint64_t end; /* addresses from here on are absent */
	uint64_t random;
	uint32_t asked;
	const struct heap *heap;
	struct error err;
};

/* clang-format off */
static const struct content_part point_parts[] = {
	{ "X", "int",  8,  4, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT32 },
	{ "Y", "long", 16, 8, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT64 },
	{ "Z", "bool", 24, 1, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_BOOL },
};
static const struct content_part moved_parts[] = {
	{ "X", "int",  16, 4, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT32 },
	{ "Y", "long", 8,  8, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT64 },
};
static const struct content_part maybe_part[] = {
	{ "N", "int?", 12, 4, 0, 8, CONTENT_VALUE, LITERAL_INT32 },
};
static const struct content_part wide_part[] = {
	{ "", "long", 0, 8, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT64 },
};
static const struct content_part element_part[] = {
	{ "", "int", 0, 4, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT32 },
};
static const struct content_part box_part[] = {
	{ "", "int", 8, 4, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT32 },
};
static const struct content_part list_parts[] = {
	{ "_items", "int[]", 8,  8, 0, UINT32_MAX, CONTENT_REFERENCE, 0 },
	{ "_size",  "int",   16, 4, 0, UINT32_MAX, CONTENT_VALUE, LITERAL_INT32 },
};
/* What they are, and the bytes of one without elements. */
static const struct {
	const char *raw;
	uint32_t flags, bytes;
	struct content_layout layout;
} kinds[MADE_KINDS] = {
	[MADE_TEXT] =    { "System.String",  TYPE_STRING, 22, { 0x1000, NULL, 0, 8, 12, 2, false } },
	[MADE_NUMBERS] = { "System.Int32[]", TYPE_ARRAY,  24, { 0x2000, element_part, 1, 8, 16, 4, false } },
	[MADE_BOX] =     { "System.Int32",   0,           24, { 0x3000, box_part, 1, 0, 0, 0, true } },
	[MADE_POINT] =   { "Test.Point",     0,           40, { 0x4000, point_parts, 3, 0, 0, 0, false } },
	[MADE_MOVED] =   { "Test.Point",     0,           40, { 0x4800, moved_parts, 2, 0, 0, 0, false } },
	[MADE_MAYBE] =   { "Test.Maybe",     0,           24, { 0x4a00, maybe_part, 1, 0, 0, 0, false } },
	[MADE_WIDE] =    { "Test.Wide[]",    TYPE_ARRAY,  24, { 0x4c00, wide_part, 1, 8, 16, 4, false } },
	[MADE_LIST] =    { "System.Collections.Generic.List<System.Int32>", 0, 32, { 0x5000, list_parts, 2, 0, 0, 0, false } },
};
/* clang-format on */

struct made_contents *
made_contents_new(uint64_t seed)
{
	struct made_contents *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->random = seed * 2 + 1;
	m->end = UINT64_MAX;
	m->stream = heap_stream_new(&m->err);
	assert_non_null(m->stream);
	for (int i = 0; i < MADE_KINDS; i++) {
		struct heap_builder *b = heap_stream_builder(m->stream);

		m->types[i] = heap_builder_type(b, kinds[i].raw, "/lib.dll", &m->err);
		heap_builder_type_flags(b, m->types[i], kinds[i].flags);
	}
	return m;
}

uint64_t
made_contents_random(struct made_contents *m, uint64_t limit)
{
	m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (m->random >> 33) % limit;
}

uint64_t
made_contents_put(struct made_contents *m, enum made_kind kind, const void *bytes, uint32_t count,
		  bool keeps)
{
	const struct content_layout *layout = &kinds[kind].layout;
	uint64_t address = BASE + m->len;
	size_t size = kinds[kind].bytes + layout->element_bytes * count;
	size_t full = (size + 7) & ~(size_t)7;
	uint8_t *at;

	while (m->room < m->len + full) {
		m->room = m->room ? m->room * 2 : 1 << 16;
		m->bytes = realloc(m->bytes, m->room);
		assert_non_null(m->bytes);
	}
	m->last = m->len;
	at = m->bytes + m->len;
	m->len += full;
	memset(at, 0, full);
	memcpy(at, &layout->table, 8);
	if (layout->element_bytes) {
		memcpy(at + layout->count_at, &count, 4);
		memcpy(at + layout->elements_at, bytes, (size_t)layout->element_bytes * count);
	} else {
		memcpy(at + 8, bytes, count);
	}
	assert_true(heap_stream_object(m->stream, address, m->types[kind], size, 0, &m->err));
	if (keeps)
		assert_true(heap_stream_root(m->stream, address, ROOT_STATIC, false, "Test.kept",
					     "", &m->err));
	return address;
}

void
made_contents_damage(struct made_contents *m)
{
	memset(m->bytes + m->last + 8, 0x7f, 4);
}

void
made_contents_claim(struct made_contents *m, uint32_t count)
{
	memcpy(m->bytes + m->last + 8, &count, 4);
}

void
made_contents_lose(struct made_contents *m, uint64_t address)
{
	m->end = address;
}

uint32_t
made_contents_asked(const struct made_contents *m)
{
	return m->asked;
}

/* --- as heaps ask for it -------------------------------------------------- */

static size_t
read_bytes(const void *source, uint64_t address, void *to, size_t len)
{
	const struct made_contents *m = source;
	uint64_t end = m->end < BASE + m->len ? m->end : BASE + m->len;

	if (address < BASE || address >= end)
		return 0;
	if (len > end - address)
		len = (size_t)(end - address);
	memcpy(to, m->bytes + (address - BASE), len);
	return len;
}

static bool
lay_out(const void *source, node_id object, struct content_layout *out, struct arena *a,
	struct error *err)
{
	/* The source is const to those who read. */
	struct made_contents *m = (struct made_contents *)source;
	uint64_t table;

	(void)a;
	(void)err;
	m->asked++;
	if (read_bytes(m, heap_address(m->heap, object), &table, 8) != 8)
		return false;
	for (int i = 0; i < MADE_KINDS; i++)
		if (kinds[i].layout.table == table)
			*out = kinds[i].layout;
	return true;
}

/* ASCII is enough, and nothing is cut. */
static bool
write_text(const void *source, node_id object, uint32_t units_max, const char **text,
	   uint32_t *units, struct arena *a, struct error *err)
{
	const struct made_contents *m = source;
	const uint8_t *at = m->bytes + (heap_address(m->heap, object) - BASE);
	char *out;

	memcpy(units, at + 8, 4);
	*units = *units < units_max ? *units : units_max;
	out = arena_array(a, char, *units + 1UL, err);
	for (uint32_t i = 0; out && i < *units; i++)
		out[i] = (char)at[12 + 2 * i];
	*text = out;
	return out != NULL;
}

/* No runtime is around them that could have more to say. */

static bool
find_no_rows(const void *source, node_id object, uint64_t first, size_t count, struct content *rows,
	     size_t *rows_count, uint64_t *total, struct arena *a, struct error *err)
{
	(void)source;
	(void)object;
	(void)first;
	(void)count;
	(void)rows;
	(void)a;
	(void)err;
	*rows_count = 0;
	*total = 0;
	return true;
}

static bool
find_no_value(const void *source, uint64_t table, uint64_t address, uint64_t first, size_t count,
	      struct content *rows, size_t *rows_count, uint64_t *total, struct arena *a,
	      struct error *err)
{
	(void)table;
	(void)address;
	return find_no_rows(source, 0, first, count, rows, rows_count, total, a, err);
}

static bool
find_no_field(const void *source, node_id object, const char *name, struct content_field *out,
	      struct error *err)
{
	(void)source;
	(void)object;
	(void)name;
	(void)out;
	(void)err;
	return false;
}

static bool
find_no_method(const void *source, node_id object, struct content_method *out, struct arena *a,
	       struct error *err)
{
	(void)source;
	(void)object;
	(void)out;
	(void)a;
	(void)err;
	return false;
}

static bool
find_no_header(const void *source, node_id object, struct content_header *out, struct error *err)
{
	(void)source;
	(void)object;
	*out = (struct content_header){ 0 };
	return error_set(err, ERROR_INPUT, "there is no header");
}

static bool
find_no_fault(const void *source, node_id object, struct faults *out, struct progress *progress,
	      struct error *err)
{
	(void)source;
	(void)object;
	(void)out;
	(void)progress;
	(void)err;
	return true;
}

static bool
find_no_lock(const void *source, struct heap_locks *out, struct progress *progress,
	     struct error *err)
{
	(void)source;
	(void)out;
	(void)progress;
	(void)err;
	return true;
}

static bool
find_no_frames(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
	       struct arena *a, struct error *err)
{
	(void)source;
	(void)os_id;
	(void)max;
	(void)a;
	(void)err;
	*out = (struct content_frames){ .why = "its registers are unknown" };
	return true;
}

static bool
find_no_statics(const void *source, uint64_t table, struct heap_statics *out,
		struct progress *progress, struct arena *a, struct error *err)
{
	(void)source;
	(void)table;
	(void)out;
	(void)progress;
	(void)a;
	(void)err;
	return true;
}

static bool
find_no_table(const void *source, uint64_t address, struct content_table *out, struct arena *a,
	      struct error *err)
{
	(void)source;
	(void)address;
	(void)out;
	(void)a;
	return error_set(err, ERROR_INPUT, "no method table is there");
}

static bool
find_no_methods(const void *source, uint64_t address, struct content_methods *out, struct arena *a,
		struct error *err)
{
	(void)source;
	(void)address;
	(void)out;
	(void)a;
	return error_set(err, ERROR_INPUT, "no method table is there");
}

static const struct contents_ops ops = { .rows = find_no_rows,
					 .value = find_no_value,
					 .field = find_no_field,
					 .method = find_no_method,
					 .header = find_no_header,
					 .layout = lay_out,
					 .bytes = read_bytes,
					 .text = write_text,
					 .verify = find_no_fault,
					 .locks = find_no_lock,
					 .awaited_locks = find_no_lock,
					 .frames = find_no_frames,
					 .statics = find_no_statics,
					 .table = find_no_table,
					 .methods = find_no_methods };

const struct heap *
made_contents_heap(struct made_contents *m)
{
	struct heap_memory *memory = heap_builder_memory(heap_stream_builder(m->stream), &m->err);

	assert_non_null(memory);
	for (int i = 0; i < MADE_KINDS; i++)
		m->tables[i] =
		    (struct heap_table){ .address = kinds[i].layout.table, .type = m->types[i] };
	memory->tables = m->tables;
	memory->tables_count = MADE_KINDS;
	memory->contents = &ops;
	memory->source = m;
	m->heap = heap_stream_finish(m->stream, NULL, &m->err);
	if (!m->heap)
		fail_msg("%s", m->err.message);
	return m->heap;
}

void
made_contents_free(struct made_contents *m)
{
	heap_free(m->heap);
	free(m->bytes);
	free(m);
}
