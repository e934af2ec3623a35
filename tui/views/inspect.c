/*
 * One object: why it is alive, what it is, its contents, its referrers and its references. Lists of
 * any length are read a page at a time; each object in them opens another view like this. Only
 * heaps read from memory have contents; fields.c shows them with more columns.
 */
#include "model/table/object_columns.h"
#include "model/base/format.h"
#include "tui/session/describe.h"
#include "model/tables/contents_list.h"
#include "tui/tables/inspect_heading.h"
#include "tui/tables/referrer_expansion.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

/* Row keys of the groups. */
enum { KEY_HELD_BY = 1, KEY_REFERS_TO, KEY_FIELDS, KEY_CONTENTS, KEY_STATICS, KEY_COUNT };
#define WHAT_REF(index) (UINT64_C(1) << 62 | (index))
#define WHAT_OTHER      (UINT64_C(1) << 61)
/* row.data of a value: the key of its list, shifted, and its index there. */
enum { LIST_SHIFT = 56 };
#define ITEM_MASK ((UINT64_C(1) << LIST_SHIFT) - 1)

struct inspect_state {
	struct tree tree;
	bool has_rows, has_contents;
	/* The session's results that the rows were made with. */
	const struct reverse *reverse;
	uint32_t reach_version;
	/* The outgoing references not listed yet, and how many are listed. */
	struct refs refs;
	uint64_t refs_done;
	/* The contents read so far, by the keys of their groups. */
	struct contents_list lists[KEY_COUNT];
	struct inspect_reasons why;
};

/* --- cells --------------------------------------------------------------- */

/* Returns whether the row is an outgoing reference; row.data is its index. */
static bool
is_outgoing(const struct row *row)
{
	return row->kind == ROW_PLAIN;
}

static void
cell_held_by(const struct facts *f, node_id node, struct value *out)
{
	char roots[FORMAT_BYTES + 16] = "", refs[FORMAT_BYTES];
	uint32_t roots_count;
	uint64_t refs_count;

	heap_roots_of(f->heap, node, &roots_count);
	if (roots_count)
		snprintf(roots, sizeof roots, " %s root%s", format_count(roots_count, refs),
			 plural(roots_count));
	refs_count = f->reverse ? reverse_count(f->reverse, node) : 0;
	if (!f->reverse)
		value_printf(out, STYLE_HEADER, "held by%s%s …", roots, roots_count ? " and" : "");
	else if (refs_count)
		value_printf(out, STYLE_HEADER, "held by%s%s %s reference%s", roots,
			     roots_count ? " and" : "", format_count(refs_count, refs),
			     plural(refs_count));
	else
		value_printf(out, STYLE_HEADER, "held by%s",
			     roots_count                                    ? roots
			     : losses_are_incomplete(&f->heap->info.losses) ? " nothing known"
									    : " nothing");
}

static void
cell_values(const struct contents_list *list, bool are_static, struct value *out)
{
	const char *what = are_static ? "static value" : "value";
	char count[FORMAT_BYTES];

	if (list->has_failed)
		value_printf(out, STYLE_HEADER, "has %ss that cannot be read", what);
	else if (list->total)
		value_printf(out, STYLE_HEADER, "%s %s %s%s%s", are_static ? "its type has" : "has",
			     format_count(list->total, count), what, plural(list->total),
			     list->is_cut ? " and more: see :statics" : "");
	else
		value_text(out, STYLE_HEADER, "has no fields");
}

