/* The lines around the view: where one is, what heap it is, keys, status. */
#include "tui/app_state.h"
#include "tui/gc_text.h"
#include "tui/gcs.h"
#include "tui/describe.h"
#include "tui/format.h"
#include "tui/hints.h"
#include "tui/key_bar.h"
#include "tui/meter.h"
#include "tui/snapshots.h"
#include "tui/views.h"
#include <stdio.h>
#include <string.h>

enum {
	ROWS_LEAST = 5,
	COLUMNS_LEAST = 20,
	ROWS_FOR_FACTS = 8, /* fewer rows: the table is more useful */
	ROWS_FOR_METER = 20,
	MESSAGE_LINES = 4,
	LINE_BYTES = 1024
};

/* --- the title ----------------------------------------------------------- */

/* As many views as fit, the last ones; the current one always. */
static void
draw_title(const struct app *app, struct screen *s)
{
	struct line l = { s, 0, 0 };
	int width = text_width(app->session->name);
	const char *arrow = s->is_ascii ? " > " : " › ";
	size_t first = app->current;
	char cut[LINE_BYTES];

	screen_restyle(s, 0, 0, s->columns, STYLE_TITLE);
	for (size_t i = app->current + 1; i-- > 0;) {
		width += text_width(app->views[i]->title) + 3;
		if (i < app->current && width + 4 > s->columns)
			break;
		first = i;
	}
	line_add(&l, STYLE_TITLE, "%s", app->session->name);
	if (first)
		line_add(&l, STYLE_TITLE, "%s…", arrow);
	for (size_t i = first; i <= app->current; i++) {
		line_add(&l, STYLE_TITLE, "%s", arrow);
		line_add(&l, STYLE_TITLE, "%s",
			 text_fit(app->views[i]->title, s->columns - l.column,
				  cut, sizeof cut));
	}
}

/* --- facts of the heap --------------------------------------------------- */

struct fact {
	uint64_t count;   /* 0: not told */
	const char *what; /* '*': an s, but for one */
	enum style style;
	bool is_bytes, is_spare; /* spare: left out where room is short */
};
enum { FACTS_COUNT = 18 };

static void
list_facts(const struct session *session, struct fact facts[FACTS_COUNT])
{
	const struct heap *h = session->heap;
	const struct losses *l = &h->info.losses;
	const struct reach *reach = session->reach;
	uint64_t unreachable =
	    reach ? h->nodes_count - reach->reachable_count : 0;
	bool knows = describe_knows_roots(h);
	/* In memory it is garbage; in a capture a root may be missing. */
	uint64_t dead_bytes = h->memory && knows && reach
				  ? h->bytes_count - reach->reachable_bytes
				  : 0;
	const struct fact all[FACTS_COUNT] = {
		{ h->nodes_count, "object*", STYLE_NUMBER, false, false },
		{ h->bytes_count, "", STYLE_NUMBER, true, false },
		{ dead_bytes ? reach->reachable_bytes : 0, " live",
		  STYLE_NUMBER, true, false },
		{ dead_bytes, " dead", STYLE_NUMBER, true, false },
		{ h->refs_count, "reference*", STYLE_NUMBER, false, true },
		{ h->roots_count, "root*", STYLE_NUMBER, false, true },
		{ l->missing_bytes, " missing", STYLE_WARNING, true, false },
		{ l->damaged_nodes, "damaged", STYLE_WARNING, false, false },
		{ l->damaged_refs, "damaged reference*", STYLE_WARNING, false,
		  false },
		{ l->lost_nodes, "object* lost", STYLE_WARNING, false, false },
		{ l->lost_refs, "reference* lost", STYLE_WARNING, false,
		  false },
		{ l->lost_events, "event* lost", STYLE_WARNING, false, true },
		{ l->is_unfinished, "unfinished walk", STYLE_WARNING, false,
		  false },
		{ l->unnamed_types, "type* without a name", STYLE_WARNING,
		  false, false },
		{ l->undefined_nodes, "undefined", STYLE_WARNING, false,
		  false },
		{ h->memory || !knows ? 0 : unreachable, "without a root",
		  STYLE_NUMBER, false, false },
		{ l->made_up_addresses, "without address", STYLE_WARNING, false,
		  false },
		{ h->info.warnings_count, "warning* (:summary)", STYLE_WARNING,
		  false, false },
	};

	memcpy(facts, all, sizeof all);
}

static const char *
fact_text(const struct fact *fact, char out[64])
{
	char number[FORMAT_BYTES];
	const char *star = fact->what + strcspn(fact->what, "*");

	if (fact->is_bytes)
		snprintf(out, 64, "%s%s", format_size(fact->count, number),
			 fact->what);
	else
		snprintf(out, 64, "%s %.*s%s%s",
			 format_count(fact->count, number),
			 (int)(star - fact->what), fact->what,
			 *star && fact->count != 1 ? "s" : "",
			 star + (*star == '*'));
	return out;
}

