/* The shortest way from a root to an object: why it is still here. */
#include "tui/app.h"
#include "tui/describe.h"
#include "tui/views.h"

struct path_state {
	node_id *steps; /* from the object that a root names to the last */
};

static void
cell_distance(const struct view *v, const struct row *row, struct value *out)
{
	(void)v;
	value_count(out, row->data);
}

static void
cell_address(const struct view *v, const struct row *row, struct value *out)
{
	value_address(out, heap_address(v->session->heap, row->node));
}

static void
cell_type(const struct view *v, const struct row *row, struct value *out)
{
	view_type_cell(v, row->type, out);
}

static void
cell_size(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, heap_size(v->session->heap, row->node));
}

static void
cell_root(const struct view *v, const struct row *row, struct value *out)
{
	if (row->data)
		value_blank(out);
	else
		describe_root_value(session_root_of(v->session, row->node),
				    out);
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

static bool
path_rows(struct view *v, struct error *err)
{
	const struct reach *reach = v->session->reach;
	struct path_state *state = v->state;
	node_id node = v->target.node, *steps;
	uint32_t distance = reach->distance[node];

	memory_free(state->steps);
	state->steps = NULL;
	v->rows_count = 0;
	if (distance == DISTANCE_UNREACHABLE)
		return true;
	steps = memory_new((size_t)distance + 1, sizeof *steps, err);
	if (!steps)
		return false;
	for (uint32_t d = distance; d > 0; d--) {
		steps[d] = node;
		node = reach->next[node];
	}
	steps[0] = node;
	state->steps = steps;
	v->rows_count = (size_t)distance + 1;
	return true;
}

static void
path_row(const struct view *v, size_t index, struct row *out)
{
	const struct path_state *state = v->state;

	*out = row_of_node(v->session->heap, state->steps[index]);
	out->data = index;
}

static bool
path_heading(const struct view *v, unsigned line, struct value *out)
{
	char text[VALUE_TEXT_BYTES];

	if (line || !v->session->reach)
		return false;
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

	if (target.node == NODE_NONE)
		return true;
	return app_open(call->app, &view_inspect, &target, err);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts     cell           help                                            rank flags needs */
	{ "distance", "Dist",     6,    UNSORTED, cell_distance, "references from the root",                     0, 0, NEED_REACH },
	{ "address",  "Address",  14,   UNSORTED, cell_address,  "where the object is",                          0, 0, 0 },
	{ "type",     "Type",     FILL, UNSORTED, cell_type,     "name in C# spelling",                          0, 0, 0 },
	{ "size",     "Size",     9,    UNSORTED, cell_size,     "bytes, without what it refers to",             1, 0, 0 },
	{ "root",     "Root",     -28,  UNSORTED, cell_root,     "what keeps the first object",                  2, 0, NEED_REACH },
	{ 0 },
};
static const struct command commands[] = {
	/* name    keys     args bar        help                   run */
	{ "open",  "Enter i", "", "inspect", "look at this object", inspect, false },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_path = {
	.command = { .name = "path",
		     .keys = "p",
		     .args = "ADDRESS",
		     .bar = "why alive",
		     .help = "why is it here: the way from a root" },
	.columns = columns,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.takes = TAKES_OBJECT,
	.flags = VIEW_TELLS,
	.open = path_open,
	.close = path_close,
	.rows = path_rows,
	.row = path_row,
	.heading = path_heading,
};
