#include "model/table/table.h"
#include "model/graph/derived.h"
#include "model/graph/retention.h"
#include "model/heap/contents.h"
#include <string.h>

const char *
facts_type_name(const struct facts *f, type_id type)
{
	const struct type *t = &f->types[type];

	if (!f->shows_short_names)
		return t->name;
	return f->shown_names ? f->shown_names[type] : t->short_name;
}

uint64_t
facts_type_retained(const struct facts *f, type_id type)
{
	return f->retention ? f->retention->types[type].bytes
			    : f->heap->derived->retained_by_type[type];
}

void
facts_type_cell(const struct facts *f, type_id type, struct value *out)
{
	value_text(out, STYLE_TYPE, facts_type_name(f, type));
	out->type = &f->types[type];
	out->also = out->type->raw;
}

int
column_by_id(const struct column *columns, const char *id)
{
	for (int i = 0; columns[i].id; i++)
		if (!strcmp(columns[i].id, id))
			return i;
	return -1;
}

bool
column_is_in(const struct column *c, const char *ids)
{
	size_t len = strlen(c->id);

	for (; *ids; ids += strcspn(ids, ","), ids += *ids == ',')
		if (strcspn(ids, ",:") == len && !strncmp(ids, c->id, len))
			return true;
	return false;
}

const struct column *
table_name_column(const struct table *t)
{
	for (const struct column *c = t->columns; c->id; c++)
		if (c->width == FILL)
			return c;
	return t->columns;
}

int
table_sort_column(const struct table *t, int column)
{
	const struct column *c = &t->columns[column], *next = c + 1;
	bool is_text = c->sort == UNSORTED && c->flags & COLUMN_SCREEN;

	if (!is_text || !next->id || next->sort == UNSORTED)
		return column;
	return strcmp(c->title, next->title) ? column : column + 1;
}

bool
table_heaps_include(enum table_heaps heaps, const struct heap *h)
{
	switch (heaps) {
	case OF_ANY_HEAP:
		return true;
	case OF_MEMORY:
		return h->memory;
	case OF_CONTENTS:
		return contents_exist(h);
	case OF_FIELDS:
		return contents_have_fields(h);
	}
	return false;
}

bool
table_fits(const struct table *t, const struct heap *h)
{
	return table_heaps_include(t->heaps, h);
}

static uint64_t
field_number(const void *field, size_t size)
{
	uint64_t n8;
	uint32_t n4;
	uint16_t n2;

	switch (size) {
	case 8:
		memcpy(&n8, field, sizeof n8);
		return n8;
	case 4:
		memcpy(&n4, field, sizeof n4);
		return n4;
	case 2:
		memcpy(&n2, field, sizeof n2);
		return n2;
	default:
		return *(const unsigned char *)field;
	}
}

/* Stores a number of any kind except a share. */
static void
put_number(const struct value_source *from, uint64_t n, struct value *out)
{
	switch ((enum value_kind)from->kind) {
	case VALUE_BYTES:
		value_bytes(out, n);
		out->is_exact = from->is_exact;
		break;
	case VALUE_PLAIN:
		value_plain(out, n);
		break;
	case VALUE_DURATION:
		value_duration(out, n);
		break;
	case VALUE_ADDRESS:
		value_address(out, n);
		break;
	default:
		value_count(out, n);
		break;
	}
}

static void
put_text(const struct value_source *from, const char *field, struct value *out)
{
	const char *text = field;

	if (!from->is_array)
		memcpy(&text, field, sizeof text);
	if (text)
		value_text(out, (enum style)from->style, text);
	else
		value_blank(out);
}

static bool
is_blank(const struct value_source *from, uint64_t n)
{
	if (from->is_node)
		return n == NODE_NONE;
	if (from->zero_is_blank)
		return n == 0;
	return from->ones_are_blank && n == UINT64_MAX >> (64 - 8 * from->size);
}

static void
put_field(const struct value_source *from, const struct facts *f, const char *record,
	  struct value *out)
{
	const char *field = record + from->offset;
	uint64_t n;

	if (from->kind == VALUE_TEXT && !from->words) {
		put_text(from, field, out);
		return;
	}
	n = field_number(field, from->size);
	if (is_blank(from, n))
		value_blank(out);
	else if (from->words)
		value_text(out, (enum style)from->style, from->words[n]);
	else if (from->is_node)
		value_address(out, heap_address(f->heap, (node_id)n));
	else if (from->kind == VALUE_SHARE)
		value_share(out, n, field_number(record + from->whole, 8));
	else
		put_number(from, n, out);
}

