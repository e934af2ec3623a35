/* Draws the lines around the view: title, facts on the heap, keys, status. */
#include "tui/app/state.h"
#include "model/gc/text.h"
#include "tui/session/gcs.h"
#include "tui/session/recording.h"
#include "model/base/format.h"
#include "tui/app/heap_facts.h"
#include "tui/app/hints.h"
#include "tui/app/key_bar.h"
#include "tui/widget/meter.h"
#include "tui/app/resume.h"
#include "tui/session/snapshots.h"
#include "model/base/text.h"
#include "tui/session/suspects.h"
#include "tui/tables/suspect_line.h"
#include "tui/widget/view_search.h"
#include "tui/app/views.h"
#include <stdio.h>
#include <string.h>

enum {
	ROWS_LEAST = 5,
	COLUMNS_LEAST = 20,
	ROWS_FOR_FACTS = 8, /* with fewer rows, the table is more useful */
	ROWS_FOR_METER = 20,
	MESSAGE_LINES = 4,
	ARROW_WIDTH = 3,
	ROWS_FOR_BOTH = 8, /* a message and the progress of a job */
	FILTER_SHOWN = 40, /* columns for a filter in the status line */
	LINE_BYTES = 1024
};

/* --- the title ------------------------------------------------------------ */

/* Returns whether view i is about another heap than the view below it. */
static bool
begins_heap(const struct app *app, size_t i)
{
	return i && app->views[i]->session != app->views[i - 1]->session;
}

/* Returns the width of the pane's title: at most a third of the line. */
static int
pane_columns(const struct app *app, int columns)
{
	int width;

	if (!app_shows_pane(app))
		return 0;
	width = text_width(app->pane->title) + ARROW_WIDTH;
	return width < columns / 3 ? width : columns / 3;
}

/* Returns the first view to name in the title, so that the current one fits. */
static size_t
first_titled(const struct app *app, int columns)
{
	size_t first = app->current;
	int width = 0;

	for (size_t i = app->current + 1; i-- > 0;) {
		int name = text_width(app->views[i]->session->name);

		width += text_width(app->views[i]->title) + ARROW_WIDTH;
		if (i < app->current && width + name + ARROW_WIDTH + 1 > columns)
			break;
		first = i;
		if (begins_heap(app, i))
			width += name + ARROW_WIDTH;
	}
	return first;
}

static void
draw_title(const struct app *app, struct screen *s)
{
	struct line l = { s, 0, 0 };
	const char *arrow = s->is_ascii ? " > " : " › ";
	int pane = pane_columns(app, s->columns);
	size_t first = first_titled(app, s->columns - pane);
	char cut[LINE_BYTES];

	screen_restyle(s, 0, 0, s->columns, STYLE_TITLE);
	line_add(&l, STYLE_TITLE, "%s", app->views[first]->session->name);
	if (first)
		line_add(&l, STYLE_TITLE, "%s…", arrow);
	for (size_t i = first; i <= app->current; i++) {
		int left;

		if (i > first && begins_heap(app, i))
			line_add(&l, STYLE_TITLE, "%s%s", arrow, app->views[i]->session->name);
		line_add(&l, STYLE_TITLE, "%s", arrow);
		left = s->columns - l.column;
		left -= pane < left / 2 ? pane : left / 2;
		line_add(&l, STYLE_TITLE, "%s",
			 text_fit(app->views[i]->title, left, cut, sizeof cut));
	}
	if (!app_shows_pane(app))
		return;
	line_add(&l, STYLE_TITLE, " │ ");
	line_add(&l, STYLE_TITLE, "%s",
		 text_fit(app->pane->title, s->columns - l.column, cut, sizeof cut));
}

/* --- the line about the heap ---------------------------------------------- */

static void
draw_reading(const struct session *session, struct line *l)
{
	char seen[FORMAT_BYTES], more[256] = "";

	format_count(session->preview.objects_seen, seen);
	if (!session->preview.objects_seen)
		line_add(l, STYLE_WARNING, "still reading …");
	else
		line_add(l, STYLE_WARNING,
			 session->preview.is_final ? "counted all %s objects, still reading"
						   : "still reading: %s objects so far",
			 seen);
	if (session->loader.describe && session_is_loading(session))
		session->loader.describe(&session->loader, false, more, sizeof more);
	if (*more)
		line_add(l, STYLE_DIM, ", %s", more);
}

static void
draw_gc_facts(const struct gcs *g, struct line *l)
{
	char text[GC_TEXT_BYTES];

	if (g->log.added || g->has_ended)
		line_add_words(l, STYLE_NORMAL, gc_summary_short(&g->log.summary, text));
	else
		line_add(l, STYLE_DIM, "waiting for the first collection …");
}

static void
draw_recording_facts(const struct recording *r, struct line *l)
{
	const struct allocations *a = r->newest;

	line_add(l, a ? STYLE_NORMAL : STYLE_DIM, "%s%s", r->has_ended ? "recorded " : "recording ",
		 a ? a->facts.who : "…");
	if (a)
		line_add(l, STYLE_NORMAL, ", %.0f s", allocations_seconds(a));
}

