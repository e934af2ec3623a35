/*
 * The heap in groups: by namespace, module, generation, kind of root, segment.
 * Enter opens a group as the table of its types (types.c), and from there
 * the objects of a type that are in it.
 */
#include "model/analysis/object_columns.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <string.h>

struct groups_state {
	enum grouping by;
	struct groups
	    groups; /* as many as were added up; perhaps another `by` */
	/* That they were made with. */
	uint32_t results; /* the session's that they were made with */
	bool has_retained;
	char (*names)[GROUP_NAME_BYTES];
};

static const struct group_sum *
group_of(const struct groups_state *state, const struct row *row)
{
	return &state->groups.items[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct groups_state *state = in->rows;

	value_text(out, STYLE_TYPE, state->names[row->data]);
}

static void
cell_retained(const struct cells *in, const struct row *row, struct value *out)
{
	const struct groups_state *state = in->rows;

	/* They may have arrived a moment ago. */
	value_bytes_if(out, state->has_retained,
		       group_of(in->rows, row)->retained.bytes);
}

/* --- rows ---------------------------------------------------------------- */

static void
row_of_group(const struct view *v, uint32_t item, struct row *out)
{
	const struct groups_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = (uint64_t)state->groups.by << 32 |
		   state->groups.items[item].id.which;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct groups_state *state = v->state;

	return view_show_all(v, state->groups.count, err);
}

/* What a worker makes. */
struct grouped {
	const struct heap *heap;
	const struct reach *reach;
	const struct retention *retention; /* NULL: not known */
	uint32_t results;
	struct groups groups;
	char (*names)[GROUP_NAME_BYTES];
};

static bool
make_groups(void *context, struct progress *progress, struct error *err)
{
	struct grouped *g = context;
	enum grouping by = g->groups.by;

	if (!groups_compute(&g->groups, g->heap, g->reach, by, progress, err))
		return false;
	if (g->retention && !groups_retain(&g->groups, g->retention->retained,
					   g->reach, progress, err))
		return false;
	g->names =
	    memory_new((size_t)g->groups.count + 1, sizeof *g->names, err);
	for (uint32_t i = 0; g->names && i < g->groups.count; i++)
		group_name(g->heap, g->groups.items[i].id, g->names[i]);
	return g->names != NULL;
}

static void
take_groups(struct view *v, void *context, bool ok)
{
	struct groups_state *state = v->state;
	struct grouped *g = context;
	struct error ignored = { 0 };

	if (ok) {
		groups_clear(&state->groups);
		memory_free(state->names);
		state->groups = g->groups;
		state->names = g->names;
		state->results = g->results;
		state->has_retained = g->retention != NULL;
		/* The old order is of other groups. */
		v->rows_count = 0;
		(void)arrange(v, &ignored);
	} else {
		groups_clear(&g->groups);
		memory_free(g->names);
	}
	memory_free(g);
}

static bool
groups_rows(struct view *v, struct error *err)
{
	const struct groups_state *state = v->state;
	struct grouped *g;

	/* Ways to the roots can change for good: `:set nostatics`. */
	if (state->names && state->groups.by == state->by &&
	    state->results == v->session->results_version)
		return arrange(v, err);
	g = memory_new(1, sizeof *g, err);
	if (!g)
		return false;
	g->heap = v->session->heap;
	g->reach = v->session->reach;
	g->retention = v->session->retention;
	g->results = v->session->results_version;
	g->groups.by = state->by;
	return view_run(v, "grouping objects", make_groups, take_groups, g,
			err);
}

/* --- commands ------------------------------------------------------------ */

static bool
open_types(const struct call *call, struct error *err)
{
	struct target target = target_none;
	struct row row;

	(void)err;
	if (!view_selected(call->view, &row))
		return true;
	target.group = group_of(call->view->state, &row)->id;
	return request_open(call, "types", &target);
}

static bool
parse_grouping(const char *text, enum grouping *by, struct error *err)
{
	for (int i = GROUP_NONE + 1; i < GROUPING_COUNT; i++)
		if (!strncmp(text, grouping_ids[i], strlen(text))) {
			*by = (enum grouping)i;
			return true;
		}
	return error_set(err, ERROR_USAGE,
			 "no grouping \"%.30s\": there are namespace, module, "
			 "generation, root, segment",
			 text);
}

static void
tell_grouping(struct view *v)
{
	const struct groups_state *state = v->state;

	snprintf(v->title, sizeof v->title, "groups by %s",
		 grouping_ids[state->by]);
}

static bool
change_grouping(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct groups_state *state = v->state;
	enum grouping by = state->by % (GROUPING_COUNT - 1) + 1;

	if (*call->arg && !parse_grouping(call->arg, &by, err))
		return false;
	view_cancel(v);
	state->by = by;
	snprintf(v->target.topic, sizeof v->target.topic, "%s",
		 grouping_ids[by]);
	v->has_moved = false;
	tell_grouping(v);
	return view_reload(v, err);
}

/* --- the view ------------------------------------------------------------ */

static bool
groups_open(struct view *v, struct error *err)
{
	struct groups_state *state =
	    arena_new(&v->arena, struct groups_state, err);

	v->state = state;
	if (!state)
		return false;
	state->by = GROUP_NAMESPACE;
	if (v->target.topic[0] &&
	    !parse_grouping(v->target.topic, &state->by, err))
		return false;
	tell_grouping(v);
	return true;
}

static void
groups_close(struct view *v)
{
	struct groups_state *state = v->state;

	if (!state)
		return;
	groups_clear(&state->groups);
	memory_free(state->names);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return group_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts cell           help                                             rank flags needs */
	{ "name",     "Group",    FILL, UP,   CELL(VALUE_TEXT, cell_name),     "what its objects have in common",               0, 0, 0 },
	{ "count",    "Count",    10,   DOWN, COUNT_AT(struct group_sum, count),    "objects in the group",                          1, COLUMN_ADDS, 0 },
	TOTAL_SIZE_COLUMN(BYTES_AT(struct group_sum, bytes)),
	{ "share",    "Share",    6,    DOWN, BYTES_AT(struct group_sum, bytes),    "part of all bytes in the heap",                 3, COLUMN_ADDS | COLUMN_BAR | COLUMN_OF_HEAP, 0 },
	{ "retained", "Retained", 11,   DOWN, CELL(VALUE_BYTES, cell_retained), "bytes that single ones of them hold alone, each byte once", 2, COLUMN_DEAR, NEED_RETAINED },
	{ "retained_share", "Ret%", 6,  DOWN, CELL(VALUE_BYTES, cell_retained), "part of all bytes",                       4, COLUMN_DEAR | COLUMN_OF_HEAP, NEED_RETAINED },
	{ 0 },
};
static const struct table table = { .name = "groups", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name    keys     bar        help, .run, and what differs from nothing */
	{ "open", "Enter", "types",   "the types of this group", .run = open_types, .replay = REPLAY_ROWS },
	{ "by",   "B",     "regroup", "namespace, module, generation, root or segment; B: the next", .run = change_grouping, .args = { MAY_BE("GROUPING", grouping_ids + 1) }, .replay = REPLAY_HEAP },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_groups = {
	.command = { .name = "groups",
		     .args = { MAY_BE("GROUPING", grouping_ids + 1) },
		     .help = "the heap in groups: by namespace, module, "
			     "generation, root or segment" },
	.empty = "no object is here that could be grouped; :summary tells what "
		 "is missing",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.sort = "size",
	.open = groups_open,
	.close = groups_close,
	.rows = groups_rows,
	.item_row = row_of_group,
};
