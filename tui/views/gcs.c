/*
 * Garbage collections as they end, newest first. A cursor on the first row stays there when more
 * arrive; any other selected collection stays selected. `t` shows them as a chart while they are
 * sorted by number.
 */
#include "model/base/format.h"
#include "tui/session/gcs.h"
#include "tui/tables/gc_chart.h"
#include "model/gc/table.h"
#include "model/gc/text.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct gcs_state {
	struct gc_cells cells; /* must be first: see model/gc/table.h */
	uint64_t first;        /* record of item 0 */
	bool is_on_top;        /* the cursor stays on the first row */
	bool is_chart;         /* `t` asked for the chart */
};

/* --- rows ---------------------------------------------------------------- */

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	const struct gcs_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->data = out->key = state->first + item;
}

static bool
gcs_open(struct view *v, struct error *err)
{
	struct session *s = v->session;
	struct gcs_state *state = arena_new(&v->arena, struct gcs_state, err);

	v->state = state;
	if (!state)
		return false;
	if (!s->loader.collections)
		return error_set(err, ERROR_USAGE,
				 "collections can only be watched in a process: heaptop -g PID");
	if (!s->gcs)
		s->gcs = gcs_new(&s->loader, s->waker, err);
	if (!s->gcs)
		return false;
	state->cells.log = &s->gcs->log;
	return true;
}

/* An error in place of the rows. */
static bool
say_absent(const struct gc_summary *s, struct error *err)
{
	char text[GC_TEXT_BYTES];

	gc_summary_text(s, 0, text);
	error_set(err, ERROR_INPUT, "%s", text);
	err->is_absent = true;
	return false;
}

static bool
gcs_rows(struct view *v, struct error *err)
{
	struct gcs_state *state = v->state;
	const struct gc_log *log = state->cells.log;
	const struct error *ended = &v->session->gcs->err;
	size_t count = (size_t)(log->added - gc_log_first(log));
	uint32_t *shown;

	if (!count && ended->kind != ERROR_NONE) {
		*err = *ended;
		return false;
	}
	if (v->session->gcs->has_ended && gc_summary_is_absent(&log->summary))
		return say_absent(&log->summary, err);
	shown = view_all_items(count, err);
	if (!shown)
		return false;
	state->first = gc_log_first(log);
	if (!view_show_items(v, shown, count, err))
		return false;
	state->is_on_top = v->cursor == 0;
	return true;
}

static size_t
gcs_find(const struct view *v, uint64_t key)
{
	const struct gcs_state *state = v->state;

	if (state->is_on_top && v->rows_count)
		return 0;
	for (size_t i = 0; i < v->rows_count; i++)
		if (state->first + v->items[i] == key)
			return i;
	return SIZE_MAX;
}

/* --- the chart ------------------------------------------------------------ */

static bool
is_in_order(const struct view *v)
{
	return v->sort >= 0 && !strcmp(v->ops->table->columns[v->sort].id, v->ops->list.sort);
}

static bool
is_chart(const struct view *v)
{
	const struct gcs_state *state = v->state;

	return state->is_chart && is_in_order(v) && v->rows_count;
}

static bool
layout_chart(struct view *v)
{
	return is_chart(v) && gc_chart_layout(v);
}

static void
draw_chart(const struct view *v, struct screen *s, bool has_focus)
{
	gc_chart_draw(v, s, v->is_descending, has_focus);
}

static size_t
pick_collection(const struct view *v, int line, int column)
{
	return gc_chart_pick(v, line, column, v->is_descending);
}

/* --- heading -------------------------------------------------------------- */

enum { SPARK_MAX = 120, LABEL_WIDTH = 8, LARGEST_WIDTH = 18 };

/* A sparkline of the newest values that fit, the newest on the right. */
struct spark {
	uint64_t values[SPARK_MAX];
	int count;
	uint64_t largest;
};

static void
spark_fill(struct spark *s, const struct gc_log *log, int room,
	   uint64_t (*value_of)(const struct gc_record *r))
{
	uint64_t first = gc_log_first(log);

	if (room > SPARK_MAX)
		room = SPARK_MAX;
	if (room > 0 && log->added - first > (uint64_t)room)
		first = log->added - (uint64_t)room;
	*s = (struct spark){ 0 };
	for (uint64_t n = first; n < log->added && s->count < room; n++) {
		uint64_t value = value_of(gc_log_at(log, n));

		s->values[s->count++] = value;
		if (value != GC_UNKNOWN && value > s->largest)
			s->largest = value;
	}
}