/* UINT64_MAX and the address 0 mean no value. */
static void
put_if_any(const struct value_source *from, uint64_t n, struct value *out)
{
	if (n == UINT64_MAX || (!n && from->kind == VALUE_ADDRESS))
		value_blank(out);
	else
		put_number(from, n, out);
}

static void
put_of_object(const struct value_source *from, const struct cells *in, const struct row *row,
	      struct value *out)
{
	if (!row_is_object(row))
		value_blank(out);
	else if (from->cell)
		from->cell(in, row, out);
	else
		put_if_any(from, from->object(in->facts, row->node), out);
}

static const char *
array_of(const struct row_source *rows, const struct cells *in)
{
	return rows->holder ? rows->holder(in->facts) : in->rows;
}

/* Returns NULL if the rows are not records. */
static const char *
record_of(const struct row_source *rows, const struct cells *in, uint64_t item)
{
	const char *field, *items;

	if (!rows->record_size)
		return NULL;
	items = field = array_of(rows, in) + rows->items;
	if (!rows->is_inside)
		memcpy(&items, field, sizeof items);
	return items + item * rows->record_size;
}

static void
put_sentence(const struct value_source *from, const struct cells *in, const struct row *row,
	     struct value *out)
{
	struct text t = value_begin_text(out, (enum style)from->style);

	from->sentence(in, row, &t);
	if (!t.len)
		value_blank(out);
	else if (from->cell)
		from->cell(in, row, out);
}

static void
put_of_record(const struct table *t, const struct value_source *from, const struct cells *in,
	      const struct row *row, struct value *out)
{
	const char *record = t->record ? t->record(in, row) : record_of(t->rows, in, row->data);

	if (record)
		put_field(from, in->facts, record, out);
	else
		value_blank(out);
}

uint32_t
table_rows_count(const struct table *t, const struct cells *in)
{
	const struct row_source *rows = t->rows;

	if (rows->count)
		return rows->count(in);
	return (uint32_t)field_number(array_of(rows, in) + rows->items_count, rows->size_of_count);
}

void
table_row_of_record(const struct row_source *rows, const struct cells *in, uint32_t item,
		    struct row *out)
{
	const char *record = record_of(rows, in, item);
	node_id n = NODE_NONE;

	if (rows->node_offset_plus_1)
		memcpy(&n, record + rows->node_offset_plus_1 - 1, sizeof n);
	*out = n == NODE_NONE ? row_of(ROW_PLAIN) : row_of_node(in->facts->heap, n);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
	if (rows->row)
		rows->row(in, record, out);
}

void
table_cell(const struct table *t, const struct cells *in, const struct column *c,
	   const struct row *row, struct value *out)
{
	const struct value_source *from = &c->from;

	switch ((enum source_kind)from->source) {
	case SOURCE_FIELD:
		put_of_record(t, from, in, row, out);
		break;
	case SOURCE_NUMBER:
		put_if_any(from, from->number(in, row), out);
		break;
	case SOURCE_OBJECT:
		put_of_object(from, in, row, out);
		break;
	case SOURCE_CELL_AT:
		from->cell_at(in, row, from->at, out);
		break;
	case SOURCE_CELL:
		from->cell(in, row, out);
		break;
	case SOURCE_SENTENCE:
		put_sentence(from, in, row, out);
		break;
	}
	if (c->flags & COLUMN_OF_HEAP)
		value_to_share(out, in->facts->heap->bytes_count);
}

const char *
table_whole_text(const struct cells *in, const struct column *c, const struct row *row,
		 struct arena *a)
{
	const struct value_source *from = &c->from;
	struct text t = text_in_arena(a);

	if (from->source == SOURCE_CELL && from->whole_text)
		return from->whole_text(in, row, a);
	if (from->source == SOURCE_SENTENCE)
		from->sentence(in, row, &t);
	return t.len ? t.bytes : NULL;
}

bool
table_has_long_texts(const struct table *t)
{
	for (const struct column *c = t->columns; c->id; c++)
		if (c->from.source == SOURCE_CELL && c->from.whole_text)
			return true;
	return false;
}
