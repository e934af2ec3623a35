/*
 * Who holds the objects of a type? The tree of referrers of all of them at
 * once, merged by type: a row is the objects of one type that refer to some of
 * the row it stands under. An object counts once a row; those that stand in a
 * row above are counted apart and not followed. Opening a row over millions of
 * objects is a job.
 */
#include "tui/app.h"
#include "tui/describe.h"
#include "tui/format.h"
#include "tui/tree.h"
#include "tui/views.h"
#include "model/merged_way.h"
#include <string.h>

enum {
	FEW_STEPS = 12,   /* ways with more are opened if there is no other */
	STEPS_MAX = 200,  /* by one key */
	HINT_HEIGHT = 14, /* of the view: a second heading line */
};

enum rule { OPEN_ONE, WHILE_ALONE, TO_ROOT };

/* What was found when one row was opened; lives until that is closed. */
struct family {
	uint64_t key; /* of the row that was opened */
	struct merged_row *rows;
	uint32_t count;
	struct merged_way way; /* which of the rows leads to a root */
	struct family *next;
};

struct merged_state {
	struct tree tree;
	struct merged_row top;
	bool has_top;
	struct family *families;
	struct merged_way end; /* where the last way to a root was given up */
	bool is_cut, is_lost;  /* that was too long; led back to rows above */
};

/* A row of the screen borrows what the family owns. */
static const struct merged_row *
set_of(const struct row *row)
{
	return (const struct merged_row *)(uintptr_t)row->data;
}

static void
family_free(struct family *f)
{
	for (uint32_t i = 0; i < f->count; i++)
		merged_row_clear(&f->rows[i]);
	memory_free(f->rows);
	memory_free(f);
}

static void
families_free(struct family **list)
{
	while (*list) {
		struct family *f = *list;

		*list = f->next;
		family_free(f);
	}
}

static const struct family *
families_find(const struct family *list, uint64_t key)
{
	while (list && list->key != key)
		list = list->next;
	return list;
}

