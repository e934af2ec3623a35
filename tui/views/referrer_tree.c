/*
 * The tree of an object's referrers: below each row stand the roots and the objects that refer to
 * its object, nearest to a root first. Rows are made when their parent is opened; an object that
 * already stands above is shown but not followed. merged.c is the tree for a whole type.
 */
#include "model/table/object_columns.h"
#include "tui/tables/referrer_expansion.h"
#include "tui/session/describe.h"
#include "tui/tables/subject_title.h"
#include "model/base/format.h"
#include "tui/widget/request.h"
#include "tui/widget/tree.h"
#include "tui/widget/view.h"
#include "model/heap/bits.h"

enum {
	FIRST_STEPS = 12,   /* levels opened at first */
	HINT_HEIGHT = 14,   /* lines that a view needs to show the hint */
	ROOM_FOR_TYPE = 60, /* columns that fit a name after a deep indent */
};

struct tree_state {
	struct tree tree;
	const int *room; /* width of the first column; 0: no screen */
	char why[VALUE_TEXT_BYTES];
};

/* --- cells --------------------------------------------------------------- */

static void
cell_cycle(const struct cells *in, const struct row *row, struct value *out)
{
	const char *name = facts_type_name(in->facts, row->type);
	uint32_t up = referrer_row_levels_up(row);

	if (up == 1)
		value_printf(out, STYLE_CYCLE, "%.300s refers to itself", name);
	else
		value_printf(out, STYLE_CYCLE, "%.300s, cycle: %u levels up", name, up);
	out->also = heap_type(in->facts->heap, row->node)->raw;
}

static void
cell_static_table(const struct cells *in, const struct row *row, struct value *out)
{
	value_printf(out, STYLE_DIM, "%.300s, table of static variables",
		     facts_type_name(in->facts, row->type));
	out->also = heap_type(in->facts->heap, row->node)->raw;
}

static void
cell_skip(const struct cells *in, const struct row *row, struct value *out)
{
	const struct tree_state *state = in->rows;
	uint32_t steps = referrer_row_skipped(in->facts->reach, row);
	char count[FORMAT_BYTES];
	/* Text and CSV output have no widths. */
	bool has_room = !*state->room || *state->room >= ROOM_FOR_TYPE;

	if (has_room && referrer_row_skips_one_type(row))
		value_printf(out, STYLE_DIM, "… %s steps of %.300s …", format_count(steps, count),
			     facts_type_name(in->facts, row->type));
	else
		value_printf(out, STYLE_DIM, "… %s steps", format_count(steps, count));
}

static void
cell_tree(const struct cells *in, const struct row *row, struct value *out)
{
	switch (row->kind) {
	case ROW_ROOT:
		describe_root_row(&in->facts->heap->roots[row->root], out);
		break;
	case ROW_CYCLE:
		cell_cycle(in, row, out);
		break;
	case ROW_MORE:
	case ROW_NOTE:
		referrer_rest_cell(row, out);
		break;
	case ROW_SKIP:
		cell_skip(in, row, out);
		break;
	default:
		if (referrer_row_is_static_table(row))
			cell_static_table(in, row, out);
		else
			facts_type_cell(in->facts, row->type, out);
		break;
	}
}

static void
cell_gen(const struct cells *in, const struct row *row, struct value *out)
{
	enum generation gen = GEN_UNKNOWN;

	if (referrer_row_is_object(row))
		gen = heap_generation(in->facts->heap, row->node);
	value_generation(out, gen);
}

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->kind == ROW_ROOT)
		value_text(out, STYLE_ROOT,
			   root_kinds[in->facts->heap->roots[row->root].kind].title);
	else if (referrer_row_is_object(row))
		describe_root_of(in->facts, row->node, out);
	else
		value_blank(out);
}

/* --- opening rows -------------------------------------------------------- */

static bool
expand(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	struct referrer_expansion *e = referrer_expansion_new(v, at, rule, err);

	if (!e)
		return false;
	e->expansion.moves = rule != TREE_ONE;
	return referrer_expansion_start(e, v, err);
}

/* Opens the cheapest path to a root, unless it is long. */
static bool
expand_top(struct view *v, struct error *err)
{
	struct referrer_expansion *e = referrer_expansion_new(v, 0, TREE_TO_ROOT, err);

	if (!e)
		return false;
	e->steps_max = FIRST_STEPS;
	e->refs_max = EXPANSION_AT_ONCE;
	return referrer_expansion_start(e, v, err);
}

static void
closed(struct view *v, size_t at)
{
	struct tree_state *state = v->state;

	referrer_row_unskip(&state->tree.rows.items[at]);
}

/* --- following paths ----------------------------------------------------- */

/* Returns the row of the object that a path starts at: this row, the row that a cycle leads back
   to, or the parent. */
