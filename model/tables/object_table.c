/* All objects of the heap. Rows are made when they are read, so millions cost nothing. */
#include "model/analysis/object_text.h"
#include "model/heap/bits.h"
#include "model/table/object_columns.h"
#include "model/tables/tables.h"

/* The first kind that matches wins. */
static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	static const struct {
		uint32_t flag; /* enum type_flag */
		const char *kind;
	} kinds[] = {
		{ TYPE_EXCEPTION, "exception" },
		{ TYPE_DELEGATE, "delegate" },
		{ TYPE_STRING, "string" },
		{ TYPE_ARRAY, "array" },
	};
	uint32_t flags = in->facts->heap->types[row->type].flags;

	value_text(out, STYLE_DIM, "other");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (flags & kinds[i].flag) {
			value_text(out, STYLE_DIM, kinds[i].kind);
			return;
		}
}

/* In the middle of three heaps an object may be new and gone. */
static void
cell_fate(const struct cells *in, const struct row *row, struct value *out)
{
	const struct facts *f = in->facts;
	bool is_new = f->is_new && bits_has(f->is_new, row->node);
	bool is_gone = f->is_gone && bits_has(f->is_gone, row->node);

	if (f->is_new || f->is_gone)
		value_text(out, STYLE_DIM,
			   is_new && is_gone ? "new, gone"
			   : is_new          ? "new"
			   : is_gone         ? "gone"
					     : "survived");
	else
		value_blank(out);
}

static uint32_t
objects_count(const struct cells *in)
{
	return in->facts->heap->nodes_count;
}

static void
object_row(const struct cells *in, const void *record, struct row *out)
{
	(void)record;
	*out = row_of_node(in->facts->heap, (node_id)out->data);
}

static const struct row_source rows = { .count = objects_count, .row = object_row };

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts  cell                  help                                                   rank flags needs */
	ADDRESS_COLUMN(UP, 0, 0),
	TYPE_COLUMN(ROW_TYPE_NAME, UP, 0, COLUMN_BY_TYPE),
	{ "text",     "Text",     -40, UNSORTED, OBJECT_TEXT,         "the beginning of each text, only in lists of strings",                9, COLUMN_MACHINE | COLUMN_SCREEN, 0 },
	SIZE_COLUMN(DOWN, 0),
	RETAINED_COLUMN(DOWN, 1),
	{ "retained_share", "Ret%", 6,  DOWN, OBJECT_RETAINED,  "part of all bytes",                                7, COLUMN_DEAR | COLUMN_OF_HEAP, NEED_RETAINED },
	{ "gen",      "Gen",      -7,   DOWN, OBJECT_GENERATION,      "generation, if the dump has segments",                   6, COLUMN_RANGES | COLUMN_BLANK, 0 },
	{ "in",       "In",       6,    DOWN, OBJECT_IN,       "references to it",                                       4, 0, NEED_REVERSE },
	{ "out",      "Out",      6,    DOWN, OBJECT_OUT,      "references to others",                                   5, 0, 0 },
	{ "distance", "Dist",     6,    UP,   OBJECT_DISTANCE, DISTANCE_HELP,                       3, 0, NEED_REACH },
	{ "live",     "Live",     -4,   UP,   OBJECT_LIVE,            "live: some root reaches it; dead: none does",            8, COLUMN_MEMORY, NEED_REACH },
	{ "root",     "Root",     -24,  UP,   OBJECT_ROOT,            "the root at the end of the cheapest path",                2, 0, NEED_REACH },
	{ "kind",     "Kind",     -9,   UP,   CELL(VALUE_TEXT, cell_kind),            "exception, delegate, string, array; or other",           9, COLUMN_MACHINE | COLUMN_MEMORY | COLUMN_BY_TYPE, 0 },
	{ "fate",     "Fate",     -9,   UP,   CELL(VALUE_TEXT, cell_fate),            "since the other capture, after diff has compared them: new, gone or survived", 9, COLUMN_MACHINE | COLUMN_COMPARED, 0 },
	{ "heap",     "Heap",     5,    UP,   OBJECT_HEAP,            "of server GC, from 0",                                   9, COLUMN_MACHINE | COLUMN_MEMORY, 0 },
	ALLOCATED_COLUMN(DOWN, 2),
	METHOD_TABLE_COLUMN(UP, 9, COLUMN_MACHINE | COLUMN_MEMORY),
	{ 0 },
};
/* clang-format on */

const struct table objects_table = {
	.name = "objects",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.rows = &rows,
};