/* Returns a block as high as the value is in eighths of the largest. A value above 0 has at least
   one eighth. */
static const char *
spark_cell(const struct spark *s, int i)
{
	static const char *const cells[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	enum { STEPS = 8 };
	uint64_t value = s->values[i];
	double share;

	if (value == GC_UNKNOWN || !s->largest)
		return cells[0];
	share = (double)value / (double)s->largest;
	return cells[value ? 1 + (int)(share * (STEPS - 1) + 0.5) : 0];
}

static void
spark_line(const struct spark *s, const char *label, const char *largest, struct value *out)
{
	struct text text = value_begin_text(out, STYLE_BAR);

	text_addf(&text, "%-*s", LABEL_WIDTH, label);
	for (int i = 0; i < s->count; i++)
		text_add(&text, spark_cell(s, i));
	text_addf(&text, " %s", largest);
}

static uint64_t
pause_of(const struct gc_record *r)
{
	return r->pause_ns;
}

static uint64_t
after_of(const struct gc_record *r)
{
	return r->after;
}

static bool
gcs_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct gcs *g = v->session->gcs;
	int room = v->area.width - LABEL_WIDTH - LARGEST_WIDTH;
	char size[FORMAT_BYTES], text[FORMAT_BYTES + 16];
	struct spark spark;

	if (is_chart(v) || !g->log.added)
		return !line && gcs_note(g, out);
	switch (line) {
	case 0:
		spark_fill(&spark, &g->log, room, pause_of);
		snprintf(text, sizeof text, "%s ms at most", format_ms(spark.largest, size));
		spark_line(&spark, "pauses", text, out);
		return true;
	case 1:
		spark_fill(&spark, &g->log, room, after_of);
		snprintf(text, sizeof text, "%s at most", format_size(spark.largest, size));
		spark_line(&spark, "heap", text, out);
		return true;
	case 2:
		return gcs_note(g, out);
	default:
		return false;
	}
}

/* --- commands ------------------------------------------------------------ */

static bool
open_collection(const struct call *call, struct error *err)
{
	const struct gcs_state *state = call->view->state;
	struct target target = target_none;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no collection is selected");
	snprintf(target.topic, sizeof target.topic, "%" PRIu32,
		 gc_log_at(state->cells.log, row.data)->number);
	return request_open(call, "gc", &target);
}

static bool
turn_chart(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct gcs_state *state = v->state;

	state->is_chart = !is_chart(v);
	return !state->is_chart || is_in_order(v) ||
	       view_sort(v, column_by_id(v->ops->table->columns, v->ops->list.sort), err);
}

static void
gcs_replay(const struct view *v, replay_fn *add, void *to)
{
	if (is_chart(v))
		add(to, "chart");
}

/* Moves in the chart; the keys keep their meaning in the table. */
static bool
move(const struct call *call, struct error *err)
{
	const struct view *v = call->view;
	bool is_left = !strcmp(call->command->name, "older");

	(void)err;
	if (!v->is_picture)
		return request_command(call, is_left ? "left" : "right");
	view_move_by(call->view, is_left == v->is_descending ? 1 : -1);
	return true;
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys       bar       help, .run, then other fields */
	{ "open",  "Enter",   "expand", "show this collection by generation and heap", .run = open_collection, .replay = REPLAY_ROWS },
	{ "chart", "t",       "chart",  "switch between a chart of heap sizes and pauses, and the table", .run = turn_chart, .replay = REPLAY_ROWS },
	{ "older", "h Left",  "",       "go to the collection on the left in the chart", .run = move },
	{ "newer", "l Right", "",       "go to the collection on the right in the chart", .run = move },
	{ 0 },
};
/* clang-format on */

static const struct view_picture gcs_picture = {
	.layout = layout_chart,
	.draw = draw_chart,
	.pick = pick_collection,
};

static const struct view_code gcs_code = {
	.open = gcs_open,
	.rows = gcs_rows,
	.item_row = row_of_item,
	.find = gcs_find,
	.heading = gcs_heading,
	.replay = gcs_replay,
	.picture = &gcs_picture,
};

const struct view_ops view_gcs = {
	.command = { .name = "gcs",
		     .keys = "7",
		     .help = "garbage collections; of a process, as they end" },
	.table = &gc_table,
	.commands = commands,
	.words = { .no_rows = "no collection has ended yet; a program must allocate to cause one; "
			      ":processes lists other programs" },
	.list = { .flags = VIEW_LIVE | VIEW_GROWS, .sort = "number" },
	.code = &gcs_code,
};
