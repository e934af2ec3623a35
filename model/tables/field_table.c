/* The fields of an object, or the elements of an array. Cells read a struct contents_list. */
#include "model/base/format.h"
#include "model/heap/memory.h"
#include "model/analysis/object_text.h"
#include "model/table/object_columns.h"
#include "model/tables/contents_list.h"
#include "model/tables/tables.h"

/* --- rows ----------------------------------------------------------------- */

struct made {
	struct contents_list list; /* first: the cells of a view read a list without texts */
	struct arena texts;
};

/* Reads all fields, or elements of an array, a page at a time. */
static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct made *m = made;
	struct contents_list *l = &m->list;
	size_t before;

	if (about->node == NODE_NONE)
		return error_set(err, ERROR_USAGE, "fields needs the address of an object");
	if (!contents_list_start(l, f->heap, about->node, &m->texts, true, err))
		return false;
	do {
		before = l->count;
		if (!progress_add(progress, 0))
			return error_cancelled(err);
		if (!contents_list_read(l, CONTENTS_PAGE, err))
			return false;
	} while (l->count > before && l->count < l->total);
	return true;
}

static void
clear(void *made)
{
	struct made *m = made;

	contents_list_clear(&m->list);
	arena_clear(&m->texts);
}

static const struct row_source rows = {
	.what = "reading fields",
	ROWS_IN(struct made, list.items, list.count),
	.make = make,
	.clear = clear,
};

/* --- cells ---------------------------------------------------------------- */

static const struct content *
content_of(const struct contents_list *list, const struct row *row)
{
	return row->kind == ROW_MORE ? NULL : &list->items[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct content *c = content_of(in->rows, row);

	if (c)
		value_printf(out, STYLE_NORMAL, "%*s%.300s", 2 * (int)c->depth, "", c->name);
	else
		value_text(out, STYLE_DIM, "…");
}

static void
cell_type(const struct cells *in, const struct row *row, struct value *out)
{
	const struct content *c = content_of(in->rows, row);

	if (c && c->overlaps)
		value_printf(out, STYLE_TYPE, "overlapping %.300s", c->type);
	else
		value_text(out, STYLE_TYPE, c ? c->type : "");
}

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	const struct content *c = content_of(in->rows, row);
	char count[FORMAT_BYTES];

	if (!c)
		value_printf(out, STYLE_DIM, "%s more; Enter shows %d",
			     format_count(row->data, count), CONTENTS_PAGE);
	else
		object_content_value(in->facts, c, out);
}

static void
cell_target(const struct cells *in, const struct row *row, struct value *out)
{
	const struct content *c = content_of(in->rows, row);

	if (c && c->kind == CONTENT_REFERENCE && c->pointer)
		value_address(out, c->pointer);
	else
		value_blank(out);
}

static uint64_t
number_offset(const struct cells *in, const struct row *row)
{
	const struct content *c = content_of(in->rows, row);
	const struct contents_list *list = in->rows;
	uint64_t start = list->address, bytes = UINT64_MAX;

	if (!start) {
		start = object_address(in->facts, list->node);
		bytes = object_size(in->facts, list->node);
	}
	/* Elements of a collection lie in other objects. */
	return c && c->address >= start && c->address - start < bytes ? c->address - start
								      : UINT64_MAX;
}

static void
cell_bytes(const struct cells *in, const struct row *row, struct value *out)
{
	const struct content *c = content_of(in->rows, row);

	if (c)
		value_exact_bytes(out, c->bytes);
	else
		value_blank(out);
}

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	static const char *const kinds[] = {
		[CONTENT_RAW] = "raw",
		[CONTENT_VALUE] = "value",
		[CONTENT_REFERENCE] = "reference",
		[CONTENT_STRUCT] = "struct",
	};
	const struct content *c = content_of(in->rows, row);

	value_text(out, STYLE_DIM, c ? kinds[c->kind] : "");
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title     width sorts     cell         help                                           rank flags           needs */
	{ "field",   "Field",  -20,  UP,       CELL(VALUE_TEXT, cell_name),   "name of the field, index of the element",     0, 0,              0 },
	{ "value",   "Value",  FILL, UP,       CELL(VALUE_TEXT, cell_value),  "as C# writes it; for a reference, what it refers to", 0, 0,            0 },
	{ "declared", "Type",  -28,  UP,       CELL(VALUE_TEXT, cell_type),   "as declared; overlapping: shares bytes with another field", 1, 0,              0 },
	{ "target",  "Target", 14,   UP,       CELL(VALUE_ADDRESS, cell_target), "address that a reference holds",           2, 0,              0 },
	{ "offset",  "Offset", 8,    UP,       NUMBER(VALUE_PLAIN, number_offset), "bytes from the start of the object",          3, 0,              0 },
	{ "bytes",   "Bytes",  8,    DOWN,     CELL(VALUE_BYTES, cell_bytes),  "size of the value",                                4, 0,              0 },
	{ "kind",    "Kind",   -9,   UP,       CELL(VALUE_TEXT, cell_kind),   "value, reference, struct, or raw: not understood", 5, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

const struct table fields_table = {
	.name = "fields",
	.columns = columns,
	.heaps = OF_CONTENTS,
	.contents = "values",
	.needs = NEED_OBJECTS,
	.is_of_subject = true,
	.rows = &rows,
};
