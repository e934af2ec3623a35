/*
 * A treemap of retained sizes: one rectangle for each object on a level of the dominator tree, with
 * an area of its retained bytes. Enter zooms into an object, Backspace out again. Objects that are
 * too small to be seen share one rectangle. When sorted, filtered or after `t`, and in batch mode,
 * it is a table.
 */
#include "model/base/format.h"
#include "tui/session/describe.h"
#include "tui/tables/object_commands.h"
#include "model/tables/retained_cells.h"
#include "tui/tables/treemap_level.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include "tui/widget/treemap_picture.h"
#include <inttypes.h>
#include <string.h>

#define KEY_OTHERS (UINT64_MAX - 1) /* beside TREEMAP_KEY_ITSELF */
_Static_assert((int)RETAINED_TYPES_MAX + 3 <= (int)TREEMAP_MAX &&
		   (int)RETAINED_SPLIT_TYPES + (int)SIBLINGS_PAGE + 3 <= (int)TREEMAP_MAX,
	       "all rows have a rectangle");

struct treemap_state {
	struct rows rows;             /* largest first, then those left out */
	struct retained_sets sets;    /* referenced by the rows */
	struct treemap_level *levels; /* the last is shown */
	size_t levels_count, levels_room;
	uint32_t reach_version; /* that the rows were made with */
	const uint8_t *owners;  /* of types, with `set mine`; or NULL */
	bool is_table;          /* `t` asked for the table */
	struct treemap_picture picture;
};

static const struct treemap_level *
level_of(const struct treemap_state *state)
{
	return &state->levels[state->levels_count - 1];
}

/* Returns whether the row stands for all that share the last rectangle. */
static bool
is_small(const struct row *row)
{
	return row->kind == ROW_SKIP;
}

/* Returns the sum of the rows from row.data on, which share a rectangle. */
static struct retained_sum
others_of(const struct cells *in, const struct row *others)
{
	const struct treemap_state *state = in->rows;
	struct retained_sum sum = { 0 };

	for (size_t i = others->data; i < state->rows.count; i++) {
		const struct row *row = &state->rows.items[i];
		struct retained_sum one = treemap_row_sum(in, row);

		sum.count += treemap_row_is_rest(row) ? one.count
			     : row->kind == ROW_TYPE && !level_of(state)->is_by_type
				 ? retained_set_of(row)->count
				 : 1;
		sum.bytes += one.bytes;
	}
	return sum;
}

/* Returns what a rectangle stands for; its bytes are the area. */
static struct retained_sum
weight_of(const struct cells *in, const struct row *row)
{
	return is_small(row) ? others_of(in, row) : treemap_row_sum(in, row);
}

/* --- cells --------------------------------------------------------------- */

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	char count[FORMAT_BYTES];

	if (treemap_row_is_itself(row))
		value_text(out, STYLE_DIM, "itself");
	else if (treemap_row_is_rest(row) || is_small(row))
		value_printf(out, STYLE_DIM, "%s other%s",
			     format_count(weight_of(in, row).count, count),
			     plural(weight_of(in, row).count));
	else
		retained_row_name(in, row, out);
}

static uint64_t
number_bytes(const struct cells *in, const struct row *row)
{
	return weight_of(in, row).bytes;
}

static void
cell_here(const struct cells *in, const struct row *row, struct value *out)
{
	const struct treemap_state *state = in->rows;

	value_share(out, weight_of(in, row).bytes, state->picture.bytes);
}

static uint64_t
number_count(const struct cells *in, const struct row *row)
{
	return treemap_row_is_rest(row) || is_small(row) ? UINT64_MAX : weight_of(in, row).count;
}

/* --- rows ---------------------------------------------------------------- */

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct treemap_state *state = v->state;

	*out = state->rows.items[item];
}

static bool
arrange(struct view *v, struct error *err)
{
	struct treemap_state *state = v->state;

	return view_show_all(v, state->rows.count, err);
}

/* A zoom in or out: the level to show when a job has made its rows. */
struct zoom {
	struct retained_job job;
	struct treemap_level level;
	size_t depth;    /* of the level, from 0 */
	uint64_t select; /* key of the row to select; 0: the first */
};

static bool
make_zoom(void *context, struct progress *progress, struct error *err)
{
	struct zoom *z = context;

	return treemap_level_make(&z->level, &z->job, progress, err);
}

static void
clear_rows(struct treemap_state *state)
{
	retained_sets_clear(&state->sets);
	rows_clear(&state->rows);
}