static size_t
object_row(const struct rows *rows, size_t at)
{
	uint32_t up;

	switch (rows->items[at].kind) {
	case ROW_OBJECT:
	case ROW_SKIP:
		return at;
	case ROW_CYCLE:
		up = referrer_row_levels_up(&rows->items[at]);
		for (; up > 0; up--)
			at = rows_parent_of(rows, at);
		return at;
	default:
		return rows_parent_of(rows, at);
	}
}

/* Returns the last object of `is_above` on the cheapest path from the row `at` to a root, or
   NODE_NONE. */
static node_id
last_above(const struct reach *reach, const struct rows *rows, size_t at, const uint64_t *is_above)
{
	node_id node = reach_step(reach, rows->items[at].node);
	node_id found = NODE_NONE;

	for (int i = 0; i < EXPANSION_STEPS_MAX && node != NODE_NONE; i++) {
		if (bits_has(is_above, node))
			found = node;
		node = reach_step(reach, node);
	}
	return found;
}

/*
 * Returns the row that the cheapest path starts at. If the path leads through a row above, it is
 * that row, as objects are not shown twice; else `at`. SIZE_MAX sets `err`.
 */
static size_t
row_on_cheapest_way(const struct view *v, size_t at, struct error *err)
{
	const struct tree_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	uint64_t *is_above =
	    memory_new(bits_words(v->session->heap->nodes_count), sizeof *is_above, err);
	node_id node;
	size_t up;

	if (!is_above)
		return SIZE_MAX;
	for (up = at; rows->items[up].depth > 0;) {
		up = rows_parent_of(rows, up);
		bits_add(is_above, rows->items[up].node);
	}
	node = last_above(v->session->reach, rows, at, is_above);
	memory_free(is_above);
	for (up = at; node != NODE_NONE && rows->items[up].node != node;)
		up = rows_parent_of(rows, up);
	return up;
}

static size_t
next(const struct view *v, size_t at, enum tree_rule rule)
{
	const struct tree_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	size_t end = rows_end_of(rows, at);
	node_id step = reach_step(v->session->reach, rows->items[at].node);
	size_t found = SIZE_MAX;

	if (rows->items[at].kind == ROW_SKIP)
		return at + 1;
	for (size_t i = at + 1; i < end; i++) {
		const struct row *row = &rows->items[i];

		if (row->depth != rows->items[at].depth + 1)
			continue;
		if (rule == TREE_WHILE_ALONE && found != SIZE_MAX)
			return SIZE_MAX;
		if (rule == TREE_WHILE_ALONE ||
		    (step == NODE_NONE
			 ? row->kind == ROW_ROOT
			 : (row->kind == ROW_OBJECT || row->kind == ROW_SKIP) && row->node == step))
			found = i;
		if (found != SIZE_MAX && rule == TREE_TO_ROOT)
			break;
	}
	return found;
}

static size_t
start(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	const struct rows *rows = &((struct tree_state *)v->state)->tree.rows;
	char why[VALUE_TEXT_BYTES];

	at = object_row(rows, at);
	if (rule != TREE_TO_ROOT)
		return at;
	if (v->session->reach->distance[rows->items[at].node] != DISTANCE_UNREACHABLE)
		return row_on_cheapest_way(v, at, err);
	error_set(err, ERROR_USAGE, "there is no path to a root: %s",
		  describe_no_root(v->session, rows->items[at].type, why, sizeof why));
	return SIZE_MAX;
}

/* --- commands ------------------------------------------------------------ */

static bool
unfold(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct tree_state *state = v->state;
	struct row row;
	size_t at;

	if (!view_selected(v, &row))
		return true;
	if (row.kind == ROW_CYCLE) {
		at = object_row(&state->tree.rows, tree_selected(v));
		view_move_to(v, tree_shown_at(&state->tree, at));
		return true;
	}
	if (row.kind == ROW_SKIP)
		return view_fold(v, v->cursor, false, err) &&
		       expand(v, tree_selected(v), TREE_TO_ROOT, err);
	if (row.kind == ROW_MORE)
		return tree_more(v, err);
	return view_fold(v, v->cursor, true, err);
}

static bool
enter(const struct call *call, struct error *err)
{
	struct row row;
	struct target target;

	if (!view_selected(call->view, &row))
		return true;
	if (row.kind == ROW_MORE || row.kind == ROW_SKIP)
		return unfold(call, err);
	if (row.node == NODE_NONE)
		return true;
	target = target_of_node(call->view->session, row.node);
	return request_open(call, "inspect", &target);
}

/* --- the view ------------------------------------------------------------ */

static bool
begin(struct view *v, struct error *err)
{
	const struct session *s = v->session;
	struct tree_state *state = v->state;
	struct row top = row_of_node(s->heap, v->target.node);

	tree_forget(v);
	top.key = row_key(0, top.node);
	top.data = 1;
	if (referrer_can_open(s->reverse, top.node))
		top.fold = FOLD_CLOSED;
	if (!rows_append(&state->tree.rows, &top, err))
		return false;
	state->tree.reach_version = s->reach_version;
	describe_why(s, top.node, state->why, sizeof state->why);
	return top.fold == FOLD_NONE || expand_top(v, err);
}

