#include "tui/app/rc.h"
#include "tui/app/state.h"
#include "tui/app/write_view.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FIRST_TICK_MS = 60, TICK_MS = 250, COUNT_MS = 250, ROWS_MS = 40 };

struct app *
app_new(struct session *s, struct error *err)
{
	const struct view_ops *first = &view_types;

	if (s->is_empty)
		first = s->loader.collections ? &view_gcs : &view_processes;
	return app_new_on(s, first, err);
}

/* Those of the whole program; tests have none, and get what is usual. */
static bool
take_settings(struct app *app, struct error *err)
{
	if (app->snapshots)
		app->settings = app->snapshots->settings;
	if (app->settings)
		return true;
	app->settings = memory_new(1, sizeof *app->settings, err);
	if (!app->settings)
		return false;
	app->owns_settings = true;
	settings_init(app->settings);
	return true;
}

struct app *
app_new_on(struct session *s, const struct view_ops *first, struct error *err)
{
	struct app *app = memory_new(1, sizeof *app, err);
	bool ok;

	if (!app)
		return NULL;
	app->session = s;
	app->snapshots = s->snapshots;
	app->refused = memory_refused();
	if (!take_settings(app, err)) {
		app_free(app);
		return NULL;
	}
	app_enter(app);
	ok = app_open(app, first, &target_none, err);
	app_leave(app);
	if (ok)
		return app;
	app_free(app);
	return NULL;
}

void
app_free(struct app *app)
{
	if (!app)
		return;
	write_view_cancel(app);
	app_again_forget(app);
	view_close(app->pane);
	for (size_t i = 0; i < app->views_count; i++)
		view_close(app->views[i]);
	for (int i = 0; i < PROMPT_KINDS; i++)
		if (app->prompts[i])
			prompt_free(app->prompts[i]);
	memory_free(app->views);
	if (app->owns_settings)
		memory_free(app->settings);
	memory_free(app);
}

void
app_set_startup(struct app *app, const char *lines)
{
	app->startup = lines;
}

void
app_set_resume(struct app *app, struct resume *resume)
{
	app->resume = resume;
}

void
app_set_rc(struct app *app, const struct rc *rc)
{
	app->rc = rc;
	if (rc_sum_up(rc, app->message, sizeof app->message))
		app->message_style = STYLE_ERROR;
}

void
app_set_hint(struct app *app, const char *sentence)
{
	app->hint = sentence;
}

void
app_keep_histories(struct app *app)
{
	app->keeps_histories = true;
}

struct session *
app_session(struct app *app)
{
	return app->session;
}

struct view *
app_view(const struct app *app)
{
	if (app->has_pane_focus)
		return app->pane;
	return app->views_count ? app->views[app->current] : NULL;
}

/* --- the session on the screen ------------------------------------------- */

void
app_enter(struct app *app)
{
	app->entered = app->session;
	session_enter(app->entered);
}

void
app_leave(struct app *app)
{
	session_leave(app->entered);
	app->entered = NULL;
}

void
app_pause(struct app *app)
{
	if (!app->entered)
		return;
	app_leave(app);
	app->is_paused = true;
}

void
app_go_on(struct app *app)
{
	if (!app->is_paused)
		return;
	app->is_paused = false;
	app_enter(app);
	app_update_view(app);
}

/* Another view is shown, perhaps of another heap. */
static void
show_session(struct app *app, struct session *s)
{
	if (s == app->session)
		return;
	if (app->entered) {
		app_leave(app);
		app->session = s;
		app_enter(app);
	}
	app->session = s;
	app_close_pane(app);
}

/* --- messages ------------------------------------------------------------ */

void
app_message(struct app *app, enum style style, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(app->message, sizeof app->message, format, args);
	va_end(args);
	app->message_style = style;
	app->message_is_of_view = false;
	app->message_times = strcmp(app->message, app->message_before)
				 ? 1
				 : app->message_times_before + 1;
}