static void
cell_group(const struct cells *in, const struct row *row, struct value *out)
{
	const struct inspect_state *state = in->rows;
	char count[FORMAT_BYTES], about[VALUE_TEXT_BYTES];
	uint64_t refs_count;

	if (row->key == KEY_HELD_BY) {
		cell_held_by(in->facts, row->node, out);
		return;
	}
	if (row->key == KEY_CONTENTS) {
		contents_list_describe(&state->lists[KEY_CONTENTS], about, sizeof about);
		value_printf(out, STYLE_HEADER, "contains %s", about);
		return;
	}
	if (row->key == KEY_FIELDS || row->key == KEY_STATICS) {
		cell_values(&state->lists[row->key], row->key == KEY_STATICS, out);
		return;
	}
	refs_count = heap_refs(in->facts->heap, row->node).left;
	if (refs_count)
		value_printf(out, STYLE_HEADER, "holds %s reference%s",
			     format_count(refs_count, count), plural(refs_count));
	else
		value_text(out, STYLE_HEADER, "holds no references");
}

/* Writes the field as `Count = 3`, `User = "user7"` or `Where: Point`. */
static void
cell_field(const struct cells *in, const struct row *row, struct value *out)
{
	const struct inspect_state *state = in->rows;
	const struct content *c =
	    &state->lists[row->data >> LIST_SHIFT].items[row->data & ITEM_MASK];
	int indent = 2 * (int)c->depth;
	char address[24];

	if (c->kind == CONTENT_STRUCT && !*c->text)
		value_printf(out, STYLE_NORMAL, "%*s%.200s: %.200s", indent, "", c->name, c->type);
	else if (c->kind != CONTENT_REFERENCE || *c->text)
		value_printf(out, STYLE_NORMAL, "%*s%.200s%s%.280s%s", indent, "", c->name,
			     *c->name ? " = " : "", c->text, c->overlaps ? " (overlapping)" : "");
	else if (c->target != NODE_NONE)
		value_printf(out, STYLE_TYPE, "%*s%.200s = %.300s", indent, "", c->name,
			     facts_type_name(in->facts, row->type));
	else
		value_printf(out, STYLE_WARNING, "%*s%.200s = %s, where there is no object", indent,
			     "", c->name, address_format(c->pointer, address));
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	switch (row->kind) {
	case ROW_FIELD:
		cell_field(in, row, out);
		break;
	case ROW_GROUP:
		cell_group(in, row, out);
		break;
	case ROW_ROOT:
		describe_root_row(&in->facts->heap->roots[row->root], out);
		break;
	case ROW_MORE:
	case ROW_NOTE:
		referrer_rest_cell(row, out);
		break;
	case ROW_CYCLE:
		value_printf(out, STYLE_CYCLE, "%.300s, this object itself",
			     facts_type_name(in->facts, row->type));
		break;
	default:
		facts_type_cell(in->facts, row->type, out);
		break;
	}
}

static void
cell_list(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in;
	value_text(out, STYLE_DIM,
		   row->kind == ROW_FIELD        ? "field"
		   : row->kind == ROW_ROOT       ? "root"
		   : is_outgoing(row)            ? "out"
		   : referrer_row_is_object(row) ? "in"
						 : "");
}

static uint64_t
number_index(const struct cells *in, const struct row *row)
{
	(void)in;
	return is_outgoing(row) ? row->data : UINT64_MAX;
}

/* --- rows ---------------------------------------------------------------- */

static bool
open_held_by(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	struct referrer_expansion *e = referrer_expansion_new(v, at, rule, err);

	if (!e)
		return false;
	e->is_flat = true;
	e->expansion.moves = rule == TREE_MORE;
	return referrer_expansion_start(e, v, err);
}

/* Appends the next page of references, and a row for those that remain. */
static bool
read_refs(struct inspect_state *state, const struct heap *h, struct rows *fresh, struct error *err)
{
	struct row row;
	node_id target;

	for (int i = 0; i < PAGE_ITEMS && refs_next(&state->refs, &target); i++) {
		row = row_of_node(h, target);
		row.kind = ROW_PLAIN;
		row.depth = 1;
		row.key = row_key(KEY_REFERS_TO, WHAT_REF(state->refs_done));
		row.data = state->refs_done++;
		if (!rows_append(fresh, &row, err))
			return false;
	}
	if (!state->refs.left)
		return true;
	row = row_of(ROW_MORE);
	row.depth = 1;
	row.key = row_key(KEY_REFERS_TO, WHAT_OTHER);
	row.data = state->refs.left;
	return rows_append(fresh, &row, err);
}

