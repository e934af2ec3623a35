/* What jobs bring to the screen: results, errors, and what waits for a heap. */
#include "tui/app/ignore.h"
#include "tui/app/rc.h"
#include "tui/app/resume.h"
#include "tui/app/state.h"
#include "tui/app/write_view.h"
#include "tui/session/gcs.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"

/* The sessions whose jobs are looked after; NULL behind the last. */
static struct session *
nth_session(const struct app *app, size_t n)
{
	if (!app->snapshots)
		return n ? NULL : app->session;
	return n < app->snapshots->count ? app->snapshots->sessions[n] : NULL;
}

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

		/* Who stopped one has been told what that was. */
		if (err->kind != ERROR_CANCELLED)
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
	app_again_run(app);
	if (!lines)
		return;
	app->startup = NULL;
	error_clear(&err);
	script_init(&s, lines, command_is_for_shell);
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

/* What is about several heaps may go on with the others. */
static void
leave_out_failed(struct app *app, const struct session *s)
{
	struct error ignored = { 0 };

	for (size_t i = 0; i < app->views_count; i++)
		if (app->views[i]->session == s &&
		    app->views[i]->ops->needs & NEED_SNAPSHOTS)
			(void)view_reload(app->views[i], &ignored);
	app_show_view(app, app->current);
}

/* No heap and none on its way: there is nothing to show. */
static void
close_failed(struct app *app, const struct session *s)
{
	size_t first = 0;

	leave_out_failed(app, s);
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

/* What is read for rows as they are drawn: they have gaps then. */
static void
tell_refused(struct app *app)
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

	for (size_t i = 0; (s = nth_session(app, i)); i++) {
		poll_session(app, s);
		poll_gcs(app, s);
	}
	start_next(app);
	app_enter(app);
	run_startup(app);
	app_update_view(app);
	app_again_select(app);
	resume_step(app);
	tour_look(app, 0);
	write_view_poll(app);
	tell_refused(app);
	app_leave(app);
	if (app->quits_when_written && !app_is_writing(app))
		app->has_quit = true;
}

/* --- what runs ----------------------------------------------------------- */

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
app_is_at_work(const struct app *app)
{
	const struct session *s;

	if (view_is_busy(app_view(app)))
		return true;
	for (size_t i = 0; (s = nth_session(app, i)); i++)
		if (session_job(s))
			return true;
	return false;
}

/* --- Esc ----------------------------------------------------------------- */

/* Its rows are in the last order before by what is there. */
static void
tell_stopped_order(struct app *app, const struct view *v, const struct job *job)
{
	bool is_descending;
	int left = view_order_left(v, &is_descending);

	app_message(app, STYLE_WARNING,
		    "stopped %s, the order is %s%s again; :sort %s computes "
		    "them",
		    job_what(job), left < 0 ? "their own" : "by ",
		    left < 0 ? "" : v->ops->table->columns[left].title,
		    v->ops->table->columns[v->sort].id);
}

/* What brings it after all, where the job was not to read or to write. */
static void
tell_stopped_session(struct app *app, const struct view *v,
		     const struct session *s, const struct job *job)
{
	int column = view_column_by_id(v->ops, "retained");

	if (job == s->jobs[JOB_LOAD] || job == s->jobs[JOB_SAVE])
		app_message(app, STYLE_WARNING, "stopped %s", job_what(job));
	else if (v->sort >= 0 &&
		 v->ops->table->columns[v->sort].needs & ~s->has)
		tell_stopped_order(app, v, job);
	else if (view_row_needs(v) & ~s->has)
		app_message(app, STYLE_WARNING, "stopped %s; :%s computes them",
			    job_what(job), v->ops->command.name);
	else
		app_message(app, STYLE_WARNING, "stopped %s; %s computes them",
			    job_what(job),
			    column >= 0 &&
				    v->ops->table->columns[column].sort !=
					UNSORTED
				? "R"
				: ":dominators");
}

/* False: nothing ran. It may have something to say itself. */
static bool
cancel_view(struct app *app, struct view *v)
{
	const struct job *job = view_job(v);
	const char *what = job ? job_what(job) : "";

	if (!view_cancel(v))
		return false;
	if (app->message[0])
		return true;
	if (view_was_stopped(v))
		app_message(app, STYLE_WARNING, "stopped %s; :%s begins again",
			    what, v->ops->command.name);
	else
		app_message(app, STYLE_WARNING, "stopped %s", what);
	return true;
}

bool
app_cancel_job(struct app *app)
{
	const struct job *job;
	struct session *busy;
	bool was_busy;

	if (cancel_view(app, app_view(app)))
		return true;
	if (write_view_cancel(app))
		return true;
	if (app->session->is_empty)
		return false;
	/* Of one that is being read the types stay: they are the loader's. */
	busy = busy_session(app);
	job = session_job(busy);
	if (job && !app->message[0])
		tell_stopped_session(app, app->views[app->current], busy, job);
	if (busy != app->entered)
		session_enter(busy);
	was_busy = session_cancel(busy);
	if (busy != app->entered)
		session_leave(busy);
	return was_busy;
}
