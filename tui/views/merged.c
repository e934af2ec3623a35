/*
 * The referrers of all objects of a type as one tree, merged by type: a row is the objects of one
 * type that refer to objects of its parent row. Each object counts once per row; objects that
 * already appear in a row above are counted apart and not followed. Opening a row over millions of
 * objects is a job.
 */
#include "model/base/format.h"
#include "tui/session/describe.h"
#include "tui/session/what_if.h"
#include "tui/tables/merged_cuts.h"
#include "tui/tables/merged_opening.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <string.h>

enum { HINT_HEIGHT = 14 }; /* lines that a view needs to show the hint */

struct merged_state {
	struct tree tree;
	node_id *nodes; /* in the view's arena; NULL: all of the type */
	uint32_t nodes_count;
	struct merged_cuts cuts;
	bool wants_cuts;       /* some rows are not measured yet */
	struct merged_way end; /* where the last search for a root stopped */
	/* The last path was too long, or led back to a row above. */
	bool is_cut, is_lost;
	/* The row at which the path stopped, because only links follow; 0: it did not. */
	uint64_t keeper_key;
	enum keeper_role keeper_role;
	type_id keeper_type;
	uint32_t links;
	bool prints_keeper;
};

/* Returns NULL before there are rows. */
static const struct merged_row *
top_of(const struct merged_state *state)
{
	const struct rows *rows = &state->tree.rows;

	return rows->count ? merged_set_of(&rows->items[0]) : NULL;
}

/* --- cells --------------------------------------------------------------- */

static void
cell_root_row(const struct merged_row *set, struct value *out)
{
	const struct root root = { .kind = set->root_kind, .name = set->root_name };

	describe_root_row(&root, out);
}

/* Returns whether all objects of the row are arrays in which the runtime keeps static variables. */
static bool
is_static_table(const struct cells *in, const struct merged_row *set)
{
	const struct reach *reach = in->facts->reach;
	uint32_t at = 0;

	if (!reach || !set->count || set->count > reach->static_tables_count)
		return false;
	for (uint32_t i = 0; i < set->count; i++) {
		while (at < reach->static_tables_count && reach->static_tables[at] < set->nodes[i])
			at++;
		if (at == reach->static_tables_count || reach->static_tables[at] != set->nodes[i])
			return false;
	}
	return true;
}

/* Writes the type at which the path stopped, and how many rows were left out. On a screen the
   heading says so. */
static void
cell_keeper(const struct cells *in, const struct row *row, struct value *out)
{
	const struct merged_state *state = in->rows;
	const char *role = keeper_role_name(state->keeper_role);
	char count[FORMAT_BYTES];

	value_printf(out, STYLE_NORMAL, "%.300s%s%s … %s links of the framework",
		     facts_type_name(in->facts, row->type), *role ? ", " : "", role,
		     format_count(state->links, count));
	out->also = in->facts->types[row->type].raw;
}

static void
cell_tree(const struct cells *in, const struct row *row, struct value *out)
{
	const struct merged_state *state = in->rows;
	char count[FORMAT_BYTES];

	if (row->kind == ROW_ROOT) {
		cell_root_row(merged_set_of(row), out);
	} else if (row->kind == ROW_CYCLE) {
		value_printf(out, STYLE_CYCLE, "%.300s, %s already above",
			     facts_type_name(in->facts, row->type),
			     format_count(merged_set_of(row)->cycle_count, count));
		out->also = in->facts->types[row->type].raw;
	} else if (is_static_table(in, merged_set_of(row))) {
		value_printf(out, STYLE_DIM, "%.300s, table%s of static variables",
			     facts_type_name(in->facts, row->type),
			     merged_set_of(row)->count == 1 ? "" : "s");
		out->also = in->facts->types[row->type].raw;
	} else if (state->prints_keeper && row->key == state->keeper_key) {
		cell_keeper(in, row, out);
	} else {
		facts_type_cell(in->facts, row->type, out);
	}
}

