/*
 * The roots of the heap, one a row, grouped by kind. This is the file to copy for a small tree:
 * rows are made when they are shown, and a group is only a range of them.
 */
#include "model/table/object_columns.h"
#include "model/base/format.h"
#include "model/heap/bits.h"
#include "tui/session/describe.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <string.h>

enum { SORTED_MOST = 300000 }; /* more roots stay in object order */
/* Weak handles, which are not roots, are a group after the kinds of roots. */
enum { GROUP_WEAK = ROOT_KIND_COUNT, GROUPS_COUNT };

struct group {
	size_t start, count; /* in roots_state.roots */
	/* Sums over the objects of these roots, each object once. */
	uint64_t bytes, retained_bytes;
	bool is_open;
};

struct roots_state {
	/* Indexes into heap->roots; higher ones continue in heap->weak. */
	uint32_t *roots;           /* group after group */
	uint64_t *is_first;        /* bits: the first root of a group for its object */
	uint32_t retained_results; /* results_version of retained_bytes */
	struct group groups[GROUPS_COUNT];
	bool is_filtered;            /* all groups are open */
	bool was_open[GROUPS_COUNT]; /* before the filter was set */
};

static const struct root *
root_of(const struct cells *in, const struct row *row)
{
	return &in->facts->heap->roots[row->root];
}

static bool
has_object(const struct row *row)
{
	return row->kind == ROW_ROOT || row->kind == ROW_PLAIN;
}

/* --- cells --------------------------------------------------------------- */

static const struct group *
group_of_row(const struct roots_state *state, const struct row *row)
{
	return &state->groups[row->data];
}

static void
cell_group(const void *rows, const struct row *row, struct value *out)
{
	size_t count = group_of_row(rows, row)->count;
	char text[FORMAT_BYTES];

	format_count(count, text);
	if (row->data == GROUP_WEAK)
		value_printf(out, STYLE_HEADER, "weak handle: %s object%s", text, plural(count));
	else
		value_printf(out, STYLE_HEADER, "%s: %s root%s", root_kinds[row->data].title, text,
			     plural(count));
}

static void
cell_weak(const struct cells *in, const struct row *row, struct value *out)
{
	uint32_t count = heap_weak_of(in->facts->heap, row->node);
	char text[FORMAT_BYTES];

	value_printf(out, STYLE_DIM, "%s weak handle%s", format_count(count, text),
		     count == 1 ? "" : "s");
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct root *root;

	if (row->kind == ROW_GROUP) {
		cell_group(in->rows, row, out);
		return;
	}
	if (row->kind == ROW_PLAIN) {
		cell_weak(in, row, out);
		return;
	}
	root = root_of(in, row);
	value_text(out, STYLE_ROOT,
		   root->name[0]    ? root->name
		   : root->label[0] ? root->label
				    : root_kinds[root->kind].title);
	out->also = root->label;
}

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in;
	value_text(out, STYLE_DIM, row->data == GROUP_WEAK ? "weak" : root_kinds[row->data].id);
}

static void
cell_label(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->kind == ROW_ROOT)
		value_text(out, STYLE_DIM, root_of(in, row)->label);
	else
		value_blank(out);
}

static void
cell_pinned(const struct cells *in, const struct row *row, struct value *out)
{
	bool is_pinned = row->kind == ROW_ROOT && root_of(in, row)->is_pinned;

	value_text(out, STYLE_DIM, is_pinned ? "pinned" : "");
}

static void
cell_target(const struct cells *in, const struct row *row, struct value *out)
{
	if (has_object(row))
		facts_type_cell(in->facts, row->type, out);
	else if (row->data == GROUP_WEAK)
		value_text(out, STYLE_DIM, "not kept alive by it");
	else
		value_blank(out);
}

static uint64_t
number_address(const struct cells *in, const struct row *row)
{
	return has_object(row) ? object_address(in->facts, row->node) : UINT64_MAX;
}