static void
families_drop(struct family **list, uint64_t key)
{
	while (*list && (*list)->key != key)
		list = &(*list)->next;
	if (*list) {
		struct family *f = *list;

		*list = f->next;
		family_free(f);
	}
}

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
is_static_table(const struct view *v, const struct merged_row *set)
{
	const struct reach *reach = v->session->reach;
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
cell_tree(const struct view *v, const struct row *row, struct value *out)
{
	char count[FORMAT_BYTES];

	if (row->kind == ROW_ROOT) {
		cell_root_row(set_of(row), out);
	} else if (row->kind == ROW_CYCLE) {
		value_printf(out, STYLE_CYCLE, "%.300s, %s already above",
			     session_type_name(v->session, row->type),
			     format_count(set_of(row)->cycle_count, count));
		out->also = v->session->types[row->type].raw;
	} else if (is_static_table(v, set_of(row))) {
		value_printf(out, STYLE_DIM,
			     "%.300s, table%s of static variables",
			     session_type_name(v->session, row->type),
			     set_of(row)->count == 1 ? "" : "s");
		out->also = v->session->types[row->type].raw;
	} else {
		view_type_cell(v, row->type, out);
	}
}

static void
cell_objects(const struct view *v, const struct row *row, struct value *out)
{
	(void)v;
	if (row->kind == ROW_TYPE)
		value_count(out, set_of(row)->count);
	else
		value_blank(out);
}

static void
cell_bytes(const struct view *v, const struct row *row, struct value *out)
{
	(void)v;
	if (row->kind == ROW_TYPE)
		value_bytes(out, set_of(row)->bytes);
	else
		value_blank(out);
}

static void
cell_held(const struct view *v, const struct row *row, struct value *out)
{
	(void)v;
	if (row->kind != ROW_CYCLE && row->depth > 0)
		value_count(out, set_of(row)->held_count);
	else
		value_blank(out);
}

static void
cell_refs(const struct view *v, const struct row *row, struct value *out)
{
	(void)v;
	if (row->kind == ROW_TYPE && row->depth > 0)
		value_count(out, set_of(row)->refs_count);
	else
		value_blank(out);
}

/* --- opening rows -------------------------------------------------------- */

/* All that a worker needs; the sets of the path stay until it has ended. */
struct opening {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	enum rule rule;
	bool moves;       /* the end becomes the selected row */
	type_id top_type; /* TYPE_NONE: the top is there already */
	uint64_t row_key;
	const struct merged_row **path; /* from the top down */
	size_t path_count, path_room;

	/* What came out. */
	struct merged_row top;
	bool has_top;
	struct rows rows;  /* below the row that was opened first */
	size_t rows_added; /* last */
	struct family *families;
	uint64_t end_key;
	struct merged_way end;
	bool is_cut, is_lost; /* as in merged_state */
};

static void
opening_free(struct opening *o)
{
	if (o->has_top)
		merged_row_clear(&o->top);
	families_free(&o->families);
	rows_clear(&o->rows);
	memory_free(o->path);
	memory_free(o);
}

static bool
path_add(struct opening *o, const struct merged_row *set, struct error *err)
{
	void *path = o->path;

	if (!memory_make_room(&path, o->path_count, &o->path_room,
			      sizeof *o->path, err))
		return false;
	o->path = path;
	o->path[o->path_count++] = set;
	return true;
}

/* FNV-1a: rows of roots are told apart by their words. */
static uint64_t
key_of_set(uint64_t parent, const struct merged_row *set)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + set->root_kind;

	if (set->type != TYPE_NONE)
		return tree_key(parent, set->type);
	for (const char *c = set->root_name ? set->root_name : ""; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	return tree_key(parent, hash | UINT64_C(1) << 63);
}

static struct row
row_of_set(const struct merged_row *set, uint64_t parent, uint32_t depth)
{
	struct row row = row_of(set->type == TYPE_NONE ? ROW_ROOT : ROW_TYPE);

	row.type = set->type;
	row.depth = depth;
	row.key = key_of_set(parent, set);
	row.data = (uintptr_t)set;
	if (row.kind == ROW_TYPE)
		row.fold = FOLD_CLOSED;
	return row;
}

static bool
add_rows(struct opening *o, size_t at, const struct family *f, uint32_t depth,
	 struct error *err)
{
	size_t count = f->count;
	struct row *row;

	for (uint32_t i = 0; i < f->count; i++)
		count += f->rows[i].cycle_count > 0 && f->rows[i].count > 0;
	o->rows_added = count;
	if (!count)
		return true;
	row = rows_insert(&o->rows, at, count, err);
	if (!row)
		return false;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct merged_row *set = &f->rows[i];

		*row = row_of_set(set, f->key, depth);
		if (row->kind == ROW_TYPE && set->count)
			row++;
		else if (row->kind == ROW_ROOT) {
			row++;
			continue;
		}
		if (!set->cycle_count)
			continue;
		*row = row_of_set(set, tree_key(f->key, ROW_CYCLE), depth);
		row->kind = ROW_CYCLE;
		row++->fold = FOLD_NONE;
	}
	return true;
}

/* The rows of this family, from `first` on: the one to go on with. */
static size_t
row_of_way(const struct rows *rows, size_t first, const struct family *f)
{
	if (f->way.row == MERGED_NO_WAY)
		return SIZE_MAX;
	while (set_of(&rows->items[first]) != &f->rows[f->way.row])
		first++;
	return first;
}

/* The row among the new ones to go on with; SIZE_MAX if this is the end. */
static size_t
next_row(struct opening *o, size_t first, const struct family *f)
{
	size_t next = SIZE_MAX;

	o->end_key = f->key;
	if (o->rule == WHILE_ALONE && o->rows_added == 1 &&
	    o->rows.items[first].kind != ROW_CYCLE)
		next = first;
	if (o->rule == TO_ROOT)
		next = row_of_way(&o->rows, first, f);
	o->is_lost = o->rule == TO_ROOT && next == SIZE_MAX;
	if (next == SIZE_MAX)
		return SIZE_MAX;
	o->end_key = o->rows.items[next].key;
	return o->rows.items[next].kind == ROW_ROOT ? SIZE_MAX : next;
}

