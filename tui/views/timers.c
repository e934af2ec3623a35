/*
 * Every timer: what it was set to, whom it calls with what. The heading counts
 * them by that. Enter looks into one.
 */
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "tui/widget/view.h"
#include "model/analysis/timers.h"
#include <stdlib.h>
#include <string.h>

enum { KINDS_SHOWN = 3 };

/* Timers that call one method with states of one type. */
struct timer_kind {
	const char *method;    /* borrowed of the timers; "" if unknown: */
	type_id target, state; /* or TYPE_NONE */
	uint32_t count;
};

struct timers_state {
	struct timers timers;
	struct timer_kind kinds[KINDS_SHOWN]; /* the most first */
	uint32_t kinds_count;                 /* of all */
	bool is_there;
};

static const struct timer *
timer_of(const struct timers_state *state, const struct row *row)
{
	return &state->timers.items[row->data];
}

static type_id
type_of(const struct heap *h, node_id n)
{
	return n == NODE_NONE ? TYPE_NONE : heap_type_of(h, n);
}

/* --- kinds ---------------------------------------------------------------- */

static int
compare_kinds(const void *x, const void *y)
{
	const struct timer_kind *a = x, *b = y;
	int order = strcmp(a->method, b->method);

	if (order)
		return order;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return (a->state > b->state) - (a->state < b->state);
}

static int
compare_counts(const void *x, const void *y)
{
	const struct timer_kind *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return compare_kinds(x, y);
}

/* What a worker makes. */
struct looking {
	const struct heap *heap;
	struct timers timers;
	struct timer_kind *kinds;
	uint32_t kinds_count;
};

static bool
count_kinds(struct looking *l, struct error *err)
{
	const struct timers *t = &l->timers;
	uint32_t kinds = 0;

	l->kinds = memory_new((size_t)t->count + 1, sizeof(*l->kinds), err);
	if (!l->kinds)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct timer *timer = &t->items[i];

		l->kinds[i] = (struct timer_kind){
			.method = timer->method,
			.target = *timer->method
				      ? TYPE_NONE
				      : type_of(l->heap, timer->target),
			.state = type_of(l->heap, timer->state),
			.count = 1,
		};
	}
	qsort(l->kinds, t->count, sizeof(*l->kinds), compare_kinds);
	for (uint32_t i = 0; i < t->count; i++)
		if (kinds && !compare_kinds(&l->kinds[kinds - 1], &l->kinds[i]))
			l->kinds[kinds - 1].count++;
		else
			l->kinds[kinds++] = l->kinds[i];
	qsort(l->kinds, kinds, sizeof(*l->kinds), compare_counts);
	l->kinds_count = kinds;
	return true;
}

/* --- rows ----------------------------------------------------------------- */

static void
row_of_timer(const struct view *v, uint32_t item, struct row *out)
{
	const struct timers_state *state = v->state;

	*out = row_of_node(v->session->heap, state->timers.items[item].node);
	out->kind = ROW_PLAIN;
	out->data = item;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct timers_state *state = v->state;

	return view_list_all(v, state->timers.count, err);
}

static bool
look(void *context, struct progress *progress, struct error *err)
{
	struct looking *l = context;

	return timers_find(l->heap, &l->timers, progress, err) &&
	       count_kinds(l, err);
}

static void
looking_done(struct view *v, void *context, bool ok)
{
	struct timers_state *state = v->state;
	struct looking *l = context;

	if (ok) {
		state->timers = l->timers;
		state->is_there = true;
		state->kinds_count = l->kinds_count;
		for (uint32_t i = 0; i < KINDS_SHOWN && i < l->kinds_count; i++)
			state->kinds[i] = l->kinds[i];
		v->is_stale = true;
	} else {
		timers_clear(&l->timers);
	}
	memory_free(l->kinds);
	memory_free(l);
}

static bool
start_looking(struct view *v, struct error *err)
{
	struct looking *l = memory_new(1, sizeof(*l), err);

	if (!l)
		return false;
	l->heap = v->session->heap;
	return view_run(v, "looking for timers", look, looking_done, l, err);
}

static bool
timers_rows(struct view *v, struct error *err)
{
	const struct timers_state *state = v->state;

	return view_after(v, state->is_there, start_looking, arrange, err);
}

/* --- cells ---------------------------------------------------------------- */

static void
show_time(uint32_t ms, struct value *out)
{
	if (ms == TIMER_NEVER)
		value_blank(out);
	else
		value_count(out, ms);
}

static void
show_type(const struct cells *in, node_id n, const char *none,
	  struct value *out)
{
	if (n == NODE_NONE)
		value_text(out, STYLE_DIM, none);
	else
		facts_type_cell(in->facts, heap_type_of(in->facts->heap, n),
				out);
}

static void
cell_due(const struct cells *in, const struct row *row, struct value *out)
{
	show_time(timer_of(in->rows, row)->due_ms, out);
}