static void
cell_size(const struct cells *in, const struct row *row, struct value *out)
{
	if (has_object(row))
		value_bytes(out, heap_size(in->facts->heap, row->node));
	else if (row->kind == ROW_GROUP)
		value_bytes(out, group_of_row(in->rows, row)->bytes);
	else
		value_blank(out);
}

/* The sum of a group is pending until add_up_retained() has run for the current results. */
static void
cell_retained(const struct cells *in, const struct row *row, struct value *out)
{
	const struct roots_state *state = in->rows;

	if (row->kind == ROW_GROUP && row->data != GROUP_WEAK)
		value_bytes_if(out, state->retained_results == in->facts->results_version,
			       group_of_row(state, row)->retained_bytes);
	else if (row->kind == ROW_ROOT)
		value_bytes(out, object_retained(in->facts, row->node));
	else
		value_blank(out);
}

/* --- rows ---------------------------------------------------------------- */

static void
row_below_group(const struct view *v, uint32_t root, struct row *out)
{
	*out = row_of_root(v->session->heap, root);
	out->depth = 1;
}

static void
row_of_group(const struct group *g, uint32_t kind, struct row *out)
{
	*out = row_of(ROW_GROUP);
	out->fold = g->is_open ? FOLD_OPEN : FOLD_CLOSED;
	out->data = kind;
	out->key = UINT64_C(1) << 32 | kind;
}

static void
count_rows(struct view *v)
{
	const struct roots_state *state = v->state;

	v->rows_count = 0;
	for (int kind = 0; kind < GROUPS_COUNT; kind++) {
		const struct group *g = &state->groups[kind];

		if (g->count)
			v->rows_count += 1 + (g->is_open ? g->count : 0);
	}
}

static uint32_t
group_of(const struct heap *h, uint32_t root)
{
	return root < h->roots_count ? h->roots[root].kind : GROUP_WEAK;
}

/* Add up sizes by group. The heap orders roots by object, so roots of the same object are
   neighbours. */
static void
add_up_sizes(struct roots_state *state, const struct heap *h)
{
	node_id last[GROUPS_COUNT];

	for (int kind = 0; kind < GROUPS_COUNT; kind++) {
		state->groups[kind].bytes = 0;
		last[kind] = NODE_NONE;
	}
	for (uint32_t i = 0; i < h->roots_count + h->weak_count; i++) {
		uint32_t kind = group_of(h, i);
		node_id n =
		    i < h->roots_count ? h->roots[i].object : h->weak[i - h->roots_count].object;

		if (!bits_has(state->is_first, i))
			continue;
		if (last[kind] == n)
			bits_remove(state->is_first, i);
		else
			state->groups[kind].bytes += heap_size(h, n);
		last[kind] = n;
	}
}

static bool
add_up(struct roots_state *state, const struct heap *h, const uint32_t *roots, size_t count,
       struct error *err)
{
	uint32_t all = h->roots_count + h->weak_count;

	memory_free(state->is_first);
	state->is_first = memory_new(bits_words(all), sizeof *state->is_first, err);
	if (!state->is_first)
		return false;
	for (size_t i = 0; i < count; i++)
		bits_add(state->is_first, roots[i]);
	add_up_sizes(state, h);
	state->retained_results = UINT32_MAX;
	return true;
}

/*
 * Add up retained sizes by kind. An object with a root has no dominator, so these sizes do not
 * overlap.
 */
static void
add_up_retained(struct view *v)
{
	const struct session *s = v->session;
	struct roots_state *state = v->state;

	if (!(s->has & NEED_RETAINED) || !state->is_first ||
	    state->retained_results == s->results_version)
		return;
	state->retained_results = s->results_version;
	for (int kind = 0; kind < ROOT_KIND_COUNT; kind++)
		state->groups[kind].retained_bytes = 0;
	for (uint32_t i = 0; i < s->heap->roots_count; i++)
		if (bits_has(state->is_first, i))
			state->groups[s->heap->roots[i].kind].retained_bytes +=
			    session_retained(s, s->heap->roots[i].object).bytes;
}

