/*
 * The dominator tree: below each row stand the objects that it dominates directly, largest retained
 * size first; the top level holds what no single object dominates. Opened for one object, the tree
 * is unfolded down to it. Batch mode, which cannot unfold rows, prints a flat list.
 */
#include "model/base/format.h"
#include "model/heap/root_gaps.h"
#include "tui/session/describe.h"
#include "tui/tables/object_commands.h"
#include "model/tables/dominator_table.h"
#include "model/tables/tables.h"
#include "model/tables/retained_rows.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include "tui/widget/tree.h"

struct dominators_state {
	struct tree tree;
	bool is_by_type;       /* the top level is grouped by type */
	const uint8_t *owners; /* of the rows: see siblings_choose_mine() */
};

static bool
is_object(const struct row *row)
{
	return row->kind == ROW_OBJECT;
}

/* --- opening rows -------------------------------------------------------- */

/* Owns the sets that the rows below one row point to. */
struct sets_branch {
	struct branch branch;
	struct retained_sets sets;
};

static void
branch_free(struct branch *b)
{
	retained_sets_clear(&((struct sets_branch *)b)->sets);
	memory_free(b);
}

struct opening {
	struct expansion expansion;
	struct retained_job job;
};

static bool
make(void *expansion, struct progress *progress, struct error *err)
{
	struct opening *o = expansion;
	/* Copy the key, which the job changes as it descends to an object. */
	uint64_t key = o->expansion.is_top ? 0 : o->job.key;
	struct sets_branch *b = expansion_branch(o, key, sizeof *b, err);

	if (!b || !retained_job_run(&o->job, progress, err))
		return false;
	b->sets = o->job.sets;
	o->job.sets = (struct retained_sets){ 0 };
	o->expansion.rows = o->job.rows;
	o->job.rows = (struct rows){ 0 };
	o->expansion.end_key = o->job.end_key;
	return true;
}

static bool
take(struct view *v, void *expansion, struct error *err)
{
	const struct opening *o = expansion;

	(void)err;
	if (o->expansion.is_top)
		((struct tree *)v->state)->filters_top = o->job.rule != RETAINED_PATH;
	return true;
}

static void
clear(void *expansion)
{
	retained_job_clear(&((struct opening *)expansion)->job);
}

static const struct expansion_kind opening = {
	.what = "listing what it holds",
	.size = sizeof(struct opening),
	.make = make,
	.take = take,
	.clear = clear,
};

/* Returns whether the rows match the session's dominators. A row for several objects is a range of
   positions, valid for one dominator tree only. */
static bool
is_current(const struct view *v)
{
	const struct tree *t = v->state;

	return v->session->retention && t->reach_version == v->session->reach_version;
}

static bool
renew(struct view *v, struct error *err)
{
	v->is_stale = true;
	v->was_stopped = false;
	return session_want(v->session, NEED_RETAINED, err);
}

/* Opens the row `at`: an object, a set of objects or a ROW_MORE. */
static bool
open_row(struct view *v, size_t at, enum retained_rule rule, struct error *err)
{
	const struct rows *rows = &((struct tree *)v->state)->rows;
	bool is_more = rule == RETAINED_MORE;
	const struct row row = rows->items[at];
	size_t parent = is_more ? rows_parent_of(rows, at) : at;
	struct opening *o;

	if (!is_current(v))
		return renew(v, err);
	o = expansion_new(v, &opening, at, err);
	if (!o)
		return false;
	o->job.retention = v->session->retention;
	o->job.rule = rule;
	o->job.siblings = is_object(&row) ? siblings_below(o->job.retention->dominators, row.node)
					  : retained_set_of(&row)->siblings;
	if (is_object(&row))
		siblings_choose_mine(&o->job.siblings,
				     ((struct dominators_state *)v->state)->owners, false);
	if (is_more)
		o->job.after = retained_set_of(&row)->after;
	o->job.depth = row.depth + !is_more;
	/* Rows on the top level have no parent; their branch has the key 0. */
	o->job.key = is_more && parent == at ? 0 : rows->items[parent].key;
	o->expansion.replaces = is_more;
	o->expansion.is_short = o->job.siblings.end - o->job.siblings.first <= RETAINED_AT_ONCE;
	view_rows_change(v);
	return expansion_start(o, v, err);
}

static bool
expand(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	return open_row(v, at, rule == TREE_MORE ? RETAINED_MORE : RETAINED_PAGE, err);
}

/* --- the first rows ------------------------------------------------------ */

