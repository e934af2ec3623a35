/*
 * The roots of the heap, one a row, grouped by kind. This is the file to copy for a small tree:
 * rows are made when they are shown, and a group is only a range of them.
 */
#include "model/tables/root_table.h"
#include "model/tables/tables.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

enum { SORTED_MOST = 300000 }; /* more roots stay in object order */

struct roots_state {
	struct root_groups sums; /* read by the cells */
	/* Indexes into heap->roots, group after group; higher ones continue in heap->weak. */
	uint32_t *roots;
	size_t starts[ROOT_GROUPS];
	bool is_open[ROOT_GROUPS];
	bool is_filtered;           /* all groups are open */
	bool was_open[ROOT_GROUPS]; /* before the filter was set */
};

/* --- rows ---------------------------------------------------------------- */

static void
row_below_group(const struct view *v, uint32_t root, struct row *out)
{
	*out = row_of_root(v->session->heap, root);
	out->depth = 1;
}

static void
row_of_group(const struct roots_state *state, uint32_t kind, struct row *out)
{
	*out = row_of(ROW_GROUP);
	out->fold = state->is_open[kind] ? FOLD_OPEN : FOLD_CLOSED;
	out->data = kind;
	out->key = UINT64_C(1) << 32 | kind;
}

static void
count_rows(struct view *v)
{
	const struct roots_state *state = v->state;

	v->rows_count = 0;
	for (int kind = 0; kind < ROOT_GROUPS; kind++) {
		size_t count = state->sums.items[kind].count;

		if (count)
			v->rows_count += 1 + (state->is_open[kind] ? count : 0);
	}
}

static void
add_up_retained(struct view *v)
{
	const struct facts f = session_facts(v->session);

	root_groups_add_retained(&((struct roots_state *)v->state)->sums, &f);
}

/* Group the roots by kind and keep their order within a kind. */
static bool
make_groups(struct view *v, const uint32_t *roots, size_t count, struct error *err)
{
	struct roots_state *state = v->state;
	const struct heap *h = v->session->heap;
	uint32_t *grouped = memory_new(count, sizeof *grouped, err);
	size_t next[ROOT_GROUPS], start = 0;

	if (!grouped || !root_groups_add_up(&state->sums, h, roots, count, err)) {
		memory_free(grouped);
		return false;
	}
	for (int kind = 0; kind < ROOT_GROUPS; kind++) {
		state->starts[kind] = next[kind] = start;
		start += state->sums.items[kind].count;
	}
	for (size_t i = 0; i < count; i++)
		grouped[next[root_group_of(h, roots[i])]++] = roots[i];
	memory_free(state->roots);
	state->roots = grouped;
	return true;
}

/* Opens all groups while a filter is set, so that every match is visible. */
static void
open_filtered(struct roots_state *state, bool is_filtered)
{
	if (state->is_filtered == is_filtered)
		return;
	state->is_filtered = is_filtered;
	for (int kind = 0; kind < ROOT_GROUPS; kind++) {
		if (is_filtered)
			state->was_open[kind] = state->is_open[kind];
		state->is_open[kind] = is_filtered || state->was_open[kind];
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
	ok = ok && make_groups(v, roots, count, err);
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

	for (uint32_t kind = 0; kind < ROOT_GROUPS; kind++) {
		size_t count = state->sums.items[kind].count;

		if (!count)
			continue;
		if (index == 0) {
			row_of_group(state, kind, out);
			return;
		}
		index--;
		if (state->is_open[kind] && index < count) {
			row_below_group(v, state->roots[state->starts[kind] + index], out);
			return;
		}
		index -= state->is_open[kind] ? count : 0;
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
	state->is_open[row.data] = open;
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
	for (int kind = 0; kind < ROOT_GROUPS; kind++)
		state->is_open[kind] = !v->session->waker.wake;
	return true;
}

static void
roots_close(struct view *v)
{
	struct roots_state *state = v->state;

	if (!state)
		return;
	memory_free(state->roots);
	root_groups_clear(&state->sums);
}

/* clang-format off */
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
	.table = &roots_table,
	.commands = commands,
	.words = { .no_rows = "no roots are known; :summary shows what is missing" },
	.list = { .needs = NEED_OBJECTS, .sort = "name" },
	.code = &roots_code,
};
