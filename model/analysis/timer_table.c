/* Timers as a table: when each is due, and what it calls with which state. */
#include "model/table/object_columns.h"
#include "model/analysis/tables.h"
#include "model/analysis/timers.h"
#include "model/base/format.h"
#include <stdlib.h>
#include <string.h>

enum { KINDS_SHOWN = 3 };

/* Timers that call one method with states of one type. */
struct timer_kind {
	const char *method;    /* borrowed from the timers; "" if unknown */
	type_id target, state; /* TYPE_NONE if there is none */
	uint32_t count;
};

struct made {
	struct timers timers;
	struct timer_kind *kinds; /* sorted by count, descending */
	uint32_t kinds_count;
};

/* --- making rows --------------------------------------------------------- */

static type_id
type_of(const struct heap *h, node_id n)
{
	return n == NODE_NONE ? TYPE_NONE : heap_type_of(h, n);
}

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

static bool
count_kinds(struct made *m, const struct heap *h, struct error *err)
{
	const struct timers *t = &m->timers;
	uint32_t kinds = 0;

	m->kinds = memory_new((size_t)t->count + 1, sizeof(*m->kinds), err);
	if (!m->kinds)
		return false;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct timer *timer = &t->items[i];

		m->kinds[i] = (struct timer_kind){
			.method = timer->method,
			.target = *timer->method ? TYPE_NONE : type_of(h, timer->target),
			.state = type_of(h, timer->state),
			.count = 1,
		};
	}
	qsort(m->kinds, t->count, sizeof(*m->kinds), compare_kinds);
	for (uint32_t i = 0; i < t->count; i++)
		if (kinds && !compare_kinds(&m->kinds[kinds - 1], &m->kinds[i]))
			m->kinds[kinds - 1].count++;
		else
			m->kinds[kinds++] = m->kinds[i];
	qsort(m->kinds, kinds, sizeof(*m->kinds), compare_counts);
	m->kinds_count = kinds;
	return true;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct made *m = made;

	(void)about;
	return timers_find(f->heap, &m->timers, progress, err) && count_kinds(m, f->heap, err);
}

static void
clear(void *made)
{
	struct made *m = made;

	timers_clear(&m->timers);
	memory_free(m->kinds);
}

/* --- cells ---------------------------------------------------------------- */

static const struct timer *
timer_of(const struct cells *in, const struct row *row)
{
	const struct made *m = in->rows;

	return &m->timers.items[row->data];
}

static void
show_type(const struct cells *in, node_id n, const char *none, struct value *out)
{
	if (n == NODE_NONE)
		value_text(out, STYLE_DIM, none);
	else
		facts_type_cell(in->facts, heap_type_of(in->facts->heap, n), out);
}

static const char *const lists[] = {
	[TIMER_SHORT] = "short",
	[TIMER_LONG] = "long",
	[TIMER_UNSET] = "not set",
	[TIMER_UNKNOWN] = "",
};

static uint64_t
number_period(const struct cells *in, const struct row *row)
{
	uint32_t period = timer_of(in, row)->period_ms;

	return period && period != TIMER_NEVER ? period : UINT64_MAX;
}

static void
cell_callback(const struct cells *in, const struct row *row, struct value *out)
{
	const struct timer *t = timer_of(in, row);

	if (*t->method)
		value_text(out, STYLE_NORMAL, t->method);
	else
		show_type(in, t->target, t->callback == NODE_NONE ? "" : "a static method", out);
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	show_type(in, timer_of(in, row)->state, "", out);
}

/* --- heading -------------------------------------------------------------- */

static void
put_count(const struct timers *t, struct value *out)
{
	char count[FORMAT_BYTES], set[FORMAT_BYTES];

	format_count(t->count, count);
	if (t->count && t->items[0].list == TIMER_UNKNOWN)
		value_printf(out, STYLE_NORMAL,
			     "%s timer%s; without field values it is unknown which are set, and "
			     "when they are due",
			     count, t->count == 1 ? "" : "s");
	else if (t->count == 1)
		value_printf(out, STYLE_NORMAL, "1 timer, %s",
			     t->set_count ? "and it is set" : "not set");
	else
		value_printf(out, STYLE_NORMAL, "%s timer%s, %s of them set", count,
			     t->count == 1 ? "" : "s", format_count(t->set_count, set));
}

static const char *
name_of(const struct facts *f, type_id type, const char *none)
{
	return type == TYPE_NONE ? none : facts_type_name(f, type);
}

static void
put_kind(const struct facts *f, const struct timer_kind *k, struct value *out)
{
	char count[FORMAT_BYTES];

	value_printf(out, STYLE_NORMAL, "%s × %.200s%s%.200s", format_count(k->count, count),
		     *k->method ? k->method : name_of(f, k->target, "a static method"),
		     k->state == TYPE_NONE ? "" : ", for ", name_of(f, k->state, ""));
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *m = in->rows;

	if (line == 0)
		put_count(&m->timers, out);
	else if (line <= KINDS_SHOWN && line <= m->kinds_count)
		put_kind(in->facts, &m->kinds[line - 1], out);
	else
		return false;
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title        width sorts cell          help                                                   rank flags           needs */
	{ "due_ms",   "Due ms",    12,   UP,   KNOWN_AT(VALUE_COUNT, struct timer, due_ms), "milliseconds from when it was set; blank: never, or unknown", 0, 0,    0 },
	{ "period_ms", "Every ms", 12,   UP,   NUMBER(VALUE_COUNT, number_period), "milliseconds between calls; blank: only once",        2, 0,              0 },
	{ "set",      "Set",       -7,   UP,   WORD_AT(STYLE_NORMAL, lists, struct timer, list), "short: due soon; long: due later",                    1, 0,              0 },
	{ "callback", "Callback",  FILL, UP,   CELL(VALUE_TEXT, cell_callback), "the method called, or the type of the object it belongs to",                   0, 0,              0 },
	{ "state",    "State",     -30,  UP,   CELL(VALUE_TEXT, cell_state),   "argument of the callback",                            1, 0,              0 },
	{ "address",  "Address",   14,   UP,   OBJECT_ADDRESS, "address of the timer",                                3, 0,              0 },
	{ "state_address", "State at", 14, UP, NODE_AT(struct timer, state), "address of the argument",                       4, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "looking for timers",
	ROWS_IN(struct made, timers.items, timers.count),
	ROW_NODE(struct timer, node),
	.make = make,
	.clear = clear,
};

const struct table timers_table = {
	.name = "timers",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
