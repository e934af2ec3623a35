/* What capturing a process, or recording its allocations, will cost, before y starts it. */
#include "model/base/text.h"
#include "tui/session/recording.h"
#include "tui/session/snapshots.h"
#include "tui/tables/allocation_cost.h"
#include "tui/tables/card_lines.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 10, PARTS_MAX = 64, PIECES_MAX = 8 * CARD_LINES_MAX };

/* One row of the card. A line that is too long for the screen takes several. */
struct card_piece {
	const char *label; /* "" on all but the first row of a line */
	char text[sizeof(((struct card_line *)0)->text)];
	uint32_t line, part;
};

struct card_state {
	int32_t pid;
	/* NULL until the process has answered; and for a recording */
	struct live_capture *capture;
	struct live_allocations plan; /* of a recording */
	bool has_answered;
	struct card_piece pieces[PIECES_MAX];
	int count;
};

static bool
is_recording(const struct view *v)
{
	return !strcmp(v->ops->command.name, "record");
}

/* --- querying the process, on a worker ----------------------------------- */

struct asking {
	const struct snapshots *all;
	struct live_target target;
	const struct live_capture *before;
	struct live_capture *capture;
	struct live_allocations plan;
};

static bool
plan_work(void *context, struct progress *progress, struct error *err)
{
	struct asking *a = context;

	return a->all->live->plan_allocations(&a->target, &a->plan, progress, err);
}

static bool
ask_work(void *context, struct progress *progress, struct error *err)
{
	struct asking *a = context;

	a->capture = a->all->live->open(a->before ? NULL : &a->target, &a->all->options, a->before,
					progress, err);
	return a->capture != NULL;
}

/* Splits the lines of the card into pieces that fit the screen. */
static void
take_lines(struct view *v)
{
	struct card_state *state = v->state;
	const struct snapshots *all = v->session->snapshots;
	struct card_line lines[CARD_LINES_MAX];
	uint32_t own = snapshots_event_sessions(all, state->pid);
	int count = is_recording(v)
			? card_lines_of_recording(&state->plan, own, lines)
			: card_lines(all->live->card(state->capture), &all->options, own, lines);
	int width = v->fitted ? v->fitted : INT_MAX;

	state->count = 0;
	for (int i = 0; i < count; i++)
		for (int n = 0; state->count < PIECES_MAX; n++) {
			struct card_piece *piece = &state->pieces[state->count];

			if (!text_line(lines[i].text, width, n, piece->text, sizeof piece->text))
				break;
			piece->label = n ? "" : lines[i].label;
			piece->line = (uint32_t)i;
			piece->part = (uint32_t)n;
			state->count++;
		}
}

static void
row_of_line(const struct view *v, uint32_t item, struct row *out)
{
	const struct card_state *state = v->state;
	const struct card_piece *piece = &state->pieces[item];

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = (uint64_t)piece->line * PARTS_MAX + piece->part;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct card_state *state = v->state;
	size_t count;

	take_lines(v);
	count = (size_t)state->count;
	return view_show_all(v, count, err);
}

static void
ask_done(struct view *v, void *context, bool ok)
{
	struct card_state *state = v->state;
	const struct live_ops *live = v->session->snapshots->live;
	struct error ignored = { 0 };
	struct asking *a = context;

	if (ok) {
		live->free(state->capture);
		state->capture = a->capture;
		state->plan = a->plan;
		state->has_answered = true;
		(void)arrange(v, &ignored);
	} else {
		live->free(a->capture);
	}
	memory_free(a);
}

static bool
card_rows(struct view *v, struct error *err)
{
	struct card_state *state = v->state;
	const struct snapshots *all = v->session->snapshots;
	struct asking *a;

	if (state->has_answered)
		return arrange(v, err);
	a = memory_new(1, sizeof *a, err);
	if (!a)
		return false;
	a->all = all;
	a->target.pid = state->pid;
	a->before = snapshots_capture_of(all, state->pid);
	return view_run(v, "asking the process", is_recording(v) ? plan_work : ask_work, ask_done,
			a, err);
}

/* --- life ---------------------------------------------------------------- */

/* Finds the process named in the argument, or the one this heap came from. */
static bool
find_pid(const struct view *v, int32_t *pid, struct error *err)
{
	const struct snapshots *all = v->session->snapshots;
	const char *topic = v->target.topic, *name = v->ops->command.name;

	if (!all || !all->live)
		return error_set(err, ERROR_USAGE, "processes cannot be examined here");
	if (!secure_allows(&all->secure, SECURE_CAPTURE, name, err))
		return false;
	if (*topic && (topic[strspn(topic, "0123456789")] || strlen(topic) > 9))
		return error_set(err, ERROR_USAGE,
				 "%s takes a process id, not \"%.40s\"; :processes lists processes",
				 name, topic);
	if (*topic)
		*pid = (int32_t)strtol(topic, NULL, 10);
	else
		*pid = snapshots_pid(v->session);
	return *pid || error_set(err, ERROR_USAGE,
				 "this heap is not from a process running here; :processes lists "
				 "those that are");
}

static bool
card_open(struct view *v, struct error *err)
{
	struct card_state *state = arena_new(&v->arena, struct card_state, err);

	if (!state || !find_pid(v, &state->pid, err))
		return false;
	v->state = state;
	snprintf(v->title, sizeof v->title, "%s %d", v->ops->command.name, (int)state->pid);
	return true;
}

