/*
 * Who holds the objects of a type? The tree of referrers of all of them at
 * once, merged by type: a row is the objects of one type that refer to some of
 * the row it stands under. An object counts once a row; those that stand in a
 * row above are counted apart and not followed. Opening a row over millions of
 * objects is a job.
 */
#include "model/base/format.h"
#include "tui/session/describe.h"
#include "tui/session/what_if.h"
#include "tui/tables/merged_cuts.h"
#include "tui/tables/merged_opening.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <string.h>

enum { HINT_HEIGHT = 14 }; /* of the view: a second heading line */

struct merged_state {
	struct tree tree;
	struct merged_row top;
	bool has_top;
	node_id *these; /* in the view's arena; NULL: all of the type */
	uint32_t these_count;
	struct merged_family *families;
	struct merged_cuts cuts;
	bool is_opening;       /* a row, or the first ones */
	bool wants_cuts;       /* there are rows nobody measured yet */
	struct merged_way end; /* where the last way to a root was given up */
	bool is_cut, is_lost;  /* that was too long; led back to rows above */
};

/* --- cells --------------------------------------------------------------- */

static void
cell_root_row(const struct merged_row *set, struct value *out)
{
	const struct root root = { .kind = set->root_kind,
				   .name = set->root_name };

	describe_root_row(&root, out);
}

/* Arrays in which the runtime keeps statics; the roots above say which. */
static bool
is_static_table(const struct cells *in, const struct merged_row *set)
{
	const struct reach *reach = in->facts->reach;
	uint32_t at = 0;

	if (!reach || !set->count || set->count > reach->static_tables_count)
		return false;
	for (uint32_t i = 0; i < set->count; i++) {
		while (at < reach->static_tables_count &&
		       reach->static_tables[at] < set->nodes[i])
			at++;
		if (at == reach->static_tables_count ||
		    reach->static_tables[at] != set->nodes[i])
			return false;
	}
	return true;
}

static void
cell_tree(const struct cells *in, const struct row *row, struct value *out)
{
	char count[FORMAT_BYTES];

	if (row->kind == ROW_ROOT) {
		cell_root_row(merged_set_of(row), out);
	} else if (row->kind == ROW_CYCLE) {
		value_printf(
		    out, STYLE_CYCLE, "%.300s, %s already above",
		    facts_type_name(in->facts, row->type),
		    format_count(merged_set_of(row)->cycle_count, count));
		out->also = in->facts->types[row->type].raw;
	} else if (is_static_table(in, merged_set_of(row))) {
		value_printf(out, STYLE_DIM,
			     "%.300s, table%s of static variables",
			     facts_type_name(in->facts, row->type),
			     merged_set_of(row)->count == 1 ? "" : "s");
		out->also = in->facts->types[row->type].raw;
	} else {
		facts_type_cell(in->facts, row->type, out);
	}
}

/* What would be freed without it: exact, where it was measured. */
static void
cell_frees(const struct cells *in, const struct row *row, struct value *out)
{
	const struct merged_state *state = in->rows;
	const struct merged_cut *cut = merged_cuts_find(&state->cuts, row->key);

	if (cut) {
		value_bytes(out, cut->bytes);
		if (cut == merged_cuts_best(&state->cuts))
			out->style = STYLE_WARNING;
	} else if ((state->wants_cuts || state->is_opening) && row->depth &&
		   (row->kind == ROW_TYPE || row->kind == ROW_ROOT)) {
		value_pending(out);
	} else {
		value_blank(out);
	}
}

/* Not by its colour alone. */
static void
cell_mark(const struct cells *in, const struct row *row, struct value *out)
{
	const struct merged_state *state = in->rows;
	const struct merged_cut *best = merged_cuts_best(&state->cuts);

	if (best && best->key == row->key)
		value_text(out, STYLE_WARNING, "◀ most");
	else
		value_blank(out);
}

static uint64_t
number_objects(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->kind == ROW_TYPE ? merged_set_of(row)->count : UINT64_MAX;
}

static uint64_t
number_bytes(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->kind == ROW_TYPE ? merged_set_of(row)->bytes : UINT64_MAX;
}

static uint64_t
number_held(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->kind != ROW_CYCLE && row->depth
		   ? merged_set_of(row)->held_count
		   : UINT64_MAX;
}