static const char sampled[] = "SAMPLED, estimates: ";
static const char preferred[] = "statics preferred";

/* All that follows is told without it. */
static void
ignored_text(const struct session *session, char out[64])
{
	const struct what_if *w = &session->what_if;
	char count[FORMAT_BYTES], size[FORMAT_BYTES];

	snprintf(out, 64, "%s IGNORED, %s freed: ",
		 format_count(w->shown.items_count, count),
		 format_size(w->freed.bytes, size));
}

/* Stands first, where no cut turns it round; "": all that matter are known. */
static const char *
unrooted_text(const struct session *session)
{
	const struct heap *h = session->heap;

	if (!session->reach || describe_knows_roots(h) ||
	    session->reach->reachable_count == h->nodes_count)
		return "";
	return h->roots_count ? "SOME ROOTS UNKNOWN: " : "ROOTS UNKNOWN: ";
}

static void
draw_heap_facts(const struct session *session, struct line *l)
{
	struct fact facts[FACTS_COUNT];
	bool prefers = session->prefers_statics && session->reach &&
		       session->reach->static_tables_count;
	int width = prefers ? text_width(preferred) : 0;
	const char *comma = "";
	char text[64];

	list_facts(session, facts);
	for (int i = 0; i < FACTS_COUNT; i++)
		if (facts[i].count)
			width += text_width(fact_text(&facts[i], text)) + 2;
	if (session->what_if.shown.items_count) {
		ignored_text(session, text);
		width += text_width(text);
		line_add(l, STYLE_WARNING, "%s", text);
	}
	if (session->heap->info.is_sampled) {
		width += text_width(sampled);
		line_add(l, STYLE_WARNING, "%s", sampled);
	}
	width += text_width(unrooted_text(session));
	line_add(l, STYLE_WARNING, "%s", unrooted_text(session));
	for (int i = 0; i < FACTS_COUNT; i++) {
		if (!facts[i].count)
			continue;
		if (facts[i].is_spare && width > l->screen->columns) {
			width -= text_width(fact_text(&facts[i], text)) + 2;
			continue;
		}
		line_add(l, STYLE_DIM, "%s", comma);
		line_add(l, facts[i].style, "%s", fact_text(&facts[i], text));
		comma = ", ";
	}
	if (prefers && width <= l->screen->columns)
		line_add(l, STYLE_DIM, "%s%s", comma, preferred);
}

static void
draw_reading(const struct session *session, struct line *l)
{
	char seen[FORMAT_BYTES], more[256] = "";

	format_count(session->preview.objects_seen, seen);
	if (!session->preview.objects_seen)
		line_add(l, STYLE_WARNING, "still reading …");
	else
		line_add(l, STYLE_WARNING,
			 session->preview.is_final
			     ? "all %s objects are counted, still reading"
			     : "still reading: %s objects so far",
			 seen);
	if (session->loader.tell && session_is_loading(session))
		session->loader.tell(&session->loader, false, more,
				     sizeof more);
	if (*more)
		line_add(l, STYLE_DIM, ", %s", more);
}

static void
draw_gc_facts(const struct gcs *g, struct line *l)
{
	char text[GC_TEXT_BYTES];

	if (g->log.added || g->has_ended)
		line_add(l, STYLE_NORMAL, "%s",
			 gc_summary_short(&g->log.summary, text));
	else
		line_add(l, STYLE_DIM, "waiting for the first collection …");
}

static void
draw_facts(const struct app *app, struct screen *s, int row)
{
	const struct session *session = app->session;
	struct line l = { s, row, 0 };
	char seen[FORMAT_BYTES], total[FORMAT_BYTES];

	if (session->is_stopped && session->stopped_total)
		line_add(&l, STYLE_WARNING,
			 "stopped: %s of %s objects counted, no references",
			 format_count(session->stopped_seen, seen),
			 format_count(session->stopped_total, total));
	else if (session->is_stopped)
		line_add(&l, STYLE_WARNING,
			 "stopped: %s objects counted, no references",
			 format_count(session->stopped_seen, seen));
	else if (session->heap)
		draw_heap_facts(session, &l);
	else if (session->is_empty && session->gcs)
		draw_gc_facts(session->gcs, &l);
	else if (session->is_empty)
		line_add(&l, STYLE_DIM,
			 "Enter shows what a capture will cost, before "
			 "anything is done");
	else
		draw_reading(session, &l);
	if (l.column == s->columns)
		screen_put(s, row, l.column - 1, 1, STYLE_WARNING, "…");
}

/* --- the status line ----------------------------------------------------- */

