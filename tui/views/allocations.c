/*
 * What a process or trace allocates, by site or by type. A process is recorded while the view is
 * open: a job makes and sorts its rows anew from each copy that arrives, and the selected row stays
 * selected. Space holds them still. The recording ends when its last view closes.
 */
#include "model/allocations/sentences.h"
#include "tui/session/recording_view.h"
#include "tui/session/snapshots.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include <string.h>

struct allocations_state {
	struct allocation_rows rows; /* v->made, which the cells read */
	struct recording_view source;
	enum allocation_grouping grouping;
	struct view_ops ops; /* v->ops: by grouping, and what is known */
};

static const char no_samples[] =
    "no allocation has been sampled: there is about one sample in 100 KB allocated; :processes "
    "lists other programs";

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct allocation_rows *rows = v->made;

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = allocation_row_key(rows, item, rows->grouping);
}

/* --- life and rows -------------------------------------------------------- */

static void
set_title(struct view *v)
{
	const struct allocations_state *state = v->state;

	snprintf(v->title, sizeof v->title, "allocations %s",
		 state->grouping == ALLOCATIONS_BY_TYPE ? "types" : "sites");
}

/* Columns by grouping; those of what stays alive only if that is known. */
static void
choose_columns(struct view_ops *ops, const struct allocation_rows *rows)
{
	bool is_known = rows->of && rows->of->facts.survival.collections;

	ops->table =
	    rows->grouping == ALLOCATIONS_BY_TYPE ? &allocations_by_type_table : &allocations_table;
	ops->words.unavailable =
	    is_known ? NULL : "living,unconfirmed,unknown,oldest,growth,growth_error";
	ops->words.no_rows =
	    rows->of && recorded_lacks(&rows->of->facts.recorded, RECORDED_ALLOCATIONS)
		? "the trace has no allocation samples; :gcs shows its collections"
		: no_samples;
	ops->words.unavailable_why = is_known ? NULL : "no collection has reported survivors";
}

static bool
allocations_open(struct view *v, struct error *err)
{
	struct allocations_state *state = arena_new(&v->arena, struct allocations_state, err);

	v->state = state;
	if (!state || !recording_view_open(&state->source, v->session, err))
		return false;
	if (!strcmp(v->target.topic, "types"))
		state->grouping = ALLOCATIONS_BY_TYPE;
	state->ops = *v->ops;
	v->ops = &state->ops;
	v->made = &state->rows;
	state->rows.grouping = state->grouping;
	choose_columns(&state->ops, &state->rows);
	set_title(v);
	return true;
}

static void
allocations_close(struct view *v)
{
	struct allocations_state *state = v->state;

	v->made = NULL;
	if (!state)
		return;
	allocation_rows_clear(&state->rows);
	recording_view_close(&state->source);
}

/* Rows that a job makes. */
struct making {
	struct allocations *of; /* held */
	enum allocation_grouping grouping;
	const char *my_modules;
	/* A copy of the view that has the new rows, to sort and filter them. It has no session, as
	   the cells read none and this one may change. */
	struct view view;
	struct session no_session;
	struct view_ops ops;
	struct allocation_rows rows;
	uint32_t *items;
	size_t count;
};

static bool
run_making(void *context, struct progress *progress, struct error *err)
{
	struct making *m = context;

	if (!allocation_rows_make(&m->rows, m->of, m->grouping, m->my_modules, progress, err))
		return false;
	choose_columns(&m->ops, &m->rows);
	m->view.session = &m->no_session;
	m->view.made = &m->rows;
	m->view.ops = &m->ops;
	m->count = m->rows.count;
	m->items = view_all_items(m->count, err);
	return m->items && view_arrange(&m->view, m->items, &m->count, row_of_item, progress, err);
}

/* The key of the type that a selected site shows, or of the site of a type. */
static uint64_t
other_key(const struct view *v, enum allocation_grouping grouping)
{
	struct row row;

	return view_selected(v, &row) ? allocation_row_key(v->made, (uint32_t)row.data, grouping)
				      : 0;
}

static void
take_made(struct view *v, void *context, bool ok)
{
	struct allocations_state *state = v->state;
	struct making *m = context;

	if (ok) {
		bool is_turned = state->rows.grouping != m->rows.grouping;
		uint64_t key = other_key(v, m->rows.grouping);

		allocation_rows_clear(&state->rows);
		state->rows = m->rows;
		choose_columns(&state->ops, &state->rows);
		recording_view_show(&state->source, m->of);
		view_take_items(v, m->items, m->count, state->rows.count);
		if (is_turned)
			view_select_key(v, key);
	} else {
		allocation_rows_clear(&m->rows);
		memory_free(m->items);
	}
	allocations_free(m->of);
	memory_free(m);
}

