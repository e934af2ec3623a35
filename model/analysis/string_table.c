/*
 * The strings of a heap as a table: each distinct text once, with its count and the bytes of all
 * its live strings but one. Texts are read when they are shown.
 */
#include "model/table/object_columns.h"
#include "model/analysis/object_text.h"
#include "model/analysis/string_table.h"
#include "model/heap/root_gaps.h"

/* --- making rows --------------------------------------------------------- */

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct strings_made *m = made;

	(void)about;
	m->strings = strings_find(f->heap, f->reach, false, progress, err);
	if (!m->strings)
		return false;
	m->groups = m->strings->groups;
	m->groups_count = m->strings->groups_count;
	return true;
}

static void
clear(void *made)
{
	struct strings_made *m = made;

	strings_free(m->strings);
}

/* --- cells --------------------------------------------------------------- */

static const struct string_group *
group_of(const struct cells *in, const struct row *row)
{
	const struct strings_made *m = in->rows;

	return &m->groups[row->data];
}

/* Returns UINT64_MAX, unknown, if the heap lacks kinds of roots. */
static uint64_t
if_dead(const struct cells *in, uint64_t number)
{
	return heap_knows_roots(in->facts->heap) ? number : UINT64_MAX;
}

static uint64_t
number_dead(const struct cells *in, const struct row *row)
{
	return if_dead(in, group_of(in, row)->dead_count);
}

static uint64_t
number_size(const struct cells *in, const struct row *row)
{
	return string_group_bytes(in->facts->heap, group_of(in, row));
}

static uint64_t
number_wasted(const struct cells *in, const struct row *row)
{
	return string_group_wasted(in->facts->heap, group_of(in, row));
}

static uint64_t
number_garbage(const struct cells *in, const struct row *row)
{
	return if_dead(in, string_group_garbage(in->facts->heap, group_of(in, row)));
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                                 rank flags           needs */
	{ "count",   "Count",   7,    DOWN,     COUNT_AT(struct string_group, count),   "strings with this text",                            1, 0,              0 },
	{ "dead",    "Dead",    7,    DOWN,     NUMBER(VALUE_COUNT, number_dead),    "dead strings among these, not yet collected",       2, 0,              NEED_REACH },
	{ "size",    "Size",    9,   DOWN,     NUMBER(VALUE_BYTES, number_size),    "bytes of these strings",                            4, 0,              0 },
	{ "wasted",  "Wasted",  9,   DOWN,     NUMBER(VALUE_BYTES, number_wasted),  "bytes of the live strings except one",              0, 0,              NEED_REACH },
	{ "garbage", "Garbage", 9,   DOWN,     NUMBER(VALUE_BYTES, number_garbage), "bytes of the dead strings",                         3, 0,              NEED_REACH },
	{ "length",  "Length",  8,    DOWN,     COUNT_AT(struct string_group, units),  "UTF-16 units of the text",                          5, 0,              0 },
	{ "address", "Address", 14,   UP,       OBJECT_ADDRESS, "address of the first live string, or of the first if all are dead", 9, COLUMN_MACHINE, 0 },
	{ "text",    "Text",    FILL, UNSORTED, OBJECT_TEXT,    "the beginning in C# syntax; search and filter read all of it",     0, 0, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "reading strings",
	.made_of = NEED_REACH,
	ROWS_IN(struct strings_made, groups, groups_count),
	ROW_NODE(struct string_group, subject),
	.make = make,
	.clear = clear,
};

const struct table strings_table = {
	.name = "strings",
	.columns = columns,
	.heaps = OF_CONTENTS,
	.contents = "texts of strings",
	.needs = NEED_OBJECTS | NEED_REACH,
	.rows = &rows,
};
