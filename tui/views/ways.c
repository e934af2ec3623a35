/*
 * The cheapest paths to the objects of a type or a list, from the roots down and merged by type:
 * each object counts once per row. Cutting such a path need not free the objects, as longer paths
 * may lead to them. merged.c goes in the opposite direction, through all referrers.
 */
#include "tui/session/describe.h"
#include "model/analysis/keeper.h"
#include "model/base/format.h"
#include "tui/widget/request.h"
#include "tui/widget/tree.h"
#include "tui/widget/view.h"
#include "model/base/hash.h"
#include "model/heap/order.h"
#include "model/graph/root_ways.h"
#include "tui/session/what_if.h"
#include <string.h>

enum {
	STEPS_MAX = 200, /* rows opened by one key */
	/* At first a row opens if it has 1/MOST_OF of its parent's objects. */
	MOST_OF = 2,
};

/* The rows below one row. */
struct ways_branch {
	struct branch branch;
	struct root_ways_rows rows;
	struct root_ways_row *above; /* the row's set; NULL: the top */
};

struct ways_state {
	struct tree tree;
	struct root_ways *ways;
	node_id *nodes; /* in the view's arena; NULL: all of the type */
	uint32_t nodes_count;
};

static const struct root_ways_row *
set_of(const struct row *row)
{
	return (const struct root_ways_row *)(uintptr_t)row->data;
}

static void
branch_free(struct branch *b)
{
	root_ways_rows_clear(&((struct ways_branch *)b)->rows);
	memory_free(b);
}

/* --- opening rows --------------------------------------------------------- */

struct descent {
	struct expansion expansion;
	const struct reach *reach;
	struct root_ways *ways; /* made by the job that makes the top rows */
	type_id type;
	const node_id *nodes;
	uint32_t nodes_count;
	const struct root_ways_row *row; /* to open; NULL: the top */
	uint32_t depth;
	/* Links are folded into one row (keeper.h); `search` tells them. `links_wanted` is how many
	   to list if such a row opens, else 0. */
	struct keeper_search search;
	bool folds_links, joins_lists;
	uint32_t links_wanted;
	/* The last rows, each the only one of its level and a link, and how many are plumbing. */
	uint32_t links, plumbing;
};

static bool
make_ways(struct descent *d, struct progress *progress, struct error *err)
{
	const struct heap *h = d->reach->heap;
	struct id_list list = { 0 };
	uint8_t *types;
	bool ok;

	if (d->nodes) {
		d->ways = root_ways_new(d->reach, d->nodes, d->nodes_count, progress, err);
		return d->ways != NULL;
	}
	types = memory_new((size_t)h->types_count + 1, 1, err);
	if (!types)
		return false;
	types[d->type] = 1;
	ok = id_list_of_types(&list, h, types, progress, err);
	memory_free(types);
	if (ok)
		d->ways = root_ways_new(d->reach, list.ids, list.count, progress, err);
	id_list_free(&list);
	return d->ways != NULL;
}

static uint64_t
key_of_set(uint64_t parent, const struct root_ways_row *set)
{
	uint64_t hash;

	if (set->type != TYPE_NONE)
		return row_key(parent, set->type);
	hash = hash_text(HASH_START + set->root_kind, set->root_name);
	return row_key(parent, hash | UINT64_C(1) << 63);
}

static struct row
row_of_set(const struct root_ways_row *set, uint64_t parent, uint32_t depth)
{
	bool is_root = set->type == TYPE_NONE;
	struct row row = row_of(is_root ? ROW_ROOT : ROW_TYPE);

	row.type = set->type;
	row.depth = depth;
	row.key = key_of_set(parent, set);
	row.data = (uintptr_t)set;
	if (is_root || set->count > set->ends_count)
		row.fold = FOLD_CLOSED;
	return row;
}

/* Returns the rows below `above`, owned by a branch. NULL sets `err`. */
static const struct root_ways_rows *
add_branch(struct descent *d, uint64_t key, const struct root_ways_row *above,
	   struct progress *progress, struct error *err)
{
	struct ways_branch *b = expansion_branch(d, key, sizeof *b, err);
	bool ok;

	if (!b)
		return NULL;
	b->above = (struct root_ways_row *)(uintptr_t)above;
	ok = above ? root_ways_open(&b->rows, d->ways, above, d->joins_lists, progress, err)
		   : root_ways_top(&b->rows, d->ways, progress, err);
	return ok ? &b->rows : NULL;
}

static bool
is_link(struct descent *d, const struct root_ways_row *set)
{
	return set->type != TYPE_NONE && set->count > set->ends_count && !set->ends_count &&
	       keeper_is_link(&d->search, set->nodes[0]);
}

