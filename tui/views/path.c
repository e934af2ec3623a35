/* The cheapest path from a root to an object: why it is alive. */
#include "model/table/object_columns.h"
#include "tui/session/describe.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

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

/* Fill the steps from the last one back, as each object records only the next one towards the
   root. */
static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	uint32_t distance = f->reach->distance[about->node];
	node_id node = about->node;
	struct made *m = made;

	(void)progress;
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

static bool
path_open(struct view *v, struct error *err)
{
	(void)err;
	subject_title(v, "path");
	return true;
}

static bool
path_heading(const struct view *v, unsigned line, struct value *out)
{
	char text[VALUE_TEXT_BYTES];

	if (!v->session->reach || line > 1)
		return false;
	if (line == 1) {
		value_printf(out, STYLE_DIM, "%s",
			     describe_no_root(v->session, v->target.type, text, sizeof text));
		return !session_root_of(v->session, v->target.node);
	}
	value_printf(out, STYLE_ROOT, "%s",
		     describe_why(v->session, v->target.node, text, sizeof text));
	return true;
}

static bool
inspect(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	(void)err;
	if (target.node == NODE_NONE)
		return true;
	return request_open(call, "inspect", &target);
}

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
static const struct row_source rows = {
	.what = "following the cheapest path",
	.made_of = NEED_REACH,
	ROWS_IN(struct made, steps, count),
	ROW_NODE(struct step, node),
	.make = make,
	.clear = clear,
};
static const struct table table = { .name = "path", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	/* name    keys       bar        help, .run, then other fields */
	{ "open", "Enter i", "inspect", "inspect this object", .run = inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code path_code = {
	.open = path_open,
	.heading = path_heading,
};

const struct view_ops view_path = {
	.command = { .name = "path",
		     .args = { MUST(ARG_OBJECT) },
		     .help = "only the cheapest path from a root" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no path from a root leads here; :tree shows what refers to it, "
			      ":objsize what it reaches" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH, .flags = VIEW_PRINTS_HEADING },
	.code = &path_code,
};