static void
card_close(struct view *v)
{
	struct card_state *state = v->state;

	if (state)
		v->session->snapshots->live->free(state->capture);
}

static bool
card_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct card_state *state = v->state;
	const struct live_ops *live = v->session->snapshots->live;
	char who[160];

	if (!state->has_answered || line > 2)
		return false;
	if (line == 0)
		value_printf(out, STYLE_HEADER, "%s",
			     is_recording(v)
				 ? state->plan.who
				 : card_who(live->card(state->capture), who, sizeof who));
	else if (line == 1)
		value_text(out, STYLE_NORMAL,
			   is_recording(v)
			       ? "The process has not been touched. y records what it allocates, q "
				 "cancels."
			       : "The process has not been touched. y captures "
				 "its heap, q cancels.");
	else
		value_blank(out);
	return true;
}

static const struct row_source rows = {
	ROWS_INSIDE(struct card_state, pieces, count),
};

/* --- commands ------------------------------------------------------------ */

static bool
take_heap(const struct call *call, struct error *err)
{
	struct card_state *state = call->view->state;
	struct snapshots *all = call->view->session->snapshots;
	struct live_capture *capture = state->capture;
	struct session *s;

	if (view_is_busy(call->view))
		return error_set(err, ERROR_USAGE, "the process has not answered yet");
	if (!capture) /* the process did not answer: ask again */
		return view_reload(call->view, err);
	if (!card_is_within(all->live->card(capture), &all->options, err))
		return false;
	state->capture = NULL;
	state->has_answered = false;
	s = snapshots_add_capture(all, capture, err);
	/* Captures run one at a time, and another may be in progress. */
	if (!s || !snapshots_start_next(all, err))
		return false;
	call->request->closes_view = true; /* the card is outdated now */
	return request_open_in(call, s, "types", &target_none);
}

/* A recording that goes on is shown again. */
static bool
begin_recording(const struct call *call, struct error *err)
{
	const struct card_state *state = call->view->state;
	struct snapshots *all = call->view->session->snapshots;
	struct session *s = snapshots_recording_of(all, state->pid);

	if (view_is_busy(call->view))
		return error_set(err, ERROR_USAGE, "the process has not answered yet");
	if (!state->has_answered) /* ask again */
		return view_reload(call->view, err);
	if (!allocation_cost_is_within(&state->plan, all->options.budget_ms, err))
		return false;
	if (!s || !recording_is_on(s->recording))
		s = snapshots_add_recording(all, state->pid, &state->plan, err);
	if (!s)
		return false;
	call->request->closes_view = true; /* the card is outdated now */
	return request_open_in(call, s, "allocations", &target_none);
}

static bool
ask_to_record(const struct call *call, struct error *err)
{
	const struct card_state *state = call->view->state;

	if (!state->has_answered) /* ask again */
		return begin_recording(call, err);
	return request_message(call, STYLE_STATUS,
			       "y records what this process allocates, q cancels");
}

/* Require y to capture: Enter or c opened this card and may be pressed twice.
 */
static bool
ask_for_y(const struct call *call, struct error *err)
{
	const struct card_state *state = call->view->state;

	if (!state->capture) /* the process did not answer: ask again */
		return take_heap(call, err);
	return request_message(call, STYLE_STATUS,
			       "y captures the heap of this process, q cancels");
}

/* clang-format off */
static const struct column columns[] = {
	/* id      title   width sorts     cell        help                  rank flags needs */
	{ "what",  "What", -LABEL_WIDTH,  UNSORTED, TEXT_AT(STYLE_HEADER, struct card_piece, label), "name of the fact",          0, 0, 0 },
	{ "value", "Cost", FILL, UNSORTED, TEXT_IN(STYLE_NORMAL, struct card_piece, text),  "its value", 0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "capture", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, then other fields */
	{ "take",  "y",     "capture", "pause the process and capture its heap", .run = take_heap },
	{ "enter", "Enter c", "",      "say which key captures the heap", .run = ask_for_y, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

/* clang-format off */
static const struct command record_commands[] = {
	/* name     keys     bar       help, .run, then other fields */
	{ "take",  "y",     "record", "begin to record", .run = begin_recording },
	{ "enter", "Enter a", "",     "say which key begins to record", .run = ask_to_record, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct table record_table = { .name = "record", .columns = columns, .rows = &rows };
/* clang-format on */

static const struct view_code card_code = {
	.open = card_open,
	.close = card_close,
	.rows = card_rows,
	.item_row = row_of_line,
	.heading = card_heading,
};

const struct view_ops view_card = {
	.command = { .name = "capture",
		     .keys = "c",
		     .args = { MAY_AS(ARG_TEXT, "PID") },
		     .help = "what capturing the process will cost; y captures it" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "the process has not answered; :processes lists the running ones" },
	.list = { .flags = VIEW_HIDDEN | VIEW_FITS | VIEW_QUERIES_PROCESSES },
	.code = &card_code,
};

const struct view_ops view_record = {
	.command = { .name = "record",
		     .keys = "a",
		     .args = { MAY_AS(ARG_TEXT, "PID") },
		     .bar = "allocations",
		     .flags = COMMAND_ANSWERS,
		     .help = "what recording the allocations of the process will cost; y records "
			     "them" },
	.table = &record_table,
	.commands = record_commands,
	.words = { .no_rows = "the process has not answered; :processes lists the running ones" },
	.list = { .flags = VIEW_HIDDEN | VIEW_FITS | VIEW_QUERIES_PROCESSES },
	.code = &card_code,
};