/* Adds up the rows and colours their areas. */
static void
add_up(struct treemap_state *state, const struct cells *in)
{
	struct treemap_picture *p = &state->picture;
	uint64_t weights[TREEMAP_MAX];
	type_id types[TREEMAP_MAX];
	size_t count = state->rows.count;

	p->bytes = 0;
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &state->rows.items[i];
		uint64_t bytes = treemap_row_sum(in, row).bytes;

		p->bytes += bytes;
		if (i >= TREEMAP_MAX)
			continue;
		weights[i] = bytes;
		types[i] = row->kind == ROW_OBJECT || row->kind == ROW_TYPE ? row->type : TYPE_NONE;
	}
	treemap_areas_assign(&p->areas, in->facts->heap, types, weights,
			     count < TREEMAP_MAX ? count : TREEMAP_MAX);
}

static bool
show_zoom(struct view *v, struct zoom *z, struct error *err)
{
	struct treemap_state *state = v->state;
	struct facts facts;
	const struct cells in = view_cells(v, &facts);

	if (!MAKE_ROOM(state->levels, z->depth + 1, state->levels_room, err))
		return false;
	clear_rows(state);
	v->rows_count = 0;
	state->levels[z->depth] = z->level;
	state->levels_count = z->depth + 1;
	state->rows = z->job.rows;
	state->sets = z->job.sets;
	state->reach_version = v->session->reach_version;
	z->job.rows = (struct rows){ 0 };
	z->job.sets = (struct retained_sets){ 0 };
	treemap_level_sort(&z->level, &in, &state->rows);
	add_up(state, &in);
	return arrange(v, err);
}

static void
take_zoom(struct view *v, void *context, bool ok)
{
	const struct treemap_state *state = v->state;
	struct zoom *z = context;
	struct error ignored = { 0 };
	size_t at = 0;

	if (ok && show_zoom(v, z, &ignored)) {
		for (size_t i = 0; z->select && i < v->rows_count; i++)
			if (state->rows.items[v->items[i]].key == z->select)
				at = i;
		view_move_to(v, at);
	}
	retained_job_clear(&z->job);
	memory_free(z);
}

static bool
zoom_to(struct view *v, const struct treemap_level *l, size_t depth, uint64_t select,
	struct error *err)
{
	struct zoom *z;

	if (!v->session->retention)
		return session_want(v->session, NEED_RETAINED, err);
	z = memory_new(1, sizeof *z, err);
	if (!z)
		return false;
	z->level = *l;
	z->level.owners = ((struct treemap_state *)v->state)->owners;
	z->depth = depth;
	z->select = select;
	treemap_level_plan(&z->level, v->session->retention, &z->job);
	return view_run(v, "listing what holds most", make_zoom, take_zoom, z, err);
}

/* Makes the level on the screen again when my code or the graph has changed. */
static bool
treemap_rows(struct view *v, struct error *err)
{
	struct treemap_state *state = v->state;
	struct treemap_level first = {
		.node = v->target.node, .type = TYPE_NONE, .after = NODE_NONE, .has_extra = true
	};
	const uint8_t *owners = NULL;

	if (v->session->shows_mine) {
		owners = session_code_owners(v->session, err);
		if (!owners)
			return false;
	}
	state->owners = owners;
	if (state->levels_count && state->reach_version == v->session->reach_version &&
	    level_of(state)->owners == owners)
		return arrange(v, err);
	if (state->levels_count)
		return zoom_to(v, level_of(state), state->levels_count - 1, 0, err);
	if (first.node == NODE_NONE && v->target.type != TYPE_NONE) {
		first.type = v->target.type;
		first.is_deep = true;
		first.has_extra = false;
	}
	return zoom_to(v, &first, 0, 0, err);
}

/* Returns whether the row is the last rectangle and stands for many rows. */
static bool
is_others(const struct view *v, size_t index)
{
	const struct treemap_state *state = v->state;

	return v->is_picture && index == state->picture.seen &&
	       state->picture.seen < state->picture.drawn;
}

static void
treemap_row(const struct view *v, size_t index, struct row *out)
{
	row_of_item(v, v->items[index], out);
	if (!is_others(v, index))
		return;
	*out = row_of(ROW_SKIP);
	out->key = KEY_OTHERS;
	out->data = index;
}

static bool
treemap_open(struct view *v, struct error *err)
{
	struct treemap_state *state = arena_new(&v->arena, struct treemap_state, err);

	v->state = state;
	if (!state)
		return false;
	state->picture.weight = weight_of;
	subject_title(v, "treemap of");
	return true;
}

