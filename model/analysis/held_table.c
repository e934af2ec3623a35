/* The table of what some objects hold, with a row for each type. */
#include "model/analysis/held_table.h"
#include "model/base/format.h"
#include "model/graph/retention.h"
#include "model/table/object_columns.h"
#include <string.h>

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	char address[24];

	(void)f;
	return about->nodes || about->node != NODE_NONE || about->type != TYPE_NONE ||
	       error_set(err, ERROR_USAGE, "no object starts at %s",
			 address_format(about->address, address));
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct held_made *m = made;

	m->is_of_one = about->nodes               ? about->nodes_count == 1
		       : about->node != NODE_NONE ? true
						  : f->heap->types[about->type].count == 1;
	return held_types_compute(&m->held, f->retention->retained, about,
				  strcmp(about->text, HELD_RAW) != 0, progress, err);
}

static void
clear(void *made)
{
	held_types_clear(&((struct held_made *)made)->held);
}

/* A type keeps its key when its sums change. */
static void
set_type(const struct cells *in, const void *record, struct row *out)
{
	const struct held_type *t = record;

	(void)in;
	out->kind = ROW_TYPE;
	out->type = t->type;
	out->key = t->type;
}

/* --- cells --------------------------------------------------------------- */

static void
cell_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct held_made *m = in->rows;

	value_share(out, m->held.items[row->data].retained.bytes, m->held.sum.bytes);
}

static void
cell_size_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct held_made *m = in->rows;

	value_share(out, m->held.items[row->data].bytes, m->held.sum.bytes);
}

/* --- heading ------------------------------------------------------------- */

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct held_made *m = in->rows;
	const struct held_types *held = &m->held;
	uint64_t largest = held->count ? held->items[0].retained.bytes : 0;
	char count[FORMAT_BYTES], bytes[FORMAT_BYTES], types[FORMAT_BYTES];

	/* The sum has the unit of the columns below it. */
	if (line == 0)
		value_printf(out, STYLE_ROOT, "%s in %s object%s of %s type%s, %s",
			     format_size_among(held->sum.bytes, largest, bytes),
			     format_count(held->sum.count, count), plural(held->sum.count),
			     format_count(held->count, types), plural(held->count),
			     m->is_of_one
				 ? "which only it keeps alive"
				 : "each kept alive by only one of the holders; what several share "
				   "is left out");
	else if (line == 1 && held->parts_count)
		value_printf(out, STYLE_DIM,
			     "%s of these objects %s part%s of collections, in whose rows %s "
			     "counted",
			     format_count(held->parts_count, count),
			     held->parts_count == 1 ? "is" : "are", plural(held->parts_count),
			     held->parts_count == 1 ? "it is" : "they are");
	else
		return false;
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id              title       width sorts cell                                  help                                                             rank flags needs */
	TYPE_COLUMN(ROW_TYPE_NAME, UP, 0, COLUMN_BY_TYPE),
	MODULE_COLUMN(ROW_MODULE, 6),
	{ "entries",       "Entries",  10,   DOWN, KNOWN_AT(VALUE_COUNT, struct held_type, entries), "entries in these collections; blank: unknown, or no collections", 2, 0, 0 },
	{ "count",         "Objects",  10,   DOWN, COUNT_AT(struct held_type, count),    "objects of this type in the holder",                            0, COLUMN_ADDS, 0 },
	{ "parts",         "Parts",    10,   DOWN, NONZERO_AT(VALUE_COUNT, struct held_type, parts_count), "objects that these collections are made of", 5, COLUMN_ADDS, 0 },
	{ "size",          "Size",     11,   DOWN, BYTES_AT(struct held_type, bytes),    "bytes of these objects alone, and of the parts of collections", 1, COLUMN_ADDS, 0 },
	{ "share",         "Size%",    6,    DOWN, CELL(VALUE_SHARE, cell_size_share),   "part of all bytes in the holder",                               4, COLUMN_ADDS, 0 },
	{ "retained",      "Retained", 11,   DOWN, BYTES_AT(struct held_type, retained.bytes), "bytes that single objects of this type retain in the holder, each byte once", 0, 0, 0 },
	{ "retained_share", "Share",   6,    DOWN, CELL(VALUE_SHARE, cell_share),        "the same as part of all bytes in the holder",                   3, COLUMN_BAR, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "adding up what is held",
	.made_of = NEED_RETAINED,
	ROWS_IN(struct held_made, held.items, held.count),
	.accepts = accepts,
	.make = make,
	.clear = clear,
	.row = set_type,
};

const struct table held_table = {
	.name = "contents",
	.columns = columns,
	.needs = NEED_OBJECTS | NEED_RETAINED,
	.is_of_subject = true,
	.rows = &rows,
	.heading = heading,
};