/* "row 5 of 321", the filter: what the right end tells. */
static void
position_text(struct app *app, char *out, size_t out_size)
{
	const struct view *v = app_view(app);
	char row[FORMAT_BYTES], count[FORMAT_BYTES], unknown[48];
	size_t len = 0;

	out[0] = '\0';
	if (app->is_counting)
		len = (size_t)snprintf(out, out_size, "%u…  ", app->count);
	if (v->sort >= 0 && !v->widths[v->sort])
		len += (size_t)snprintf(out + len, out_size - len,
					"sorted by %s  ",
					v->ops->columns[v->sort].id);
	if (v->filter)
		len += (size_t)snprintf(
		    out + len, out_size - len, "&%.40s%s  ",
		    filter_text(v->filter),
		    filter_remark(v->filter, unknown, sizeof unknown));
	if (v->hits.count && v->hits.row == v->cursor &&
	    v->hits.rows_count == v->rows_count)
		len += (size_t)snprintf(out + len, out_size - len,
					"match %s of %s  ",
					format_count(v->hits.number, row),
					format_count(v->hits.count, count));
	if (v->rows_count)
		snprintf(out + len, out_size - len, "%s/%s",
			 format_count(v->cursor + 1, row),
			 format_count(v->rows_count, count));
}

/* Over as many rows as it needs: what is told must be told to its end. */
static void
draw_message(const struct app *app, struct screen *s, int row)
{
	char line[LINE_BYTES], more[LINE_BYTES];
	int width = s->columns, most = s->rows / 3, lines = 0;

	most = most < MESSAGE_LINES ? most : MESSAGE_LINES;
	if (app->tour.is_on)
		most = 1; /* what to press stands above it */
	if (text_line(app->message, width, most, line, sizeof line))
		width -= 2;
	while (lines < most &&
	       text_line(app->message, width, lines, line, sizeof line))
		lines++;
	for (int i = 0; i < lines; i++) {
		int at = row - lines + 1 + i, used;

		text_line(app->message, width, i, line, sizeof line);
		screen_printf(s, at, 0, s->columns, STYLE_STATUS, "%*s",
			      s->columns, "");
		used =
		    screen_put(s, at, 0, s->columns, app->message_style, line);
		if (i == most - 1 &&
		    text_line(app->message, width, most, more, sizeof more))
			screen_put(s, at, used, 2, app->message_style, " …");
	}
}

static void
draw_status(struct app *app, struct screen *s, int row)
{
	const struct view *v = app_view(app);
	const struct job *job = app_running_job(app);
	struct line l = { s, row, 0 };
	struct value name;
	char right[256], cut[LINE_BYTES];
	int room;

	screen_restyle(s, row, 0, s->columns, STYLE_STATUS);
	if (app->message[0] && text_width(app->message) > s->columns) {
		draw_message(app, s, row);
		return;
	}
	position_text(app, right, sizeof right);
	room = s->columns - text_width(right) - 2;
	if (app->message[0])
		line_add(&l, app->message_style, "%s", app->message);
	else if (job)
		meter_draw_job(&l, job);
	else if (app->hint)
		line_add(&l, STYLE_KEY, "%s",
			 text_fit(app->hint, room, cut, sizeof cut));
	else if (view_cut_name(v, &name))
		line_add(&l, name.style, "%s",
			 text_fit(name.text, room, cut, sizeof cut));
	if (l.column <= room)
		screen_put_right(s, row, room, s->columns - room, STYLE_STATUS,
				 right);
}

/* --- all ----------------------------------------------------------------- */

static void
draw_prompt(struct app *app, struct screen *s, int row)
{
	const struct prompt *p = app->prompts[app->prompt_kind];

	screen_put(s, row, 0, s->columns, STYLE_NORMAL, "");
	if (app->prompt_kind == PROMPT_COMMAND && app->settings->hints &&
	    prompt_is_plain(p))
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
	bool has_facts =
	    s->rows - panel >= ROWS_FOR_FACTS && app->settings->facts;
	bool has_meter = s->rows >= ROWS_FOR_METER && app->settings->meter &&
			 !app->session->is_empty;
	int status = s->rows - 1 - app->settings->bar;
	int top = 1 + has_facts + has_meter;
	struct area area = { top, 0, status - panel - top, s->columns };
	struct line meter = { s, top - 1, 0 };
	struct key_bar bar;

	draw_title(app, s);
	if (has_facts)
		draw_facts(app, s, 1);
	if (has_meter)
		meter_draw_heap(&meter, app->session, own_bytes(app));
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
	app->rows = app->columns = 0; /* nothing that could be clicked on */
	if (s->rows < ROWS_LEAST || s->columns < COLUMNS_LEAST) {
		screen_put(s, 0, 0, s->columns, STYLE_WARNING,
			   "too small: 20x5");
		return;
	}
	app->rows = s->rows;
	app->columns = s->columns;
	app_enter(app);
	app_update_view(app);
	draw_all(app, s);
	app_leave(app);
}