static uint64_t
number_refs(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->kind == ROW_TYPE && row->depth
		   ? merged_set_of(row)->refs_count
		   : UINT64_MAX;
}

/* --- opening rows -------------------------------------------------------- */

static void
take_families(struct merged_state *state, struct merged_opening *o)
{
	struct merged_family **end = &o->families;

	while (*end)
		end = &(*end)->next;
	*end = state->families;
	state->families = o->families;
	o->families = NULL;
}

static bool
take_top(struct merged_state *state, struct merged_opening *o,
	 struct error *err)
{
	struct row top;

	if (!o->has_top)
		return true;
	state->top = o->top;
	state->has_top = true;
	o->has_top = false;
	top = merged_row_of_set(&state->top, 0, 0);
	return rows_append(&state->tree.rows, &top, err);
}

static void
opening_done(struct view *v, void *context, bool ok)
{
	struct merged_state *state = v->state;
	struct merged_opening *o = context;
	struct error ignored = { 0 }; /* what is refused is told at the end */
	size_t at = SIZE_MAX;

	state->is_opening = false;
	if (ok && take_top(state, o, &ignored))
		at = tree_find(&state->tree, o->row_key);
	if (at != SIZE_MAX &&
	    tree_put_below(&state->tree, at, &o->rows, &ignored))
		take_families(state, o);
	if (ok && !tree_show(&state->tree, v, &ignored))
		v->rows_count = 0;
	if (ok && o->moves &&
	    (at = tree_find(&state->tree, o->end_key)) != SIZE_MAX)
		view_move_to(v, tree_shown_at(&state->tree, at));
	if (ok && o->rule == TO_ROOT) {
		state->end = o->end;
		state->is_cut = o->is_cut;
		state->is_lost = o->is_lost;
	}
	if (o->moves)
		v->has_moved = true; /* see start_opening() */
	/* The next merged_rows() starts that: no job may begin here, the view
	   might be about to close. */
	if (ok)
		state->wants_cuts = v->is_stale = true;
	merged_opening_free(o);
}

static struct merged_opening *
opening_new(const struct view *v, enum merged_rule rule, struct error *err)
{
	struct merged_opening *o = memory_new(1, sizeof *o, err);

	if (!o)
		return NULL;
	o->heap = v->session->heap;
	o->reverse = v->session->reverse;
	o->reach = v->session->reach;
	o->rule = rule;
	o->top_type = TYPE_NONE;
	return o;
}

static bool
start_opening(struct view *v, struct merged_opening *o, struct error *err)
{
	struct merged_state *state = v->state;

	/* The end becomes the selected row, unless another is chosen now. */
	if (o->moves)
		v->has_moved = false;
	state->is_opening = true;
	return view_run(v, "finding referrers", merged_opening_run,
			opening_done, o, err);
}

static bool
open_row(struct view *v, size_t at, enum merged_rule rule, struct error *err)
{
	const struct merged_state *state = v->state;
	struct merged_opening *o = opening_new(v, rule, err);

	if (!o)
		return false;
	o->row_key = state->tree.rows.items[at].key;
	o->moves = rule != OPEN_ONE;
	if (merged_opening_take_path(o, &state->tree.rows, at, err))
		return start_opening(v, o, err);
	merged_opening_free(o);
	return false;
}

static bool
merged_fold(struct view *v, size_t index, bool open, struct error *err)
{
	struct merged_state *state = v->state;
	struct rows *rows = &state->tree.rows;
	size_t at = state->tree.shown[index], end;

	if (open)
		return open_row(v, at, OPEN_ONE, err);
	end = rows_end_of(rows, at);
	for (size_t i = end; i-- > at;)
		if (rows->items[i].fold == FOLD_OPEN)
			merged_families_drop(&state->families,
					     rows->items[i].key);
	rows_close(rows, at);
	/* It was measured until then; the rest is not yet. */
	v->is_stale = state->wants_cuts;
	return tree_show(&state->tree, v, err);
}

/* --- commands ------------------------------------------------------------ */

