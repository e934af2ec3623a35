#include "model/heap/memory.h"
#include "tui/app/rc.h"
#include "tui/app/state.h"
#include "tui/app/write_view.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <time.h>

enum { FIRST_TICK_MS = 60, TICK_MS = 250, COUNT_MS = 250, ROWS_MS = 40 };

struct app *
app_new(struct session *s, struct error *err)
{
	const struct view_ops *first =
	    s->heap && heap_lacks_objects(s->heap) ? &view_threads : &view_types;

	if (s->is_empty)
		first = s->loader.allocations   ? &view_allocations
			: s->loader.collections ? &view_gcs
						: &view_processes;
	return app_new_on(s, first, err);
}

/* Uses the program's settings, or the defaults in tests, which have none. */
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

/* --- the main loop -------------------------------------------------------- */

/* Returns the timeout for the next key: short at the start of a job. */
static int
wait_ms(struct app *app)
{
	bool was_busy = app->is_busy;

	app->is_busy = app_is_busy(app);
	if (app_has_number_key(app))
		return COUNT_MS;
	if (!app->is_busy)
		return app->is_counting ? COUNT_TIMEOUT_MS : -1;
	return was_busy ? TICK_MS : FIRST_TICK_MS;
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
	s->draws_patterns = !term_tells_areas(f->term);
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

/* Returns whether the heap could not be read: the program then fails. */
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
 * Waits briefly for the rows of a view just opened: keys typed ahead are meant for them, and a
 * frame without rows would waste a slow connection.
 */
static void
wait_for_rows(struct app *app, const struct front *front)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct view *v = app_view(app);

	for (int i = 0; i < ROWS_MS && !v->was_awaited && v->session->heap && !v->rows_count &&
			(v->is_waiting || view_is_busy(v));
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
	while (ok && !app->has_quit && app->settings->linear == front->is_linear) {
		app_poll(app);
		wait_for_rows(app, front);
		if (app->has_quit)
			break;
		ok = front->show(front->context, app, err);
		if (!ok || !app_key(app, front->key(front->context, app, wait_ms(app))))
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
