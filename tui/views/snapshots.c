/* The heaps that are open: files, and what was captured since. */
#include "tui/session/snapshots.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <time.h>

struct snapshots_state {
	uint32_t *shown; /* indexes of snapshots->sessions */
};

static const struct session *
session_of(const struct view *v, const struct row *row)
{
	return v->session->snapshots->sessions[row->data];
}

static void
row_of_snapshot(const struct view *v, uint32_t item, struct row *out)
{
	(void)v;
	*out = row_of(ROW_PLAIN);
	out->data = out->key = item;
}

static bool
snapshots_open(struct view *v, struct error *err)
{
	if (!v->session->snapshots)
		return error_set(err, ERROR_USAGE,
				 "there is one heap, and there will be no "
				 "other; for several: heaptop FILE FILE");
	v->state = arena_new(&v->arena, struct snapshots_state, err);
	return v->state != NULL;
}

static void
snapshots_close(struct view *v)
{
	struct snapshots_state *state = v->state;

	if (state)
		memory_free(state->shown);
}

/* Not one that was stopped before anything was read. */
static bool
is_told(const struct session *s)
{
	return !s->is_empty &&
	       !(session_has_failed(s) &&
		 s->job_errors[JOB_LOAD].kind == ERROR_CANCELLED);
}

static bool
snapshots_rows(struct view *v, struct error *err)
{
	struct snapshots_state *state = v->state;
	const struct snapshots *all = v->session->snapshots;
	uint32_t *shown = memory_new(all->count + 1, sizeof *shown, err);
	size_t count = 0;

	if (!shown)
		return false;
	for (uint32_t i = 0; i < all->count; i++)
		if (is_told(all->sessions[i]))
			shown[count++] = i;
	return view_show_items(v, &state->shown, shown, count, row_of_snapshot,
			       err);
}

static void
snapshots_row(const struct view *v, size_t index, struct row *out)
{
	const struct snapshots_state *state = v->state;

	row_of_snapshot(v, state->shown[index], out);
}

/* --- cells --------------------------------------------------------------- */

static void
cell_number(const struct view *v, const struct row *row, struct value *out)
{
	value_plain(out, snapshots_number(session_of(v, row)));
}

static void
cell_mark(const struct view *v, const struct row *row, struct value *out)
{
	value_text(out, STYLE_TAGGED, session_of(v, row)->is_marked ? "*" : "");
}

static void
cell_name(const struct view *v, const struct row *row, struct value *out)
{
	value_text(out, STYLE_TYPE, session_of(v, row)->name);
}

/* Of the target, in its own time; of a capture the time here. */
static void
cell_time(const struct view *v, const struct row *row, struct value *out)
{
	const struct session *s = session_of(v, row);
	time_t at = s->heap ? (time_t)s->heap->info.time : 0;
	struct tm tm;
	char text[32];

	value_blank(out);
	if (at > 0 && gmtime_r(&at, &tm) &&
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		value_printf(out, STYLE_NORMAL, "%s", text);
}

static void
cell_objects(const struct view *v, const struct row *row, struct value *out)
{
	const struct session *s = session_of(v, row);

	if (s->heap && !session_only_types(s))
		value_count(out, s->heap->nodes_count);
	else if (s->heap || session_has_failed(s))
		value_blank(out);
	else
		value_pending(out);
}

static void
cell_size(const struct view *v, const struct row *row, struct value *out)
{
	const struct session *s = session_of(v, row);

	if (s->heap)
		value_bytes(out, s->heap->bytes_count);
	else if (session_has_failed(s))
		value_blank(out);
	else
		value_pending(out);
}

static void
cell_state(const struct view *v, const struct row *row, struct value *out)
{
	const struct session *s = session_of(v, row);

	if (session_has_failed(s))
		value_printf(out, STYLE_ERROR, "%s",
			     s->job_errors[JOB_LOAD].message);
	else if (session_is_loading(s))
		value_text(out, STYLE_WARNING, "being read");
	else if (s->is_stopped)
		value_text(out, STYLE_WARNING, "stopped: types only");
	else if (s->has_only_types)
		value_text(out, STYLE_WARNING, "cut: types only");
	else if (!s->heap)
		value_text(out, STYLE_DIM, "waits to be read");
	else if (s == v->session)
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

/* What `=` compares. */
static bool
mark_snapshot(const struct call *call, struct error *err)
{
	struct snapshots *all = call->view->session->snapshots;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no heap is selected");
	all->sessions[row.data]->is_marked =
	    !all->sessions[row.data]->is_marked;
	view_move_by(call->view, 1);
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts  cell          help                            rank flags needs */
	{ "number",  "#",       3,    UP,    cell_number,  "in the order they came",          0, 0, 0 },
	{ "mark",    "",        1,    UNSORTED, cell_mark, "marked: = compares those",        0, 0, 0 },
	{ "name",    "Name",    FILL, UP,    cell_name,    "file or process",                 0, 0, 0 },
	{ "time",    "Time",    -19,  UP,    cell_time,    "when it was taken, where it ran", 2, 0, 0 },
	{ "objects", "Objects", 12,   DOWN,  cell_objects, "objects in it",                   1, 0, 0 },
	{ "size",    "Size",    12,   DOWN,  cell_size,    "their bytes",                     1, 0, 0 },
	{ "state",   "State",   -19,  UP,    cell_state,   "whether it is there",             3, 0, 0 },
	{ 0 },
};
static const struct command commands[] = {
	/* name  keys     args bar      help                            run            takes_count */
	{ "open", "Enter", "",  "types", "the types of this heap",       show_snapshot, false },
	{ "mark-heap", "Space", "", "mark", "mark it: = compares the marked", mark_snapshot, false },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_snapshots = {
	.command = { .name = "snapshots",
		     .keys = "",
		     .args = "",
		     .bar = "",
		     .help = "the heaps that are open; Enter goes to one" },
	.empty = "no heap is open; :processes lists what could be captured",
	.columns = columns,
	.commands = commands,
	.flags = VIEW_HIDDEN | VIEW_LIVE,
	.open = snapshots_open,
	.close = snapshots_close,
	.rows = snapshots_rows,
	.row = snapshots_row,
};
