#include "tui/tables/gc_chart.h"

#include "model/base/format.h"
#include "model/base/text.h"
#include "model/gc/table.h"
#include <inttypes.h>

enum {
	AXIS = 13,         /* columns of "1,234.56 ms " and the axis */
	ACROSS_LEAST = 10, /* collections */
	PANEL_LEAST = 2,   /* lines */
	TIMES_FROM = 12,   /* least lines with one for times… */
	DETAIL_FROM = 10,  /* …and with two for the selected collection */
	WIDE = 100,        /* columns in which one line is enough */
	STEPS = 8,         /* steps per cell */
};

/* Lines from the top of the picture. */
struct chart {
	int heap_lines, pause_lines; /* heights of the two panels */
	int generations, times;      /* lines of each; times 0: no line */
	int detail, detail_lines;
	int across; /* columns for collections */
};

static struct chart
chart_of(const struct view *v)
{
	int height = v->rows_shown + 1, panels;
	struct chart c = { .across = v->area.width - AXIS };

	c.detail_lines = v->area.width < WIDE && height >= DETAIL_FROM ? 2 : 1;
	panels = height - 1 - c.detail_lines - (height >= TIMES_FROM);
	c.heap_lines = (panels + 1) / 2;
	c.pause_lines = panels / 2;
	c.generations = panels;
	c.times = height >= TIMES_FROM ? panels + 1 : 0;
	c.detail = height - c.detail_lines;
	return c;
}

bool
gc_chart_layout(struct view *v)
{
	struct chart c = chart_of(v);
	size_t across = (size_t)c.across;

	if (c.across < ACROSS_LEAST || c.pause_lines < PANEL_LEAST)
		return false;
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count - 1;
	if (v->top > v->cursor)
		v->top = v->cursor;
	if (v->cursor >= v->top + across)
		v->top = v->cursor - across + 1;
	if (v->top + across > v->rows_count)
		v->top = v->rows_count > across ? v->rows_count - across : 0;
	return true;
}

static const struct gc_record *
record_of(const struct view *v, size_t index)
{
	const struct gc_cells *cells = v->state;
	struct row row;

	view_row(v, index, &row);
	return gc_log_at(cells->log, row.data);
}

/* --- the two panels ------------------------------------------------------- */

struct panel {
	const char *name;
	uint64_t (*value)(const struct gc_record *r);
	const char *(*format)(uint64_t value, char out[FORMAT_BYTES]);
	const char *unit; /* after the number */
	int line, height;
	uint64_t most; /* value at the upper edge */
};

static uint64_t
after_of(const struct gc_record *r)
{
	return r->after;
}

static uint64_t
pause_of(const struct gc_record *r)
{
	return r->pause_ns;
}

