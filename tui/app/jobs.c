/* Takes results and errors of jobs; runs commands that wait for a heap. */
#include "tui/app/ignore.h"
#include "tui/app/rc.h"
#include "tui/app/resume.h"
#include "tui/app/state.h"
#include "tui/app/write_view.h"
#include "tui/session/gcs.h"
#include "tui/session/recording.h"
#include "tui/session/snapshots.h"
#include "tui/session/suspects.h"
#include "tui/app/views.h"
#include "model/heap/memory.h"
#include <stdlib.h>

/* Restart jobs of views: they read results that are about to be replaced. */
static void
restart_readers(struct app *app)
{
	for (size_t i = 0; i < app->views_count; i++)
		view_restart(app->views[i]);
	if (app->pane)
		view_restart(app->pane);
}

static void
show_job_errors(struct app *app, struct session *s)
{
	for (int i = 0; i < JOB_KINDS; i++) {
		struct error *err = &s->job_errors[i];

		/* Cancelling has been reported already. */
		if (err->kind != ERROR_CANCELLED)
			app_show_error(app, err);
		if (i != JOB_LOAD)
			error_clear(err);
	}
}

/* Runs the remaining commands of heaptoprc, even after an error. */
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

void
app_again_run(struct app *app)
{
	char *text = app->again.commands, message[sizeof app->message];
	struct script s;
	struct error err;

	if (!text || app->views[app->current]->number != app->again.view)
		return;
	app->again.commands = NULL;
	error_clear(&err);
	script_init(&s, text);
	snprintf(message, sizeof message, "%s", app->message);
	/* The error names what the new heap lacks. */
	if (!app_script(app, &s, &err))
		app_show_error(app, &err);
	else if (app->again.was_object)
		app_message(app, STYLE_STATUS, "objects may have moved: find it again%s%s",
			    *message ? "; " : "", message);
	app->again.view = app->views[app->current]->number;
	free(text);
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
	app_again_run(app);
	if (!lines)
		return;
	app->startup = NULL;
	error_clear(&err);
	script_init(&s, lines);
	s.option = "-x ";
	if (!app_script(app, &s, &err))
		app_show_error(app, &err);
}

/* Reports what the capture has cost. */
static void
report_loaded(struct app *app, const struct session *s)
{
	char text[sizeof app->message];

	if (!s->heap || s->is_stopped || !s->loader.describe)
		return;
	s->loader.describe(&s->loader, true, text, sizeof text);
	app_message(app, STYLE_STATUS, "%s", text);
}

/* Shows the threads in place of types, which a dump without a heap lacks. */
static void
open_threads(struct app *app, const struct session *s)
{
	struct error err = { 0 };

	if (!s->heap || !heap_lacks_objects(s->heap) || app->session != s ||
	    app_view(app)->ops != &view_types)
		return;
	if (!app_open(app, &view_threads, &target_none, &err))
		app_message(app, STYLE_ERROR, "%s", err.message);
}

/* Refresh views of several heaps without the failed one. */
static void
refresh_without(struct app *app, const struct session *s)
{
	struct error ignored = { 0 };

	for (size_t i = 0; i < app->views_count; i++)
		if (app->views[i]->session == s && view_needs(app->views[i]->ops) & NEED_SNAPSHOTS)
			(void)view_reload(app->views[i], &ignored);
	app_show_view(app, app->current);
}

/* Closes the views of a heap that failed to load; quits if it was the first. */
static void
close_failed(struct app *app, const struct session *s)
{
	size_t first = 0;

	refresh_without(app, s);
	while (first < app->views_count && app->views[first]->session != s)
		first++;
	if (first == 0)
		app->has_quit = true;
	if (first == 0 || first == app->views_count)
		return;
	if (app->current >= first)
		app_show_view(app, first - 1);
	app_close_from(app, first);
}