static bool
open_refers_to(struct view *v, size_t at, bool is_more, struct error *err)
{
	struct inspect_state *state = v->state;
	struct rows fresh = { 0 };
	bool ok;

	if (!is_more) {
		state->refs = heap_refs(v->session->heap, v->target.node);
		state->refs_done = 0;
	}
	ok = read_refs(state, v->session->heap, &fresh, err) &&
	     tree_put(v, at, &fresh, is_more, err);
	rows_clear(&fresh);
	return ok;
}

/* --- contents ------------------------------------------------------------ */

static bool
has_values(const struct session *s)
{
	return s->heap->memory && s->heap->memory->contents;
}

static bool
list_contents(const struct view *v, const struct contents_list *list, uint64_t key, size_t first,
	      struct rows *fresh, struct error *err)
{
	struct row row;

	for (size_t i = first; i < list->count; i++) {
		node_id target = list->items[i].target;

		row =
		    target == NODE_NONE ? row_of(ROW_FIELD) : row_of_node(v->session->heap, target);
		row.kind = ROW_FIELD;
		row.depth = 1;
		row.key = row_key(key, i);
		row.data = i | key << LIST_SHIFT;
		if (!rows_append(fresh, &row, err))
			return false;
	}
	if (list->count == list->total)
		return true;
	row = row_of(ROW_MORE);
	row.depth = 1;
	row.key = row_key(key, WHAT_OTHER);
	row.data = list->total - list->count;
	return rows_append(fresh, &row, err);
}

static bool
open_contents(struct view *v, uint64_t key, size_t at, bool is_more, struct error *err)
{
	struct inspect_state *state = v->state;
	struct contents_list *list = &state->lists[key];
	size_t first = is_more ? list->count : 0;
	struct rows fresh = { 0 };
	bool ok;

	ok = ((!is_more && list->count) || contents_list_read(list, PAGE_ITEMS, err)) &&
	     list_contents(v, list, key, first, &fresh, err) &&
	     tree_put(v, at, &fresh, is_more, err);
	rows_clear(&fresh);
	return ok;
}

/* Replaces contents that cannot be read by a row with the error, so that the rest of the view is
   still shown. */
static bool
report_instead(struct view *v, struct contents_list *list, struct error *err)
{
	return err->kind != ERROR_CANCELLED && err->kind != ERROR_SYSTEM &&
	       contents_list_fail(list, &v->arena, err);
}

static bool
read_list(struct view *v, struct contents_list *list, bool are_raw, struct error *err)
{
	return (contents_list_start(list, v->session->heap, v->target.node, &v->arena, are_raw,
				    err) &&
		((!are_raw && !list->collection) || contents_list_read(list, PAGE_ITEMS, err))) ||
	       report_instead(v, list, err);
}

static bool
read_statics(struct view *v, struct contents_list *list, struct error *err)
{
	return contents_list_start_statics(list, v->session->heap, v->target.node, &v->arena,
					   err) ||
	       report_instead(v, list, err);
}

/* Reads the first page of each list, once. */
static bool
read_contents(struct view *v, struct error *err)
{
	struct inspect_state *state = v->state;

	if (state->has_contents)
		return true;
	state->has_contents = read_list(v, &state->lists[KEY_FIELDS], true, err) &&
			      read_list(v, &state->lists[KEY_CONTENTS], false, err) &&
			      read_statics(v, &state->lists[KEY_STATICS], err);
	return state->has_contents;
}

/* --- groups -------------------------------------------------------------- */

static bool
add_group(struct tree *t, uint64_t key, const struct target *object, bool can_open,
	  struct error *err)
{
	struct row row = row_of(ROW_GROUP);