void
app_show_error(struct app *app, const struct error *err)
{
	if (err->kind == ERROR_CANCELLED)
		app_message(app, STYLE_WARNING, "stopped");
	else if (err->kind != ERROR_NONE)
		app_message(app, STYLE_ERROR, "%s", err->message);
}

/* --- the stack of views -------------------------------------------------- */

void
app_close_from(struct app *app, size_t from)
{
	app->menu.is_open = false; /* which may be one of views */
	while (app->views_count > from) {
		struct view *v = app->views[--app->views_count];

		write_view_forget(app, v);
		if (v->number == app->again.view)
			app_again_forget(app);
		view_close(v);
	}
}

/* Rows that can be made now; what went wrong goes to the status line. */
void
app_update_view(struct app *app)
{
	struct error err;

	error_clear(&err);
	if (!view_update(app->views[app->current], &err))
		app_show_error(app, &err);
	error_clear(&err);
	if (app->pane && !view_update(app->pane, &err))
		app_show_error(app, &err);
	error_clear(&err);
	app_follow_with_pane(app, &err);
}

void
app_show_view(struct app *app, size_t index)
{
	app->current = index;
	app->has_pane_focus = false;
	show_session(app, app->views[index]->session);
	app_update_view(app);
}

bool
app_open(struct app *app, const struct view_ops *ops,
	 const struct target *target, struct error *err)
{
	return app_open_in(app, app->session, ops, target, err);
}

/* Before its rows are made. What is not to be had in this heap is left. */
void
app_show_as_set(const struct app *app, struct view *v)
{
	const char *name = v->ops->command.name;
	size_t number = settings_view(name, strlen(name));
	struct error ignored = { 0 };
	bool is_descending;
	int column;

	if (number == SIZE_MAX)
		return;
	v->wanted = app->settings->columns[number];
	if (!*app->settings->sort[number] ||
	    !view_find_sort(v, app->settings->sort[number], &column,
			    &is_descending, &ignored))
		return;
	v->sort = v->shown.sort = column;
	v->is_descending = v->shown.is_descending = is_descending;
}

static struct view *
open_in(struct app *app, struct session *s, const struct view_ops *ops,
	const struct target *target, struct error *err)
{
	struct session *before = app->session;
	struct view *v;

	show_session(app, s);
	v = view_open(ops, s, target, err);
	if (v)
		app_show_as_set(app, v);
	/* Some views are about another heap than the one they are asked in. */
	show_session(app, v ? v->session : before);
	return v;
}

/* Who opens something of a row has chosen it, even the first. */
static void
keep_selected(struct app *app, const struct target *target)
{
	if (app->views_count && !target_is_none(target))
		app->views[app->current]->has_moved = true;
}

static void
push(struct app *app, struct view *v)
{
	if (app->views_count) {
		app_close_from(app, app->current + 1);
		app->current++;
	}
	app->views[app->views_count++] = v;
	v->number = ++app->views_opened;
	app->has_pane_focus = false;
}

/* As a view of its own: as long as the one that is made of it. */
static void
push_pane(struct app *app)
{
	struct view *pane = app->pane;

	app->pane = NULL;
	app_close_pane(app);
	push(app, pane);
}

bool
app_open_in(struct app *app, struct session *s, const struct view_ops *ops,
	    const struct target *target, struct error *err)
{
	struct view *v;

	if (!MAKE_ROOM(app->views, app->current + 3, app->views_capacity, err))
		return false;
	v = open_in(app, s, ops, target, err);
	if (!v)
		return false;
	keep_selected(app, target);
	if (v->source && v->source == app->pane)
		push_pane(app);
	push(app, v);
	return view_update(v, err);
}

void
app_close(struct app *app)
{
	if (!app->current)
		return;
	app_close_from(app, app->current);
	app_show_view(app, app->current - 1);
}

void
app_go_back(struct app *app)
{
	if (app->current) {
		app_show_view(app, app->current - 1);
	} else {
		app_message(app, STYLE_STATUS, "this is the first view");
	}
}

