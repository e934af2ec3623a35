/*
 * The marked objects and types, and what all of them would free together. The rows are copies, so
 * that a worker can read them while marks change.
 */
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "model/table/object_columns.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/graph/objsize.h"
#include <inttypes.h>
#include <string.h>

struct marks_state {
	struct mark *marks;
	uint32_t marks_count;
	/* All marks together, and the versions that it was measured with. */
	struct objsize size;
	uint32_t marks_version, reach_version;
	bool is_measured;
};

/* --- cells ---------------------------------------------------------------- */

static uint64_t
number_count(const struct cells *in, const struct row *row)
{
	return row->node == NODE_NONE ? in->facts->types[row->type].count : 1;
}

static void
cell_size(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->node == NODE_NONE)
		value_bytes(out, in->facts->types[row->type].bytes);
	else
		value_exact_bytes(out, object_size(in->facts, row->node));
}

static uint64_t
number_retained(const struct cells *in, const struct row *row)
{
	return row->node == NODE_NONE ? facts_type_retained(in->facts, row->type)
				      : object_retained(in->facts, row->node);
}

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->node == NODE_NONE)
		value_blank(out);
	else
		describe_root_of(in->facts, row->node, out);
}

/* --- measuring all marks together ----------------------------------------- */

struct measuring {
	const struct heap *heap;
	const struct ignored *ignored;
	const struct mark *marks;
	uint32_t marks_count, marks_version, reach_version;
	struct objsize size;
};

static bool
run_measuring(void *context, struct progress *progress, struct error *err)
{
	struct measuring *m = context;
	struct id_list list;
	bool ok;

	if (!marks_objects(m->marks, m->marks_count, m->heap, &list, progress, err))
		return false;
	ok = objsize_compute(&m->size, m->heap, list.ids, list.count, m->ignored, progress, err);
	id_list_free(&list);
	return ok;
}

static void
measuring_done(struct view *v, void *context, bool ok)
{
	struct marks_state *state = v->state;
	struct measuring *m = context;

	if (ok) {
		state->size = m->size;
		state->is_measured = true;
		state->marks_version = m->marks_version;
		state->reach_version = m->reach_version;
	}
	memory_free(m);
}

static bool
measure(struct view *v, struct error *err)
{
	struct marks_state *state = v->state;
	const struct session *s = v->session;
	struct measuring *m;

	if (state->is_measured && state->marks_version == s->marks.version &&
	    state->reach_version == s->reach_version)
		return true;
	state->is_measured = false;
	if (!state->marks_count)
		return true;
	m = memory_new(1, sizeof *m, err);
	if (!m)
		return false;
	m->heap = s->heap;
	m->ignored = s->what_if.ignored;
	m->marks = state->marks;
	m->marks_count = state->marks_count;
	m->marks_version = s->marks.version;
	m->reach_version = s->reach_version;
	return view_run_on_rows(v, "measuring", run_measuring, measuring_done, m, err);
}

/* --- the view ------------------------------------------------------------- */

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct marks_state *state = v->state;
	const struct mark *mark = &state->marks[item];

	*out = mark->node == NODE_NONE ? row_of_type(mark->type)
				       : row_of_node(v->session->heap, mark->node);
	out->key = (uint64_t)mark->node << 32 | mark->type;
	out->data = item;
}

static bool
marks_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct marks_state, err);
	return v->state != NULL;
}

static void
marks_close(struct view *v)
{
	struct marks_state *state = v->state;

	if (!state)
		return;
	memory_free(state->marks);
}

static bool
marks_rows(struct view *v, struct error *err)
{
	struct marks_state *state = v->state;
	const struct marks *all = &v->session->marks;
	struct mark *marks = memory_new(all->count + 1, sizeof *marks, err);

	if (!marks)
		return false;
	if (all->count)
		memcpy(marks, all->items, all->count * sizeof *marks);
	memory_free(state->marks);
	state->marks = marks;
	state->marks_count = (uint32_t)all->count;
	return view_show_all(v, all->count, err) && measure(v, err);
}

static bool
marks_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct marks_state *state = v->state;
	const struct objsize *size = &state->size;
	char count[FORMAT_BYTES], own[FORMAT_BYTES], freed[FORMAT_BYTES];

	if (line || !state->marks_count)
		return false;
	if (!state->is_measured)
		value_pending(out);
	else
		value_printf(out, STYLE_ROOT,
			     "%" PRIu32 " marked: %s object%s, %s; without %s, %s would be freed",
			     state->marks_count, format_count(size->set_count, count),
			     size->set_count == 1 ? "" : "s", format_size(size->set_bytes, own),
			     size->set_count == 1 ? "it" : "them",
			     format_size(size->exclusive_bytes, freed));
	return true;
}

static bool
enter(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	(void)err;
	return request_open(call, target.node == NODE_NONE ? "objects" : "inspect", &target);
}

static bool
remove_mark(const struct call *call, struct error *err)
{
	struct session *s = call->view->session;
	struct row row;

	if (!view_selected(call->view, &row) || !marks_remove(&s->marks, row.node, row.type))
		return error_set(err, ERROR_USAGE, "no mark is selected");
	return true;
}

static const struct row_source rows = {
	ROWS_IN(struct marks_state, marks, marks_count),
};

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts  cell                 help                                               rank flags needs */
	{ "note",     "Note",     -24,  UP,    TEXT_IN(STYLE_NORMAL, struct mark, note),           "the note of the mark; m changes it",                    1, 0, 0 },
	{ "address",  "Address",  14,   UP,    OBJECT_ADDRESS, "where the object is; blank: the type is marked",  0, 0, 0 },
	TYPE_COLUMN(ROW_TYPE_NAME, UP, 0, COLUMN_BY_TYPE),
	{ "count",    "Count",    8,    DOWN,  NUMBER(VALUE_COUNT, number_count),          "objects",                                         4, 0, 0 },
	{ "size",     "Size",     9,    DOWN,  CELL(VALUE_BYTES, cell_size),           "their bytes",                                 0, 0, 0 },
	{ "retained", "Retained", 11,   DOWN,  NUMBER(VALUE_BYTES, number_retained),       "bytes that single objects of them retain",       2, COLUMN_DEAR, NEED_RETAINED },
	{ "root",     "Root",     -24,  UP,    CELL(VALUE_TEXT, cell_root),           "the root at the end of the cheapest path",         3, 0, NEED_REACH },
	{ 0 },
};
static const struct table table = { .name = "marks", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	/* name      keys        bar       help, .run, then other fields */
	{ "enter",  "Enter",    "go",     "go to this object, or list the objects of the type", .run = enter, .replay = REPLAY_ROWS },
	{ "remove", "x Delete", "remove", "remove this mark", .run = remove_mark },
	{ 0 },
};
/* clang-format on */

static const struct view_code marks_code = {
	.open = marks_open,
	.close = marks_close,
	.rows = marks_rows,
	.item_row = row_of_item,
	.heading = marks_heading,
};

const struct view_ops view_marks = {
	.command = { .name = "marks",
		     .keys = "'",
		     .help = "marked objects and types (bookmarks), and what they keep alive "
			     "together" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "nothing is marked; :tag (Space) marks a row, :mark (m) marks it "
			      "with a note" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH,
		  .flags = VIEW_PRINTS_HEADING | VIEW_HIDDEN | VIEW_MARKS },
	.code = &marks_code,
};