void
app_report_saved(struct app *app, const struct session *s)
{
	const char *warning = s->save_warning;

	if (s->job_errors[JOB_SAVE].kind == ERROR_NONE)
		app_message(app, *warning ? STYLE_WARNING : STYLE_STATUS,
			    "the heap is saved in %s%s%s", s->save_path, *warning ? "; " : "",
			    warning);
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
		app_report_saved(app, s);
	show_job_errors(app, s);
	if (ended & 1U << JOB_LOAD) {
		report_loaded(app, s);
		open_threads(app, s);
		if (app->snapshots)
			snapshots_note_arrival(app->snapshots);
	}
	if (ended & 1U << JOB_REACH)
		ignore_report(app, s);
	if (session_has_failed(s))
		close_failed(app, s);
}

/* Takes new collections and the end of their source. */
static void
poll_gcs(struct app *app, struct session *s)
{
	struct gcs *g = s->gcs;

	if (!g || !gcs_poll(g))
		return;
	/* Do not change the session's version: other views are not affected. */
	for (size_t i = 0; i < app->views_count; i++)
		if (app->views[i]->session == s && app->views[i]->ops == &view_gcs)
			app->views[i]->is_stale = true;
	if (!g->has_ended)
		return;
	if (g->err.kind == ERROR_NONE) {
		if (*g->facts.end)
			app_message(app, STYLE_WARNING, "%s", g->facts.end);
		return;
	}
	app_show_error(app, &g->err);
	/* Only the collections were wanted, and none came. */
	if (s->is_empty && !g->log.added) {
		s->job_errors[JOB_LOAD] = g->err;
		close_failed(app, s);
	}
}

static bool
shows_allocations(const struct view *v)
{
	return view_is(v, &view_allocations) || view_is(v, &view_callers) ||
	       view_is(v, &view_callees);
}

/*
 * Takes what a recording has, and its end. A view that is still making rows of the last copy
 * finishes these first, or it might never show any.
 */
static void
poll_recording(struct app *app, struct session *s)
{
	const struct view *v = app_view(app);
	struct recording *r = s->recording;
	const char *end;

	if (!r || (shows_allocations(v) && view_is_busy(v)) || !recording_poll(r))
		return;
	for (size_t i = 0; !r->still && i < app->views_count; i++)
		if (shows_allocations(app->views[i]))
			app->views[i]->is_stale = true;
	if (!r->has_ended)
		return;
	end = r->newest ? r->newest->facts.end : "";
	if (r->err.kind != ERROR_NONE)
		app_show_error(app, &r->err);
	else if (*end)
		app_message(app, STYLE_WARNING, "%s", end);
	/* Only the allocations were wanted, and none came. */
	if (s->is_empty && !r->newest && r->err.kind != ERROR_NONE) {
		s->job_errors[JOB_LOAD] = r->err;
		close_failed(app, s);
	}
}

/* Takes the copies that have waited for a view that has just finished. */
static void
poll_recordings(struct app *app)
{
	struct session *s;

	for (size_t i = 0; (s = app_nth_session(app, i)); i++)
		poll_recording(app, s);
	if (app_view(app)->is_stale)
		app_update_view(app);
}

static void
start_next(struct app *app)
{
	struct error err;

	error_clear(&err);
	if (app->snapshots && !snapshots_start_next(app->snapshots, &err))
		app_show_error(app, &err);
}

/* Reports memory that was refused while drawing: rows may have gaps then. */
static void
report_refused(struct app *app)
{
	struct error err;

	error_clear(&err);
	if (!memory_was_enough(app->refused, &err))
		app_show_error(app, &err);
	app->refused = memory_refused();
}

void
app_poll(struct app *app)
{
	struct session *s;

	for (size_t i = 0; (s = app_nth_session(app, i)); i++) {
		poll_session(app, s);
		(void)suspects_poll(s);
		poll_gcs(app, s);
		poll_recording(app, s);
		if (app->snapshots)
			snapshots_join_recording(app->snapshots, s);
	}
	start_next(app);
	app_enter(app);
	run_startup(app);
	app_update_view(app);
	poll_recordings(app);
	app_again_select(app);
	resume_step(app);
	tour_look(app, 0);
	write_view_poll(app);
	report_refused(app);
	app_leave(app);
	if (app->quits_when_written && !app_is_writing(app))
		app->has_quit = true;
}
