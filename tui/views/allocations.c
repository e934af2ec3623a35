/*
 * What a process or trace allocates, by site or by type. A process is recorded
 * while the view is open: its rows are made anew from each copy that arrives,
 * and the selected row stays selected. Space holds them still. The recording
 * ends when the last view of it closes.
 */
#include "model/allocations/rows.h"
#include "tui/session/recording.h"
#include "tui/session/snapshots.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include <string.h>

struct allocations_state {
	struct allocation_rows rows; /* must be first: the cells read it */
	struct recording *recording; /* NULL: session->allocations */
	struct allocations *shown;   /* the copy that the rows are of; held */
	enum allocation_grouping grouping;
	bool is_still; /* Space: later copies wait */
};

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct allocations_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = allocation_row_key(&state->rows, item);
}

/* --- life ----------------------------------------------------------------- */

/* The session's own recording, a running one of its process, or a new one of
   its file. */
static bool
find_recording(struct view *v, struct recording **found, struct error *err)
{
	struct session *s = v->session, *other = NULL;

	if (!s->recording && s->snapshots)
		other = snapshots_recording_of(s->snapshots, snapshots_pid(s));
	if (other) {
		*found = other->recording;
		return true;
	}
	if (!s->recording && !s->loader.allocations)
		return error_set(err, ERROR_USAGE,
				 snapshots_pid(s)
				     ? "its allocations are not recorded yet: "
				       ":record shows what that costs"
				     : "allocations can only be recorded in a "
				       "process: heaptop -a PID");
	if (!s->recording)
		s->recording = recording_new(&s->loader, s->waker, err);
	*found = s->recording;
	return s->recording != NULL;
}

static void
set_title(struct view *v)
{
	const struct allocations_state *state = v->state;

	snprintf(v->title, sizeof v->title, "allocations %s",
		 state->grouping == ALLOCATIONS_BY_TYPE ? "types" : "sites");
}

static bool
allocations_open(struct view *v, struct error *err)
{
	struct allocations_state *state =
	    arena_new(&v->arena, struct allocations_state, err);

	v->state = state;
	if (!state || (!v->session->allocations &&
		       !find_recording(v, &state->recording, err)))
		return false;
	if (state->recording)
		state->recording->views_count++;
	if (!strcmp(v->target.topic, "types"))
		state->grouping = ALLOCATIONS_BY_TYPE;
	set_title(v);
	return true;
}

static void
allocations_close(struct view *v)
{
	struct allocations_state *state = v->state;

	if (!state)
		return;
	allocation_rows_clear(&state->rows);
	allocations_free(state->shown);
	if (state->recording && !--state->recording->views_count)
		recording_cancel(state->recording);
}

/* --- rows ----------------------------------------------------------------- */

static struct allocations *
newest(const struct view *v)
{
	const struct allocations_state *state = v->state;

	if (state->is_still && state->shown)
		return state->shown;
	return state->recording ? state->recording->newest
				: v->session->allocations;
}

static bool
take(struct view *v, struct allocations *a, struct error *err)
{
	struct allocations_state *state = v->state;
	struct allocation_rows rows;

	if (!allocation_rows_make(&rows, a, state->grouping,
				  v->session->my_modules, err)) {
		allocation_rows_clear(&rows);
		return false;
	}
	allocations_hold(a);
	allocations_free(state->shown);
	state->shown = a;
	allocation_rows_clear(&state->rows);
	state->rows = rows;
	return true;
}

static bool
allocations_rows(struct view *v, struct error *err)
{
	struct allocations_state *state = v->state;
	struct allocations *a = newest(v);
	uint32_t *shown;

	if (!a && state->recording->err.kind != ERROR_NONE) {
		*err = state->recording->err;
		return false;
	}
	if (a && !take(v, a, err))
		return false;
	shown = view_all_items(state->rows.count, err);
	return shown && view_show_items(v, shown, state->rows.count, err);
}

/* --- heading -------------------------------------------------------------- */

static const char *
state_text(const struct allocations_state *state)
{
	if (state->is_still)
		return "; still: Space goes on";
	if (state->recording && state->recording->has_ended &&
	    state->recording->from->is_live)
		return "; ended";
	return "";
}

static bool
allocations_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct allocations_state *state = v->state;
	char text[ALLOCATION_TEXT_BYTES];

	if (!state->shown || !allocations_text(state->shown, line, text))
		return false;
	value_printf(out, line ? STYLE_WARNING : STYLE_DIM, "%s%s", text,
		     line ? "" : state_text(state));
	return true;
}

/* --- commands ------------------------------------------------------------- */

static bool
turn_grouping(const struct call *call, struct error *err)
{
	struct allocations_state *state = call->view->state;

	state->grouping = state->grouping == ALLOCATIONS_BY_TYPE
			      ? ALLOCATIONS_BY_SITE
			      : ALLOCATIONS_BY_TYPE;
	set_title(call->view);
	return view_reload(call->view, err);
}

static bool
hold_still(const struct call *call, struct error *err)
{
	struct allocations_state *state = call->view->state;

	state->is_still = !state->is_still;
	return view_reload(call->view, err);
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     bar      help, .run, then other fields */
	{ "turn",   "t",     "types", "switch between sites and types", .run = turn_grouping },
	{ "still",  "Space", "still", "hold the rows still while the recording goes on; again: show the newest", .run = hold_still },
	{ 0 },
};
/* clang-format on */

static const struct view_code allocations_code = {
	.open = allocations_open,
	.close = allocations_close,
	.rows = allocations_rows,
	.item_row = row_of_item,
	.heading = allocations_heading,
};

const struct view_ops view_allocations = {
	.command = { .name = "allocations",
		     .args = { MAY_BE(NULL, WORDS("sites", "types")) },
		     .help = "what a process or trace allocates, by site or by "
			     "type; of a process, as it goes on" },
	.table = &allocations_table,
	.commands = commands,
	.words = { .no_rows = "no allocation has been sampled: there is about "
			      "one sample in 100 KB allocated; :processes "
			      "lists other programs" },
	.list = { .flags = VIEW_WITHOUT_HEAP | VIEW_LIVE | VIEW_GROWS |
			   VIEW_QUERIES_PROCESSES,
		  .sort = "bytes" },
	.code = &allocations_code,
};