/* Along rows that are open: the child to go on with, or SIZE_MAX. */
static size_t
open_child(const struct merged_state *state, size_t at, enum merged_rule rule)
{
	const struct rows *rows = &state->tree.rows;
	const struct merged_family *f =
	    merged_families_find(state->families, rows->items[at].key);

	if (!f)
		return SIZE_MAX;
	return rule == TO_ROOT ? merged_child_of_way(rows, at, f)
			       : merged_only_child(rows, at, f);
}

static bool
is_dead_end(const struct merged_state *state, size_t at)
{
	const struct merged_family *f = merged_families_find(
	    state->families, state->tree.rows.items[at].key);

	return f && f->way.row == MERGED_NO_WAY;
}

static bool
open_on(struct view *v, enum merged_rule rule, struct error *err)
{
	struct merged_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	char why[VALUE_TEXT_BYTES];
	size_t at, child;

	if (!v->rows_count)
		return true;
	at = state->tree.shown[v->cursor];
	if (rows->items[at].kind != ROW_TYPE)
		at = rows_parent_of(rows, at);
	/* Where every way leads back to a row above, that row knows one. */
	while (rule == TO_ROOT && at && is_dead_end(state, at))
		at = rows_parent_of(rows, at);
	if (rule == TO_ROOT && is_dead_end(state, at))
		return error_set(err, ERROR_USAGE,
				 "there is no way to a root: %s",
				 describe_no_root(v->session, state->top.type,
						  why, sizeof why));
	while (rows->items[at].fold == FOLD_OPEN &&
	       (child = open_child(state, at, rule)) != SIZE_MAX)
		at = child;
	if (rows->items[at].fold == FOLD_CLOSED)
		return open_row(v, at, rule, err);
	state->is_lost = false;
	view_move_to(v, tree_shown_at(&state->tree, at));
	return true;
}

static bool
open_from_here(const struct call *call, enum merged_rule rule,
	       const char *why_not, struct error *err)
{
	size_t before = call->view->rows_count, cursor = call->view->cursor;

	if (!open_on(call->view, rule, err))
		return false;
	tree_tell_same(call, before, cursor, why_not);
	return true;
}

static bool
to_root(const struct call *call, struct error *err)
{
	return open_from_here(call, TO_ROOT, "the way to a root is open", err);
}

static bool
follow(const struct call *call, struct error *err)
{
	return tree_goes_on(call->view, err) &&
	       open_from_here(call, WHILE_ALONE, TREE_PARTS, err);
}

static bool merged_selection(const struct view *v, const struct row *row,
			     struct target *out, char *title,
			     size_t title_size);

/* The objects of this row; those of the top row are all of the type. */
static bool
open_objects(const struct call *call, size_t at)
{
	const struct view *v = call->view;
	const struct merged_state *state = v->state;
	const struct row *row = &state->tree.rows.items[at];
	struct target target = target_of_type(row->type);
	char title[VALUE_TEXT_BYTES];

	merged_selection(v, row, &target, title, sizeof title);
	return request_open(call, "objects", &target);
}

static bool
enter(const struct call *call, struct error *err)
{
	const struct merged_state *state = call->view->state;
	struct row row;

	if (!view_selected(call->view, &row))
		return true;
	if (row.kind == ROW_TYPE)
		return open_objects(call,
				    state->tree.shown[call->view->cursor]);
	if (row.kind == ROW_ROOT)
		return error_set(err, ERROR_USAGE,
				 "a root is the end of the way");
	return error_set(err, ERROR_USAGE,
			 "these objects stand in a row above");
}

/* --- the view ------------------------------------------------------------ */

/* Not all of the type, but those of a list or of a row of another tree. */
static bool
take_these(struct view *v, struct error *err)
{
	struct merged_state *state = v->state;

	snprintf(v->title, sizeof v->title, "tree %.200s",
		 v->target.nodes_title);
	return view_take_nodes(v, &state->these, &state->these_count, err);
}

/* The objects of a row, which are fewer than all of the type. */
static bool
merged_selection(const struct view *v, const struct row *row,
		 struct target *out, char *title, size_t title_size)
{
	const struct merged_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	size_t at = tree_find(&state->tree, row->key);
	const struct row *held;
	char count[FORMAT_BYTES];