/* Gives the branches of the links to the row above these, with which they close. The newest branch
   is that below the last link. */
static void
move_branches_up(struct descent *d)
{
	struct branch *above = d->expansion.branches;

	for (uint32_t i = 0; i < d->links; i++)
		above = above->next;
	for (struct branch *b = d->expansion.branches; b != above; b = b->next)
		b->key = above->key;
}

/* Replaces the links before `at` by one row, behind which the path continues at the depth of that
   row. Its data is the set of the last link. */
static void
fold_links(struct descent *d, size_t *at, uint32_t *depth)
{
	struct row *row = &d->expansion.rows.items[*at - d->links];
	struct root_ways_row *last =
	    (struct root_ways_row *)(uintptr_t)d->expansion.rows.items[*at - 1].data;
	uint32_t depth_before = row->depth;
	uint64_t key = row_key(row->key, ROW_SKIP);

	*row = row_of(ROW_SKIP);
	row->depth = depth_before;
	row->fold = FOLD_CLOSED;
	row->key = key;
	row->data = (uintptr_t)last;
	last->links = d->links;
	move_branches_up(d);
	rows_remove(&d->expansion.rows, *at - d->links + 1, d->links - 1);
	*at -= d->links - 1;
	*depth = depth_before;
}

/* Closes the first row again: too few links follow it to be folded, and only one row was to be
   opened. */
static void
close_links(struct descent *d)
{
	struct rows *rows = &d->expansion.rows;

	rows_remove(rows, 1, rows->count - 1);
	rows->items[0].fold = FOLD_CLOSED;
	while (d->expansion.branches->next) {
		struct branch *b = d->expansion.branches;

		d->expansion.branches = b->next;
		branch_free(b);
	}
}

/* Counts the links on the path; folds them when another object follows. */
static void
see_links(struct descent *d, const struct root_ways_rows *sets, size_t *at, uint32_t *depth)
{
	if (!d->folds_links)
		return;
	if (sets->count == 1 && is_link(d, sets->items)) {
		d->links++;
		d->plumbing += keeper_is_plumbing(&d->search.heap->types[sets->items[0].type]);
		return;
	}
	if (d->links >= KEEPER_LINKS_MIN && d->plumbing >= KEEPER_PLUMBING_MIN)
		fold_links(d, at, depth);
	d->links = d->plumbing = 0;
}

/* Lists the links that a row stands for, one below the other. */
static bool
list_links(struct descent *d, struct progress *progress, struct error *err)
{
	const struct root_ways_row *above = d->row;
	uint64_t key = d->expansion.row_key;

	for (uint32_t i = 0; i < d->links_wanted; i++) {
		const struct root_ways_rows *sets =
		    add_branch(d, d->expansion.row_key, above, progress, err);
		struct row row;

		if (!sets || !sets->count)
			return sets != NULL;
		above = &sets->items[0];
		row = row_of_set(above, key, d->depth);
		row.fold = FOLD_NONE;
		if (!rows_append(&d->expansion.rows, &row, err))
			return false;
		key = row.key;
	}
	return true;
}

/* Returns true if the row that was to be opened led through links, and they were not folded. */
static bool
has_few_links(const struct descent *d, size_t at)
{
	return d->row && at && !d->links && d->expansion.rows.items[at - 1].kind != ROW_SKIP;
}

/* Returns true if this row opens, the first of its level. A single row opens to find how many links
   follow it. */
static bool
goes_on(const struct descent *d, const struct row *row, const struct root_ways_row *above)
{
	if (d->row)
		return d->links > 0;
	return row->fold != FOLD_NONE && !(above && set_of(row)->count < above->count / MOST_OF);
}

/* Opens row after row while the first has most objects of its parent; or one row, and the links
   below it. */
static bool
make(void *expansion, struct progress *progress, struct error *err)
{
	struct descent *d = expansion;
	const struct root_ways_row *above = d->row;
	uint64_t key = d->expansion.row_key;
	uint32_t depth = d->depth;
	size_t at = 0;

	if (!d->ways && !make_ways(d, progress, err))
		return false;
	if (d->links_wanted)
		return list_links(d, progress, err);
	for (int steps = 0; steps < STEPS_MAX; steps++) {
		const struct root_ways_rows *sets = add_branch(d, key, above, progress, err);
		const struct root_ways_row *first;
		struct row *rows;

		if (!sets)
			return false;
		if (sets->count)
			see_links(d, sets, &at, &depth);
		if (!sets->count || has_few_links(d, at))
			break;
		rows = rows_insert(&d->expansion.rows, at, sets->count, err);
		if (!rows)
			return false;
		for (uint32_t i = 0; i < sets->count; i++)
			rows[i] = row_of_set(&sets->items[i], key, depth);
		first = &sets->items[0];
		if (!goes_on(d, rows, above))
			return true;
		rows[0].fold = FOLD_OPEN;
		key = rows[0].key;
		above = first;
		depth++;
		at++;
	}
	if (d->row && d->expansion.rows.count)
		close_links(d);
	return true;
}