static void
draw_stopped(const struct session *s, struct line *l)
{
	bool is_all = s->stopped_seen == s->stopped_total;
	char seen[FORMAT_BYTES], total[FORMAT_BYTES + 8] = "";

	if (s->stopped_total && !is_all) {
		strcpy(total, " of ");
		format_count(s->stopped_total, total + strlen(total));
	}
	line_add(l, STYLE_WARNING, "stopped: %s%s%s objects counted", is_all ? "all " : "",
		 format_count(s->stopped_seen, seen), total);
	line_add(l, STYLE_WARNING, ", no references; %s",
		 s->loader.capture ? ":capture starts again" : ":read-again reads all");
}

static void
draw_facts(const struct app *app, struct screen *s, int row, bool says_memory)
{
	const struct session *session = app->session;
	struct line l = { s, row, 0 };
	if (session->is_stopped)
		draw_stopped(session, &l);
	else if (session->heap)
		heap_facts_draw(session, says_memory, &l);
	else if (session->is_empty && session->recording)
		draw_recording_facts(session->recording, &l);
	else if (session->is_empty && session->gcs)
		draw_gc_facts(session->gcs, &l);
	else if (session->is_empty && view_is(app_view(app), &view_processes))
		line_add(&l, STYLE_DIM,
			 "Enter shows what a capture would cost, without starting it");
	else if (!session->is_empty)
		draw_reading(session, &l);
	if (l.column == s->columns)
		screen_put(s, row, l.column - 1, 1, STYLE_WARNING, "…");
}

/* --- the status line ------------------------------------------------------ */

/* Writes the right end of the status line: count, order, filter and "5/321". */
static void
position_text(struct app *app, char *out, size_t out_size)
{
	const struct view *v = app_view(app);
	char row[FORMAT_BYTES], count[FORMAT_BYTES], unknown[48], cut[128];
	size_t len = 0;

	out[0] = '\0';
	if (app->is_counting)
		len = (size_t)snprintf(out, out_size, "%u…  ", app->count);
	if (v->sort >= 0 && !v->widths[v->sort])
		len += (size_t)snprintf(out + len, out_size - len, "sorted by %s %s  ",
					v->ops->table->columns[v->sort].id,
					v->is_descending ? "▼" : "▲");
	if (v->filter)
		len += (size_t)snprintf(
		    out + len, out_size - len, "&%s%s  ",
		    text_fit(filter_text(v->filter), FILTER_SHOWN, cut, sizeof cut),
		    filter_remark(v->filter, unknown, sizeof unknown));
	view_search_text(v, out + len, out_size - len);
	len += strlen(out + len);
	if (v->rows_count)
		snprintf(out + len, out_size - len, "%s/%s", format_count(v->cursor + 1, row),
			 format_count(v->rows_count, count));
}

enum { MESSAGE_BYTES = sizeof(((struct app *)0)->message) + 32 };

/* Marks a repeated message. */
static const char *
message_text(const struct app *app, char out[MESSAGE_BYTES])
{
	if (app->message_times < 2)
		return app->message;
	snprintf(out, MESSAGE_BYTES, "(%u×) %s", app->message_times, app->message);
	return out;
}

/* Draws a message, over several rows if it is long. */
static void
draw_message(const struct app *app, const char *text, struct screen *s, int row)
{
	char line[LINE_BYTES], more[LINE_BYTES];
	int width = s->columns, most = s->rows / 3, lines = 0;

	most = most < MESSAGE_LINES ? most : MESSAGE_LINES;
	if (app->tour.is_on)
		most = 1; /* the tour's panel is just above */
	if (text_line(text, width, most, line, sizeof line))
		width -= 2;
	while (lines < most && text_line(text, width, lines, line, sizeof line))
		lines++;
	for (int i = 0; i < lines; i++) {
		int at = row - lines + 1 + i, used;

		text_line(text, width, i, line, sizeof line);
		screen_printf(s, at, 0, s->columns, STYLE_STATUS, "%*s", s->columns, "");
		used = screen_put(s, at, 0, s->columns, app->message_style, line);
		if (i == most - 1 && text_line(text, width, most, more, sizeof more))
			screen_put(s, at, used, 2, app->message_style, " …");
	}
}

/* Returns whether the message is already shown in place of the rows. */
static bool
is_shown_above(const struct app *app, const struct view *v)
{
	return !v->rows_count && !strcmp(app->message, v->trouble);
}

/* Draws what is running; false if nothing is. */
static bool
draw_work(const struct app *app, struct line *l)
{
	const struct job *job = app_running_job(app);
	bool is_resuming = resume_is_running(app);

	if (is_resuming)
		line_add(l, STYLE_STATUS, "resuming the session%s", job ? ": " : " …; Esc stops");
	if (job)
		meter_draw_job(l, job);
	return job || is_resuming;
}

/* Draws what is known of the selected type without a walk: why its objects are alive. Its names are
   whole if there is room. */