	/* Commands and the search for referrers take the object of the row. */
	row.node = object->node;
	row.type = object->type;
	row.key = key;
	row.fold = can_open ? FOLD_CLOSED : FOLD_NONE;
	return rows_append(&t->rows, &row, err);
}

static size_t
find_group(const struct inspect_state *state, uint64_t key)
{
	size_t at = 0;

	while (state->tree.rows.items[at].key != key)
		at++;
	return at;
}

/* Adds the rows of the groups that there are, closed. */
static bool
add_groups(struct view *v, bool is_held, bool refers, struct error *err)
{
	struct inspect_state *state = v->state;
	const struct contents_list *lists = state->lists;
	const struct {
		uint64_t key;
		bool is_there, can_open;
	} groups[] = {
		{ KEY_CONTENTS, lists[KEY_CONTENTS].collection != NULL, true },
		{ KEY_FIELDS, has_values(v->session), true },
		{ KEY_STATICS, lists[KEY_STATICS].total > 0, true },
		{ KEY_HELD_BY, true, is_held },
		{ KEY_REFERS_TO, true, refers },
	};

	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (groups[i].is_there &&
		    !add_group(&state->tree, groups[i].key, &v->target, groups[i].can_open, err))
			return false;
	return true;
}

static bool
make_groups(struct view *v, struct error *err)
{
	const struct session *s = v->session;
	struct inspect_state *state = v->state;
	node_id node = v->target.node;
	bool is_held = s->reverse && referrer_can_open(s->reverse, node);
	bool refers = heap_refs(s->heap, node).left > 0;
	bool has_fields = has_values(s);

	tree_clear(&state->tree);
	if ((has_fields && !read_contents(v, err)) || !add_groups(v, is_held, refers, err))
		return false;
	inspect_reasons_find(s, node, &state->why);
	/* Fields already show the references. */
	if (!has_fields && refers && !open_refers_to(v, 1, false, err))
		return false;
	if ((state->lists[KEY_CONTENTS].collection &&
	     !open_contents(v, KEY_CONTENTS, find_group(state, KEY_CONTENTS), false, err)) ||
	    (has_fields &&
	     !open_contents(v, KEY_FIELDS, find_group(state, KEY_FIELDS), false, err)))
		return false;
	/* Open the referrers last: they may need a job, which opening another group would stop. */
	return !is_held || open_held_by(v, find_group(state, KEY_HELD_BY), TREE_ONE, err);
}

static bool
inspect_rows(struct view *v, struct error *err)
{
	const struct session *s = v->session;
	struct inspect_state *state = v->state;

	if (!state->has_rows || state->reverse != s->reverse ||
	    state->reach_version != s->reach_version) {
		state->reverse = s->reverse;
		state->reach_version = s->reach_version;
		state->has_rows = make_groups(v, err);
		if (!state->has_rows)
			return false;
	}
	return tree_show(&state->tree, v, err);
}

static bool
inspect_fold(struct view *v, size_t index, bool open, struct error *err)
{
	struct inspect_state *state = v->state;
	size_t at = state->tree.shown[index];
	uint64_t key;

	if (!open) {
		rows_close(&state->tree.rows, at);
		return tree_show(&state->tree, v, err);
	}
	key = state->tree.rows.items[at].key;
	if (key == KEY_HELD_BY)
		return open_held_by(v, at, TREE_ONE, err);
	if (key == KEY_REFERS_TO)
		return open_refers_to(v, at, false, err);
	return open_contents(v, key, at, false, err);
}

static void
inspect_row(const struct view *v, size_t index, struct row *out)
{
	const struct inspect_state *state = v->state;

	*out = *tree_row(&state->tree, index);
}

/* --- commands ------------------------------------------------------------ */

static bool
show_more(struct view *v, struct error *err)
{
	struct inspect_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	uint64_t key;
	size_t at;

	view_rows_change(v);
	at = state->tree.shown[v->cursor];
	key = rows->items[rows_parent_of(rows, at)].key;
	if (key == KEY_HELD_BY)
		return open_held_by(v, at, TREE_MORE, err);
	if (key == KEY_REFERS_TO)
		return open_refers_to(v, at, true, err);
	return open_contents(v, key, at, true, err);
}