/* Adds the objects of a list to the set of the row that stands for it. The screen may be drawing
   this row while a worker opens it, so its set changes on the screen's thread only. */
static void
join_list(struct ways_branch *b)
{
	if (b->above)
		root_ways_join(b->above, &b->rows);
}

static bool
take(struct view *v, void *expansion, struct error *err)
{
	struct ways_state *state = v->state;
	struct descent *d = expansion;

	(void)err;
	for (struct branch *b = d->expansion.branches; b; b = b->next)
		join_list((struct ways_branch *)b);
	state->ways = d->ways;
	d->ways = NULL;
	return true;
}

static void
clear(void *expansion)
{
	struct descent *d = expansion;

	if (d->expansion.is_top)
		root_ways_free(d->ways);
}

static const struct expansion_kind descent = {
	.what = "following paths to the roots",
	.size = sizeof(struct descent),
	.make = make,
	.take = take,
	.clear = clear,
};

/* Opens the row `at`; SIZE_MAX makes all rows. */
static bool
expand(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	const struct ways_state *state = v->state;
	struct descent *d = expansion_new(v, &descent, at, err);

	(void)rule;
	if (!d)
		return false;
	d->reach = v->session->reach;
	d->ways = state->ways;
	d->type = v->target.type;
	d->nodes = state->nodes;
	d->nodes_count = state->nodes_count;
	d->joins_lists = !v->session->keeps_links;
	d->folds_links = !v->session->keeps_links && v->session->reverse;
	if (d->folds_links)
		d->search = keeper_search_of(v->session->heap, v->session->reverse, d->reach);
	if (at != SIZE_MAX) {
		const struct row *row = &state->tree.rows.items[at];

		d->depth = row->depth + 1;
		if (row->kind == ROW_SKIP) {
			d->links_wanted = set_of(row)->links;
			row = &state->tree.rows.items[rows_parent_of(&state->tree.rows, at)];
		}
		d->row = set_of(row);
	}
	return expansion_start(d, v, err);
}

static bool
begin(struct view *v, struct error *err)
{
	tree_forget(v);
	return expand(v, SIZE_MAX, TREE_ONE, err);
}

static void
forget(struct view *v)
{
	struct ways_state *state = v->state;

	root_ways_free(state->ways);
	state->ways = NULL;
}

static const struct tree_source source = {
	.begin = begin,
	.expand = expand,
	.forget = forget,
	.branch_free = branch_free,
};

/* --- cells ---------------------------------------------------------------- */

/* Writes the type of objects that follow each other in a list, and how many. */
static void
cell_list(const struct cells *in, const struct row *row, struct value *out)
{
	char count[FORMAT_BYTES];

	value_printf(out, STYLE_NORMAL, "%s × %.300s",
		     format_count(set_of(row)->nodes_count, count),
		     facts_type_name(in->facts, row->type));
	out->also = in->facts->types[row->type].raw;
}

static void
cell_way(const struct cells *in, const struct row *row, struct value *out)
{
	const struct root root = { .kind = set_of(row)->root_kind, .name = set_of(row)->root_name };

	char count[FORMAT_BYTES];

	if (row->kind == ROW_ROOT)
		describe_root_row(&root, out);
	else if (row->kind == ROW_SKIP)
		value_printf(out, STYLE_DIM, "… %s links of the framework",
			     format_count(set_of(row)->links, count));
	else if (set_of(row)->joined && row->fold != FOLD_CLOSED)
		cell_list(in, row, out);
	else
		facts_type_cell(in->facts, row->type, out);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	(void)in;
	return set_of(row);
}

static void
cell_share(const struct cells *in, const struct row *row, struct value *out)
{
	const struct ways_state *state = in->rows;

	value_share(out, set_of(row)->bytes, state->ways->reached_bytes);
}

/* --- the view ------------------------------------------------------------- */

static bool
ways_open(struct view *v, struct error *err)
{
	struct ways_state *state = tree_new(v, &source, sizeof *state, err);
	struct target *t = &v->target;

	t->node = NODE_NONE;
	if (!state)
		return false;
	state->tree.filters_top = true;
	snprintf(v->title, sizeof v->title, "ways %.200s",
		 t->nodes ? t->nodes_title : session_type_name(v->session, t->type));
	if (!t->nodes)
		return true;
	return view_take_nodes(v, &state->nodes, &state->nodes_count, err);
}