static bool
draw_why(const struct view *v, struct line *l, int room)
{
	struct facts facts = session_facts(v->session);
	char text[FINDING_TEXT_BYTES];
	const struct finding *f;
	struct value name;
	struct row row;

	/* The heading of some views says so already. */
	if (v->is_waiting || v->ops->list.flags & VIEW_NAMES_SELECTED || !view_selected(v, &row) ||
	    row.node != NODE_NONE)
		return false;
	f = suspects_about(v->session, row.type);
	if (!f)
		return false;
	view_cell(v, table_name_column(v->ops->table), &row, &name);
	if (name.kind != VALUE_TEXT || name.text != facts_type_name(&facts, row.type))
		return false;
	facts.shows_short_names = false;
	line_add(l, STYLE_STATUS, "%s", suspect_line(&facts, f, room, text));
	return true;
}

/* Draws the hint for newcomers, or the selected row's name if it was cut. */
static void
draw_hint(const struct app *app, struct line *l, int room)
{
	char cut[LINE_BYTES];
	struct value name;

	if (app->hint)
		line_add(l, STYLE_KEY, "%s", text_fit(app->hint, room, cut, sizeof cut));
	else if (!draw_why(app_view(app), l, room) && view_cut_name(app_view(app), &name))
		line_add(l, name.style, "%s", text_fit(name.text, room, cut, sizeof cut));
}

static void
draw_status(struct app *app, struct screen *s, int row)
{
	const struct view *v = app_view(app);
	bool has_message = app->message[0] && (app->message_times > 1 || !is_shown_above(app, v));
	struct line l = { s, row, 0 };
	char right[512], again[MESSAGE_BYTES];
	const char *message = message_text(app, again);
	int room;

	screen_restyle(s, row, 0, s->columns, STYLE_STATUS);
	/* During the tour, its panel occupies the row above. */
	if (has_message && !app->is_prompting && !app->tour.is_on && s->rows >= ROWS_FOR_BOTH &&
	    draw_work(app, &l)) {
		draw_message(app, message, s, row - 1);
		return;
	}
	if (has_message && (app->is_prompting || text_width(message) > s->columns)) {
		draw_message(app, message, s, row - app->is_prompting);
		return;
	}
	position_text(app, right, sizeof right);
	room = s->columns - text_width(right) - 2;
	if (has_message)
		line_add(&l, app->message_style, "%s", message);
	else if (!draw_work(app, &l))
		draw_hint(app, &l, room);
	if (l.column <= room)
		screen_put_right(s, row, room, s->columns - room, STYLE_STATUS, right);
}

/* --- the whole screen ----------------------------------------------------- */

static void
draw_prompt(struct app *app, struct screen *s, int row)
{
	const struct prompt *p = app->prompts[app->prompt_kind];

	screen_put(s, row, 0, s->columns, STYLE_NORMAL, "");
	if (app->prompt_kind == PROMPT_COMMAND && app->settings->hints && prompt_is_plain(p))
		hints_draw(app_view(app)->ops, prompt_line(p), s, row);
	prompt_draw(p, s, row);
}

static uint64_t
own_bytes(struct app *app)
{
	if (!app->term)
		return 0;
	if (!app->own_bytes || app->own_version != app->session->version ||
	    app->own_views != app->views_count) {
		app->own_bytes = meter_own_bytes();
		app->own_version = app->session->version;
		app->own_views = app->views_count;
	}
	return app->own_bytes;
}

static void
draw_all(struct app *app, struct screen *s)
{
	int panel = tour_lines(app, s->columns);
	bool has_facts = s->rows - panel >= ROWS_FOR_FACTS && app->settings->facts;
	bool says_memory, has_meter = s->rows >= ROWS_FOR_METER && app->settings->meter &&
				      !app->session->is_empty;
	int status = s->rows - 1 - app->settings->bar;
	int top = 1 + has_facts + has_meter;
	struct area area = { .row = top,
			     .height = status - panel - top,
			     .width = s->columns,
			     .is_read_aloud = app->settings->linear };
	struct line meter = { s, top - 1, 0 };
	struct key_bar bar;

	draw_title(app, s);
	says_memory = has_meter && meter_draw(&meter, app->session, own_bytes(app));
	if (has_facts)
		draw_facts(app, s, 1, says_memory);
	app_draw_views(app, s, area, !app->is_prompting && !app->menu.is_open);
	if (panel)
		tour_draw(app, s, status - panel);
	draw_status(app, s, status);
	if (app->settings->bar) {
		key_bar_fill(&bar, app, s->columns);
		key_bar_draw(&bar, s, s->rows - 1);
	}
	if (app->menu.is_open)
		menu_draw(&app->menu, s);
	if (app->is_prompting)
		draw_prompt(app, s, status);
}

void
app_draw(struct app *app, struct screen *s)
{
	screen_clear(s);
	app->rows = app->columns = 0; /* ignore clicks until it is drawn */
	if (s->rows < ROWS_LEAST || s->columns < COLUMNS_LEAST) {
		screen_put(s, 0, 0, s->columns, STYLE_WARNING, "needs 20x5");
		return;
	}
	app->rows = s->rows;
	app->columns = s->columns;
	app_enter(app);
	app_update_view(app);
	draw_all(app, s);
	app_leave(app);
}