static struct family *
find_family(struct opening *o, uint64_t key, uint32_t steps,
	    struct progress *progress, struct error *err)
{
	uint32_t depth = (uint32_t)o->path_count;
	struct family *f = memory_new(1, sizeof *f, err);

	if (!f)
		return NULL;
	f->key = key;
	if (!merged_open(&f->rows, &f->count, o->path, depth, o->reverse,
			 progress, err) ||
	    !merged_way_find(&f->way, f->rows, f->count, o->path, depth,
			     o->reach, steps, progress, err)) {
		family_free(f);
		return NULL;
	}
	f->next = o->families;
	o->families = f;
	return f;
}

static bool
make_top(struct opening *o, struct progress *progress, struct error *err)
{
	if (!merged_top(&o->top, o->heap, o->top_type, progress, err))
		return false;
	o->has_top = true;
	return path_add(o, &o->top, err);
}

static bool
run_opening(void *context, struct progress *progress, struct error *err)
{
	struct opening *o = context;
	uint64_t key = o->row_key;
	uint32_t depth = (uint32_t)o->path_count;
	size_t at = 0;

	if (o->top_type != TYPE_NONE) {
		if (!make_top(o, progress, err))
			return false;
		depth = 1;
	}
	for (uint32_t step = 1;; step++) {
		uint32_t few = step < FEW_STEPS ? FEW_STEPS - step : 0;
		const struct family *f =
		    find_family(o, key, few, progress, err);

		if (!f || !add_rows(o, at, f, depth, err))
			return false;
		o->end = f->way;
		at = next_row(o, at, f);
		if (at == SIZE_MAX)
			return true;
		key = o->end_key;
		if (step >= STEPS_MAX) {
			o->is_cut = true;
			return true;
		}
		if (!path_add(o, set_of(&o->rows.items[at]), err))
			return false;
		o->rows.items[at].fold = FOLD_OPEN;
		depth++;
		at++;
	}
}

static void
take_families(struct merged_state *state, struct opening *o)
{
	struct family **end = &o->families;

	while (*end)
		end = &(*end)->next;
	*end = state->families;
	state->families = o->families;
	o->families = NULL;
}

static bool
take_top(struct merged_state *state, struct opening *o)
{
	struct row top;

	if (!o->has_top)
		return true;
	state->top = o->top;
	state->has_top = true;
	o->has_top = false;
	top = row_of_set(&state->top, 0, 0);
	return rows_append(&state->tree.rows, &top, NULL);
}

static void
opening_done(struct view *v, void *context, bool ok)
{
	struct merged_state *state = v->state;
	struct opening *o = context;
	size_t at = SIZE_MAX;

	if (ok && take_top(state, o))
		at = tree_find(&state->tree, o->row_key);
	if (at != SIZE_MAX && tree_put_below(&state->tree, at, &o->rows, NULL))
		take_families(state, o);
	if (ok && !tree_show(&state->tree, v, NULL))
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
	opening_free(o);
}