static void
treemap_close(struct view *v)
{
	struct treemap_state *state = v->state;

	if (!state)
		return;
	clear_rows(state);
	memory_free(state->levels);
}

/* --- the picture --------------------------------------------------------- */

static bool
layout_treemap(struct view *v)
{
	struct treemap_state *state = v->state;
	struct treemap_picture *p = &state->picture;
	size_t count = state->rows.count;
	uint64_t weights[TREEMAP_MAX];
	struct facts facts;
	const struct cells in = view_cells(v, &facts);

	if (state->is_table || v->sort >= 0 || v->filter || v->session->is_batch ||
	    v->rows_count != count || count > TREEMAP_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		weights[i] = treemap_row_sum(&in, &state->rows.items[i]).bytes;
	if (!treemap_picture_layout(v, p, weights, count))
		return false;
	if (v->cursor >= p->drawn)
		v->cursor = p->drawn - 1;
	v->top = 0;
	return true;
}

static void
draw_treemap(const struct view *v, struct screen *s, bool has_focus)
{
	const struct treemap_state *state = v->state;

	treemap_picture_draw(v, &state->picture, s, has_focus);
}

static size_t
pick_rect(const struct view *v, int line, int column)
{
	const struct treemap_state *state = v->state;

	return treemap_picture_pick(v, &state->picture, line, column);
}

/* --- heading ------------------------------------------------------------- */

static bool
treemap_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct treemap_state *state = v->state;
	char bytes[FORMAT_BYTES], name[VALUE_TEXT_BYTES], part[256];
	const struct treemap_level *l;

	if (!state->levels_count)
		return false;
	l = level_of(state);
	if (line == 1 && l->owners && !l->is_deep) {
		value_text(out, STYLE_DIM,
			   "my code: the framework's objects count with those that hold them");
		return true;
	}
	if (line)
		return false;
	treemap_level_part(l, v->session, part, sizeof part);
	format_size(state->picture.bytes, bytes);
	if (l->node != NODE_NONE)
		value_printf(out, STYLE_ROOT, "%s retained by %.300s%s", bytes,
			     describe_node(v->session, l->node, name, sizeof name), part);
	else if (l->is_deep)
		value_printf(out, STYLE_ROOT, "%s retained by %.300s%s", bytes,
			     session_type_name(v->session, l->type), part);
	else
		value_printf(out, STYLE_ROOT, "%s%s%s", bytes,
			     l->skip || l->after != NODE_NONE ? ""
			     : l->is_dead                     ? describe_rootless(v->session->heap)
							      : " in objects without a dominator",
			     part);
	return true;
}

/* --- commands ------------------------------------------------------------ */

/* Describes the level of the rows that share the last rectangle: those after the rows that are
   drawn or, among objects of one type, after the last object. */
static bool
level_of_others(const struct view *v, struct treemap_level *out, struct error *err)
{
	const struct treemap_state *state = v->state;
	const struct treemap_level *l = level_of(state);
	size_t seen = v->is_picture ? state->picture.seen : 0;
	bool is_of_one_type = l->type != TYPE_NONE;

	*out = *l;
	out->folded = 0;
	out->is_of_screen = true;
	if (!is_of_one_type)
		out->skip += seen;
	for (size_t i = 0; is_of_one_type && i < seen; i++) {
		const struct row *row = &state->rows.items[i];

		if (row->kind == ROW_OBJECT)
			out->after = row->node;
		else
			out->has_extra = false;
	}
	if (out->skip == l->skip && out->after == l->after)
		return error_set(err, ERROR_USAGE, "too small for the picture%s",
				 out->is_by_type
				     ? "; t shows all of them"
				     : "; t shows them as a table, T groups them by type");
	return true;
}

/* Describes the level that a row opens. */
static bool
level_of_row(const struct view *v, const struct row *row, struct treemap_level *out,
	     struct error *err)
{
	*out = (struct treemap_level){ .node = NODE_NONE, .type = TYPE_NONE, .after = NODE_NONE };
	if (is_small(row) || treemap_row_is_rest(row))
		return level_of_others(v, out, err);
	if (row->fold == FOLD_NONE)
		return error_set(err, ERROR_USAGE, "it dominates nothing; i inspects it");
	if (row->kind == ROW_OBJECT) {
		out->node = row->node;
		out->has_extra = true;
	} else if (row->kind == ROW_GROUP) {
		out->is_dead = true;
	} else {
		*out = *level_of(v->state);
		out->type = row->type;
		if (!out->is_by_type)
			out->after = retained_set_of(row)->last;
		out->is_by_type = out->has_extra = false;
		out->skip = 0;
		out->folded = 0;
	}
	return true;
}

