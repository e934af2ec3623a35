#include "tui/tables/diff_columns.h"
#include "model/table/object_columns.h"
#include "model/heap/root_gaps.h"
#include <stdio.h>
#include <string.h>

enum {
	COLUMNS_BEFORE = 3, /* name, raw, module; then two per heap */
	COLUMNS_BEHIND = 9, /* changes, trend, state, survival */
	ID_BYTES = 20,
	RANK_LAST_SIZE = 4,
	RANK_BETWEEN = 8,
	COLUMN_NEVER = COLUMN_MACHINE | COLUMN_SCREEN,
	TREND_MAX = 16 /* heaps shown in a trend, the last ones */
};

/* --- cells --------------------------------------------------------------- */

static const struct diff_sum *
sums_of(const struct cells *in, const struct row *row)
{
	const struct diff_view *state = in->rows;

	return diff_sums(&state->diff, (uint32_t)row->data);
}

static uint32_t
last_heap(const struct cells *in)
{
	const struct diff_view *state = in->rows;

	return state->diff.heaps_count - 1;
}

static const void *
record(const struct cells *in, const struct row *row)
{
	const struct diff_view *state = in->rows;

	return &state->diff.rows[row->data];
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct diff_row *r = record(in, row);

	value_text(out, STYLE_TYPE, in->facts->shows_short_names ? r->short_name : r->name);
	if (*r->raw)
		out->also = r->raw;
}

static void
cell_count(const struct cells *in, const struct row *row, unsigned heap, struct value *out)
{
	if (heap > last_heap(in))
		value_blank(out);
	else
		value_count(out, sums_of(in, row)[heap].count);
}

static void
cell_size(const struct cells *in, const struct row *row, unsigned heap, struct value *out)
{
	if (heap > last_heap(in))
		value_blank(out);
	else
		value_bytes(out, sums_of(in, row)[heap].bytes);
}

static void
cell_count_delta(const struct cells *in, const struct row *row, struct value *out)
{
	const struct diff_sum *sums = sums_of(in, row);

	value_change(out, sums[0].count, sums[last_heap(in)].count);
}

static void
cell_size_delta(const struct cells *in, const struct row *row, struct value *out)
{
	const struct diff_sum *sums = sums_of(in, row);

	value_change_bytes(out, sums[0].bytes, sums[last_heap(in)].bytes);
}

static void
cell_live_delta(const struct cells *in, const struct row *row, struct value *out)
{
	const struct diff_view *state = in->rows;
	const struct diff_sum *sums = sums_of(in, row);
	uint32_t last = last_heap(in);
	const uint64_t *dead = state->diff.dead_bytes;

	if (!dead || !heap_knows_roots(state->heaps[0]) || !heap_knows_roots(state->heaps[last])) {
		value_blank(out);
		return;
	}
	dead += row->data * state->diff.heaps_count;
	value_change_bytes(out, sums[0].bytes - dead[0], sums[last].bytes - dead[last]);
}

/* Reads what the objects of a type retain in one heap. Returns false and fills `out` if that is
   unknown. */
static bool
retained_in(const struct diff_view *state, const struct row *row, uint32_t heap, uint64_t *bytes,
	    struct value *out)
{
	const struct session *s = state->c.sessions[heap];
	type_id type = state->diff.keys[row->data * state->diff.heaps_count + heap];

	*bytes = 0;
	if (session_unavailable(s, NEED_RETAINED))
		value_blank(out);
	else if (!(s->has & NEED_RETAINED))
		value_pending(out);
	else if (type != DIFF_NONE)
		*bytes = s->retention->types[type].bytes;
	return s->has & NEED_RETAINED;
}

static void
cell_retained_delta(const struct cells *in, const struct row *row, struct value *out)
{
	uint64_t first, last;

	if (retained_in(in->rows, row, 0, &first, out) &&
	    retained_in(in->rows, row, last_heap(in), &last, out))
		value_change_bytes(out, first, last);
}

/* Draws one block for each heap; a blank for no bytes. */
static void
cell_trend(const struct cells *in, const struct row *row, struct value *out)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct diff_sum *sums = sums_of(in, row);
	uint32_t end = last_heap(in) + 1;
	uint32_t first = end > TREND_MAX ? end - TREND_MAX : 0;
	char text[TREND_MAX * 3 + 1] = "";
	uint64_t most = 0;

	for (uint32_t h = first; h < end; h++)
		most = sums[h].bytes > most ? sums[h].bytes : most;
	for (uint32_t h = first; h < end; h++) {
		double part = most ? (double)sums[h].bytes / (double)most : 0;
		int level = (int)(part * 8);

		if (!level && sums[h].bytes)
			level = 1;
		strcat(text, blocks[level]);
	}
	value_printf(out, STYLE_BAR, "%s", text);
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	const struct diff_view *state = in->rows;
	enum diff_state s = diff_state(&state->diff, (uint32_t)row->data);

	if (s == DIFF_VARIES || s == DIFF_EQUAL)
		value_text(out, STYLE_DIM, diff_state_ids[s]);
	else
		value_text(out, STYLE_NORMAL, diff_state_ids[s]);
}