	if (row->kind != ROW_TYPE || at == SIZE_MAX ||
	    (!row->depth && !state->these))
		return false;
	*out = target_of_type(row->type);
	out->nodes = merged_set_of(row)->nodes;
	out->nodes_count = merged_set_of(row)->count;
	out->nodes_title = title;
	held = &rows->items[rows_parent_of(rows, at)];
	format_count(out->nodes_count, count);
	if (row->depth)
		snprintf(title, title_size, "%s %.200s that hold%s %.200s",
			 count, session_type_name(v->session, row->type),
			 out->nodes_count == 1 ? "s" : "",
			 session_type_name(v->session, held->type));
	else
		snprintf(title, title_size, "%s %.200s", count,
			 session_type_name(v->session, row->type));
	return true;
}

static bool
merged_view_open(struct view *v, struct error *err)
{
	v->target.node = NODE_NONE;
	snprintf(v->title, sizeof v->title, "tree %.200s",
		 session_type_name(v->session, v->target.type));
	v->state = arena_new(&v->arena, struct merged_state, err);
	return v->state && (!v->target.nodes || take_these(v, err));
}

static void
merged_view_close(struct view *v)
{
	struct merged_state *state = v->state;

	if (!state)
		return;
	merged_families_free(&state->families);
	if (state->has_top)
		merged_row_clear(&state->top);
	tree_clear(&state->tree);
	merged_cuts_clear(&state->cuts);
}

/* --- what each row would free ----------------------------------------------
 */

struct measuring {
	struct merged_cuts plan;
	const struct reach *reach;
	const struct ignored *ignored;
};

static bool
run_measuring(void *context, struct progress *progress, struct error *err)
{
	struct measuring *m = context;

	return merged_cuts_measure(&m->plan, m->reach, m->ignored, progress,
				   err);
}

static void
measuring_done(struct view *v, void *context, bool ok)
{
	struct merged_state *state = v->state;
	struct measuring *m = context;
	struct error ignored = { 0 }; /* what is refused is told at the end */

	/* Stopped for rows that are made anew, it begins again with them. */
	state->wants_cuts = !ok;
	if (ok && !merged_cuts_take(&state->cuts, &m->plan, &ignored))
		merged_cuts_clear(&state->cuts);
	merged_cuts_clear(&m->plan);
	memory_free(m);
}

static bool
start_measuring(struct view *v, struct error *err)
{
	struct merged_state *state = v->state;
	struct measuring *m = memory_new(1, sizeof *m, err);
	bool ok;

	if (!m)
		return false;
	m->reach = v->session->reach;
	m->ignored = v->session->what_if.ignored;
	ok = merged_cuts_plan(&m->plan, &state->cuts, &state->tree.rows,
			      v->session->heap, err);
	if (!ok || !m->plan.count) {
		measuring_done(v, m, ok);
		return true;
	}
	return view_run_for_more(v, "what each row would free", run_measuring,
				 measuring_done, m, err);
}

/* Anew where something else is ignored now. */
static bool
show_merged(struct view *v, struct error *err)
{
	struct merged_state *state = v->state;

	if (!tree_show(&state->tree, v, err))
		return false;
	if (state->cuts.reach_version != v->session->reach_version) {
		merged_cuts_clear(&state->cuts);
		state->cuts.reach_version = v->session->reach_version;
		state->wants_cuts = true;
	}
	return !state->wants_cuts || start_measuring(v, err);
}

static bool
merged_rows(struct view *v, struct error *err)
{
	struct merged_state *state = v->state;
	struct merged_opening *o;

	if (state->has_top)
		return show_merged(v, err);
	o = opening_new(v, TO_ROOT, err);
	if (!o)
		return false;
	o->top_type = v->target.type;
	o->top_nodes = state->these;
	o->top_nodes_count = state->these_count;
	o->row_key = tree_key(0, o->top_type);
	/* Without a waker that is done by now. */
	return start_opening(v, o, err) &&
	       (v->job || !state->has_top || show_merged(v, err));
}

/* The roots of a row, or its type. */
static uint32_t
merged_leaves_out(const struct view *v, const struct row *row,
		  bool as_reference, struct ignored_entry *entries,
		  uint32_t max)
{
	const struct merged_row *set = merged_set_of(row);

	if (as_reference || row->kind != ROW_ROOT)
		return 0;
	return what_if_entries_of_roots(
	    v->session->heap, set->root_kind,
	    set->has_all_names ? NULL : set->root_name, entries, max);
}

