/* The jobs that run for the views, and Esc, which cancels them. */
#include "tui/app/state.h"
#include "tui/app/write_view.h"

/* Returns the session that is computing something for the current view. */
static struct session *
busy_session(const struct app *app)
{
	const struct view *v = app->views[app->current];
	struct session *s;

	if (session_job(app->session) || !(view_needs(v->ops) & NEED_SNAPSHOTS))
		return app->session;
	for (size_t i = 0; (s = app_nth_session(app, i)); i++)
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

	for (size_t i = 0; (s = app_nth_session(app, i)); i++)
		if (s->jobs[JOB_SAVE])
			return true;
	return app->writing != NULL;
}

bool
app_is_busy(const struct app *app)
{
	const struct session *s;

	if (view_is_busy(app_view(app)))
		return true;
	for (size_t i = 0; (s = app_nth_session(app, i)); i++)
		if (session_job(s))
			return true;
	return false;
}

/* The rows stay in the last order whose values were computed. */
static void
report_stopped_order(struct app *app, const struct view *v, const struct job *job)
{
	bool is_descending;
	int left = view_order_left(v, &is_descending);

	app_message(
	    app, STYLE_WARNING, "stopped %s, the order is %s%s again; :sort %s computes them",
	    job_what(job), left < 0 ? "the default" : "by ",
	    left < 0 ? "" : v->ops->table->columns[left].title, v->ops->table->columns[v->sort].id);
}

/* Reports a stopped job and how to restart it; reading and writing differ. */
static void
report_stopped_session(struct app *app, const struct view *v, const struct session *s,
		       const struct job *job)
{
	int column = column_by_id(v->ops->table->columns, "retained");

	if (job == s->jobs[JOB_LOAD] || job == s->jobs[JOB_SAVE])
		app_message(app, STYLE_WARNING, "stopped %s", job_what(job));
	else if (job == s->jobs[JOB_JOIN])
		app_message(app, STYLE_WARNING, "stopped %s; :samples starts again", job_what(job));
	else if (v->sort >= 0 && v->ops->table->columns[v->sort].needs & ~s->has)
		report_stopped_order(app, v, job);
	else if (view_row_needs(v) & ~s->has)
		app_message(app, STYLE_WARNING, "stopped %s; :%s computes them", job_what(job),
			    v->ops->command.name);
	else
		app_message(app, STYLE_WARNING, "stopped %s; %s computes them", job_what(job),
			    column >= 0 && v->ops->table->columns[column].sort != UNSORTED
				? "R"
				: ":dominators");
}

/* Returns false if nothing ran. The view may set its own message. */
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
		app_message(app, STYLE_WARNING, "stopped %s; :%s starts again", what,
			    v->ops->command.name);
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
	/* The loader owns the types of a heap being read: enter first. */
	busy = busy_session(app);
	job = session_job(busy);
	if (job && !app->message[0])
		report_stopped_session(app, app->views[app->current], busy, job);
	if (busy != app->entered)
		session_enter(busy);
	was_busy = session_cancel(busy);
	if (busy != app->entered)
		session_leave(busy);
	return was_busy;
}