/* Only folding links needs referrers: the rows wait for them, unless memory does not allow them. */
static bool
ways_rows(struct view *v, struct error *err)
{
	const struct session *s = v->session;

	v->is_stale = !s->reverse && (s->jobs[JOB_REVERSE] || s->waiting & NEED_REVERSE);
	return v->is_stale || tree_rows(v, err);
}

static bool
ways_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct ways_state *state = v->state;
	char count[FORMAT_BYTES], size[FORMAT_BYTES], lost[FORMAT_BYTES];

	if (line > 1 || !state->ways)
		return false;
	if (line == 1) {
		value_printf(out, STYLE_WARNING, "%s more%s",
			     format_count(state->ways->lost_count, lost),
			     describe_rootless(v->session->heap));
		return state->ways->lost_count > 0;
	}
	value_printf(out, STYLE_ROOT, "the cheapest paths to %s object%s of %.300s, %s",
		     format_count(state->ways->reached_count, count),
		     state->ways->reached_count == 1 ? "" : "s",
		     session_type_name(v->session, v->target.type),
		     format_size(state->ways->reached_bytes, size));
	return true;
}

/* Selects the objects of a row that the paths go through. */
static bool
ways_selection(const struct view *v, const struct row *row, struct target *out, char *title,
	       size_t title_size)
{
	const struct root_ways_row *set = set_of(row);
	char count[FORMAT_BYTES];

	if (row->kind != ROW_TYPE)
		return false;
	*out = target_of_type(row->type);
	out->nodes = set->nodes;
	out->nodes_count = set->nodes_count;
	out->nodes_title = title;
	snprintf(title, title_size, "%s %.200s on the path to %.200s",
		 format_count(set->nodes_count, count), session_type_name(v->session, row->type),
		 session_type_name(v->session, v->target.type));
	return true;
}

/* Exclude all roots that a root row stands for. */
static uint32_t
ways_exclusions(const struct view *v, const struct row *row, bool as_reference,
		struct ignored_entry *entries, uint32_t max)
{
	const struct root_ways_row *set = set_of(row);

	if (as_reference || row->kind != ROW_ROOT)
		return 0;
	return what_if_entries_of_roots(v->session->heap, set->root_kind,
					set->has_all_names ? NULL : set->root_name, entries, max);
}

static bool
enter(const struct call *call, struct error *err)
{
	struct row row;

	if (!view_selected(call->view, &row))
		return true;
	if (row.kind == ROW_TYPE)
		return tree_list_objects(call, &row);
	return view_fold(call->view, call->view->cursor, row.fold != FOLD_OPEN, err);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts     cell          help                                                    rank flags needs */
	{ "way",      "Path",     FILL, UNSORTED, CELL(VALUE_TEXT, cell_way),     "the root, or the next type on the path",     0, 0, 0 },
	{ "count",    "On path", 10, UNSORTED, COUNT_AT(struct root_ways_row, count),  "objects whose cheapest path goes through here; other paths may hold them too", 0, 0, 0 },
	{ "size",     "Size",    12,   UNSORTED, BYTES_AT(struct root_ways_row, bytes),    "their bytes",                                      0, 0, 0 },
	{ "share",    "Share",   6,    UNSORTED, CELL(VALUE_SHARE, cell_share),   "part of all that a root reaches",                               2, COLUMN_BAR, 0 },
	{ "through",  "Through", 10,   UNSORTED, COUNT_AT(struct root_ways_row, nodes_count), "objects of this row that the paths go through",         1, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "ways", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name      keys     bar        help, .run, then other fields */
	{ "enter",  "Enter", "objects", "list the objects of this row", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold", "+",     "open",    "open the row", .run = view_command_unfold },
	{ "fold",   "-",     "",        "close the row", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code ways_code = {
	.open = ways_open,
	.close = tree_close,
	.rows = ways_rows,
	.row = tree_view_row,
	.selection = ways_selection,
	.exclusions = ways_exclusions,
	.heading = ways_heading,
	.tree = &(const struct view_tree){ .fold = tree_fold },
};

const struct view_ops view_ways = {
	.command = { .name = "ways",
		     .keys = "W",
		     .args = { MUST(ARG_TYPE) },
		     .help = "where the cheapest paths to the objects of this type begin, from the "
			     "roots down" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no path from a root leads to objects of this type; :merged shows "
			      "what refers to them" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH,
		  .wants = NEED_REVERSE,
		  .takes_also = TAKES_SET },
	.code = &ways_code,
};
