/* The cheapest path from a root to an object. */
#include "model/graph/reach.h"
#include "model/table/object_columns.h"
#include "model/table/root_text.h"
#include "model/tables/tables.h"

struct step {
	node_id node;
	uint32_t distance;
};
struct made {
	struct step *steps; /* from the object that a root refers to */
	size_t count;
};

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->data)
		value_blank(out);
	else
		describe_root_of(in->facts, row->node, out);
}

/* Fills the steps from the last one back, as each object records only the next one towards the
   root. */
static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	node_id node = about->node;
	struct made *m = made;
	uint32_t distance;

	(void)progress;
	if (node == NODE_NONE)
		return error_set(err, ERROR_USAGE, "path needs the address of an object");
	distance = f->reach->distance[node];
	if (distance == DISTANCE_UNREACHABLE)
		return true;
	m->count = (size_t)distance + 1;
	m->steps = memory_new(m->count, sizeof *m->steps, err);
	if (!m->steps)
		return false;
	for (uint32_t d = distance;; d--) {
		m->steps[d] = (struct step){ node, d };
		if (d == 0)
			return true;
		node = f->reach->next[node];
	}
}

static void
clear(void *made)
{
	memory_free(((struct made *)made)->steps);
}

static const struct row_source rows = {
	.what = "following the cheapest path",
	.made_of = NEED_REACH,
	ROWS_IN(struct made, steps, count),
	ROW_NODE(struct step, node),
	.make = make,
	.clear = clear,
};

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts     cell           help                                            rank flags needs */
	{ "distance", "Dist",     6,    UNSORTED, COUNT_AT(struct step, distance),     "references from the root",                     0, 0, NEED_REACH },
	ADDRESS_COLUMN(UNSORTED, 0, 0),
	TYPE_COLUMN(OBJECT_TYPE, UNSORTED, 0, 0),
	SIZE_COLUMN(UNSORTED, 1),
	{ "root",     "Root",     -28,  UNSORTED, CELL(VALUE_TEXT, cell_root),     "the root that keeps the first object",                  2, 0, NEED_REACH },
	ALLOCATED_COLUMN(UNSORTED, 8),
	{ 0 },
};
/* clang-format on */

const struct table path_table = {
	.name = "path",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.is_of_subject = true,
	.rows = &rows,
};
