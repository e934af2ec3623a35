/* Merged stacks as a table: a tree from the outermost calls inwards. */
#include "model/analysis/stack_tree.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct stack_tree_rows *m = made;

	(void)about;
	return stacks_read(&m->stacks, f->heap, 0, progress, err) &&
	       stack_tree_make(&m->tree, &m->stacks, f->heap->memory, err);
}

static void
clear(void *made)
{
	struct stack_tree_rows *m = made;

	stacks_clear(&m->stacks);
}

static const struct stack_node *
node_of(const struct cells *in, const struct row *row)
{
	const struct stack_tree_rows *m = in->rows;

	return &m->tree.nodes[row->data];
}

static void
complete_row(const struct cells *in, const void *record, struct row *out)
{
	const struct stack_node *node = record;

	(void)in;
	out->depth = node->depth;
}

static void
cell_method(const struct cells *in, const struct row *row, struct value *out)
{
	const struct content_frame *frame = node_of(in, row)->frame;
	bool is_own = frame_is_own(frame, in->facts->my_modules);

	value_text(out, is_own ? STYLE_TYPE : STYLE_NORMAL, frame->full);
}

static void
cell_module(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_NORMAL, node_of(in, row)->frame->module);
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct stack_tree_rows *m = in->rows;
	char threads[FORMAT_BYTES], others[FORMAT_BYTES];
	uint32_t other_count = m->stacks.count - m->tree.threads_count;

	if (line)
		return false;
	value_printf(out, STYLE_DIM, "%s thread%s in managed code, %s other%s",
		     format_count(m->tree.threads_count, threads), plural(m->tree.threads_count),
		     format_count(other_count, others), plural(other_count));
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell         help                                                    rank flags needs */
	{ "threads", "Threads", 7,    UNSORTED, COUNT_AT(struct stack_node, threads_count), "threads that are in this call",   0, 0, 0 },
	{ "method",  "Method",  FILL, UNSORTED, CELL(VALUE_TEXT, cell_method), "method with its type; below it those that it called, indented where threads part", 0, 0, 0 },
	{ "ends",    "Ends",    5,    UNSORTED, NONZERO_AT(VALUE_COUNT, struct stack_node, ends_count), "threads whose innermost call it is", 2, 0, 0 },
	{ "ids",     "Ids",     -24,  UNSORTED, TEXT_AT(STYLE_DIM, struct stack_node, ids), "ids of the threads, the first 12",   1, 0, 0 },
	{ "level",   "Level",   5,    UNSORTED, COUNT_AT(struct stack_node, depth), "how far it is indented",                   9, COLUMN_MACHINE, 0 },
	{ "module",  "Module",  -24,  UNSORTED, CELL(VALUE_TEXT, cell_module), "file of the method",                           9, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "walking stacks",
	ROWS_IN(struct stack_tree_rows, tree.nodes, tree.count),
	.make = make,
	.row = complete_row,
	.clear = clear,
};

const struct table pstacks_table = {
	.name = "pstacks",
	.columns = columns,
	.heaps = OF_CONTENTS,
	.contents = "stacks",
	.needs = NEED_PROCESS,
	.rows = &rows,
	.heading = heading,
};