static const struct tree_source source = {
	.begin = begin,
	.expand = expand,
	.start = start,
	.next = next,
	.closed = closed,
};

/* Opened for a type, the view becomes this one. */
extern const struct view_ops view_merged;

static bool
open_tree(struct view *v, struct error *err)
{
	struct tree_state *state;

	if (v->target.node == NODE_NONE) {
		v->ops = &view_merged;
		return view_code(v->ops)->open(v, err);
	}
	subject_title(v, "tree");
	state = tree_new(v, &source, sizeof *state, err);
	if (state)
		state->room = &v->widths[0];
	return state != NULL;
}

/* Exclude the reference from the row's object to that of its parent. */
static uint32_t
exclusions(const struct view *v, const struct row *row, bool as_reference,
	   struct ignored_entry *entries, uint32_t max)
{
	const struct tree_state *state = v->state;
	size_t at = tree_find(&state->tree, row->key);

	if (!as_reference || at == SIZE_MAX || !row->depth || !max || !referrer_row_is_object(row))
		return 0;
	at = rows_parent_of(&state->tree.rows, at);
	entries[0] =
	    (struct ignored_entry){ IGNORED_REF, row->node, state->tree.rows.items[at].node };
	return 1;
}

static bool
heading(const struct view *v, unsigned line, struct value *out)
{
	const struct tree_state *state = v->state;
	char count[FORMAT_BYTES], why[VALUE_TEXT_BYTES];

	if (line == 0 && state->tree.rows.count) {
		value_text(out, STYLE_ROOT, state->why);
		return true;
	}
	if (line == 1 && state->tree.rows.count &&
	    v->session->reach->distance[v->target.node] == DISTANCE_UNREACHABLE) {
		value_printf(out, STYLE_DIM, "%s",
			     describe_no_root(v->session, v->target.type, why, sizeof why));
		return true;
	}
	if (line != 1 || v->area.height < HINT_HEIGHT)
		return false;
	if (state->tree.is_cut)
		value_printf(out, STYLE_WARNING, "stopped after %s rows; the same key continues",
			     format_count(EXPANSION_STEPS_MAX, count));
	else
		value_text(out, STYLE_DIM,
			   "each row refers to the one above it in the tree, nearest to a root "
			   "first");
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts     cell           help                                                rank flags           needs */
	{ "type",     "Held by",  FILL, UNSORTED, CELL(VALUE_TEXT, cell_tree),     "the object, or a description of the root",                 0, 0,              0 },
	ADDRESS_COLUMN(UNSORTED, 1, 0),
	{ "times",    "×",        5,    UNSORTED, REFERRER_TIMES,    "how often it refers to the row above",             2, COLUMN_SCREEN,  0 },
	{ "refs",     "Refs",     5,    UNSORTED, REFERRER_REFS,     "how often it refers to the row above",             2, COLUMN_MACHINE, 0 },
	SIZE_COLUMN(UNSORTED, 5),
	RETAINED_COLUMN(UNSORTED, 6),
	{ "gen",      "Gen",      -7,   UNSORTED, CELL(VALUE_TEXT, cell_gen),      "generation, if the dump has segments",             8, COLUMN_RANGES,  0 },
	IN_COLUMN(UNSORTED, 4),
	DISTANCE_COLUMN(UNSORTED, 3),
	{ "root",     "Root",     -24,  UNSORTED, CELL(VALUE_TEXT, cell_root),     "the root at the end of the cheapest path",          7, 0,              0 },
	ALLOCATED_COLUMN(UNSORTED, 8),
	{ 0 },
};
static const struct table table = { .name = "tree", .columns = columns };
static const struct command commands[] = {
	/* name       keys     bar          help, .run, then other fields */
	{ "to-root", "*",     "to a root", "open the cheapest path to a root", .run = tree_to_root },
	{ "follow",  "e",     "follow",    "open row after row while there is only one referrer", .run = tree_follow },
	{ "enter",   "Enter", "inspect",   "inspect this object, or show more rows", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold",  "+",     "open",      "open the row; on a cycle, go to the row that it leads back to", .run = unfold },
	{ "fold",    "-",     "",          "close the row", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code tree_code = {
	.open = open_tree,
	.close = tree_close,
	.rows = tree_rows,
	.row = tree_view_row,
	.exclusions = exclusions,
	.heading = heading,
	.tree = &(const struct view_tree){ .fold = tree_fold },
};

const struct view_ops view_tree = {
	.command = { .name = "tree",
		     .keys = "r 5 F5",
		     .args = { MUST(ARG_OBJECT_OR_TYPE) },
		     .bar = "who holds it",
		     .flags = COMMAND_ANSWERS,
		     .help = "who holds this object, or the objects of this type: the tree of "
			     "referrers" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no object refers to it; :paths shows which roots do" },
	.list = { .needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH },
	.code = &tree_code,
};