bool
diff_can_tell_new(const struct diff_view *state)
{
	return state->c.by == DIFF_TYPE &&
	       !session_unavailable(state->c.sessions[0], NEED_OBJECTS) &&
	       !session_unavailable(state->c.sessions[state->c.count - 1], NEED_OBJECTS);
}

/* Returns the fate of the row's objects, or NULL and fills `out`. */
static const struct survival_sum *
survival_of(const struct cells *in, const struct row *row, struct value *out)
{
	const struct diff_view *state = in->rows;

	value_blank(out);
	if (state->has_survival && state->survival.is_known)
		return &state->survival.rows[row->data];
	if (!state->has_survival && diff_can_tell_new(state))
		value_pending(out);
	return NULL;
}

enum fate { FATE_NEW, FATE_GONE, FATE_SURVIVED };

static void
cell_fate(const struct cells *in, const struct row *row, unsigned fate, struct value *out)
{
	const struct survival_sum *sum = survival_of(in, row, out);

	if (sum)
		value_count(out, fate == FATE_NEW    ? sum->new_count
				 : fate == FATE_GONE ? sum->gone_count
						     : sum->survived);
}

/* --- columns ------------------------------------------------------------- */

/* clang-format off */
static const struct column diff_columns[] = {
	/* id             title     width sorts     cell              help                                                   rank flags           needs */
	{ "type",         "Type",   FILL, UP,       CELL(VALUE_TEXT, cell_name),        "type, or the group compared",                         0, 0,              0 },
	{ "raw",          "Raw",    -40,  UP,       TEXT_AT(STYLE_TYPE, struct diff_row, raw),         "name of the type as spelled in the dump",                   9, COLUMN_MACHINE, 0 },
	MODULE_COLUMN(TEXT_AT(STYLE_DIM, struct diff_row, module), 10),
	{ "count_1",      "Count",  8,    DOWN,     CELL_AT(VALUE_COUNT, cell_count, 0), "objects in the first heap; count_2 in the second",       6, 0,              0 },
	{ "size_1",       "Size",   11,   DOWN,     CELL_AT(VALUE_BYTES, cell_size, 0), "their bytes; size_2 in the second, and so on",           5, 0,              0 },
	{ "count_delta",  "+Count", 8,    DOWN,     CELL(VALUE_CHANGE, cell_count_delta), "change in objects, from the first heap to the last",        2, 0,              0 },
	{ "size_delta",   "+Size",  11,   DOWN,     CELL(VALUE_CHANGE_BYTES, cell_size_delta),  "change in their bytes",                                    0, 0,              0 },
	{ "live_delta",   "+Live",  11,   DOWN,     CELL(VALUE_CHANGE_BYTES, cell_live_delta),  "change in their reachable bytes, of types",   3, COLUMN_MEMORY,  0 },
	{ "retained_delta", "+Retained", 11, DOWN, CELL(VALUE_CHANGE_BYTES, cell_retained_delta), "change in their retained bytes",   3, COLUMN_SCREEN | COLUMN_DEAR, NEED_RETAINED },
	{ "trend",        "Trend",  -5,   UNSORTED, CELL(VALUE_TEXT, cell_trend),       "bytes in each heap, scaled to the most in the row",  7, COLUMN_SCREEN | COLUMN_DRAWN, 0 },
	{ "new",          "New",    8,    DOWN,     CELL_AT(VALUE_COUNT, cell_fate, FATE_NEW), "objects of the last heap that are not in the first, if both are of one process; Enter lists them", 6, COLUMN_SCREEN | COLUMN_DEAR, NEED_OBJECTS },
	{ "gone",         "Gone",   8,    DOWN,     CELL_AT(VALUE_COUNT, cell_fate, FATE_GONE), "objects of the first heap that are not in the last",   7, COLUMN_SCREEN | COLUMN_DEAR, NEED_OBJECTS },
	{ "survived",     "Survived", 8,  DOWN,     CELL_AT(VALUE_COUNT, cell_fate, FATE_SURVIVED), "objects that are in both",   9, COLUMN_SCREEN | COLUMN_DEAR, NEED_OBJECTS },
	{ "state",        "",       -7,   UP,       CELL(VALUE_TEXT, cell_state),       "equal in all heaps; new: not in the first; gone: not in the last; passing: only in between; grows: more bytes in the last, never fewer than before; shrinks: the reverse; varies: up and down",      1, COLUMN_SCREEN,  0 },
	{ 0 },
};
const struct table diff_table = { .name = "diff", .columns = diff_columns, .record = record };
/* clang-format on */