/* Starts listing the first rows. The old rows stay until these are ready. */
static bool
begin(struct view *v, struct error *err)
{
	const struct dominators_state *state = v->state;
	const struct subject about = view_subject(v);
	struct opening *o = expansion_new(v, &opening, SIZE_MAX, err);

	if (!o)
		return false;
	o->expansion.what = "listing what holds most";
	o->job.retention = v->session->retention;
	o->job.siblings = siblings_of_subject(o->job.retention->dominators, &about, state->owners);
	if (v->target.node != NODE_NONE) {
		o->job.rule = RETAINED_PATH;
		o->job.node = v->target.node;
		o->expansion.moves = true;
	} else {
		o->job.rule = state->is_by_type ? RETAINED_TYPES : RETAINED_PAGE;
		o->job.has_top = subject_is_all(&about);
	}
	return expansion_start(o, v, err);
}

/* Makes the rows again when my code has changed. */
static bool
dominators_rows(struct view *v, struct error *err)
{
	struct dominators_state *state = v->state;
	const uint8_t *owners = NULL;

	if (v->session->shows_mine) {
		owners = session_code_owners(v->session, err);
		if (!owners)
			return false;
	}
	if (state->owners != owners)
		state->tree.reach_version = 0;
	state->owners = owners;
	return tree_rows(v, err);
}

static const struct tree_source source = {
	.begin = begin,
	.expand = expand,
	.branch_free = branch_free,
};

/* --- the view ------------------------------------------------------------ */

static const struct view_ops dominators_list;

static bool
dominators_open(struct view *v, struct error *err)
{
	if (!v->session->is_batch && !tree_new(v, &source, sizeof(struct dominators_state), err))
		return false;
	if (v->session->is_batch)
		v->ops = &dominators_list;
	subject_title(v, "dominators of");
	return true;
}

/* Says what the object retains, and which object dominates it. */
static void
describe_object(const struct view *v, struct value *out)
{
	const struct dominators *d = v->session->retention->dominators;
	struct retained_sum sum = session_retained(v->session, v->target.node);
	node_id dominator = dominators_of(d, v->target.node);
	char bytes[FORMAT_BYTES], count[FORMAT_BYTES], name[VALUE_TEXT_BYTES];

	format_size(sum.bytes, bytes);
	format_count(sum.count, count);
	if (dominator != NODE_NONE)
		value_printf(out, STYLE_ROOT, "retains %s in %s object%s; dominated by %.200s",
			     bytes, count, sum.count == 1 ? "" : "s",
			     describe_node(v->session, dominator, name, sizeof name));
	else
		value_printf(out, STYLE_ROOT, "retains %s in %s object%s; %s", bytes, count,
			     sum.count == 1 ? "" : "s",
			     dominators_is_reachable(d, v->target.node) ? "no object dominates it"
			     : heap_knows_roots(v->session->heap)       ? "no root reaches it"
								  : "why it is alive is unknown");
}

/* Says what the shares refer to if 1 % of the heap or more is unreachable. */
static bool
describe_base(const struct session *s, struct value *out)
{
	uint64_t all = s->heap->bytes_count;
	uint64_t dead = all - s->reach->reachable_bytes;
	char bytes[FORMAT_BYTES], without[FORMAT_BYTES];

	if (dead < all / 100 + 1)
		return false;
	value_printf(out, STYLE_DIM,
		     heap_knows_roots(s->heap) ? "shares of %s; %s of it is unreachable"
					       : "shares of %s; why %s of it is alive is unknown",
		     format_size(all, bytes), format_size(dead, without));
	return true;
}

static bool
dominators_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct session *s = v->session;
	char bytes[FORMAT_BYTES], count[FORMAT_BYTES];
	struct retained_sum sum;

	if (!s->retention || line > 1)
		return false;
	if (line)
		return describe_base(s, out);
	if (v->target.node != NODE_NONE) {
		describe_object(v, out);
		return true;
	}
	if (v->target.type != TYPE_NONE) {
		sum = s->retention->types[v->target.type];
		value_printf(out, STYLE_ROOT, "together they retain %s in %s object%s",
			     format_size(sum.bytes, bytes), format_count(sum.count, count),
			     sum.count == 1 ? "" : "s");
		return true;
	}
	value_text(out, STYLE_DIM,
		   s->shows_mine
		       ? "my code: each object dominates those below it; the framework's objects "
			 "between them are not shown"
		       : "each object dominates those below it, which would be freed with it");
	return true;
}

/* --- commands ------------------------------------------------------------ */