/* Draws a bar, rounded to an eighth of a cell; every value but 0 is visible. */
static void
draw_bar(struct screen *s, const struct panel *p, int column, uint64_t value)
{
	static const char *const cells[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double share = p->most ? (double)value / (double)p->most : 0;
	int steps = (int)(share * p->height * STEPS + 0.5);
	int line = p->line + p->height - 1;

	if (value == GC_UNKNOWN) {
		screen_put(s, line, column, 1, STYLE_DIM, "?");
		return;
	}
	if (value && !steps)
		steps = 1;
	for (; steps > 0; steps -= STEPS, line--)
		screen_put(s, line, column, 1, STYLE_BAR, cells[steps < STEPS ? steps : STEPS]);
}

static void
draw_axis(const struct view *v, struct screen *s, const struct panel *p)
{
	int column = v->area.column, last = p->line + p->height - 1;
	char number[FORMAT_BYTES], text[2 * FORMAT_BYTES];

	snprintf(text, sizeof text, "%s%s", p->format(p->most, number), p->unit);
	screen_put_right(s, p->line, column, AXIS - 1, STYLE_NUMBER, text);
	if (p->height > PANEL_LEAST)
		screen_put_right(s, p->line + 1, column, AXIS - 1, STYLE_HEADER, p->name);
	if (p->height > PANEL_LEAST)
		snprintf(text, sizeof text, "%s%s", p->format(0, number), p->unit);
	else
		snprintf(text, sizeof text, "%s", p->name);
	screen_put_right(s, last, column, AXIS - 1, STYLE_NUMBER, text);
	for (int line = p->line; line <= last; line++)
		screen_put(s, line, column + AXIS - 1, 1, STYLE_DIM, "│");
}

static int
shown_count(const struct view *v, const struct chart *c)
{
	return v->rows_count - v->top < (size_t)c->across ? (int)(v->rows_count - v->top)
							  : c->across;
}

/* Returns a collection's screen column; older ones are further left. */
static int
column_of(const struct view *v, const struct chart *c, bool is_newest_first, size_t index)
{
	int from_top = (int)(index - v->top);

	return v->area.column + AXIS +
	       (is_newest_first ? shown_count(v, c) - 1 - from_top : from_top);
}

static size_t
last_shown(const struct view *v, const struct chart *c)
{
	size_t end = v->top + (size_t)c->across;

	return end < v->rows_count ? end : v->rows_count;
}

static void
draw_panel(const struct view *v, struct screen *s, const struct chart *c, bool is_newest_first,
	   struct panel *p)
{
	for (size_t i = 0; i < v->rows_count; i++) {
		uint64_t value = p->value(record_of(v, i));

		if (value != GC_UNKNOWN && value > p->most)
			p->most = value;
	}
	draw_axis(v, s, p);
	for (size_t i = v->top; i < last_shown(v, c); i++)
		draw_bar(s, p, column_of(v, c, is_newest_first, i), p->value(record_of(v, i)));
}

/* --- below them ----------------------------------------------------------- */

static void
draw_generations(const struct view *v, struct screen *s, const struct chart *c,
		 bool is_newest_first, int line, bool has_focus)
{
	screen_put_right(s, line, v->area.column, AXIS - 1, STYLE_HEADER, "generation");
	for (size_t i = v->top; i < last_shown(v, c); i++) {
		int column = column_of(v, c, is_newest_first, i);

		screen_printf(s, line, column, 1, STYLE_NUMBER, "%" PRIu32,
			      record_of(v, i)->generation);
		if (i == v->cursor)
			screen_restyle(s, line, column, 1, has_focus ? STYLE_CURSOR : STYLE_TAGGED);
	}
	if (has_focus)
		s->cursor_row = line;
}

static void
draw_times(const struct view *v, struct screen *s, const struct chart *c, bool is_newest_first,
	   int line)
{
	size_t top = v->top, last = last_shown(v, c) - 1;
	char from[GC_TIME_BYTES], to[GC_TIME_BYTES];
	int column = v->area.column + AXIS, width;

	gc_time_text(record_of(v, is_newest_first ? last : top)->time, from);
	gc_time_text(record_of(v, is_newest_first ? top : last)->time, to);
	width = column_of(v, c, is_newest_first, is_newest_first ? top : last) - column + 1;
	screen_put(s, line, column, c->across, STYLE_DIM, from);
	if (width >= text_width(from) + text_width(to) + 1)
		screen_put_right(s, line, column, width, STYLE_DIM, to);
}

/* Writes a number, or "unknown" if the runtime did not report it. */
static const char *
known(uint64_t value, const char *(*format)(uint64_t, char *), const char *unit,
      char out[2 * FORMAT_BYTES])
{
	char text[FORMAT_BYTES];

	if (value == GC_UNKNOWN)
		snprintf(out, 2 * FORMAT_BYTES, "unknown");
	else
		snprintf(out, 2 * FORMAT_BYTES, "%s%s", format(value, text), unit);
	return out;
}

/* A single narrow line has room for only the two bars' values. */
static void
detail_text(const struct gc_record *r, bool is_brief, char *out, size_t out_size)
{
	char pause[2 * FORMAT_BYTES], before[2 * FORMAT_BYTES], after[2 * FORMAT_BYTES],
	    time[GC_TIME_BYTES];
	int len;

	known(r->pause_ns, format_ms, " ms", pause);
	known(r->before, format_size, "", before);
	known(r->after, format_size, "", after);
	len = snprintf(out, out_size, "#%" PRIu32 " gen%" PRIu32 " paused %s, ", r->number,
		       r->generation, pause);
	out += len;
	out_size -= (size_t)len;
	if (is_brief)
		snprintf(out, out_size, "%s after", after);
	else
		snprintf(out, out_size, "heap %s after it, %s before; %s", after, before,
			 *gc_time_text(r->time, time) ? time : "time unknown");
}

static void
draw_detail(const struct view *v, struct screen *s, const struct chart *c, int line)
{
	bool is_brief = c->detail_lines == 1 && v->area.width < WIDE;
	char text[512];

	detail_text(record_of(v, v->cursor), is_brief, text, sizeof text);
	view_draw_summary(v, s, line, c->detail_lines, text);
}

void
gc_chart_draw(const struct view *v, struct screen *s, bool is_newest_first, bool has_focus)
{
	struct chart c = chart_of(v);
	int first = v->area.row + v->heading_lines;
	struct panel heap = { .name = "heap after",
			      .value = after_of,
			      .format = format_size,
			      .unit = "",
			      .line = first,
			      .height = c.heap_lines };
	struct panel pause = { .name = "pause",
			       .value = pause_of,
			       .format = format_ms,
			       .unit = " ms",
			       .line = first + c.heap_lines,
			       .height = c.pause_lines };

	draw_panel(v, s, &c, is_newest_first, &heap);
	draw_panel(v, s, &c, is_newest_first, &pause);
	draw_generations(v, s, &c, is_newest_first, first + c.generations, has_focus);
	if (c.times)
		draw_times(v, s, &c, is_newest_first, first + c.times);
	draw_detail(v, s, &c, first + c.detail);
}

size_t
gc_chart_pick(const struct view *v, int line, int column, bool is_newest_first)
{
	struct chart c = chart_of(v);
	int shown = shown_count(v, &c), at = column - v->area.column - AXIS;

	if (line >= c.detail || at < 0 || at >= shown)
		return SIZE_MAX;
	return v->top + (size_t)(is_newest_first ? shown - 1 - at : at);
}
