#include "tui/app/linear.h"
#include "model/base/utf8.h"
#include "tui/app/state.h"
#include "model/base/format.h"
#include "tui/session/job.h"
#include "tui/app/resume.h"
#include "tui/term/tty.h"
#include "tui/app/views.h"
#include <stdarg.h>
#include <string.h>

enum {
	LINE_BYTES = 4096,
	TYPED_BYTES = 4096,
	LONG_MS = 1000, /* jobs that take longer are announced */
};

struct linear {
	struct line_term *term;
	struct screen *screen; /* hidden; determines what would fit */

	/* The state printed last, to find out what has changed. */
	uint64_t view; /* its number */
	struct session *session;
	bool had_heap;
	size_t rows_count;
	int sort;
	bool is_descending;
	char filter[256]; /* its text, possibly cut */
	char message[512];
	const char *work;    /* the running job; NULL: none */
	int64_t announce_at; /* deadline after which it is announced */
	bool has_announced_job;
	bool has_printed_tour; /* tour_step has been printed */
	unsigned tour_step;
	int tour_strayed;

	/* The row that was printed while values were missing. */
	bool is_incomplete;
	uint64_t incomplete_view; /* number of its view */
	uint64_t incomplete_row;  /* key of the row */

	bool is_asked; /* a key has not been answered yet */
	/* A line typed for the prompt, passed on key by key. */
	char typed[TYPED_BYTES];
	size_t typed_at, typed_len;
	int typed_end; /* the key that ended the line; 0: no line */
};

/* --- lines ---------------------------------------------------------------- */

struct line {
	char text[LINE_BYTES];
	size_t len;
};