/* Bytes freed if this row did not refer to its parent. Exact once measured. */
static void
cell_frees(const struct cells *in, const struct row *row, struct value *out)
{
	const struct merged_state *state = in->rows;
	const struct merged_cut *cut = merged_cuts_find(&state->cuts, row->key);

	if (cut) {
		value_bytes(out, cut->bytes);
		if (cut == merged_cuts_best(&state->cuts))
			out->style = STYLE_WARNING;
	} else if ((state->wants_cuts || state->tree.is_expanding) && row->depth &&
		   (row->kind == ROW_TYPE || row->kind == ROW_ROOT)) {
		value_pending(out);
	} else {
		value_blank(out);
	}
}

/* Marks the row that frees most in words, as the screen may lack colour. */
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
	return row->kind != ROW_CYCLE && row->depth ? merged_set_of(row)->held_count : UINT64_MAX;
}

static uint64_t
number_refs(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->kind == ROW_TYPE && row->depth ? merged_set_of(row)->refs_count : UINT64_MAX;
}

/* --- opening rows -------------------------------------------------------- */

static bool
take(struct view *v, void *expansion, struct error *err)
{
	struct merged_state *state = v->state;
	const struct merged_opening *o = expansion;

	(void)err;
	if (o->rule == TREE_TO_ROOT) {
		state->end = o->end;
		state->is_cut = o->expansion.is_cut;
		state->is_lost = o->is_lost;
		state->links = o->links;
		state->prints_keeper = o->links && v->session->is_batch;
		state->keeper_role = o->keeper.role;
		state->keeper_type = o->links ? heap_type_of(o->heap, o->keeper.node) : TYPE_NONE;
		state->keeper_key = o->links ? o->expansion.end_key : 0;
	}
	/* No job may start here, as the view may be closing; the next tree_rows() starts to
	   measure. */
	state->wants_cuts = v->is_stale = true;
	return true;
}

static const struct expansion_kind opening = {
	.what = "finding referrers",
	.size = sizeof(struct merged_opening),
	.make = merged_opening_run,
	.take = take,
	.clear = merged_opening_clear,
};

static struct merged_opening *
opening_new(const struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	struct merged_opening *o = expansion_new(v, &opening, at, err);

	if (!o)
		return NULL;
	o->heap = v->session->heap;
	o->reverse = v->session->reverse;
	o->reach = v->session->reach;
	o->rule = rule;
	o->stops_at_keeper = at == SIZE_MAX && !v->session->keeps_links;
	return o;
}

static bool
begin(struct view *v, struct error *err)
{
	const struct merged_state *state = v->state;
	struct merged_opening *o = opening_new(v, SIZE_MAX, TREE_TO_ROOT, err);

	if (!o)
		return false;
	o->top_type = v->target.type;
	o->top_nodes = state->nodes;
	o->top_nodes_count = state->nodes_count;
	return expansion_start(o, v, err);
}

static bool
expand(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	const struct merged_state *state = v->state;
	struct merged_opening *o = opening_new(v, at, rule, err);

	if (!o)
		return false;
	o->expansion.moves = rule != TREE_ONE;
	if (merged_opening_take_path(o, &state->tree.rows, at, err))
		return expansion_start(o, v, err);
	expansion_free(o);
	return false;
}

/* Resume measuring, which closing a row has stopped. */
static void
closed(struct view *v, size_t at)
{
	(void)at;
	v->is_stale |= ((struct merged_state *)v->state)->wants_cuts;
}

/* --- following paths ----------------------------------------------------- */

static const struct merged_family *
family_below(const struct merged_state *state, size_t at)
{
	return merged_family_find(&state->tree, state->tree.rows.items[at].key);
}

static size_t
next(const struct view *v, size_t at, enum tree_rule rule)
{
	const struct merged_state *state = v->state;
	const struct merged_family *f = family_below(state, at);

	if (!f)
		return SIZE_MAX;
	return rule == TREE_TO_ROOT ? merged_child_of_way(&state->tree.rows, at, f)
				    : merged_only_child(&state->tree.rows, at, f);
}

static bool
is_dead_end(const struct merged_state *state, size_t at)
{
	const struct merged_family *f = family_below(state, at);

	return f && f->way.row == MERGED_NO_WAY;
}

