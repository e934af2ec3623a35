/*
 * What would go with an object? The tree of dominators: below each row stand
 * the objects that are reachable through it alone, those that retain most
 * first; on top what no single object holds. Opened for an object, the way
 * down to it: all that holds it alone. Without a screen a list of the same
 * rows, as nobody can open them.
 */
#include "model/base/format.h"
#include "model/heap/root_gaps.h"
#include "tui/session/describe.h"
#include "tui/tables/object_commands.h"
#include "tui/tables/retained_cells.h"
#include "tui/tables/retained_rows.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include "tui/widget/tree.h"
#include <string.h>

struct dominators_state {
	struct holding_sets sets; /* first: see tui/tables/retained_cells.h */
	struct tree tree;
	uint32_t reach_version; /* that the rows were made with; 0: none */
	bool is_by_type;        /* on top */
	struct id_list list;    /* without a screen */
};

static bool
is_object(const struct row *row)
{
	return row->kind == ROW_OBJECT;
}

/* --- cells --------------------------------------------------------------- */

static void
cell_dominator(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap *h = in->facts->heap;
	node_id dominator = NODE_NONE;

	if (is_object(row))
		dominator =
		    dominators_of(in->facts->retention->dominators, row->node);
	if (dominator == NODE_NONE)
		value_blank(out);
	else
		value_address(out, heap_address(h, dominator));
}

/* Of what no object dominates: why it is here. */
static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	uint32_t count = 0;
	const struct root *roots = NULL;

	value_blank(out);
	if (!is_object(row) || dominators_of(in->facts->retention->dominators,
					     row->node) != NODE_NONE)
		return;
	roots = heap_roots_of(in->facts->heap, row->node, &count);
	if (count)
		describe_root_value(&roots[0], out);
	else if (dominators_is_reachable(in->facts->retention->dominators,
					 row->node))
		value_text(out, STYLE_DIM, "several ways");
	else
		value_text(out, STYLE_DIM, describe_none(in->facts->heap));
}

/* --- opening rows -------------------------------------------------------- */

static struct holding_job *
job_new(const struct view *v, enum holding_rule rule, struct error *err)
{
	const struct dominators_state *state = v->state;
	struct holding_job *job = memory_new(1, sizeof *job, err);

	if (!job)
		return NULL;
	job->retention = v->session->retention;
	job->rule = rule;
	job->sets_before = state->sets.count;
	return job;
}

static bool
keep_sets(struct dominators_state *state, const struct holding_sets *fresh,
	  struct error *err)
{
	struct holding_sets *sets = &state->sets;

	for (size_t i = 0; i < fresh->count; i++) {
		if (!APPEND(sets->items, sets->count, sets->room, err,
			    fresh->items[i]))
			return false;
	}
	return true;
}

/* Puts the rows in; the one that opened may have gone meanwhile. */
static bool
put_rows(struct view *v, const struct holding_job *job, struct error *err)
{
	struct dominators_state *state = v->state;
	size_t at = tree_find(&state->tree, job->row_key);

	if (at == SIZE_MAX || job->sets_before != state->sets.count ||
	    !keep_sets(state, &job->sets, err))
		return false;
	return (job->rule == HOLDING_MORE
		    ? tree_put_instead(&state->tree, at, &job->rows, err)
		    : tree_put_below(&state->tree, at, &job->rows, err)) &&
	       tree_show(&state->tree, v, err);
}

static void
take_rows(struct view *v, void *context, bool ok)
{
	struct holding_job *job = context;
	struct error ignored = { 0 };

	if (ok)
		(void)put_rows(v, job, &ignored);
	holding_job_free(job);
}

static bool
run_job(struct view *v, struct holding_job *job, struct error *err)
{
	bool ok;

	/* Two at a time would not agree on the numbers of their sets. */
	view_rows_change(v);
	job->sets_before = ((struct dominators_state *)v->state)->sets.count;
	if (job->siblings.end - job->siblings.first > HOLDING_AT_ONCE)
		return view_run(v, "listing what it holds", holding_job_run,
				take_rows, job, err);
	ok = holding_job_run(job, NULL, err) && put_rows(v, job, err);
	holding_job_free(job);
	return ok;
}