static bool
enter(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct target target;
	struct row row;

	if (!view_selected(v, &row))
		return true;
	if (row.kind == ROW_GROUP)
		return view_fold(v, v->cursor, row.fold == FOLD_CLOSED, err);
	if (row.kind == ROW_MORE)
		return show_more(v, err);
	if (!row_is_object(&row) || row.node == v->target.node)
		return error_set(err, ERROR_USAGE, "this row is about the object shown here");
	target = target_of_node(v->session, row.node);
	return request_open(call, "inspect", &target);
}

/* --- the view ------------------------------------------------------------ */

static bool
inspect_open(struct view *v, struct error *err)
{
	subject_title(v, "");
	v->state = arena_new(&v->arena, struct inspect_state, err);
	return v->state != NULL;
}

static void
inspect_close(struct view *v)
{
	struct inspect_state *state = v->state;

	if (!state)
		return;
	tree_clear(&state->tree);
	for (int i = 0; i < KEY_COUNT; i++)
		contents_list_clear(&state->lists[i]);
}

static bool
heading(const struct view *v, unsigned line, struct value *out)
{
	const struct inspect_state *state = v->state;

	return inspect_heading(v, &state->why, line, out);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts     cell           help                                                rank flags           needs */
	{ "list",     "List",     -4,   UNSORTED, CELL(VALUE_TEXT, cell_list),     "field, root, in (refers to it), out (it refers to)",      0, COLUMN_MACHINE, 0 },
	{ "index",    "Index",    7,    UNSORTED, NUMBER(VALUE_COUNT, number_index),    "index of the reference, from 0",                    2, 0,              0 },
	{ "type",     "Type",     FILL, UNSORTED, CELL(VALUE_TEXT, cell_name),     "the other object, or a description of the root",           0, 0,              0 },
	ADDRESS_COLUMN(UNSORTED, 1, 0),
	{ "times",    "×",        5,    UNSORTED, REFERRER_TIMES,    "how often it refers to this one",                  3, COLUMN_SCREEN,  0 },
	{ "refs",     "Refs",     5,    UNSORTED, REFERRER_REFS,     "how often it refers to this one",                  3, COLUMN_MACHINE, 0 },
	SIZE_COLUMN(UNSORTED, 2),
	RETAINED_COLUMN(UNSORTED, 3),
	IN_COLUMN(UNSORTED, 5),
	{ "out",      "Out",      7,    UNSORTED, OBJECT_OUT,      "references to others",                             6, 0,              0 },
	DISTANCE_COLUMN(UNSORTED, 4),
	ALLOCATED_COLUMN(UNSORTED, 7),
	{ 0 },
};
static const struct table table = { .name = "inspect", .columns = columns };
static const struct command commands[] = {
	/* name      keys     bar        help, .run, then other fields */
	{ "enter",  "Enter", "inspect", "inspect this object, open or close a group, or show more rows", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold", "+",     "",        "open the group", .run = view_command_unfold },
	{ "fold",   "-",     "",        "close the group", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code inspect_code = {
	.open = inspect_open,
	.close = inspect_close,
	.rows = inspect_rows,
	.row = inspect_row,
	.heading = heading,
	.tree = &(const struct view_tree){ .fold = inspect_fold },
};

const struct view_ops view_inspect = {
	.command = { .name = "inspect",
		     .keys = "i",
		     .args = { MUST(ARG_OBJECT) },
		     .bar = "inspect",
		     .help = "one object: why it is alive, its contents, who holds it" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "nothing is known about this object; :near shows what is around it" },
	.list = { .needs = NEED_OBJECTS,
		  .wants = NEED_REVERSE | NEED_REACH,
		  .flags = VIEW_LIVE | VIEW_PRINTS_HEADING },
	.code = &inspect_code,
};
