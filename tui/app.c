#include "tui/app_state.h"
#include "tui/gcs.h"
#include "tui/ignore.h"
#include "tui/rc.h"
#include "tui/resume.h"
#include "tui/script.h"
#include "tui/snapshots.h"
#include "tui/views.h"
#include "tui/write_view.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TICK_MS = 250, COUNT_MS = 250 };

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

/* The sessions whose jobs are looked after; NULL behind the last. */
static struct session *
nth_session(const struct app *app, size_t n)
{
	if (!app->snapshots)
		return n ? NULL : app->session;
	return n < app->snapshots->count ? app->snapshots->sessions[n] : NULL;
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

static void
close_from(struct app *app, size_t from)
{
	while (app->views_count > from) {
		struct view *v = app->views[--app->views_count];

		write_view_forget(app, v);
		view_close(v);
	}
}

static bool
reserve_view(struct app *app, struct error *err)
{
	size_t capacity = app->views_capacity ? app->views_capacity * 2 : 16;
	struct view **views;

	if (app->current + 1 < app->views_capacity)
		return true;
	views = memory_resize(app->views, capacity, sizeof *views, err);
	if (!views)
		return false;
	app->views = views;
	app->views_capacity = capacity;
	return true;
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

bool
app_open_where(struct app *app, const struct view_ops *ops,
	       const struct target *target, const char *where,
	       struct error *err)
{
	return app_open(app, ops, target, err) &&
	       view_filter_opening(app_view(app), where, err);
}

bool
app_list_objects(struct app *app, uint64_t start, uint64_t end,
		 struct error *err)
{
	char where[96];

	snprintf(where, sizeof where,
		 "address >= 0x%" PRIx64 " and address < 0x%" PRIx64, start,
		 end);
	return app_open_where(app, &view_objects, &target_none, where, err);
}

/* Before its rows are made. What is not to be had in this heap is left. */
static void
show_as_set(const struct app *app, struct view *v)
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
		show_as_set(app, v);
	/* Some views are about another heap than the one they are asked in. */
	show_session(app, v ? v->session : before);
	return v;
}

bool
app_open_in(struct app *app, struct session *s, const struct view_ops *ops,
	    const struct target *target, struct error *err)
{
	struct view *v;

	if (!reserve_view(app, err))
		return false;
	v = open_in(app, s, ops, target, err);
	if (!v)
		return false;
	if (app->views_count) {
		close_from(app, app->current + 1);
		app->current++;
	}
	app->views[app->views_count++] = v;
	v->number = ++app->views_opened;
	app->has_pane_focus = false;
	return view_update(v, err);
}

void
app_close(struct app *app)
{
	if (!app->current)
		return;
	close_from(app, app->current);
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
		if (app->views[i]->ops == ops) {
			app_show_view(app, i);
			return true;
		}
	for (size_t i = app->current + 1; i < app->views_count; i++)
		if (app->views[i]->ops == ops) {
			app_show_view(app, i);
			return true;
		}
	return false;
}

/* --- jobs ---------------------------------------------------------------- */

/* They read what is about to be replaced, and begin again with what comes. */
static void
restart_readers(struct app *app)
{
	for (size_t i = 0; i < app->views_count; i++)
		view_restart(app->views[i]);
	if (app->pane)
		view_restart(app->pane);
}

static void
tell_job_errors(struct app *app, struct session *s)
{
	for (int i = 0; i < JOB_KINDS; i++) {
		struct error *err = &s->job_errors[i];

		app_show_error(app, err);
		if (i != JOB_LOAD)
			error_clear(err);
	}
}

/* One that fails is told, and the others are run. */
static void
run_rc(struct app *app)
{
	const struct rc *rc = app->rc;
	struct error err;

	app->rc = NULL;
	for (unsigned i = 0; rc && i < rc->later_count; i++) {
		error_clear(&err);
		if (app_command(app, rc->later[i].text, &err))
			continue;
		rc_blame(&rc->later[i], &err);
		app_show_error(app, &err);
	}
}

static void
run_startup(struct app *app)
{
	const char *lines = app->startup;
	struct script s;
	struct error err;

	if (!app->session || !app->session->heap)
		return;
	run_rc(app);
	if (!lines)
		return;
	app->startup = NULL;
	error_clear(&err);
	script_init(&s, lines);
	s.option = "-x ";
	if (!app_script(app, &s, &err))
		app_show_error(app, &err);
}

/* What a capture did cost. */
static void
tell_loaded(struct app *app, const struct session *s)
{
	char text[sizeof app->message];

	if (!s->heap || s->is_stopped || !s->loader.tell)
		return;
	s->loader.tell(&s->loader, true, text, sizeof text);
	app_message(app, STYLE_STATUS, "%s", text);
}

/* No heap and none on its way: there is nothing to show. */
static void
close_failed(struct app *app, const struct session *s)
{
	size_t first = 0;

	while (first < app->views_count && app->views[first]->session != s)
		first++;
	if (first == 0)
		app->has_quit = true;
	if (first == 0 || first == app->views_count)
		return;
	if (app->current >= first)
		app_show_view(app, first - 1);
	close_from(app, first);
}

static void
tell_saved(struct app *app, const struct session *s)
{
	const char *warning = s->save_warning;

	if (s->job_errors[JOB_SAVE].kind == ERROR_NONE)
		app_message(app, *warning ? STYLE_WARNING : STYLE_STATUS,
			    "the heap is kept in %s%s%s", s->save_path,
			    *warning ? "; " : "", warning);
	else
		app->quits_when_written = false;
}

static void
poll_session(struct app *app, struct session *s)
{
	unsigned ended = session_ended(s);

	if (session_is_replacing(s, ended))
		restart_readers(app);
	if (!session_poll(s, ended))
		return;
	if (ended & 1U << JOB_SAVE)
		tell_saved(app, s);
	tell_job_errors(app, s);
	if (ended & 1U << JOB_LOAD) {
		tell_loaded(app, s);
		if (app->snapshots)
			snapshots_tell_arrival(app->snapshots);
	}
	if (ended & 1U << JOB_REACH)
		ignore_tell(app, s);
	if (session_has_failed(s))
		close_failed(app, s);
}

/* Collections that came in meanwhile; and whether more will. */
static void
poll_gcs(struct app *app, struct session *s)
{
	struct gcs *g = s->gcs;

	if (!g || !gcs_poll(g))
		return;
	/* Not by the session's version: no other view is concerned. */
	for (size_t i = 0; i < app->views_count; i++)
		if (app->views[i]->session == s &&
		    app->views[i]->ops == &view_gcs)
			app->views[i]->is_stale = true;
	if (!g->has_ended)
		return;
	if (g->err.kind == ERROR_NONE) {
		if (*g->facts.end)
			app_message(app, STYLE_WARNING, "%s", g->facts.end);
		return;
	}
	app_show_error(app, &g->err);
	/* Nothing else was wanted, and nothing came of it. */
	if (s->is_empty && !g->log.added) {
		s->job_errors[JOB_LOAD] = g->err;
		close_failed(app, s);
	}
}

static void
start_next(struct app *app)
{
	struct error err;

	error_clear(&err);
	if (app->snapshots && !snapshots_start_next(app->snapshots, &err))
		app_show_error(app, &err);
}

void
app_poll(struct app *app)
{
	struct session *s;

	for (size_t i = 0; (s = nth_session(app, i)); i++) {
		poll_session(app, s);
		poll_gcs(app, s);
	}
	start_next(app);
	app_enter(app);
	run_startup(app);
	app_update_view(app);
	resume_step(app);
	tour_look(app, 0);
	write_view_poll(app);
	app_leave(app);
	if (app->quits_when_written && !app_is_writing(app))
		app->has_quit = true;
}

/* The session that is at work for the current view. */
static struct session *
busy_session(const struct app *app)
{
	const struct view *v = app->views[app->current];
	struct session *s;

	if (session_job(app->session) || !(v->ops->needs & NEED_SNAPSHOTS))
		return app->session;
	for (size_t i = 0; (s = nth_session(app, i)); i++)
		if (session_job(s))
			return s;
	return app->session;
}

const struct job *
app_running_job(const struct app *app)
{
	const struct job *job = view_job(app_view(app));

	if (!job)
		job = session_job(busy_session(app));
	return job ? job : write_view_job(app);
}

bool
app_is_writing(const struct app *app)
{
	const struct session *s;

	for (size_t i = 0; (s = nth_session(app, i)); i++)
		if (s->jobs[JOB_SAVE])
			return true;
	return app->writing != NULL;
}

bool
app_cancel_job(struct app *app)
{
	struct session *busy;
	bool was_busy;

	if (view_cancel(app_view(app))) {
		if (!app->message[0]) /* it may have something to say */
			app_message(app, STYLE_WARNING, "stopped");
		return true;
	}
	if (write_view_cancel(app))
		return true;
	if (app->session->is_empty)
		return false;
	/* Of one that is being read the types stay: they are the loader's. */
	busy = busy_session(app);
	if (busy != app->entered)
		session_enter(busy);
	was_busy = session_cancel(busy);
	if (busy != app->entered)
		session_leave(busy);
	return was_busy;
}

/* --- the loop ------------------------------------------------------------ */

static int
wait_ms(struct app *app)
{
	struct session *s;

	if (app_has_number_key(app))
		return COUNT_MS;
	if (view_is_busy(app_view(app)))
		return TICK_MS;
	for (size_t i = 0; (s = nth_session(app, i)); i++)
		if (session_job(s))
			return TICK_MS;
	return -1;
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
	struct front front = { &f, false, show, next_key };
	bool ok;

	app->term = term;
	ok = app_run_with(app, &front, err);
	screen_free(f.screen);
	app->term = NULL;
	return ok;
}