/* What stands for several is known by its place among dominators: those go. */
static bool
is_current(const struct view *v)
{
	const struct dominators_state *state = v->state;

	return v->session->retention &&
	       state->reach_version == v->session->reach_version;
}

static bool
renew(struct view *v, struct error *err)
{
	v->is_stale = true;
	v->was_stopped = false;
	return session_want(v->session, NEED_RETAINED, err);
}

/* Opens the row `at` of the tree, which is none of those that say little. */
static bool
open_row(struct view *v, size_t at, enum holding_rule rule, struct error *err)
{
	struct dominators_state *state = v->state;
	const struct row row = state->tree.rows.items[at];
	struct holding_job *job;
	size_t parent = at;

	if (!is_current(v))
		return renew(v, err);
	job = job_new(v, rule, err);
	if (!job)
		return false;
	job->siblings =
	    is_object(&row)
		? siblings_below(job->retention->dominators, row.node)
		: holding_set_of(state, &row)->siblings;
	job->row_key = row.key;
	if (rule == HOLDING_MORE) {
		job->after = holding_set_of(state, &row)->after;
		parent = rows_parent_of(&state->tree.rows, at);
	}
	job->depth = row.depth + (rule != HOLDING_MORE);
	/* Of rows on top the key is 0. */
	job->key = rule == HOLDING_MORE && parent == at
		       ? 0
		       : state->tree.rows.items[parent].key;
	return run_job(v, job, err);
}

static bool
dominators_fold(struct view *v, size_t index, bool open, struct error *err)
{
	struct dominators_state *state = v->state;
	size_t at = state->tree.shown[index];

	if (!is_current(v))
		return renew(v, err);
	if (open)
		return open_row(v, at, HOLDING_PAGE, err);
	rows_close(&state->tree.rows, at);
	return tree_show(&state->tree, v, err);
}

/* --- the first rows ------------------------------------------------------ */

static bool
is_of_all(const struct target *target)
{
	return target->node == NODE_NONE && target->type == TYPE_NONE;
}

/* What stands below the object, or on top. */
static struct siblings
siblings_of(const struct retention *retention, const struct target *target)
{
	const struct dominators *d = retention->dominators;

	if (target->node != NODE_NONE)
		return siblings_below(d, target->node);
	if (target->type != TYPE_NONE)
		return (struct siblings){ 0, d->heap->nodes_count, target->type,
					  true };
	return siblings_on_top(d, true);
}

static void
take_first(struct view *v, void *context, bool ok)
{
	struct dominators_state *state = v->state;
	struct holding_job *job = context;
	struct error ignored = { 0 };
	size_t at;

	if (ok) {
		tree_clear(&state->tree);
		holding_sets_clear(&state->sets);
		state->tree.rows = job->rows;
		state->tree.filters_top = job->rule != HOLDING_WAY;
		state->sets = job->sets;
		job->rows = (struct rows){ 0 };
		job->sets = (struct holding_sets){ 0 };
		state->reach_version = v->session->reach_version;
		ok = tree_show(&state->tree, v, &ignored);
	}
	at = ok && job->end_key ? tree_find(&state->tree, job->end_key)
				: SIZE_MAX;
	if (at != SIZE_MAX)
		view_move_to(v, tree_shown_at(&state->tree, at));
	holding_job_free(job);
}

static bool
begin_tree(struct view *v, struct error *err)
{
	const struct dominators_state *state = v->state;
	struct holding_job *job = job_new(v, HOLDING_PAGE, err);

	if (!job)
		return false;
	job->sets_before = 0;
	if (v->target.node != NODE_NONE) {
		job->rule = HOLDING_WAY;
		job->node = v->target.node;
	} else {
		job->siblings = siblings_of(job->retention, &v->target);
		job->has_top = is_of_all(&v->target);
	}
	if (state->is_by_type && job->rule == HOLDING_PAGE)
		job->rule = HOLDING_TYPES;
	return view_run(v, "listing what holds most", holding_job_run,
			take_first, job, err);
}