/* Returns whether a picture of the row's objects, which are of one type, would be a single area, as
   all of them are small. */
static bool
is_for_list(const struct view *v, const struct row *row)
{
	const struct treemap_state *state = v->state;
	bool is_of_one_type = level_of(state)->type != TYPE_NONE;

	if (row->kind == ROW_TYPE)
		return is_of_one_type || retained_set_of(row)->is_of_small;
	return is_of_one_type && (is_small(row) || treemap_row_is_rest(row)) &&
	       !(v->is_picture && state->picture.seen);
}

/* Lists the objects of the row's type that the level is about. */
static bool
list_objects(const struct call *call, const struct row *row)
{
	const struct view *v = call->view;
	const struct treemap_level *l = level_of(v->state);
	const struct target target = target_of_type(row->kind == ROW_TYPE ? row->type : l->type);

	if (l->node == NODE_NONE)
		return request_open(call, "objects", &target);
	return request_open_where(call, "objects", &target, "under %" PRIx64,
				  heap_address(v->session->heap, l->node));
}

static bool
zoom_in(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct treemap_state *state = v->state;
	struct treemap_level l;
	struct row row;

	if (!view_selected(v, &row))
		return true;
	if (is_for_list(v, &row))
		return list_objects(call, &row);
	if (!level_of_row(v, &row, &l, err))
		return false;
	l.from = row.key;
	l.from_row = v->sort < 0 && !v->filter ? v->cursor + 1 : 0;
	return zoom_to(v, &l, state->levels_count, 0, err);
}

static bool
step_out(struct view *v, struct error *err)
{
	const struct treemap_state *state = v->state;
	size_t above = state->levels_count;

	return above > 1 &&
	       zoom_to(v, &state->levels[above - 2], above - 2, level_of(state)->from, err);
}

static bool
zoom_out(const struct call *call, struct error *err)
{
	return step_out(call->view, err) ||
	       (err->kind == ERROR_NONE &&
		error_set(err, ERROR_USAGE, "this is the outermost level; q closes the view"));
}

/* Zoom out; on the outermost level do what the key does in every view. */
static bool
back(const struct call *call, struct error *err)
{
	const struct treemap_state *state = call->view->state;

	return state->levels_count < 2 ? request_command(call, "back") : zoom_out(call, err);
}

static bool
by_type(const struct call *call, struct error *err)
{
	const struct treemap_state *state = call->view->state;
	struct treemap_level l;

	if (!state->levels_count)
		return true;
	l = *level_of(state);
	if (l.type != TYPE_NONE)
		return error_set(err, ERROR_USAGE, "all of them have the same type");
	if (l.after != NODE_NONE || l.skip)
		return error_set(err, ERROR_USAGE,
				 "these were too small on the level above; "
				 "Backspace returns there");
	l.is_by_type = !l.is_by_type;
	return zoom_to(call->view, &l, state->levels_count - 1, 0, err);
}

static bool
turn_table(const struct call *call, struct error *err)
{
	struct treemap_state *state = call->view->state;

	state->is_table = !state->is_table && call->view->sort < 0 && !call->view->filter;
	return state->is_table ||
	       (view_filter(call->view, "", err) && view_sort_to(call->view, -1, false, err));
}

/* Levels of what was too small depend on the screen and are not replayed. */
static void
treemap_replay(const struct view *v, replay_fn *add, void *to)
{
	const struct treemap_state *state = v->state;
	char command[32];

	for (size_t i = 0; i < state->levels_count; i++) {
		const struct treemap_level *l = &state->levels[i];

		if (i && (l->is_of_screen || !l->from_row)) {
			add(to, NULL);
			break;
		}
		snprintf(command, sizeof command, "row %zu", l->from_row);
		if (i)
			add(to, command);
		if (i)
			add(to, "enter");
		if (l->is_by_type)
			add(to, "by-type");
	}
	if (state->is_table)
		add(to, "table");
}

/* Commands that move to the next rectangle in a direction. */
static const struct direction {
	const char *command;
	int rows, columns;
	const char *nothing; /* the message at the edge */
} directions[] = {
	{ "rect-down", 1, 0, "nothing is below" },
	{ "rect-up", -1, 0, "nothing is above" },
	{ "rect-right", 0, 1, "nothing is on the right" },
	{ "rect-left", 0, -1, "nothing is on the left" },
};