static void line_add(struct line *l, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends text; what does not fit is cut. */
static void
line_add(struct line *l, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(l->text + l->len, sizeof l->text - l->len, format, args);
	va_end(args);
	l->len += len > 0 ? (size_t)len : 0;
	if (l->len >= sizeof l->text)
		l->len = sizeof l->text - 1;
}

static void say(const struct linear *l, const char *format, ...) PRINTF_LIKE(2, 3);

static void
say(const struct linear *l, const char *format, ...)
{
	char text[LINE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	line_term_say(l->term, text);
}

/* Returns the length without trailing spaces. */
static int
length_of(const char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == ' ')
		len--;
	return (int)len;
}

/* Adds a cell. False: its value is still being computed. */
static bool
add_cell(struct line *l, const struct view *v, const struct column *c, const struct row *row,
	 bool is_name)
{
	char out[VALUE_TEXT_BYTES];
	struct value value;
	const char *text;

	view_cell(v, c, row, &value);
	text = value_for_people(&value, out);
	text += strspn(text, " ");
	if (value.kind == VALUE_PENDING)
		return false;
	if (!*text)
		return true;
	line_add(l, "%s", l->len ? ", " : "");
	if (!is_name && *c->title)
		line_add(l, "%s ", c->title);
	line_add(l, "%.*s", length_of(text), text);
	return true;
}

/* Adds the name, then columns that fit a screen. False: values are missing. */
static bool
add_row(struct line *l, const struct view *v, const struct row *row)
{
	const struct column *name = table_name_column(v->ops->table);
	bool is_whole = add_cell(l, v, name, row, true);

	if (view_code(v->ops)->tree && row->depth)
		line_add(l, ", level %u", row->depth + 1);
	if (row->fold != FOLD_NONE)
		line_add(l, ", %s", row->fold == FOLD_OPEN ? "open" : "closed");
	for (const struct column *c = v->ops->table->columns; c->id; c++) {
		bool goes_below = c->flags & COLUMN_BELOW && view_has_column(v, c, false);

		if (c != name && (goes_below || v->widths[c - v->ops->table->columns]) &&
		    !add_cell(l, v, c, row, goes_below && c == name + 1))
			is_whole = false;
	}
	return is_whole;
}

static void
say_row(struct linear *l, const struct view *v)
{
	char number[FORMAT_BYTES], count[FORMAT_BYTES], empty[VALUE_TEXT_BYTES];
	struct line line = { .len = 0 };
	struct row row;

	l->is_incomplete = false;
	if (!view_selected(v, &row)) {
		line_term_say(l->term, view_empty_text(v, empty));
		return;
	}
	l->is_incomplete = !add_row(&line, v, &row);
	l->incomplete_view = v->number;
	l->incomplete_row = row.key;
	line_add(&line, ", row %s of %s", format_count(v->cursor + 1, number),
		 format_count(v->rows_count, count));
	line_term_say(l->term, line.text);
}

/* Prints the title, order, filter, and the lines above the table. */
static void
say_view(const struct linear *l, const struct view *v)
{
	char count[FORMAT_BYTES], out[VALUE_TEXT_BYTES];
	struct line line = { .len = 0 };
	struct value value;

	line_add(&line, "%s, %s row%s", v->title, format_count(v->rows_count, count),
		 v->rows_count == 1 ? "" : "s");
	if (v->sort >= 0)
		line_add(&line, ", by %s, %s first", v->ops->table->columns[v->sort].title,
			 v->is_descending ? "greatest" : "least");
	if (v->filter)
		line_add(&line, ", filter %s", filter_text(v->filter));
	line_term_say(l->term, line.text);
	for (unsigned i = 0; i < HEADING_MAX; i++)
		if (view_heading(v, i, &value))
			line_term_say(l->term, value_for_people(&value, out));
}

/* Prints the row again once its missing values are computed. */
static void
say_row_again(struct linear *l, const struct view *v)
{
	struct line line = { .len = 0 };
	struct row row;

	if (!l->is_incomplete || l->incomplete_view != v->number || !view_selected(v, &row) ||
	    row.key != l->incomplete_row)
		return;
	if (add_row(&line, v, &row))
		say_row(l, v);
}

/* Prints all rows; used for help. */
static void
say_all_rows(const struct linear *l, const struct view *v)
{
	struct row row;

	for (size_t i = 0; i < v->rows_count; i++) {
		struct line line = { .len = 0 };

		view_row(v, i, &row);
		for (const struct column *c = v->ops->table->columns; c->id; c++)
			(void)add_cell(&line, v, c, &row, true);
		line_term_say(l->term, line.text);
	}
}

static void
say_menu(const struct linear *l, const struct menu *m)
{
	const struct menu_item *item = &m->items[m->cursor];
	const char *title = m->title + strspn(m->title, " ");

	say(l, "%.*s %s, %s, %d of %d", length_of(title), title, item->label, item->help,
	    m->cursor + 1, m->count);
}

/* Prints the line about the heap, copied from the screen. */
static void
say_heap(struct linear *l, const struct app *app)
{
	struct line line = { .len = 0 };

	for (int i = 0; i < l->screen->columns; i++)
		line_add(&line, "%s", l->screen->cells[l->screen->columns + i].text);
	if (app->settings->facts && length_of(line.text))
		say(l, "%.*s", length_of(line.text), line.text);
}

/* --- changes -------------------------------------------------------------- */

static bool
is_same_view(const struct linear *l, const struct view *v)
{
	return l->view == v->number && l->rows_count == v->rows_count && l->sort == v->sort &&
	       l->is_descending == v->is_descending &&
	       !strncmp(l->filter, filter_value(v->filter).text, sizeof l->filter - 1);
}

static void
remember(struct linear *l, const struct view *v)
{
	l->view = v->number;
	l->rows_count = v->rows_count;
	l->sort = v->sort;
	l->is_descending = v->is_descending;
	snprintf(l->filter, sizeof l->filter, "%s", filter_value(v->filter).text);
}

static bool
is_settled(const struct view *v)
{
	return !v->is_waiting && !v->is_stale && !view_is_busy(v) &&
	       !session_is_loading(v->session);
}

/* Announces the beginning and end of long jobs. */
static void
announce_job(struct linear *l, const struct app *app)
{
	const struct job *job = app_running_job(app);
	const char *what = resume_is_running(app) ? "resuming the session"
			   : job                  ? job_what(job)
						  : NULL;

	if (what != l->work) {
		if (l->has_announced_job)
			say(l, "%s: done", l->work);
		l->work = what;
		l->announce_at = tty_deadline(LONG_MS);
		l->has_announced_job = false;
	}
	if (!what || l->has_announced_job || !tty_is_over(l->announce_at))
		return;
	say(l, "%s …; Esc stops", what);
	l->has_announced_job = true;
}

static void
say_message(struct linear *l, const struct app *app)
{
	if (strcmp(l->message, app->message) != 0 && app->message[0])
		line_term_say(l->term, app->message);
	memcpy(l->message, app->message, sizeof l->message);
}

/* Prints a new step of the tour, or the way back to it. */
static void
say_tour(struct linear *l, struct app *app)
{
	const struct tour *t = &app->tour;
	bool is_same_step = l->has_printed_tour && t->step == l->tour_step;
	char text[256];

	if (t->is_on && !is_same_step)
		line_term_say(l->term, tour_text(app, text, sizeof text));
	if (t->is_on && (!is_same_step || t->strayed != l->tour_strayed))
		line_term_say(l->term, tour_prompt(app, text, sizeof text));
	l->has_printed_tour = t->is_on;
	l->tour_step = t->step;
	l->tour_strayed = t->strayed;
}

static void
answer(struct linear *l, struct app *app, const struct view *v)
{
	bool has_message = app->message[0] != '\0';

	l->message[0] = '\0'; /* repeat the message if it is the same again */
	say_message(l, app);
	l->is_asked = false;
	if (app->menu.is_open) {
		say_menu(l, &app->menu);
		return;
	}
	if (is_same_view(l, v)) {
		if (!has_message)
			say_row(l, v);
		return;
	}
	say_view(l, v);
	remember(l, v);
	if (v->ops == &view_help)
		say_all_rows(l, v);
	else
		say_row(l, v);
}

static void
say_changes(struct linear *l, struct app *app)
{
	const struct view *v = app_view(app);

	announce_job(l, app);
	if (app->is_prompting || app->is_counting)
		return;
	if (!is_settled(v)) {
		say_message(l, app);
		return;
	}
	if (l->session != app->session || l->had_heap != (app->session->heap != NULL)) {
		l->session = app->session;
		l->had_heap = app->session->heap != NULL;
		say_heap(l, app);
		l->is_asked = true;
	}
	if (l->is_asked) {
		answer(l, app, v);
	} else {
		say_message(l, app);
		if (!app->menu.is_open)
			say_row_again(l, v);
	}
	if (!app->menu.is_open)
		say_tour(l, app);
}

/* --- the main loop -------------------------------------------------------- */

static bool
show(void *context, struct app *app, struct error *err)
{
	struct linear *l = context;
	int rows, columns;

	line_term_size(l->term, &rows, &columns);
	rows = rows < 10 ? 10 : rows;
	columns = columns < 80 ? 80 : columns;
	if (!l->screen || l->screen->rows != rows || l->screen->columns != columns) {
		screen_free(l->screen);
		l->screen = screen_new(rows, columns, err);
		if (!l->screen)
			return false;
	}
	app_draw(app, l->screen);
	if (l->typed_end)
		return true;
	app_enter(app);
	say_changes(l, app);
	app_leave(app);
	return true;
}

/* Prints the prompt and reads a line. Returns the key that ended it. */
static int
ask(struct linear *l)
{
	const struct screen *s = l->screen;
	struct line sign = { .len = 0 };
	int end;

	for (int i = 0; s->caret_row >= 0 && i < s->caret_column; i++)
		line_add(&sign, "%s", s->cells[s->caret_row * s->columns + i].text);
	end = line_term_ask(l->term, sign.text, l->typed, sizeof l->typed);
	l->typed_at = 0;
	l->typed_len = strlen(l->typed);
	return end;
}

static int
next_typed(struct linear *l)
{
	int end = l->typed_end;
	size_t used;
	uint32_t c;

	while (l->typed_at < l->typed_len) {
		c = utf8_decode(l->typed + l->typed_at, &used);
		l->typed_at += used;
		if (c != UTF8_BROKEN && c >= ' ')
			return (int)c;
	}
	l->typed_end = 0;
	return end;
}

static int
next_key(void *context, struct app *app, int timeout_ms)
{
	struct linear *l = context;
	int key;

	if (app->is_prompting && !l->typed_end)
		l->typed_end = ask(l);
	key = l->typed_end ? next_typed(l) : line_term_key(l->term, timeout_ms);
	if (key != TK_WAKE && key != TK_TIMEOUT)
		l->is_asked = true;
	return key;
}

bool
linear_run(struct app *app, struct line_term *term, struct error *err)
{
	struct linear l = { .term = term, .is_asked = true };
	struct front front = { &l, true, show, next_key, NULL };
	bool ok = app_run_with(app, &front, err);

	screen_free(l.screen);
	return ok;
}