static bool
allocations_rows(struct view *v, struct error *err)
{
	struct allocations_state *state = v->state;
	const struct recording *r = state->source.of;
	struct making *m;

	if (!recording_view_check(&state->source, err))
		return false;
	if (!r->newest)
		return view_show_all(v, 0, err);
	m = memory_new(1, sizeof *m, err);
	if (!m)
		return false;
	m->of = allocations_hold(recording_shown(r));
	m->grouping = state->grouping;
	m->my_modules = v->session->my_modules;
	m->view = *v;
	m->ops = *v->ops;
	return view_run(v, "making rows", run_making, take_made, m, err);
}

/* Whether a capture of the heap forces a collection, and it is recorded. */
static bool
capture_collects(const struct view *v)
{
	const struct allocations_state *state = v->state;
	const struct snapshots *all = v->session->snapshots;

	return recording_is_on(state->source.of) && all && snapshots_pid(v->session) &&
	       !all->options.from_memory;
}

/* The screen adds its own words to a sentence. */
static const char *
addition(const struct view *v, enum sentence_topic topic)
{
	const struct allocations_state *state = v->state;

	if (topic == SENTENCE_TOTAL)
		return recording_end_text(state->source.of);
	return allocation_sentence_waits(state->source.shown, topic) && capture_collects(v)
		   ? "; c captures the heap, which forces one"
		   : "";
}

static bool
allocations_heading(const struct view *v, unsigned line, struct value *out)
{
	static const enum style styles[] = {
		[SENTENCE_TOTAL] = STYLE_DIM,
		[SENTENCE_ALIVE] = STYLE_DIM,
		[SENTENCE_GROWTH] = STYLE_NORMAL,
		[SENTENCE_DOUBT] = STYLE_WARNING,
	};
	const struct allocations_state *state = v->state;
	char text[ALLOCATION_TEXT_BYTES];
	enum sentence_topic topic;

	if (!state->source.shown || !allocation_sentence(&state->rows, line, &topic, text))
		return false;
	value_printf(out, styles[topic], "%s%s%s",
		     topic == SENTENCE_TOTAL ? recording_still_text(state->source.of) : "", text,
		     addition(v, topic));
	return true;
}

/* --- commands ------------------------------------------------------------- */

static bool
turn_grouping(const struct call *call, struct error *err)
{
	struct allocations_state *state = call->view->state;

	state->grouping =
	    state->grouping == ALLOCATIONS_BY_TYPE ? ALLOCATIONS_BY_SITE : ALLOCATIONS_BY_TYPE;
	set_title(call->view);
	return view_reload(call->view, err);
}

static bool
hold_still(const struct call *call, struct error *err)
{
	const struct allocations_state *state = call->view->state;
	struct recording *r = state->source.of;

	recording_turn_still(r);
	return view_reload(call->view, err);
}

static bool
count_anew(const struct call *call, struct error *err)
{
	const struct allocations_state *state = call->view->state;
	struct recording *r = state->source.of;

	if (!recording_is_on(r) || !r->from->is_live)
		return error_set(err, ERROR_USAGE, "no process is being recorded any more");
	recording_restart(r);
	return request_message(call, STYLE_STATUS, "counting from now on");
}

/* Opens `callers` or `callees`, as the command is named. */
static bool
open_stacks(const struct call *call, struct error *err)
{
	const struct allocations_state *state = call->view->state;
	struct target target = target_none;
	const char *name;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no row is selected");
	name = allocation_row_name(&state->rows, (uint32_t)row.data);
	if (!name)
		return error_set(err, ERROR_USAGE, "these allocations have no stack");
	snprintf(target.topic, sizeof target.topic, "%s", name);
	return request_open(call, call->command->name + strlen("show-"), &target);
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     bar      help, .run, then other fields */
	{ "show-callers", "Enter", "callers", "show the callers of this site, or of what allocates this type", .run = open_stacks, .replay = REPLAY_ROWS },
	{ "show-callees", "d",     "callees", "show what this site calls, down to the types; of a type, what leads to it", .run = open_stacks, .replay = REPLAY_ROWS },
	{ "restart", "z", "", "count from now on; what was counted before is forgotten", .run = count_anew },
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
		     .help = "what a process or trace allocates, by site or by type; of a process, "
			     "as it goes on" },
	.table = &allocations_table,
	.commands = commands,
	.words = { .no_rows = no_samples },
	.list = { .flags = VIEW_WITHOUT_HEAP | VIEW_LIVE | VIEW_GROWS | VIEW_QUERIES_PROCESSES,
		  .sort = "bytes" },
	.code = &allocations_code,
};