/* --- the list ------------------------------------------------------------ */

struct listing {
	const struct retention *retention;
	struct target target;
	struct id_list list;
};

/* The rows of the tree as it opens: an object before what it holds directly,
   or what the tree has on top. What no root reaches comes last. */
static bool
make_list(void *context, struct progress *progress, struct error *err)
{
	struct listing *l = context;
	const struct retained *r = l->retention->retained;
	struct siblings first = siblings_of(l->retention, &l->target);
	struct siblings dead = siblings_on_top(l->retention->dominators, false);

	if (l->target.node != NODE_NONE) {
		l->list.ids = memory_new(1, sizeof *l->list.ids, err);
		if (!l->list.ids)
			return false;
		l->list.ids[l->list.count++] = l->target.node;
	}
	return siblings_list(&l->list, r, &first, progress, err) &&
	       (!is_of_all(&l->target) ||
		siblings_list(&l->list, r, &dead, progress, err));
}

static void
drop_filtered(const struct view *v, struct id_list *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; v->filter && i < list->count; i++) {
		struct row row = row_of_node(v->session->heap, list->ids[i]);

		if (view_lets_through(v, &row))
			list->ids[kept++] = list->ids[i];
	}
	if (v->filter)
		list->count = kept;
}

static void
take_list(struct view *v, void *context, bool ok)
{
	struct dominators_state *state = v->state;
	struct listing *l = context;

	if (ok) {
		id_list_free(&state->list);
		state->list = l->list;
		drop_filtered(v, &state->list);
		v->rows_count = state->list.count;
	} else {
		id_list_free(&l->list);
	}
	memory_free(l);
}

static bool
begin_list(struct view *v, struct error *err)
{
	struct listing *l = memory_new(1, sizeof *l, err);

	if (!l)
		return false;
	*l = (struct listing){ v->session->retention, v->target, { 0 } };
	return view_run(v, "listing objects", make_list, take_list, l, err);
}

/* --- the view ------------------------------------------------------------ */

static const struct view_ops dominators_list;

static bool
dominators_open(struct view *v, struct error *err)
{
	struct dominators_state *state =
	    arena_new(&v->arena, struct dominators_state, err);
	char name[VALUE_TEXT_BYTES];

	v->state = state;
	if (!state)
		return false;
	if (v->session->is_batch)
		v->ops = &dominators_list;
	if (v->target.node != NODE_NONE)
		snprintf(v->title, sizeof v->title, "dominators of %.200s",
			 describe_node(v->session, v->target.node, name,
				       sizeof name));
	else if (v->target.type != TYPE_NONE)
		snprintf(v->title, sizeof v->title, "dominators %.200s",
			 session_type_name(v->session, v->target.type));
	return true;
}

static void
dominators_close(struct view *v)
{
	struct dominators_state *state = v->state;

	if (!state)
		return;
	tree_clear(&state->tree);
	holding_sets_clear(&state->sets);
	id_list_free(&state->list);
}

static bool
dominators_rows(struct view *v, struct error *err)
{
	struct dominators_state *state = v->state;

	if (state->reach_version != v->session->reach_version)
		return begin_tree(v, err);
	return tree_show(&state->tree, v, err);
}

static void
dominators_row(const struct view *v, size_t index, struct row *out)
{
	const struct dominators_state *state = v->state;

	*out = *tree_row(&state->tree, index);
}

static void
dominators_list_row(const struct view *v, size_t index, struct row *out)
{
	const struct dominators_state *state = v->state;

	*out = row_of_node(v->session->heap, state->list.ids[index]);
}

