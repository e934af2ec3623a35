#include "model/analysis/collection_others.h"
#include "model/base/load.h"
#include <inttypes.h>

enum { UNITS_MAX = 1 << 16, CHUNKS_MAX = 65536, ESCAPED_MAX = 10 };

/* --- StringBuilder -------------------------------------------------------- */

/* The object is the builder's last chunk, which knows the units before it. */
bool
collection_open_builder(struct collection *c, struct error *err)
{
	int64_t before, length;

	if (!contents_integer(c->heap, c->node, "m_ChunkOffset", &before, err) ||
	    !contents_integer(c->heap, c->node, "m_ChunkLength", &length, err) || before < 0 ||
	    length < 0)
		return false;
	c->units = (uint64_t)before + (uint64_t)length;
	c->count = 1;
	return true;
}

/* A builder's text while it is read chunk by chunk, from its end. */
struct builder {
	const struct collection *c;
	uint16_t *units; /* beginning of the text */
	size_t units_count;
	node_id chunk; /* next chunk to read, or NODE_NONE */
	uint64_t end;  /* offset in the text at which that chunk ends */
};

/* Reads a chunk's units, which begin at unit `at`, as far as there is room. */
static bool
read_units(const struct builder *b, const struct content_field *chars, uint64_t at, uint64_t count)
{
	const struct heap_memory *m = b->c->heap->memory;
	size_t left = b->units_count - (size_t)at;
	size_t len = count < left ? (size_t)count : left;
	const uint8_t *bytes = (const uint8_t *)(b->units + at);

	if (m->contents->bytes(m->source, chars->address, b->units + at, 2 * len) != 2 * len)
		return false;
	for (size_t i = 0; i < len; i++)
		b->units[at + i] = (uint16_t)load_bytes(bytes + 2 * i, 2);
	return true;
}

/* Reads a chunk. Chunks must be adjacent, so that no unit is read twice. */
static bool
read_chunk(struct builder *b, struct error *err)
{
	const struct heap *h = b->c->heap;
	const struct heap_memory *m = h->memory;
	node_id chunk = b->chunk, array;
	struct content_field chars;
	int64_t offset, length;

	if (!contents_integer(h, chunk, "m_ChunkOffset", &offset, err) ||
	    !contents_integer(h, chunk, "m_ChunkLength", &length, err) ||
	    !contents_reference(h, chunk, "m_ChunkPrevious", &b->chunk, err) || offset < 0 ||
	    length < 0 || (uint64_t)offset > b->end ||
	    (uint64_t)length != b->end - (uint64_t)offset)
		return false;
	b->end = (uint64_t)offset;
	if ((uint64_t)offset >= b->units_count)
		return true;
	return contents_reference(h, chunk, "m_ChunkChars", &array, err) && array != NODE_NONE &&
	       m->contents->field(m->source, array, "", &chars, err) &&
	       chars.literal == LITERAL_CHAR && (uint64_t)length <= chars.count &&
	       read_units(b, &chars, (uint64_t)offset, (uint64_t)length);
}

/* Returns "…" alone if there are too many chunks to reach the beginning. */
static const char *
builder_text(const struct collection *c, struct arena *a, struct error *err)
{
	size_t count = c->units < UNITS_MAX ? (size_t)c->units : UNITS_MAX;
	size_t size = count * ESCAPED_MAX + 16;
	struct builder b = { .c = c, .chunk = c->node, .end = c->units };
	char *text = arena_array(a, char, size, err);
	bool is_sound = true;

	b.units = text ? arena_array(a, uint16_t, count + 1, err) : NULL;
	b.units_count = count;
	if (!b.units)
		return NULL;
	for (unsigned i = 0; is_sound && b.chunk != NODE_NONE; i++) {
		if (i == CHUNKS_MAX) {
			literal_write_text(b.units, 0, true, text, size);
			return text;
		}
		is_sound = read_chunk(&b, err);
	}
	if (is_sound && !b.end) {
		literal_write_text(b.units, count, count < c->units, text, size);
		return text;
	}
	if (err->kind == ERROR_NONE)
		error_set(err, ERROR_INPUT, "the text at %" PRIx64 " is damaged",
			  heap_address(c->heap, c->node));
	return NULL;
}

bool
collection_builder_rows(struct collection *c, uint64_t first, size_t count, struct content *rows,
			size_t *rows_count, uint64_t *total, struct arena *a, struct error *err)
{
	*rows_count = 0;
	*total = 1;
	if (first || !count)
		return true;
	*rows = (struct content){
		.name = "",
		.type = "string",
		.address = heap_address(c->heap, c->node),
		.bytes = 2 * c->units,
		.target = NODE_NONE,
		.kind = CONTENT_VALUE,
	};
	rows->text = builder_text(c, a, err);
	*rows_count = rows->text != NULL;
	return rows->text != NULL;
}

/* --- delegates ------------------------------------------------------------ */

static bool
delegate_rows(struct collection *c, uint64_t first, size_t count, struct content *rows,
	      size_t *rows_count, uint64_t *total, struct arena *a, struct error *err)
{
	const struct heap_memory *m = c->heap->memory;
	struct content_method called;

	*rows_count = 0;
	*total = 0;
	if (!m->contents->method(m->source, c->node, &called, a, err))
		return err->kind == ERROR_NONE;
	if (called.entries != NODE_NONE)
		return m->contents->rows(m->source, called.entries, first,
					 first >= called.entries_count ? 0
					 : count < called.entries_count - first
					     ? count
					     : (size_t)(called.entries_count - first),
					 rows, rows_count, total, a, err) &&
		       (*total = called.entries_count, true);
	*total = 1;
	if (first || !count)
		return true;
	*rows = (struct content){
		.name = "calls",
		.type = "",
		.text = called.text,
		.address = heap_address(c->heap, c->node),
		.bytes = 8,
		.target = called.target,
		.kind = CONTENT_REFERENCE,
	};
	if (called.target != NODE_NONE)
		rows->pointer = heap_address(c->heap, called.target);
	*rows_count = 1;
	return true;
}

static bool
open_delegate(struct collection *c, struct error *err)
{
	const struct heap_memory *m = c->heap->memory;
	struct content_method called;
	struct arena a;
	bool is_known;

	arena_init(&a, 0);
	is_known = m->contents->method(m->source, c->node, &called, &a, err) &&
		   (called.entries != NODE_NONE || *called.text);
	c->count = is_known && called.entries != NODE_NONE ? called.entries_count : is_known;
	arena_clear(&a);
	return is_known;
}

const struct collection_kind collection_delegate = {
	.type = "",
	.open = open_delegate,
	.rows = delegate_rows,
	.noun = "method",
};
