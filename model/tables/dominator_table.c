#include "model/tables/dominator_table.h"
#include "model/graph/retention.h"
#include "model/heap/my_code.h"
#include "model/heap/order.h"
#include "model/table/object_columns.h"
#include "model/table/root_text.h"
#include "model/tables/retained_cells.h"
#include "model/tables/tables.h"

/* --- what is listed first ------------------------------------------------- */

void
siblings_choose_mine(struct siblings *s, const uint8_t *owners, bool is_top)
{
	s->owners = owners;
	s->least_owner = is_top ? CODE_ARRAY : CODE_MINE;
}

bool
subject_is_all(const struct subject *about)
{
	return about->node == NODE_NONE && about->type == TYPE_NONE;
}

struct siblings
siblings_of_subject(const struct dominators *d, const struct subject *about, const uint8_t *owners)
{
	bool is_all = subject_is_all(about);
	struct siblings s;

	if (about->node == NODE_NONE && about->type != TYPE_NONE)
		return (struct siblings){ .end = d->heap->nodes_count,
					  .type = about->type,
					  .is_deep = true };
	s = is_all ? siblings_on_top(d, true) : siblings_below(d, about->node);
	siblings_choose_mine(&s, owners, is_all);
	return s;
}

/* --- rows ----------------------------------------------------------------- */

/* Lists the rows of the tree as it opens: an object and its children, or the top level, with
   unreachable objects last. */
static bool
list_objects(struct id_list *list, const struct facts *f, const struct subject *about,
	     const uint8_t *owners, struct progress *progress, struct error *err)
{
	const struct retained *r = f->retention->retained;
	struct siblings first = siblings_of_subject(f->retention->dominators, about, owners);
	struct siblings dead = siblings_on_top(f->retention->dominators, false);

	siblings_choose_mine(&dead, owners, true);
	return siblings_list(list, r, &first, progress, err) &&
	       (!subject_is_all(about) || siblings_list(list, r, &dead, progress, err));
}

static bool
make_list(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
	  struct error *err)
{
	struct id_list *list = made;
	uint8_t *owners = NULL;
	bool ok;

	if (about->node != NODE_NONE) {
		list->ids = memory_new(1, sizeof *list->ids, err);
		if (!list->ids)
			return false;
		list->ids[list->count++] = about->node;
	}
	if (f->shows_mine) {
		owners = my_code_owners(f->types, f->types_count, f->my_modules, err);
		if (!owners)
			return false;
	}
	ok = list_objects(list, f, about, owners, progress, err);
	memory_free(owners);
	return ok;
}

static void
clear_list(void *made)
{
	id_list_free(made);
}

static void
list_row(const struct cells *in, const void *record, struct row *out)
{
	(void)in;
	(void)record;
	out->kind = ROW_OBJECT;
}

static const struct row_source rows = {
	.what = "listing objects",
	.made_of = NEED_RETAINED,
	ROWS_IN(struct id_list, ids, count),
	.node_offset_plus_1 = 1, /* a record is a node id */
	.make = make_list,
	.clear = clear_list,
	.row = list_row,
};

/* --- cells ---------------------------------------------------------------- */

static void
cell_dominator(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap *h = in->facts->heap;
	node_id dominator = NODE_NONE;

	if (row->kind == ROW_OBJECT)
		dominator = dominators_of(in->facts->retention->dominators, row->node);
	if (dominator == NODE_NONE)
		value_blank(out);
	else
		value_address(out, heap_address(h, dominator));
}

/* Shows the root of an object that has no dominator, or why it has no root. */
static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	uint32_t count = 0;
	const struct root *roots = NULL;

	value_blank(out);
	if (row->kind != ROW_OBJECT ||
	    dominators_of(in->facts->retention->dominators, row->node) != NODE_NONE)
		return;
	roots = heap_roots_of(in->facts->heap, row->node, &count);
	if (count)
		describe_root_value(&roots[0], out);
	else if (dominators_is_reachable(in->facts->retention->dominators, row->node))
		value_text(out, STYLE_DIM, "several paths");
	else
		value_text(out, STYLE_DIM, describe_none(in->facts->heap));
}

/* clang-format off */
static const struct column columns[] = {
	/* id                title       width sorts     cell            help                                                  rank flags           needs */
	ADDRESS_COLUMN(UNSORTED, 0, COLUMN_MACHINE),
	{ "type",            "Holds",    FILL, UNSORTED, CELL(VALUE_TEXT, retained_row_name),      "an object, or several objects of a type",                    0, 0,              0 },
	SIZE_COLUMN(UNSORTED, 3),
	{ "retained",        "Retained", 11,   UNSORTED, NUMBER(VALUE_BYTES, retained_row_bytes),  "bytes freed with it, its own included",      0, 0,              NEED_RETAINED },
	{ "retained_share",  "Share",    6,    UNSORTED, NUMBER(VALUE_BYTES, retained_row_bytes),     "part of all bytes of the heap",                      2, COLUMN_SCREEN | COLUMN_BAR | COLUMN_OF_HEAP,  NEED_RETAINED },
	{ "count",           "Objects",  10,   UNSORTED, NUMBER(VALUE_COUNT, retained_row_count),     "objects freed with it, itself included",     1, 0,              NEED_RETAINED },
	{ "dominator",       "Held by",  14,   UNSORTED, CELL(VALUE_ADDRESS, cell_dominator), "the object that dominates it directly",    9, COLUMN_MACHINE, NEED_RETAINED },
	AT_COLUMN(UNSORTED, 4),
	{ "root",            "Root",     -24,  UNSORTED, CELL(VALUE_TEXT, cell_root),      "why it is alive, if no object dominates it",     5, COLUMN_SCREEN,  NEED_RETAINED },
	ALLOCATED_COLUMN(UNSORTED, 8),
	{ 0 },
};
/* clang-format on */

const struct table dominators_table = {
	.name = "dominators",
	.columns = columns,
	.needs = NEED_OBJECTS | NEED_RETAINED,
	.rows = &rows,
};