static struct opening *
opening_new(const struct view *v, enum rule rule, struct error *err)
{
	struct opening *o = memory_new(1, sizeof *o, err);

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
start_opening(struct view *v, struct opening *o, struct error *err)
{
	/* The end becomes the selected row, unless another is chosen now. */
	if (o->moves)
		v->has_moved = false;
	return view_run(v, "finding referrers", run_opening, opening_done, o,
			err);
}

/* The sets from the top down to the row that opens. */
static bool
take_path(struct opening *o, const struct rows *rows, size_t at,
	  struct error *err)
{
	uint32_t depth = rows->items[at].depth + 1;

	for (uint32_t i = 0; i < depth; i++)
		if (!path_add(o, NULL, err))
			return false;
	for (size_t i = at + 1; i-- > 0 && depth > 0;)
		if (rows->items[i].depth < depth)
			o->path[--depth] = set_of(&rows->items[i]);
	return true;
}

static bool
open_row(struct view *v, size_t at, enum rule rule, struct error *err)
{
	const struct merged_state *state = v->state;
	struct opening *o = opening_new(v, rule, err);

	if (!o)
		return false;
	o->row_key = state->tree.rows.items[at].key;
	o->moves = rule != OPEN_ONE;
	if (take_path(o, &state->tree.rows, at, err))
		return start_opening(v, o, err);
	opening_free(o);
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
			families_drop(&state->families, rows->items[i].key);
	rows_close(rows, at);
	return tree_show(&state->tree, v, err);
}

/* --- commands ------------------------------------------------------------ */

static size_t
child_of_way(const struct rows *rows, size_t at, const struct family *f)
{
	size_t end = rows_end_of(rows, at);

	if (f->way.row == MERGED_NO_WAY)
		return SIZE_MAX;
	for (size_t i = at + 1; i < end; i++)
		if (rows->items[i].depth == rows->items[at].depth + 1 &&
		    set_of(&rows->items[i]) == &f->rows[f->way.row])
			return i;
	return SIZE_MAX;
}

/* The one row below, if it is the only one. */
static size_t
only_child(const struct rows *rows, size_t at, const struct family *f)
{
	if (f->count != 1 || rows->items[at + 1].kind == ROW_CYCLE ||
	    (f->rows[0].count && f->rows[0].cycle_count))
		return SIZE_MAX;
	return at + 1;
}

/* Along rows that are open: the child to go on with, or SIZE_MAX. */
static size_t
open_child(const struct merged_state *state, size_t at, enum rule rule)
{
	const struct rows *rows = &state->tree.rows;
	const struct family *f =
	    families_find(state->families, rows->items[at].key);

	if (!f)
		return SIZE_MAX;
	return rule == TO_ROOT ? child_of_way(rows, at, f)
			       : only_child(rows, at, f);
}

static bool
is_dead_end(const struct merged_state *state, size_t at)
{
	const struct family *f =
	    families_find(state->families, state->tree.rows.items[at].key);

	return f && f->way.row == MERGED_NO_WAY;
}

static bool
open_on(struct view *v, enum rule rule, struct error *err)
{
	struct merged_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
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
				 describe_no_root(v->session, state->top.type));
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
to_root(const struct call *call, struct error *err)
{
	return open_on(call->view, TO_ROOT, err);
}

static bool
follow(const struct call *call, struct error *err)
{
	return open_on(call->view, WHILE_ALONE, err);
}

/* The objects of this row; those of the top row are all of the type. */
static bool
open_objects(struct app *app, const struct view *v, size_t at,
	     struct error *err)
{
	const struct merged_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	const struct row *row = &rows->items[at];
	const struct row *held = &rows->items[rows_parent_of(rows, at)];
	struct target target = target_of_type(row->type);
	char count[FORMAT_BYTES], title[VALUE_TEXT_BYTES];

	if (row->depth > 0) {
		target.nodes = set_of(row)->nodes;
		target.nodes_count = set_of(row)->count;
		target.nodes_title = title;
		snprintf(title, sizeof title, "%s %.200s that hold%s %.200s",
			 format_count(target.nodes_count, count),
			 session_type_name(v->session, row->type),
			 target.nodes_count == 1 ? "s" : "",
			 session_type_name(v->session, held->type));
	}
	return app_open(app, &view_objects, &target, err);
}

static bool
enter(const struct call *call, struct error *err)
{
	const struct merged_state *state = call->view->state;
	struct row row;

	if (!view_selected(call->view, &row))
		return true;
	if (row.kind == ROW_TYPE)
		return open_objects(call->app, call->view,
				    state->tree.shown[call->view->cursor], err);
	if (row.kind == ROW_ROOT)
		return error_set(err, ERROR_USAGE,
				 "a root is the end of the way");
	return error_set(err, ERROR_USAGE,
			 "these objects stand in a row above");
}

/* --- the view ------------------------------------------------------------ */

static bool
merged_view_open(struct view *v, struct error *err)
{
	v->target.node = NODE_NONE;
	snprintf(v->title, sizeof v->title, "tree %.200s",
		 session_type_name(v->session, v->target.type));
	v->state = arena_new(&v->arena, struct merged_state, err);
	return v->state != NULL;
}

static void
merged_view_close(struct view *v)
{
	struct merged_state *state = v->state;

	if (!state)
		return;
	families_free(&state->families);
	if (state->has_top)
		merged_row_clear(&state->top);
	tree_clear(&state->tree);
}

static bool
merged_rows(struct view *v, struct error *err)
{
	struct merged_state *state = v->state;
	struct opening *o;

	if (state->has_top)
		return tree_show(&state->tree, v, err);
	o = opening_new(v, TO_ROOT, err);
	if (!o)
		return false;
	o->top_type = v->target.type;
	o->row_key = tree_key(0, o->top_type);
	return start_opening(v, o, err);
}

/* The roots of a row, or its type. */
static uint32_t
merged_leaves_out(const struct view *v, const struct row *row,
		  bool as_reference, struct ignored_entry *entries,
		  uint32_t max)
{
	const struct heap *h = v->session->heap;
	const struct merged_row *set = set_of(row);
	uint32_t count = 0;

	if (as_reference || row->kind != ROW_ROOT || !max)
		return 0;
	if (!set->root_name[0]) {
		entries[0] = (struct ignored_entry){ IGNORED_ROOT_KIND,
						     set->root_kind, 0 };
		return 1;
	}
	for (uint32_t i = 0; i < h->roots_count && count < max; i++)
		if (h->roots[i].kind == set->root_kind &&
		    !strcmp(h->roots[i].name, set->root_name))
			entries[count++] =
			    (struct ignored_entry){ IGNORED_ROOT, i, 0 };
	return count;
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
	char count[FORMAT_BYTES];

	if (is_dead_end(state, 0)) {
		value_text(out, STYLE_WARNING,
			   describe_no_root(v->session, state->top.type));
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
	value_text(out, STYLE_DIM,
		   "held: how many objects of the row above a row refers to");
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
	{ "type",    "Held by", FILL, UNSORTED, cell_tree,    "the type, or the root in words",                    0, 0, 0 },
	{ "objects", "Objects", 10,   UNSORTED, cell_objects, "objects of this type that refer to the row above",  0, 0, 0 },
	{ "size",    "Size",    10,   UNSORTED, cell_bytes,   "their bytes, without what they refer to",           2, 0, 0 },
	{ "held",    "Held",    10,   UNSORTED, cell_held,    "objects of the row above that they refer to",       1, 0, 0 },
	{ "refs",    "Refs",    10,   UNSORTED, cell_refs,    "references from them to the row above",             3, 0, 0 },
	{ 0 },
};
static const struct command commands[] = {
	/* name       keys     args bar          help                                                     run */
	{ "to-root",  "*",     "",  "to a root", "open the way to a root that most objects go",           to_root, false },
	{ "follow",   "e",     "",  "follow",    "open row after row while there is only one",            follow,  false },
	{ "enter",    "Enter", "",  "objects",   "list the objects of this row",                          enter,   false },
	{ "unfold",   "+",     "",  "open",      "open the row",                                          view_command_unfold, false },
	{ "fold",     "-",     "",  "",          "close the row",                                         view_command_fold, false },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_merged = {
	.command = { .name = "merged",
		     .keys = "P",
		     .args = "TYPE",
		     .bar = "for the type",
		     .help = "who holds the objects of this type, all of them "
			     "at once" },
	.columns = columns,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH,
	.takes = TAKES_TYPE,
	.open = merged_view_open,
	.close = merged_view_close,
	.rows = merged_rows,
	.row = merged_view_row,
	.fold = merged_fold,
	.leaves_out = merged_leaves_out,
	.heading = merged_heading,
};