static bool
enter(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct target target;
	struct row row;

	if (!view_selected(v, &row))
		return true;
	if (row.kind == ROW_MORE)
		return tree_more(v, err);
	if (row.kind == ROW_TYPE || row.kind == ROW_GROUP)
		return view_fold(v, v->cursor, row.fold == FOLD_CLOSED, err);
	if (!is_object(&row))
		return true;
	target = target_of_node(v->session, row.node);
	return request_open(call, "inspect", &target);
}

/* Group the children of the selected row by type, or ungroup them. */
static bool
by_type(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct tree *t = v->state;
	const struct rows *rows = &t->rows;
	size_t at;
	bool is_grouped;

	if (!v->rows_count)
		return true;
	at = tree_selected(v);
	if (!is_object(&rows->items[at]) || rows->items[at].fold == FOLD_NONE)
		at = rows_parent_of(rows, at);
	if (rows->items[at].kind == ROW_TYPE)
		at = rows_parent_of(rows, at);
	if (rows->items[at].fold == FOLD_NONE || rows->items[at].kind == ROW_TYPE)
		return error_set(err, ERROR_USAGE,
				 "it dominates nothing that could be grouped; T groups the top "
				 "level");
	is_grouped = rows->items[at].fold == FOLD_OPEN && rows->items[at + 1].kind == ROW_TYPE;
	view_move_to(v, tree_shown_at(t, at));
	return open_row(v, at, is_grouped ? RETAINED_PAGE : RETAINED_TYPES, err);
}

static bool
top_by_type(const struct call *call, struct error *err)
{
	struct dominators_state *state = call->view->state;

	if (call->view->target.node != NODE_NONE || call->view->target.type != TYPE_NONE)
		return error_set(err, ERROR_USAGE,
				 "the top level is a single row; t groups the rows below a row");
	state->is_by_type = !state->is_by_type;
	state->tree.reach_version = 0;
	call->view->has_moved = false;
	return view_reload(call->view, err);
}

static void
dominators_replay(const struct view *v, replay_fn *add, void *to)
{
	const struct dominators_state *state = v->state;

	if (state->is_by_type)
		add(to, "top-by-type");
}

static const char *
dominators_opened_by(const struct view *v, size_t index)
{
	struct row row, below;

	tree_view_row(v, index, &row);
	if (!is_object(&row) || index + 1 >= v->rows_count)
		return NULL;
	tree_view_row(v, index + 1, &below);
	return below.kind == ROW_TYPE ? "by-type" : NULL;
}

/* clang-format off */
static const struct command commands[] = {
	/* name           keys     bar        help, .run, then other fields */
	{ "enter",       "Enter", "inspect", "inspect this object, or show more rows", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold",      "+",     "open",    "open the row", .run = view_command_unfold },
	{ "fold",        "-",     "",        "close the row", .run = view_command_fold },
	{ "by-type",     "t",     "by type", "group the rows below this row by type; again: one by one", .run = by_type, .replay = REPLAY_ROWS },
	{ "top-by-type", "T",     "",        "group the top level by type; again: one by one", .run = top_by_type, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const char why_empty[] = "there are no objects; :types shows what the heap is made of";

/* The flat list that -b prints. */
static const struct view_code dominators_list_code = {
	.heading = dominators_heading,
};

static const struct view_ops dominators_list = {
	.command = { .name = "dominators", .keys = "", .bar = "" },
	.table = &dominators_table,
	.words = { .no_rows = why_empty },
	.list = { .sorted_by = "retained",
		  .needs = NEED_OBJECTS | NEED_RETAINED,
		  .flags = VIEW_TOP | VIEW_MINE },
	.code = &dominators_list_code,
};

static const struct view_tree dominators_tree = {
	.fold = tree_fold,
	.opened_by = dominators_opened_by,
};

static const struct view_code dominators_code = {
	.open = dominators_open,
	.close = tree_close,
	.rows = dominators_rows,
	.row = tree_view_row,
	.has_own_rows = true,
	.heading = dominators_heading,
	.replay = dominators_replay,
	.tree = &dominators_tree,
};

const struct view_ops view_dominators = {
	.command = { .name = "dominators",
		     .keys = "3",
		     .args = { MAY_AS(ARG_OBJECT_OR_TYPE, "TYPE|ADDRESS") },
		     .bar = "dominators",
		     .help = "the dominator tree: retained sizes, largest first" },
	.table = &dominators_table,
	.commands = commands,
	.words = { .no_rows = why_empty },
	.list = { .sorted_by = "retained",
		  .needs = NEED_OBJECTS | NEED_RETAINED,
		  .flags = VIEW_TOP | VIEW_MINE },
	.code = &dominators_code,
};
