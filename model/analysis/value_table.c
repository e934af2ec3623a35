/* Objects that contain a value, as a table: strings with a text, fields and elements with a
   number. */
#include "model/table/object_columns.h"
#include "model/table/root_text.h"
#include "model/analysis/tables.h"
#include "model/analysis/value_search.h"
#include "model/base/format.h"
#include "model/heap/memory.h"
#include <inttypes.h>

struct made {
	struct value_query query;
	struct value_matches *matches;
	const struct value_match *items; /* array of `matches` */
	size_t count;
};

/* --- making rows --------------------------------------------------------- */

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	struct value_query query;

	(void)f;
	return value_query_parse(about->text, &query, err);
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct made *m = made;

	if (!value_query_parse(about->text, &m->query, err))
		return false;
	m->matches = value_search(f->heap, &m->query, progress, err);
	if (!m->matches)
		return false;
	m->items = m->matches->items;
	m->count = m->matches->count;
	return true;
}

static void
clear(void *made)
{
	struct made *m = made;

	value_matches_free(m->matches);
}

/* --- cells --------------------------------------------------------------- */

static const struct value_match *
match_of(const struct cells *in, const struct row *row)
{
	const struct made *m = in->rows;

	return &m->items[row->data];
}

static void
cell_field(const struct cells *in, const struct row *row, struct value *out)
{
	const struct value_match *m = match_of(in, row);

	if (m->element == UINT64_MAX)
		value_text(out, STYLE_NORMAL, m->field);
	else
		value_printf(out, STYLE_NORMAL, "[%" PRIu64 "]%s%.300s", m->element,
			     *m->field ? "." : "", m->field);
}

/* Finds the row of a match among those of its object. All elements of an array have the same number
   of rows. */
static bool
find_row_of(const struct heap_memory *m, const struct value_match *match, uint64_t total,
	    uint64_t *row)
{
	struct content_field field;
	struct error ignored = { 0 };
	bool is_element = match->element != UINT64_MAX;

	*row = 0;
	if (!*match->field && !is_element)
		return true;
	if (!m->contents->field(m->source, match->node, match->field, &field, &ignored))
		return false;
	*row = field.row;
	if (is_element && field.count)
		*row += match->element * (total / field.count);
	return true;
}

/* Prints the value as a C# literal, with names of enum members. Returns false if it cannot be
   read. */
static bool
print_value(const struct heap_memory *m, const struct value_match *match, struct value *out,
	    struct arena *a)
{
	struct error ignored = { 0 };
	struct content content;
	uint64_t total, row;
	size_t count;

	if (!m->contents->rows(m->source, match->node, 0, 0, &content, &count, &total, a,
			       &ignored) ||
	    !find_row_of(m, match, total, &row) ||
	    !m->contents->rows(m->source, match->node, row, 1, &content, &count, &total, a,
			       &ignored) ||
	    !count)
		return false;
	value_printf(out, STYLE_NORMAL, "%s", content.text);
	return true;
}

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_memory *m = in->facts->heap->memory;
	struct arena a;

	arena_init(&a, 0);
	if (!print_value(m, match_of(in, row), out, &a))
		value_blank(out);
	arena_clear(&a);
}

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	describe_root_of(in->facts, row->node, out);
}

/* --- heading ------------------------------------------------------------- */

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *m = in->rows;
	char count[FORMAT_BYTES], more[FORMAT_BYTES + 40] = "", unread[FORMAT_BYTES + 40] = "";

	if (line)
		return false;
	if (m->matches->left_out)
		snprintf(more, sizeof more, "; %s more are not listed",
			 format_count(m->matches->left_out, count));
	if (m->matches->unread_count)
		snprintf(unread, sizeof unread, "; %s object%s could not be read",
			 format_count(m->matches->unread_count, count),
			 plural(m->matches->unread_count));
	value_printf(out, STYLE_DIM, "%s %s%s%s%s", format_count(m->matches->count, count),
		     m->query.is_text ? "string" : "value", plural(m->matches->count), more,
		     unread);
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                             rank flags           needs */
	ADDRESS_COLUMN(UP, 0, 0),
	TYPE_COLUMN(OBJECT_TYPE, UP, 0, COLUMN_BY_TYPE),
	{ "field",   "Field",   -22,  UP,       CELL(VALUE_TEXT, cell_field),   "field with the value; [3]: an element; blank: the object itself", 1, 0, 0 },
	{ "value",   "Value",   -16,  UNSORTED, CELL(VALUE_TEXT, cell_value),   "the value found, or the beginning of the text", 2, 0,              0 },
	{ "declared", "Declared", -12, UNSORTED, TEXT_AT(STYLE_TYPE, struct value_match, declared), "type of the field; blank: a text",           5, 0,              0 },
	SIZE_COLUMN(DOWN, 3),
	{ "root",    "Root",    -24,  UNSORTED, CELL(VALUE_TEXT, cell_root),    "the root at the end of the cheapest path",      4, 0,              NEED_REACH },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "finding values",
	ROWS_IN(struct made, items, count),
	ROW_NODE(struct value_match, node),
	.accepts = accepts,
	.make = make,
	.clear = clear,
};

const struct table values_table = {
	.name = "find",
	.columns = columns,
	.heaps = OF_FIELDS,
	.contents = "values",
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