static void
merged_view_row(const struct view *v, size_t index, struct row *out)
{
	const struct merged_state *state = v->state;

	*out = *tree_row(&state->tree, index);
}

/* What became of the way to a root; else what the numbers mean. */
static bool
heading_of_way(const struct view *v, struct value *out)
{
	const struct merged_state *state = v->state;
	char count[FORMAT_BYTES], why[VALUE_TEXT_BYTES];

	if (is_dead_end(state, 0)) {
		value_printf(out, STYLE_WARNING, "%s",
			     describe_no_root(v->session, state->top.type, why,
					      sizeof why));
		return true;
	}
	if (state->is_lost) {
		value_text(out, STYLE_WARNING,
			   "from here all ways to a root lead through rows "
			   "above; * goes there");
		return true;
	}
	if (state->is_cut) {
		value_printf(out, STYLE_WARNING,
			     "the nearest root is %s rows further; * goes on",
			     format_count(state->end.distance, count));
		return true;
	}
	if (v->area.height < HINT_HEIGHT)
		return false;
	value_text(
	    out, STYLE_DIM,
	    "frees: what would go if a row did not refer to the one above");
	return true;
}

static bool
merged_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct merged_state *state = v->state;
	char count[FORMAT_BYTES], size[FORMAT_BYTES];

	if (line == 0 && state->has_top) {
		value_printf(out, STYLE_ROOT,
			     "who holds the %s object%s of %.300s, %s",
			     format_count(state->top.count, count),
			     state->top.count == 1 ? "" : "s",
			     session_type_name(v->session, state->top.type),
			     format_size(state->top.bytes, size));
		return true;
	}
	return line == 1 && state->has_top && heading_of_way(v, out);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                                 rank flags needs */
	{ "type",    "Held by", FILL, UNSORTED, CELL(VALUE_TEXT, cell_tree),    "the type, or the root in words",                    0, 0, 0 },
	{ "objects", "Objects", 10,   UNSORTED, NUMBER(VALUE_COUNT, number_objects), "objects of this type that refer to the row above",  0, 0, 0 },
	{ "size",    "Size",    10,   UNSORTED, NUMBER(VALUE_BYTES, number_bytes),   "their bytes, without what they refer to",           3, 0, 0 },
	{ "held",    "Held",    10,   UNSORTED, NUMBER(VALUE_COUNT, number_held),    "objects of the row above that they refer to",       4, 0, 0 },
	{ "refs",    "Refs",    10,   UNSORTED, NUMBER(VALUE_COUNT, number_refs),    "references from them to the row above",             5, 0, 0 },
	{ "frees",   "Frees",   10,   UNSORTED, CELL(VALUE_BYTES, cell_frees),   "bytes freed if they did not refer to the row above", 1, 0, 0 },
	{ "mark",    "",        -6,   UNSORTED, CELL(VALUE_TEXT, cell_mark),    "the row that would free most",                      2, COLUMN_SCREEN, 0 },
	{ 0 },
};
static const struct table table = { .name = "merged", .columns = columns };
static const struct command commands[] = {
	/* name       keys     bar          help, .run, and what differs from nothing */
	{ "to-root", "*",     "to a root", "open the way to a root that most objects go", .run = to_root },
	{ "follow",  "e",     "follow",    "open row after row while there is only one", .run = follow },
	{ "enter",   "Enter", "objects",   "list the objects of this row", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold",  "+",     "open",      "open the row", .run = view_command_unfold },
	{ "fold",    "-",     "",          "close the row", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_merged = {
	.command = { .name = "merged",
		     .keys = "P",
		     .args = { MUST(ARG_TYPE) },
		     .bar = "for the type",
		     .help = "who holds the objects of this type, all of them "
			     "at once" },
	.empty = "no object refers to them; :ways tells which roots do",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH,
	.takes_besides = TAKES_SET,
	.open = merged_view_open,
	.close = merged_view_close,
	.rows = merged_rows,
	.row = merged_view_row,
	.fold = merged_fold,
	.selection = merged_selection,
	.leaves_out = merged_leaves_out,
	.heading = merged_heading,
};
