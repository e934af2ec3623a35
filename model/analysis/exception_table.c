/* The exceptions in the heap as a table: what happened, how often, and what keeps them. */
#include "model/analysis/exceptions.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/table/object_columns.h"
#include "model/table/root_text.h"

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	(void)about;
	return exceptions_find(f->heap, f->reach, made, progress, err);
}

static void
clear(void *made)
{
	exceptions_clear(made);
}

/* --- cells ---------------------------------------------------------------- */

static const char *const thrown_words[] = { "", "thrown" };

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	describe_root_of(in->facts, row->node, out);
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct exceptions *e = in->rows;
	char count[FORMAT_BYTES], kinds[FORMAT_BYTES];
	uint64_t all = 0;

	if (line)
		return false;
	for (size_t i = 0; i < e->count; i++)
		all += e->items[i].count;
	value_printf(out, STYLE_NORMAL, "%s exception%s of %s kind%s%s", format_count(all, count),
		     plural(all), format_count(e->count, kinds), plural(e->count),
		     e->has_values ? "" : "; their messages and stacks are unknown");
	return true;
}

/* --- the table ------------------------------------------------------------ */

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts     cell        help                                                            rank flags needs */
	{ "count",    "Count",   8,    DOWN,     COUNT_AT(struct exception, count),      "exceptions of this type with this message, from this place", 0, 0, 0 },
	{ "reachable", "Live",   8,    DOWN,     COUNT_AT(struct exception, live_count), "of these; the others wait for a collection",          4, 0, 0 },
	TYPE_COLUMN(ROW_TYPE_NAME, UP, 0, 0),
	{ "message",  "Message", -40,  UP,       TEXT_AT(STYLE_NORMAL, struct exception, message), "the beginning of its message",              1, 0, 0 },
	{ "thrown",   "Thrown",  -7,   UP,       WORD_AT(STYLE_NORMAL, thrown_words, struct exception, is_thrown), "thrown: it has a stack; blank: only made, or unknown", 5, 0, 0 },
	{ "method",   "Thrown in", -32, UP,      TEXT_AT(STYLE_NORMAL, struct exception, method), "the innermost call of the application on its stack, else the innermost", 2, 0, 0 },
	{ "kept_by",  "Kept by", -24,  UP,       CELL(VALUE_TEXT, cell_root),    "the root that keeps the first of them",                      3, 0, NEED_REACH },
	ADDRESS_COLUMN(UP, 6, 0),
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "looking for exceptions",
	.made_of = NEED_REACH,
	ROWS_IN(struct exceptions, items, count),
	ROW_NODE(struct exception, node),
	.make = make,
	.clear = clear,
};

const struct table exceptions_table = {
	.name = "exceptions",
	.columns = columns,
	.needs = NEED_OBJECTS | NEED_REACH,
	.rows = &rows,
	.heading = heading,
};