static void
cell_period(const struct cells *in, const struct row *row, struct value *out)
{
	uint32_t period = timer_of(in->rows, row)->period_ms;

	show_time(period ? period : TIMER_NEVER, out);
}

static void
cell_list(const struct cells *in, const struct row *row, struct value *out)
{
	static const char *const lists[] = {
		[TIMER_SHORT] = "short",
		[TIMER_LONG] = "long",
		[TIMER_UNSET] = "not set",
		[TIMER_UNKNOWN] = "",
	};

	value_text(out, STYLE_NORMAL, lists[timer_of(in->rows, row)->list]);
}

static void
cell_callback(const struct cells *in, const struct row *row, struct value *out)
{
	const struct timer *t = timer_of(in->rows, row);

	if (*t->method)
		value_text(out, STYLE_NORMAL, t->method);
	else
		show_type(in, t->target,
			  t->callback == NODE_NONE ? "" : "a static method",
			  out);
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	show_type(in, timer_of(in->rows, row)->state, "", out);
}

static void
cell_state_address(const struct cells *in, const struct row *row,
		   struct value *out)
{
	node_id n = timer_of(in->rows, row)->state;

	if (n == NODE_NONE)
		value_blank(out);
	else
		value_address(out, heap_address(in->facts->heap, n));
}

/* --- heading -------------------------------------------------------------- */

static void
tell_count(const struct view *v, struct value *out)
{
	const struct timers_state *state = v->state;
	const struct timers *t = &state->timers;
	char count[FORMAT_BYTES], set[FORMAT_BYTES];

	format_count(t->count, count);
	if (t->count && t->items[0].list == TIMER_UNKNOWN)
		value_printf(out, STYLE_NORMAL,
			     "%s timer%s; there are no values: which are set, "
			     "and to what, is unknown",
			     count, t->count == 1 ? "" : "s");
	else if (t->count == 1)
		value_printf(out, STYLE_NORMAL, "1 timer, %s",
			     t->set_count ? "and it is set" : "not set");
	else
		value_printf(out, STYLE_NORMAL, "%s timer%s, %s of them set",
			     count, t->count == 1 ? "" : "s",
			     format_count(t->set_count, set));
}

static const char *
name_of(const struct view *v, type_id type, const char *none)
{
	return type == TYPE_NONE ? none : session_type_name(v->session, type);
}

static void
tell_kind(const struct view *v, const struct timer_kind *k, struct value *out)
{
	char count[FORMAT_BYTES];

	value_printf(
	    out, STYLE_NORMAL, "%s × %.200s%s%.200s",
	    format_count(k->count, count),
	    *k->method ? k->method : name_of(v, k->target, "a static method"),
	    k->state == TYPE_NONE ? "" : ", for ", name_of(v, k->state, ""));
}

static bool
timers_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct timers_state *state = v->state;

	if (!state->is_there) {
		value_pending(out);
		return line == 0;
	}
	if (line == 0)
		tell_count(v, out);
	else if (line <= KINDS_SHOWN && line <= state->kinds_count)
		tell_kind(v, &state->kinds[line - 1], out);
	else
		return false;
	return true;
}

/* --- the view ------------------------------------------------------------- */

static bool
timers_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct timers_state, err);
	return v->state != NULL;
}

static void
timers_close(struct view *v)
{
	struct timers_state *state = v->state;

	if (!state)
		return;
	timers_clear(&state->timers);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title        width sorts cell          help                                                   rank flags           needs */
	{ "due_ms",   "Due ms",    12,   UP,   CELL(VALUE_COUNT, cell_due),     "milliseconds from when it was set; blank: never, or unknown", 0, 0,    0 },
	{ "period_ms", "Every ms", 12,   UP,   CELL(VALUE_COUNT, cell_period),  "milliseconds from then on; blank: just once",         2, 0,              0 },
	{ "set",      "Set",       -7,   UP,   CELL(VALUE_TEXT, cell_list),    "in the queue's list of those soon due, or later",     1, 0,              0 },
	{ "callback", "Callback",  FILL, UP,   CELL(VALUE_TEXT, cell_callback), "the method that it calls, or the object whose method it is",                   0, 0,              0 },
	{ "state",    "State",     -30,  UP,   CELL(VALUE_TEXT, cell_state),   "what that method is given",                           1, 0,              0 },
	{ "address",  "Address",   14,   UP,   OBJECT_ADDRESS, "of the timer",                                        3, 0,              0 },
	{ "state_address", "State at", 14, UP, CELL(VALUE_ADDRESS, cell_state_address), "address of what the method is given",           4, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "timers", .columns = columns };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, and what differs from nothing */
	{ "enter", "Enter", "inspect", "look at this timer", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_timers = {
	.command = { .name = "timers",
		     .keys = "",
		     .bar = "",
		     .help = "timers: when they are due, whom they call with "
			     "what" },
	.empty = "the program has no timers; :async lists calls that wait for "
		 "something else",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.open = timers_open,
	.close = timers_close,
	.rows = timers_rows,
	.item_row = row_of_timer,
	.heading = timers_heading,
};