static size_t
start(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	struct merged_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	char why[VALUE_TEXT_BYTES];

	if (rows->items[at].kind != ROW_TYPE)
		at = rows_parent_of(rows, at);
	/* If every path leads back to a row above, that row has one that does not. */
	while (rule == TREE_TO_ROOT && at && is_dead_end(state, at))
		at = rows_parent_of(rows, at);
	if (rule == TREE_TO_ROOT && is_dead_end(state, at)) {
		error_set(
		    err, ERROR_USAGE, "there is no path to a root: %s",
		    describe_no_root(v->session, state->tree.rows.items[0].type, why, sizeof why));
		return SIZE_MAX;
	}
	state->is_lost = false;
	return at;
}

/* --- commands ------------------------------------------------------------ */

static bool
enter(const struct call *call, struct error *err)
{
	struct row row;

	if (!view_selected(call->view, &row))
		return true;
	if (row.kind == ROW_TYPE)
		return tree_list_objects(call, &row);
	if (row.kind == ROW_ROOT)
		return error_set(err, ERROR_USAGE, "a root has no referrers");
	return error_set(err, ERROR_USAGE, "these objects appear in a row above");
}

/* --- the view ------------------------------------------------------------ */

/* Restrict the tree to the objects of a list or of a row of another tree. */
static bool
take_nodes(struct view *v, struct error *err)
{
	struct merged_state *state = v->state;

	snprintf(v->title, sizeof v->title, "merged %.200s", v->target.nodes_title);
	return view_take_nodes(v, &state->nodes, &state->nodes_count, err);
}

/* Selects the objects of a row, which may be fewer than the type has. */
static bool
merged_selection(const struct view *v, const struct row *row, struct target *out, char *title,
		 size_t title_size)
{
	const struct merged_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	size_t at = tree_find(&state->tree, row->key);
	const struct row *held;
	char count[FORMAT_BYTES];

	if (row->kind != ROW_TYPE || at == SIZE_MAX || (!row->depth && !state->nodes))
		return false;
	*out = target_of_type(row->type);
	out->nodes = merged_set_of(row)->nodes;
	out->nodes_count = merged_set_of(row)->count;
	out->nodes_title = title;
	held = &rows->items[rows_parent_of(rows, at)];
	format_count(out->nodes_count, count);
	if (row->depth)
		snprintf(title, title_size, "%s %.200s that hold%s %.200s", count,
			 session_type_name(v->session, row->type), out->nodes_count == 1 ? "s" : "",
			 session_type_name(v->session, held->type));
	else
		snprintf(title, title_size, "%s %.200s", count,
			 session_type_name(v->session, row->type));
	return true;
}

/* --- measuring what each row would free ---------------------------------- */

struct measuring {
	struct merged_cuts plan;
	const struct reach *reach;
	const struct ignored *ignored;
};

static bool
run_measuring(void *context, struct progress *progress, struct error *err)
{
	struct measuring *m = context;

	return merged_cuts_measure(&m->plan, m->reach, m->ignored, progress, err);
}

static void
measuring_done(struct view *v, void *context, bool ok)
{
	struct merged_state *state = v->state;
	struct measuring *m = context;
	struct error ignored = { 0 }; /* the app reports refused memory */

	/* A job that was stopped to replace rows starts again with the new ones. */
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
	ok = merged_cuts_plan(&m->plan, &state->cuts, &state->tree.rows, v->session->heap, err);
	if (!ok || !m->plan.count) {
		measuring_done(v, m, ok);
		return true;
	}
	return view_run_for_more(v, "what each row would free", run_measuring, measuring_done, m,
				 err);
}

/* Measures again if other roots or objects are ignored now. */
static bool
shown(struct view *v, struct error *err)
{
	struct merged_state *state = v->state;

	if (state->cuts.reach_version != v->session->reach_version) {
		merged_cuts_clear(&state->cuts);
		state->cuts.reach_version = v->session->reach_version;
		state->wants_cuts = true;
	}
	return !state->wants_cuts || start_measuring(v, err);
}

static void
forget(struct view *v)
{
	merged_cuts_clear(&((struct merged_state *)v->state)->cuts);
}