/* Returns a name such as "count_3", in the arena. */
static const char *
numbered(struct view *v, const char *what, uint32_t number, struct error *err)
{
	char text[ID_BYTES];

	snprintf(text, sizeof text, "%s%u", what, number);
	return arena_strndup(&v->arena, text, strlen(text), err);
}

/* Middle heaps have the highest ranks, so their columns are dropped first. */
static bool
make_heap_columns(struct view *v, struct column *c, uint32_t heap, struct error *err)
{
	const struct diff_view *state = v->state;
	bool is_last = heap + 1 == state->c.count;

	c[0] = diff_columns[COLUMNS_BEFORE];
	c[1] = diff_columns[COLUMNS_BEFORE + 1];
	c[0].from.at = c[1].from.at = (unsigned short)heap;
	c[0].id = numbered(v, "count_", heap + 1, err);
	c[1].id = numbered(v, "size_", heap + 1, err);
	c[0].title = numbered(v, "Count ", state->c.numbers[heap], err);
	c[1].title = numbered(v, "Size ", state->c.numbers[heap], err);
	if (is_last) {
		c[1].rank = RANK_LAST_SIZE;
	} else if (heap) {
		c[0].rank = RANK_BETWEEN + 1;
		c[1].rank = RANK_BETWEEN;
	}
	return c[0].id && c[1].id && c[0].title && c[1].title;
}

/* Columns of heaps no longer compared are hidden but stay in the array, because sort and filter
   refer to columns by index. */
bool
diff_columns_rename(struct view *v, struct error *err)
{
	struct diff_view *state = v->state;
	struct column *c = state->columns + COLUMNS_BEFORE;

	for (uint32_t h = 0; h < state->c.count; h++, c += 2)
		if (!make_heap_columns(v, c, h, err))
			return false;
	for (; strcmp(c->id, diff_columns[COLUMNS_BEFORE + 2].id) != 0; c++)
		c->flags = COLUMN_NEVER;
	diff_columns_tell(v);
	return true;
}

bool
diff_columns_make(struct view *v, struct error *err)
{
	struct diff_view *state = v->state;
	size_t heaps = state->c.count;
	size_t count = COLUMNS_BEFORE + 2 * heaps + COLUMNS_BEHIND;

	state->columns = arena_array(&v->arena, struct column, count + 1, err);
	if (!state->columns)
		return false;
	memcpy(state->columns, diff_columns, COLUMNS_BEFORE * sizeof *diff_columns);
	memcpy(state->columns + count - COLUMNS_BEHIND, diff_columns + COLUMNS_BEFORE + 2,
	       COLUMNS_BEHIND * sizeof *diff_columns);
	state->ops = *v->ops;
	state->table = *v->ops->table;
	state->table.columns = state->columns;
	state->ops.table = &state->table;
	v->ops = &state->ops;
	return diff_columns_rename(v, err);
}

void
diff_columns_tell(struct view *v)
{
	struct diff_view *state = v->state;
	bool is_type = state->c.by == DIFF_TYPE;
	int retained = column_by_id(state->columns, "retained_delta");
	int live = column_by_id(state->columns, "live_delta");

	comparison_title(&state->c, v->title, sizeof v->title);
	state->columns[0].id = is_type ? "type" : "name";
	state->columns[0].title = is_type ? "Type" : "Name";
	for (int i = 1; i < COLUMNS_BEFORE; i++)
		state->columns[i].flags = is_type ? diff_columns[i].flags : COLUMN_NEVER;
	state->columns[live].flags =
	    is_type && (!state->is_made || state->diff.dead_bytes) ? COLUMN_MEMORY : COLUMN_NEVER;
	state->columns[retained].flags = is_type ? COLUMN_SCREEN | COLUMN_DEAR : COLUMN_NEVER;
	for (int i = column_by_id(state->columns, "new"); state->columns[i].needs == NEED_OBJECTS;
	     i++)
		state->columns[i].flags =
		    diff_can_tell_new(state) ? COLUMN_SCREEN | COLUMN_DEAR : COLUMN_NEVER;
}

void
diff_columns_order(struct view *v)
{
	const struct diff_view *state = v->state;

	if (!v->is_order_chosen)
		v->is_descending = state->last.bytes >= state->first.bytes;
}