void
app_go_forward(struct app *app)
{
	if (app->current + 1 < app->views_count) {
		app_show_view(app, app->current + 1);
	} else {
		app_message(app, STYLE_STATUS, "this is the last view");
	}
}

bool
app_go_to(struct app *app, const struct view_ops *ops)
{
	for (size_t i = app->current + 1; i-- > 0;)
		if (view_is(app->views[i], ops)) {
			app_show_view(app, i);
			return true;
		}
	for (size_t i = app->current + 1; i < app->views_count; i++)
		if (view_is(app->views[i], ops)) {
			app_show_view(app, i);
			return true;
		}
	return false;
}

/* --- the loop ------------------------------------------------------------ */

/* How far work is, is told soon, and then not too often. */
static int
wait_ms(struct app *app)
{
	bool was_at_work = app->is_at_work;

	app->is_at_work = app_is_at_work(app);
	if (app_has_number_key(app))
		return COUNT_MS;
	if (!app->is_at_work)
		return app->is_counting ? COUNT_REST_MS : -1;
	return was_at_work ? TICK_MS : FIRST_TICK_MS;
}

struct screen_front {
	struct term *term;
	struct screen *screen;
};

static bool
show(void *context, struct app *app, struct error *err)
{
	struct screen_front *f = context;
	struct screen *s = f->screen;
	int rows, columns;

	term_size(f->term, &rows, &columns);
	if (!s || s->rows != rows || s->columns != columns) {
		screen_free(s);
		s = f->screen = screen_new(rows, columns, err);
		if (!s)
			return false;
	}
	s->is_ascii = term_is_ascii(f->term) || app->settings->ascii;
	app_draw(app, s);
	if (app->settings->title)
		term_set_title(f->term, app->session->name);
	term_show(f->term, s);
	return true;
}

static int
next_key(void *context, struct app *app, int timeout_ms)
{
	const struct screen_front *f = context;

	(void)app;
	return term_key(f->term, timeout_ms);
}

/* What the program ends with, when the heap could not be read. */
static bool
loading_failed(struct app *app, struct error *err)
{
	const struct session *s = app->views[0]->session;

	if (!session_has_failed(s))
		return false;
	*err = s->job_errors[JOB_LOAD];
	return true;
}

/*
 * Of a view just opened: keys typed ahead are meant for them, and what comes at
 * once is not worth a frame of its own on a slow line.
 */
static void
wait_for_rows(struct app *app, const struct front *front)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct view *v = app_view(app);

	for (int i = 0; i < ROWS_MS && !v->was_awaited && v->session->heap &&
			!v->rows_count && (v->is_waiting || view_is_busy(v));
	     i++) {
		if (front->rest)
			front->rest(front->context, app);
		else
			nanosleep(&moment, NULL);
		app_poll(app);
		v = app_view(app);
	}
	v->was_awaited = true;
}

bool
app_run_with(struct app *app, const struct front *front, struct error *err)
{
	bool ok;

	app_enter(app);
	ok = settings_apply_all(app, err);
	app_leave(app);
	while (ok && !app->has_quit &&
	       app->settings->linear == front->is_linear) {
		app_poll(app);
		wait_for_rows(app, front);
		if (app->has_quit)
			break;
		ok = front->show(front->context, app, err);
		if (!ok || !app_key(app, front->key(front->context, app,
						    wait_ms(app))))
			break;
	}
	if (app->has_quit && app->was_interrupted)
		return error_cancelled(err);
	return ok && !loading_failed(app, err);
}

bool
app_run(struct app *app, struct term *term, struct error *err)
{
	struct screen_front f = { term, NULL };
	struct front front = { &f, false, show, next_key, NULL };
	bool ok;

	app->term = term;
	ok = app_run_with(app, &front, err);
	screen_free(f.screen);
	app->term = NULL;
	return ok;
}