/* Group the roots by kind and keep their order within a kind. */
static bool
make_groups(struct view *v, const uint32_t *roots, size_t count, struct error *err)
{
	struct roots_state *state = v->state;
	const struct heap *h = v->session->heap;
	uint32_t *grouped = memory_new(count, sizeof *grouped, err);
	size_t next[GROUPS_COUNT], start = 0;

	if (!grouped)
		return false;
	for (int kind = 0; kind < GROUPS_COUNT; kind++)
		state->groups[kind].count = 0;
	for (size_t i = 0; i < count; i++)
		state->groups[group_of(h, roots[i])].count++;
	for (int kind = 0; kind < GROUPS_COUNT; kind++) {
		state->groups[kind].start = next[kind] = start;
		start += state->groups[kind].count;
	}
	for (size_t i = 0; i < count; i++)
		grouped[next[group_of(h, roots[i])]++] = roots[i];
	memory_free(state->roots);
	state->roots = grouped;
	return true;
}

/* Open all groups while a filter is set, so that every match is visible. */
static void
open_filtered(struct roots_state *state, bool is_filtered)
{
	if (state->is_filtered == is_filtered)
		return;
	state->is_filtered = is_filtered;
	for (int kind = 0; kind < GROUPS_COUNT; kind++) {
		struct group *g = &state->groups[kind];

		if (is_filtered)
			state->was_open[kind] = g->is_open;
		g->is_open = is_filtered || state->was_open[kind];
	}
}

static bool
roots_rows(struct view *v, struct error *err)
{
	const struct heap *h = v->session->heap;
	size_t count = (size_t)h->roots_count + h->weak_count;
	uint32_t *roots = memory_new(count, sizeof *roots, err);
	bool ok = roots != NULL;

	for (uint32_t i = 0; ok && i < count; i++)
		roots[i] = i;
	if (ok && (v->filter || count <= SORTED_MOST))
		ok = view_arrange(v, roots, &count, row_below_group, NULL, err);
	ok = ok && make_groups(v, roots, count, err) && add_up(v->state, h, roots, count, err);
	memory_free(roots);
	if (!ok)
		return false;
	open_filtered(v->state, v->filter != NULL);
	count_rows(v);
	return true;
}

static void
roots_row(const struct view *v, size_t index, struct row *out)
{
	const struct roots_state *state = v->state;

	for (uint32_t kind = 0; kind < GROUPS_COUNT; kind++) {
		const struct group *g = &state->groups[kind];

		if (!g->count)
			continue;
		if (index == 0) {
			row_of_group(g, kind, out);
			return;
		}
		index--;
		if (g->is_open && index < g->count) {
			row_below_group(v, state->roots[g->start + index], out);
			return;
		}
		index -= g->is_open ? g->count : 0;
	}
	*out = row_of(ROW_NOTE);
}

static uint32_t
roots_exclusions(const struct view *v, const struct row *row, bool as_reference,
		 struct ignored_entry *entries, uint32_t max)
{
	(void)v;
	if (as_reference || row->kind != ROW_GROUP || !max || row->data >= ROOT_KIND_COUNT)
		return 0;
	entries[0] = (struct ignored_entry){ IGNORED_ROOT_KIND, (uint32_t)row->data, 0 };
	return 1;
}

static bool
roots_fold(struct view *v, size_t index, bool open, struct error *err)
{
	struct roots_state *state = v->state;
	struct row row;

	(void)err;
	roots_row(v, index, &row);
	state->groups[row.data].is_open = open;
	count_rows(v);
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
	if (row.kind == ROW_GROUP)
		return view_fold(v, v->cursor, row.fold == FOLD_CLOSED, err);
	target = target_of_node(v->session, row.node);
	return request_open(call, "inspect", &target);
}