/* "dominated by 3 objects; retains 1.2 MiB, 5,003 objects" */
static void
tell_object(const struct view *v, struct value *out)
{
	const struct dominators *d = v->session->retention->dominators;
	struct retained_sum sum = session_retained(v->session, v->target.node);
	node_id dominator = dominators_of(d, v->target.node);
	char bytes[FORMAT_BYTES], count[FORMAT_BYTES], name[VALUE_TEXT_BYTES];

	format_size(sum.bytes, bytes);
	format_count(sum.count, count);
	if (dominator != NODE_NONE)
		value_printf(
		    out, STYLE_ROOT,
		    "%s in %s object%s would go with it; it would go "
		    "with %.200s",
		    bytes, count, sum.count == 1 ? "" : "s",
		    describe_node(v->session, dominator, name, sizeof name));
	else
		value_printf(out, STYLE_ROOT,
			     "%s in %s object%s would go with it; %s", bytes,
			     count, sum.count == 1 ? "" : "s",
			     dominators_is_reachable(d, v->target.node)
				 ? "no other object holds it alone"
			     : heap_knows_roots(v->session->heap)
				 ? "no root reaches it"
				 : "what keeps it is unknown");
}

/* Where it makes a difference. */
static bool
tell_base(const struct session *s, struct value *out)
{
	uint64_t all = s->heap->bytes_count;
	uint64_t dead = all - s->reach->reachable_bytes;
	char bytes[FORMAT_BYTES], without[FORMAT_BYTES];

	if (dead < all / 100 + 1)
		return false;
	value_printf(
	    out, STYLE_DIM,
	    heap_knows_roots(s->heap)
		? "shares are of all %s, %s of it reached by no root"
		: "shares are of all %s; what keeps %s of it is unknown",
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
		return tell_base(s, out);
	if (v->target.node != NODE_NONE) {
		tell_object(v, out);
		return true;
	}
	if (v->target.type != TYPE_NONE) {
		sum = s->retention->types[v->target.type];
		value_printf(
		    out, STYLE_ROOT, "together they retain %s in %s object%s",
		    format_size(sum.bytes, bytes),
		    format_count(sum.count, count), sum.count == 1 ? "" : "s");
		return true;
	}
	value_text(out, STYLE_DIM,
		   "below each object what is reachable through it alone, and "
		   "would go with it");
	return true;
}

/* --- commands ------------------------------------------------------------ */

static bool
enter(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct dominators_state *state = v->state;
	struct target target;
	struct row row;

	if (!view_selected(v, &row))
		return true;
	if (row.kind == ROW_MORE)
		return open_row(v, state->tree.shown[v->cursor], HOLDING_MORE,
				err);
	if (row.kind == ROW_TYPE || row.kind == ROW_GROUP)
		return view_fold(v, v->cursor, row.fold == FOLD_CLOSED, err);
	if (!is_object(&row))
		return true;
	target = target_of_node(v->session, row.node);
	return request_open(call, "inspect", &target);
}

/* What stands below the row type by type, or one by one again. */
static bool
by_type(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct dominators_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	size_t at;
	bool is_grouped;

	if (!v->rows_count)
		return true;
	at = state->tree.shown[v->cursor];
	if (!is_object(&rows->items[at]) || rows->items[at].fold == FOLD_NONE)
		at = rows_parent_of(rows, at);
	if (rows->items[at].kind == ROW_TYPE)
		at = rows_parent_of(rows, at);
	if (rows->items[at].fold == FOLD_NONE ||
	    rows->items[at].kind == ROW_TYPE)
		return error_set(err, ERROR_USAGE,
				 "it holds nothing to be grouped; T groups "
				 "what stands on top");
	is_grouped = rows->items[at].fold == FOLD_OPEN &&
		     rows->items[at + 1].kind == ROW_TYPE;
	view_move_to(v, tree_shown_at(&state->tree, at));
	return open_row(v, at, is_grouped ? HOLDING_PAGE : HOLDING_TYPES, err);
}

static bool
top_by_type(const struct call *call, struct error *err)
{
	struct dominators_state *state = call->view->state;

	if (call->view->target.node != NODE_NONE ||
	    call->view->target.type != TYPE_NONE)
		return error_set(err, ERROR_USAGE,
				 "only one stands on top; t groups what stands "
				 "below a row");
	state->is_by_type = !state->is_by_type;
	state->reach_version = 0;
	call->view->has_moved = false;
	return view_reload(call->view, err);
}

static void
dominators_kept(const struct view *v, view_keep *keep, void *to)
{
	const struct dominators_state *state = v->state;

	if (state->is_by_type)
		keep(to, "top-by-type");
}

static const char *
dominators_opened_by(const struct view *v, size_t index)
{
	struct row row, below;

	dominators_row(v, index, &row);
	if (!is_object(&row) || index + 1 >= v->rows_count)
		return NULL;
	dominators_row(v, index + 1, &below);
	return below.kind == ROW_TYPE ? "by-type" : NULL;
}

/* clang-format off */
static const struct column columns[] = {
	/* id                title       width sorts     cell            help                                                  rank flags           needs */
	ADDRESS_COLUMN(UNSORTED, 0, COLUMN_MACHINE),
	{ "type",            "Holds",    FILL, UNSORTED, CELL(VALUE_TEXT, holding_cell_name),      "an object, or several of a type",                    0, 0,              0 },
	SIZE_COLUMN(UNSORTED, 3),
	{ "retained",        "Retained", 11,   UNSORTED, NUMBER(VALUE_BYTES, holding_bytes),  "bytes that would go with it, its own included",      0, 0,              NEED_RETAINED },
	{ "retained_share",  "Share",    6,    UNSORTED, NUMBER(VALUE_BYTES, holding_bytes),     "part of all bytes of the heap",                      2, COLUMN_SCREEN | COLUMN_BAR | COLUMN_OF_HEAP,  NEED_RETAINED },
	{ "count",           "Objects",  10,   UNSORTED, NUMBER(VALUE_COUNT, holding_count),     "objects that would go with it, itself included",     1, 0,              NEED_RETAINED },
	{ "dominator",       "Held by",  14,   UNSORTED, CELL(VALUE_ADDRESS, cell_dominator), "the object that holds it alone, the nearest one",    9, COLUMN_MACHINE, NEED_RETAINED },
	AT_COLUMN(UNSORTED, 4),
	{ "root",            "Root",     -24,  UNSORTED, CELL(VALUE_TEXT, cell_root),      "why it is here, where no object holds it alone",     5, COLUMN_SCREEN,  NEED_RETAINED },
	{ 0 },
};
static const struct table table = { .name = "dominators", .columns = columns };
static const struct command commands[] = {
	/* name           keys     bar        help, .run, and what differs from nothing */
	{ "enter",       "Enter", "inspect", "look into this object; more rows where there are more", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold",      "+",     "open",    "open the row", .run = view_command_unfold },
	{ "fold",        "-",     "",        "close the row", .run = view_command_fold },
	{ "by-type",     "t",     "by type", "group what stands below the row by type; again: one by one", .run = by_type, .replay = REPLAY_ROWS },
	{ "top-by-type", "T",     "",        "group what stands on top by type; again: one by one", .run = top_by_type, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const char why_empty[] = "no object is here that could hold others; "
				":types shows what the heap is made of";

/* What -b prints: flat, as there is nobody to open rows. */
static const struct view_ops dominators_list = {
	.command = { .name = "dominators", .keys = "", .bar = "" },
	.empty = why_empty,
	.table = &table,
	.is_by = "retained",
	.needs = NEED_OBJECTS | NEED_RETAINED,
	.flags = VIEW_TOP,
	.close = dominators_close,
	.rows = begin_list,
	.row = dominators_list_row,
	.heading = dominators_heading,
};

const struct view_ops view_dominators = {
	.command = { .name = "dominators",
		     .keys = "3",
		     .args = { MAY_AS(ARG_OBJECT_OR_TYPE, "TYPE|ADDRESS") },
		     .bar = "dominators",
		     .help = "what would go with which object: retained "
			     "sizes, largest first" },
	.empty = why_empty,
	.table = &table,
	.is_by = "retained",
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_RETAINED,
	.flags = VIEW_TOP,
	.open = dominators_open,
	.close = dominators_close,
	.rows = dominators_rows,
	.row = dominators_row,
	.fold = dominators_fold,
	.heading = dominators_heading,
	.kept = dominators_kept,
	.opened_by = dominators_opened_by,
};