static const struct tree_source source = {
	.begin = begin,
	.expand = expand,
	.start = start,
	.next = next,
	.closed = closed,
	.shown = shown,
	.forget = forget,
	.branch_free = merged_family_free,
	.is_lasting = true,
};

static bool
merged_open_view(struct view *v, struct error *err)
{
	v->target.node = NODE_NONE;
	subject_title(v, "merged");
	return tree_new(v, &source, sizeof(struct merged_state), err) &&
	       (!v->target.nodes || take_nodes(v, err));
}

/* Exclude all roots that a root row stands for. */
static uint32_t
merged_exclusions(const struct view *v, const struct row *row, bool as_reference,
		  struct ignored_entry *entries, uint32_t max)
{
	const struct merged_row *set = merged_set_of(row);

	if (as_reference || row->kind != ROW_ROOT)
		return 0;
	return what_if_entries_of_roots(v->session->heap, set->root_kind,
					set->has_all_names ? NULL : set->root_name, entries, max);
}

/* Says how the search for a root ended, else what the column "frees" means. */
static bool
heading_of_way(const struct view *v, struct value *out)
{
	const struct merged_state *state = v->state;
	char count[FORMAT_BYTES], why[VALUE_TEXT_BYTES];

	if (is_dead_end(state, 0)) {
		value_printf(
		    out, STYLE_WARNING, "%s",
		    describe_no_root(v->session, state->tree.rows.items[0].type, why, sizeof why));
		return true;
	}
	if (state->is_lost) {
		value_text(out, STYLE_WARNING,
			   "all paths from here to a root lead through rows above; * goes there");
		return true;
	}
	if (state->links) {
		const char *role = keeper_role_name(state->keeper_role);

		value_printf(out, STYLE_ROOT,
			     "kept by %.200s%s%s; * opens %s links of the framework to a root",
			     session_type_name(v->session, state->keeper_type), *role ? ", " : "",
			     role, format_count(state->links, count));
		return true;
	}
	if (state->is_cut) {
		value_printf(out, STYLE_WARNING, "the nearest root is %s rows further; * continues",
			     format_count(state->end.distance, count));
		return true;
	}
	if (v->area.height < HINT_HEIGHT)
		return false;
	value_text(out, STYLE_DIM, "frees: bytes freed if a row did not refer to the one above");
	return true;
}

static bool
merged_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct merged_row *top = top_of(v->state);
	char count[FORMAT_BYTES], size[FORMAT_BYTES];

	if (line == 0 && top) {
		value_printf(out, STYLE_ROOT, "who holds the %s object%s of %.300s, %s",
			     format_count(top->count, count), top->count == 1 ? "" : "s",
			     session_type_name(v->session, top->type),
			     format_size(top->bytes, size));
		return true;
	}
	return line == 1 && top && heading_of_way(v, out);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                                 rank flags needs */
	{ "type",    "Held by", FILL, UNSORTED, CELL(VALUE_TEXT, cell_tree),    "the type, or a description of the root",                    0, 0, 0 },
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
	/* name       keys     bar          help, .run, then other fields */
	{ "to-root", "*",     "to a root", "open the path to a root that most objects take", .run = tree_to_root },
	{ "follow",  "e",     "follow",    "open row after row while there is only one", .run = tree_follow },
	{ "enter",   "Enter", "objects",   "list the objects of this row", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold",  "+",     "open",      "open the row", .run = view_command_unfold },
	{ "fold",    "-",     "",          "close the row", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code merged_code = {
	.open = merged_open_view,
	.close = tree_close,
	.rows = tree_rows,
	.row = tree_view_row,
	.selection = merged_selection,
	.exclusions = merged_exclusions,
	.heading = merged_heading,
	.tree = &(const struct view_tree){ .fold = tree_fold },
};

const struct view_ops view_merged = {
	.command = { .name = "merged",
		     .keys = "P",
		     .args = { MUST(ARG_TYPE) },
		     .bar = "for the type",
		     .flags = COMMAND_ANSWERS,
		     .help = "who holds the objects of this type, all of them at once" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no object refers to them; :ways shows which roots do" },
	.list = { .needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH, .takes_also = TAKES_SET },
	.code = &merged_code,
};