/* --- the view ------------------------------------------------------------ */

static bool
roots_open(struct view *v, struct error *err)
{
	struct roots_state *state = arena_new(&v->arena, struct roots_state, err);

	v->state = state;
	if (!state)
		return false;
	/* A session without a screen cannot unfold rows. */
	for (int kind = 0; kind < GROUPS_COUNT; kind++)
		state->groups[kind].is_open = !v->session->waker.wake;
	return true;
}

static void
roots_close(struct view *v)
{
	struct roots_state *state = v->state;

	if (!state)
		return;
	memory_free(state->roots);
	memory_free(state->is_first);
}

/* --- the table of all roots, for queries ----------------------------------- */

static uint32_t
roots_count(const struct cells *in)
{
	return in->facts->heap->roots_count + in->facts->heap->weak_count;
}

static void
root_row(const struct cells *in, const void *record, struct row *out)
{
	(void)record;
	*out = row_of_root(in->facts->heap, (uint32_t)out->data);
}

static const struct row_source all_roots = { .count = roots_count, .row = root_row };

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts     cell          help                                                      rank flags           needs */
	{ "kind",     "Kind",    -13,  UNSORTED, CELL(VALUE_TEXT, cell_kind),    "kind of root",                                0, COLUMN_MACHINE, 0 },
	{ "name",     "Root",    FILL, UP,       CELL(VALUE_TEXT, cell_name),    "the variable, method or thread; else the description in the dump", 0, 0,             0 },
	{ "pinned",   "Pinned",  -6,   UNSORTED, CELL(VALUE_TEXT, cell_pinned),  "whether it also pins the object",                     5, 0,              0 },
	{ "target",   "Target",  -29,  UP,       CELL(VALUE_TEXT, cell_target),  "type of the object that it keeps alive", 1, 0,              0 },
	{ "address",  "Address", 14,   UP,       NUMBER(VALUE_ADDRESS, number_address), "where that object is",                                   3, 0,              0 },
	{ "size",     "Size",    9,    DOWN,     CELL(VALUE_BYTES, cell_size),    "its bytes, without what it refers to; for a kind: of its objects, each once", 2, 0,              0 },
	{ "retained", "Retained", 11,    DOWN,     CELL(VALUE_BYTES, cell_retained), "bytes that only that object retains, its own included; for a kind: of its objects, each once; :groups root adds up the heap", 2, COLUMN_DEAR,    NEED_RETAINED },
	{ "retained_share", "Ret%", 6,   DOWN,     CELL(VALUE_BYTES, cell_retained), "part of all bytes",                                 4, COLUMN_DEAR | COLUMN_OF_HEAP,    NEED_RETAINED },
	{ "label",    "Label",   12,   UNSORTED, CELL(VALUE_TEXT, cell_label),   "its description in the dump",                     6, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "roots", .columns = columns, .needs = NEED_OBJECTS, .rows = &all_roots, .rows_are = ROWS_ARE_ROOTS };
static const struct command commands[] = {
	/* name      keys     bar        help, .run, then other fields */
	{ "enter",  "Enter", "inspect", "open or close the group, or inspect the object", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold", "+",     "open",    "open the group", .run = view_command_unfold },
	{ "fold",   "-",     "",        "close the group", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code roots_code = {
	.open = roots_open,
	.close = roots_close,
	.rows = roots_rows,
	.row = roots_row,
	.has_own_rows = true,
	.add_up = add_up_retained,
	.exclusions = roots_exclusions,
	.tree = &(const struct view_tree){ .fold = roots_fold },
};

const struct view_ops view_roots = {
	.command = { .name = "roots",
		     .keys = "4",
		     .bar = "roots",
		     .help = "the roots, which keep objects alive, by kind" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no roots are known; :summary shows what is missing" },
	.list = { .needs = NEED_OBJECTS, .sort = "name" },
	.code = &roots_code,
};