static bool
move(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct treemap_state *state = v->state;
	const struct direction *d = directions;
	uint32_t times = call->count ? call->count : 1;
	size_t before = v->cursor;

	(void)err;
	while (strcmp(d->command, call->command->name) != 0)
		d++;
	for (uint32_t i = 0; v->is_picture && i < times && i < TREEMAP_MAX; i++)
		view_move_to(v, treemap_neighbour(state->picture.rects, state->picture.drawn,
						  v->cursor, d->rows, d->columns));
	if (!v->is_picture)
		view_move_by(v, (long long)times * d->rows);
	if (v->cursor == before)
		request_message(call, STYLE_STATUS, "%s", d->nothing);
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id           title      width sorts     cell                 help                                                   rank flags           needs */
	ADDRESS_COLUMN(UNSORTED, 0, COLUMN_MACHINE),
	{ "type",       "Holds",   FILL, UP,       CELL(VALUE_TEXT, cell_name),           "an object, several objects of a type, or all others",     0, 0,              0 },
	SIZE_COLUMN(DOWN, 3),
	{ "retained",   "Retained", 11,  DOWN,     NUMBER(VALUE_BYTES, number_bytes),          "bytes freed with it, the area of its rectangle; for the object itself, its own", 0, 0, NEED_RETAINED },
	{ "retained_share", "Share", 6,  DOWN,     NUMBER(VALUE_BYTES, number_bytes),          "part of all bytes of the heap",                       2, COLUMN_SCREEN | COLUMN_OF_HEAP,  NEED_RETAINED },
	{ "here",       "Here",    6,    DOWN,     CELL(VALUE_SHARE, cell_here),           "part of the whole picture",         1, COLUMN_SCREEN | COLUMN_BAR, NEED_RETAINED },
	{ "count",      "Objects", 10,   DOWN,     NUMBER(VALUE_COUNT, number_count),          "objects freed with it, itself included",      1, 0,              NEED_RETAINED },
	AT_COLUMN(UNSORTED, 4),
	{ 0 },
};
static const struct table table = { .name = "treemap", .columns = columns };
static const struct command commands[] = {
	/* name          keys         bar        help, .run, then other fields */
	{ "enter",      "Enter +",   "zoom in", "zoom into it: show what it dominates; list the objects of a type that are all small", .run = zoom_in, .replay = REPLAY_ROWS },
	{ "out",        "-",         "out",     "zoom out again", .run = zoom_out, .flags = COMMAND_MAKES_ROWS },
	{ "back-out",   "Backspace", "",        "zoom out; from the outermost level, back to the view before", .run = back },
	{ "by-type",    "T",         "by type", "group by type; again: one by one", .run = by_type, .replay = REPLAY_ROWS },
	{ "table",      "t",         "table",   "switch between the table and the picture", .run = turn_table, .replay = REPLAY_ROWS },
	{ "rect-down",  "j Down ^N", "",        "go to the rectangle below", .run = move, .flags = COMMAND_COUNTS },
	{ "rect-up",    "k Up ^P",   "",        "go to the rectangle above", .run = move, .flags = COMMAND_COUNTS },
	{ "rect-right", "l Right",   "",        "go to the rectangle on the right", .run = move, .flags = COMMAND_COUNTS },
	{ "rect-left",  "h Left",    "",        "go to the rectangle on the left", .run = move, .flags = COMMAND_COUNTS },
	{ 0 },
};
/* clang-format on */

static const struct view_picture treemap_picture = {
	.layout = layout_treemap,
	.draw = draw_treemap,
	.pick = pick_rect,
};

static const struct view_code treemap_code = {
	.open = treemap_open,
	.close = treemap_close,
	.rows = treemap_rows,
	.row = treemap_row,
	.item_row = row_of_item,
	.step_out = step_out,
	.heading = treemap_heading,
	.replay = treemap_replay,
	.picture = &treemap_picture,
};

const struct view_ops view_treemap = {
	.command = { .name = "treemap",
		     .keys = "M",
		     .args = { MAY_AS(ARG_OBJECT_OR_TYPE, "TYPE|ADDRESS") },
		     .help = "a treemap of retained bytes, to zoom into" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "there are no objects to draw; :types shows what "
			      "the heap is made of" },
	.list = { .needs = NEED_OBJECTS | NEED_RETAINED, .flags = VIEW_PRINTS_HEADING | VIEW_MINE },
	.code = &treemap_code,
};
