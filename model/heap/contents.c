#include "model/heap/contents.h"

bool
contents_exist(const struct heap *h)
{
	return h->memory && h->memory->contents;
}

bool
contents_have_fields(const struct heap *h)
{
	return contents_exist(h) && !h->memory->lacks_fields;
}

/* Values are little-endian, like the memory. */
static bool
read_word(const struct heap *h, uint64_t address, size_t len, uint64_t *out)
{
	uint8_t bytes[8] = { 0 };

	*out = 0;
	if (len > sizeof(bytes) ||
	    h->memory->contents->bytes(h->memory->source, address, bytes, len) != len)
		return false;
	for (size_t i = len; i-- > 0;)
		*out = *out << 8 | bytes[i];
	return true;
}

uint64_t
contents_table(const struct heap *h, node_id n)
{
	uint64_t word;

	return read_word(h, heap_address(h, n), sizeof(word), &word) ? word & ~CONTENT_MARKS : 0;
}

bool
contents_read_integer(const struct heap *h, uint64_t address, enum literal_kind kind, int64_t *out)
{
	size_t len = literal_len(kind);
	unsigned unused = (unsigned)(64 - 8 * len);
	uint64_t word;

	*out = 0;
	if (kind > LITERAL_UINT64 && kind != LITERAL_POINTER)
		return false;
	if (!read_word(h, address, len, &word))
		return false;
	*out = (int64_t)word;
	if (kind == LITERAL_INT8 || kind == LITERAL_INT16 || kind == LITERAL_INT32)
		*out = (int64_t)(word << unused) >> unused;
	return true;
}

bool
contents_read_reference(const struct heap *h, uint64_t address, node_id *out)
{
	uint64_t pointer;

	*out = NODE_NONE;
	if (!read_word(h, address, sizeof(pointer), &pointer))
		return false;
	if (pointer)
		*out = heap_find(h, pointer);
	return true;
}

static bool
find_field(const struct heap *h, node_id n, const char *name, enum content_kind kind,
	   struct content_field *out, struct error *err)
{
	const struct heap_memory *m = h->memory;

	return contents_exist(h) && m->contents->field(m->source, n, name, out, err) &&
	       out->kind == kind && out->count && !out->is_null;
}

bool
contents_integer(const struct heap *h, node_id n, const char *name, int64_t *out, struct error *err)
{
	struct content_field f;

	*out = 0;
	return find_field(h, n, name, CONTENT_VALUE, &f, err) &&
	       contents_read_integer(h, f.address, f.literal, out);
}

bool
contents_reference(const struct heap *h, node_id n, const char *name, node_id *out,
		   struct error *err)
{
	struct content_field f;

	*out = NODE_NONE;
	return find_field(h, n, name, CONTENT_REFERENCE, &f, err) &&
	       contents_read_reference(h, f.address, out);
}
