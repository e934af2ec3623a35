/* The shortest way from a root to an object: why it is still here. */
#include "model/analysis/object_columns.h"
#include "tui/session/describe.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

struct step {
	node_id node;
	uint32_t distance;
};
struct path_state {
	struct step
	    *steps; /* those shown, the object that a root names first */
};

static uint64_t
number_distance(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->data;
}

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->data)
		value_blank(out);
	else
		describe_root_of(in->facts, row->node, out);
}

static bool
path_open(struct view *v, struct error *err)
{
	char name[VALUE_TEXT_BYTES];

	snprintf(v->title, sizeof v->title, "path %.200s",
		 describe_node(v->session, v->target.node, name, sizeof name));
	v->state = arena_new(&v->arena, struct path_state, err);
	return v->state != NULL;
}

static void
path_close(struct view *v)
{
	struct path_state *state = v->state;

	if (state)
		memory_free(state->steps);
}

/* All steps, the last one first found. */
static void
fill_steps(const struct view *v, struct step *steps, uint32_t distance)
{
	node_id node = v->target.node;

	for (uint32_t d = distance;; d--) {
		steps[d] = (struct step){ node, d };
		if (d == 0)
			return;
		node = v->session->reach->next[node];
	}
}

static size_t
drop_filtered(const struct view *v, struct step *steps, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct row row = row_of_node(v->session->heap, steps[i].node);

		row.data = steps[i].distance;
		if (view_lets_through(v, &row))
			steps[kept++] = steps[i];
	}
	return kept;
}

static bool
path_rows(struct view *v, struct error *err)
{
	uint32_t distance = v->session->reach->distance[v->target.node];
	struct path_state *state = v->state;
	size_t count = (size_t)distance + 1;
	struct step *steps = NULL;

	if (distance == DISTANCE_UNREACHABLE) {
		count = 0;
	} else {
		steps = memory_new(count, sizeof *steps, err);
		if (!steps)
			return false;
		fill_steps(v, steps, distance);
		count = drop_filtered(v, steps, count);
	}
	memory_free(state->steps);
	state->steps = steps;
	v->rows_count = count;
	return true;
}

static void
path_row(const struct view *v, size_t index, struct row *out)
{
	const struct path_state *state = v->state;

	*out = row_of_node(v->session->heap, state->steps[index].node);
	out->data = state->steps[index].distance;
}

static bool
path_heading(const struct view *v, unsigned line, struct value *out)
{
	char text[VALUE_TEXT_BYTES];

	if (!v->session->reach || line > 1)
		return false;
	if (line == 1) {
		value_printf(out, STYLE_DIM, "%s",
			     describe_no_root(v->session, v->target.type, text,
					      sizeof text));
		return !session_root_of(v->session, v->target.node);
	}
	value_printf(
	    out, STYLE_ROOT, "%s",
	    describe_why(v->session, v->target.node, text, sizeof text));
	return true;
}

/* What stands in the selected row, with what it holds and who holds it. */
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
	{ "distance", "Dist",     6,    UNSORTED, NUMBER(VALUE_COUNT, number_distance), "references from the root",                     0, 0, NEED_REACH },
	ADDRESS_COLUMN(UNSORTED, 0, 0),
	TYPE_COLUMN(OBJECT_TYPE, UNSORTED, 0, 0),
	SIZE_COLUMN(UNSORTED, 1),
	{ "root",     "Root",     -28,  UNSORTED, CELL(VALUE_TEXT, cell_root),     "what keeps the first object",                  2, 0, NEED_REACH },
	{ 0 },
};
static const struct table table = { .name = "path", .columns = columns };
static const struct command commands[] = {
	/* name    keys       bar        help, .run, and what differs from nothing */
	{ "open", "Enter i", "inspect", "look at this object", .run = inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_path = {
	.command = { .name = "path",
		     .args = { MUST(ARG_OBJECT) },
		     .help = "the shortest way from a root, alone" },
	.empty = "no way from a root leads here; :tree shows who refers to it "
		 "all the same, :objsize what hangs on it",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.flags = VIEW_TELLS,
	.open = path_open,
	.close = path_close,
	.rows = path_rows,
	.row = path_row,
	.heading = path_heading,
};
