#include "model/analysis/collection.h"
#include "model/analysis/collection_others.h"
#include <inttypes.h>
#include <string.h>

enum { SUMMARY_BYTES = 160 };

struct collection *
collection_open(const struct heap *h, node_id n, struct error *err)
{
	struct collection *c = contents_have_fields(h) ? memory_new(1, sizeof(*c), err) : NULL;

	if (!c)
		return NULL;
	c->heap = h;
	c->node = n;
	if (!collection_take_kind(c))
		c->kind = &collection_delegate;
	if (c->kind->open(c, err))
		return c;
	collection_close(c);
	return NULL;
}

void
collection_close(struct collection *c)
{
	if (!c)
		return;
	memory_free(c->places);
	memory_free(c);
}

const char *
collection_noun(const struct collection *c)
{
	return c->kind->noun ? c->kind->noun : "element";
}

uint64_t
collection_count(const struct collection *c)
{
	return c->count;
}

uint64_t
collection_capacity(const struct collection *c)
{
	return c->capacity;
}

bool
collection_is_short(const struct collection *c)
{
	return c->is_short;
}

/* --- rows ----------------------------------------------------------------- */

/* Reads the first `max` rows of a key or value; depths start at 0. An element with fewer rows is an
   error. */
static bool
read_part(const struct collection *c, const struct collection_part *part, uint64_t place,
	  struct content *rows, size_t max, size_t *count, struct arena *a, struct error *err)
{
	const struct heap_memory *m = c->heap->memory;
	node_id holder = c->has_nodes ? (node_id)place : part->array;
	uint64_t row = part->row, total;
	uint32_t depth;

	if (!c->has_nodes)
		row += place * part->element_rows;
	if (max > part->rows_count)
		max = part->rows_count;
	if (!m->contents->rows(m->source, holder, row, max, rows, count, &total, a, err))
		return false;
	if (*count != max)
		return error_set(err, ERROR_INPUT,
				 "an element of the collection at %" PRIx64
				 " differs from the others",
				 heap_address(c->heap, c->node));
	depth = rows[0].depth;
	for (size_t i = 0; i < *count; i++)
		rows[i].depth = rows[i].depth > depth ? rows[i].depth - depth : 0;
	return true;
}

/* Returns a key in one line: its text, or the texts of its fields. */
static const char *
summarise(const struct collection *c, const struct content *rows, size_t count, struct arena *a,
	  struct error *err)
{
	const char *text = "";

	for (size_t i = 0; i < count && text; i++) {
		const struct content *row = &rows[i];
		const char *one = row->text;

		if (row->kind == CONTENT_STRUCT && !*one)
			continue;
		if (!*one && row->target != NODE_NONE)
			one = heap_type(c->heap, row->target)->name;
		if (strlen(text) + strlen(one) > SUMMARY_BYTES && *text)
			return arena_printf(a, err, "{%s, …}", text);
		text = arena_printf(a, err, "%s%s%s", text, *text ? ", " : "", one);
	}
	return count == 1 || !text ? text : arena_printf(a, err, "{%s}", text);
}

/* A key that is a string or number is shown in the name and needs no rows. */
static bool
look_at_key(struct collection *c, struct arena *a, struct error *err)
{
	const struct collection_part *part = &c->parts[PART_KEY];
	struct content key;
	size_t count;

	if (!read_part(c, part, collection_place(c, 0), &key, 1, &count, a, err))
		return false;
	c->is_key_in_name = part->rows_count == 1 && count &&
			    (part->kind == CONTENT_VALUE || !strcmp(key.type, "string"));
	return true;
}

/* Finds the number of rows of an element. */
static bool
count_rows(struct collection *c, struct arena *a, struct error *err)
{
	if (c->element_rows || !c->count)
		return true;
	if (!collection_find(c, 1, err))
		return false;
	if (!c->count)
		return true;
	c->element_rows = c->parts[PART_VALUE].rows_count;
	if (!c->kind->key)
		return true;
	if (!look_at_key(c, a, err))
		return false;
	if (!c->is_key_in_name)
		c->element_rows += c->parts[PART_KEY].rows_count;
	return true;
}

/* Reads the rows of the key behind those of the value, and names the element by it. */
static bool
name_by_key(const struct collection *c, uint64_t place, struct content *rows, struct arena *a,
	    struct error *err)
{
	const struct collection_part *part = &c->parts[PART_KEY];
	struct content *key = rows + c->parts[PART_VALUE].rows_count;
	const char *text;
	size_t count;

	if (!read_part(c, part, place, key, part->rows_count, &count, a, err))
		return false;
	text = summarise(c, key, count, a, err);
	if (!text)
		return false;
	for (size_t i = 0; i < count; i++)
		key[i].depth++;
	key->name = "key";
	rows->name = arena_printf(a, err, "[%s]", text);
	return rows->name != NULL;
}

/* Returns all rows of one element. */
static struct content *
read_element(const struct collection *c, uint64_t index, struct arena *a, struct error *err)
{
	const struct collection_part *value = &c->parts[PART_VALUE];
	uint64_t place = collection_place(c, index);
	struct content *rows = arena_array(
	    a, struct content, (size_t)value->rows_count + c->parts[PART_KEY].rows_count, err);
	size_t count;

	if (!rows || !read_part(c, value, place, rows, value->rows_count, &count, a, err))
		return NULL;
	if (c->kind->key)
		return name_by_key(c, place, rows, a, err) ? rows : NULL;
	rows->name = arena_printf(a, err, "[%" PRIu64 "]", index);
	return rows->name ? rows : NULL;
}

bool
collection_rows(struct collection *c, uint64_t first, size_t count, struct content *rows,
		size_t *rows_count, uint64_t *total, struct arena *a, struct error *err)
{
	uint64_t each, end;

	*rows_count = 0;
	*total = 0;
	if (c->kind->rows)
		return c->kind->rows(c, first, count, rows, rows_count, total, a, err);
	if (!count_rows(c, a, err))
		return false;
	each = c->element_rows;
	if (!c->count)
		return true;
	end = first / each + count / each + 2;
	if (!collection_find(c, end < c->count ? end : c->count, err))
		return false;
	*total = c->count * each;
	while (first < *total && *rows_count < count) {
		const struct content *element = read_element(c, first / each, a, err);

		if (!element)
			return false;
		for (uint64_t i = first % each; i < each && *rows_count < count; i++, first++)
			rows[(*rows_count)++] = element[i];
	}
	return true;
}
