/* The stacks of all threads merged into a tree, whose rows can be closed. */
#include "model/analysis/stack_tree.h"
#include "model/analysis/tables.h"
#include "model/base/u64_map.h"
#include "tui/widget/tree.h"
#include <string.h>

struct pstacks_state {
	struct tree tree;
	struct u64_map closed; /* by key of a row */
};

/* --- rows ----------------------------------------------------------------- */

/* Below a row are the following ones that are indented more. */
static bool
has_below(const struct stack_tree *tree, uint32_t i)
{
	return i + 1 < tree->count && tree->nodes[i + 1].depth > tree->nodes[i].depth;
}

static bool
begin(struct view *v, struct error *err)
{
	struct pstacks_state *state = v->state;
	const struct stack_tree *tree = &((const struct stack_tree_rows *)v->made)->tree;
	uint32_t hidden = UINT32_MAX; /* rows deeper than this are below a closed one */

	tree_clear(&state->tree);
	for (uint32_t i = 0; i < tree->count; i++) {
		struct row row = row_of(ROW_PLAIN);

		if (tree->nodes[i].depth > hidden)
			continue;
		hidden = UINT32_MAX;
		row.depth = tree->nodes[i].depth;
		row.data = i;
		row.key = i + UINT64_C(1);
		if (has_below(tree, i))
			row.fold =
			    u64_map_get(&state->closed, row.key) == true ? FOLD_CLOSED : FOLD_OPEN;
		if (row.fold == FOLD_CLOSED)
			hidden = row.depth;
		if (!rows_append(&state->tree.rows, &row, err))
			return false;
	}
	return true;
}

static bool
expand(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	struct pstacks_state *state = v->state;

	(void)rule;
	return u64_map_put(&state->closed, state->tree.rows.items[at].key, false, err) &&
	       begin(v, err) && tree_show(&state->tree, v, err);
}

/* If memory runs out, the row is open again when the rows are listed anew. */
static void
closed(struct view *v, size_t at)
{
	struct pstacks_state *state = v->state;
	struct error ignored = { 0 };

	(void)!u64_map_put(&state->closed, state->tree.rows.items[at].key, true, &ignored);
}

static const struct tree_source source = {
	.begin = begin,
	.expand = expand,
	.closed = closed,
	.is_lasting = true,
};

static bool
pstacks_rows(struct view *v, struct error *err)
{
	struct pstacks_state *state = v->state;

	return begin(v, err) && tree_show(&state->tree, v, err);
}

/* --- the view ------------------------------------------------------------- */

static bool
pstacks_open(struct view *v, struct error *err)
{
	struct pstacks_state *state = tree_new(v, &source, sizeof *state, err);

	if (!state)
		return false;
	state->tree.filters_top = true;
	snprintf(v->title, sizeof v->title, "%s", v->ops->command.name);
	return true;
}

static void
pstacks_close(struct view *v)
{
	struct pstacks_state *state = v->state;

	if (!state)
		return;
	tree_clear(&state->tree);
	u64_map_clear(&state->closed);
}

static bool
turn(const struct call *call, struct error *err)
{
	struct row row;

	if (!view_selected(call->view, &row) || row.fold == FOLD_NONE)
		return true;
	return view_fold(call->view, call->view->cursor, row.fold != FOLD_OPEN, err);
}

/* clang-format off */
static const struct command commands[] = {
	/* name      keys     bar     help, .run, then other fields */
	{ "enter",  "Enter", "open",  "open the row, or close it", .run = turn },
	{ "unfold", "+",     "",      "open the row", .run = view_command_unfold },
	{ "fold",   "-",     "",      "close the row", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code pstacks_code = {
	.open = pstacks_open,
	.close = pstacks_close,
	.rows = pstacks_rows,
	.row = tree_view_row,
	.tree = &(const struct view_tree){ .fold = tree_fold },
};

const struct view_ops view_pstacks = {
	.command = { .name = "pstacks",
		     .help = "the stacks of all threads as a tree, equal calls merged" },
	.table = &pstacks_table,
	.commands = commands,
	.words = { .no_rows = "no thread is in managed code; :threads lists the threads" },
	.list = { .flags = VIEW_PRINTS_HEADING },
	.code = &pstacks_code,
};
