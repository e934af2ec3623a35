/* The open heaps: files, and captures made since the start. */
#include "model/heap/memory.h"
#include "tui/session/snapshots.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

struct snapshots_state {
	const struct session *current; /* its heap is on the screen */
};

static const struct session *
session_of(const struct cells *in, const struct row *row)
{
	const struct snapshots_state *state = in->rows;

	return state->current->snapshots->sessions[row->data];
}

static bool
snapshots_open(struct view *v, struct error *err)
{
	struct snapshots_state *state;

	if (!v->session->snapshots)
		return error_set(err, ERROR_USAGE,
				 "only one heap is open; to open several: heaptop FILE FILE");
	v->state = state = arena_new(&v->arena, struct snapshots_state, err);
	if (state)
		state->current = v->session;
	return state != NULL;
}

/* Hides a heap whose loading was stopped before anything was read. */
static bool
is_listed(const struct session *s)
{
	return !s->is_empty &&
	       !(session_has_failed(s) && s->job_errors[JOB_LOAD].kind == ERROR_CANCELLED);
}

static bool
snapshots_rows(struct view *v, struct error *err)
{
	const struct snapshots *all = v->session->snapshots;
	uint32_t *shown = memory_new(all->count + 1, sizeof *shown, err);
	size_t count = 0;

	if (!shown)
		return false;
	for (uint32_t i = 0; i < all->count; i++)
		if (is_listed(all->sessions[i]))
			shown[count++] = i;
	return view_show_items(v, shown, count, err);
}

/* --- cells --------------------------------------------------------------- */

static uint64_t
number_of_heap(const struct cells *in, const struct row *row)
{
	return snapshots_number(session_of(in, row));
}

static void
cell_mark(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_TAGGED, session_of(in, row)->is_marked ? "*" : "");
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_TYPE, session_of(in, row)->name);
}

/* Shows when the heap was taken, on the target's clock; ours for a capture. */
static void
cell_time(const struct cells *in, const struct row *row, struct value *out)
{
	const struct session *s = session_of(in, row);

	value_time(out, s->heap ? s->heap->info.time : 0);
}

static void
cell_objects(const struct cells *in, const struct row *row, struct value *out)
{
	const struct session *s = session_of(in, row);

	if (s->heap && !session_only_types(s))
		value_count(out, s->heap->nodes_count);
	else if (s->heap || session_has_failed(s))
		value_blank(out);
	else
		value_pending(out);
}

static void
cell_size(const struct cells *in, const struct row *row, struct value *out)
{
	const struct session *s = session_of(in, row);

	if (s->heap && !heap_lacks_objects(s->heap))
		value_bytes(out, s->heap->bytes_count);
	else if (s->heap || session_has_failed(s))
		value_blank(out);
	else
		value_pending(out);
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	const struct snapshots_state *state = in->rows;
	const struct session *s = session_of(in, row);

	if (session_has_failed(s))
		value_printf(out, STYLE_ERROR, "%s", s->job_errors[JOB_LOAD].message);
	else if (session_is_loading(s))
		value_text(out, STYLE_WARNING, "being read");
	else if (s->is_stopped)
		value_text(out, STYLE_WARNING, "stopped: types only");
	else if (s->has_only_types)
		value_text(out, STYLE_WARNING,
			   heap_lacks_objects(s->heap) ? "no heap: threads only"
						       : "cut: types only");
	else if (!s->heap)
		value_text(out, STYLE_DIM, "waiting to be read");
	else if (s == state->current)
		value_text(out, STYLE_NORMAL, "on the screen");
	else
		value_blank(out);
}

/* --- commands ------------------------------------------------------------ */

static bool
show_snapshot(const struct call *call, struct error *err)
{
	struct snapshots *all = call->view->session->snapshots;
	struct session *s;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no heap is selected");
	s = all->sessions[row.data];
	if (session_has_failed(s)) {
		*err = s->job_errors[JOB_LOAD];
		return false;
	}
	return request_open_in(call, s, "types", &target_none);
}

/* Marks the heap for `=`, which compares marked heaps. */
static bool
mark_snapshot(const struct call *call, struct error *err)
{
	struct snapshots *all = call->view->session->snapshots;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no heap is selected");
	all->sessions[row.data]->is_marked = !all->sessions[row.data]->is_marked;
	view_move_by(call->view, 1);
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts  cell          help                            rank flags needs */
	{ "number",  "#",       3,    UP,    NUMBER(VALUE_PLAIN, number_of_heap),  "in the order they were opened",          0, 0, 0 },
	{ "mark",    "",        1,    UNSORTED, CELL(VALUE_TEXT, cell_mark), "marked heaps are compared by =",        0, 0, 0 },
	{ "name",    "Name",    FILL, UP,    CELL(VALUE_TEXT, cell_name),    "file or process",                 0, 0, 0 },
	{ "time",    "Time",    -19,  UP,    CELL(VALUE_TEXT, cell_time),    "when it was taken, on the clock of its machine", 2, 0, 0 },
	{ "objects", "Objects", 12,   DOWN,  CELL(VALUE_COUNT, cell_objects), "objects in it",                   1, 0, 0 },
	{ "size",    "Size",    12,   DOWN,  CELL(VALUE_BYTES, cell_size),    "their bytes",                     1, 0, 0 },
	{ "state",   "State",   -19,  UP,    CELL(VALUE_TEXT, cell_state),   "whether it has been read",             3, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "snapshots", .columns = columns };
static const struct command commands[] = {
	/* name         keys     bar      help, .run, then other fields */
	{ "open",      "Enter", "types", "show the types of this heap", .run = show_snapshot, .replay = REPLAY_ROWS },
	{ "mark-heap", "Space", "mark",  "mark it; = compares marked heaps", .run = mark_snapshot },
	{ 0 },
};
/* clang-format on */

static const struct view_code snapshots_code = {
	.open = snapshots_open,
	.rows = snapshots_rows,
};

const struct view_ops view_snapshots = {
	.command = { .name = "snapshots", .help = "the open heaps; Enter goes to one" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no heap is open; :processes lists what could be captured" },
	.list = { .flags = VIEW_HIDDEN | VIEW_LIVE },
	.code = &snapshots_code,
};
