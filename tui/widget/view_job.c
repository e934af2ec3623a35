#include "tui/widget/view_job.h"

static bool
run_work(void *context, struct progress *progress, struct error *err)
{
	struct memory_refused before = memory_refused();
	struct view_job *vj = context;
	bool ok = vj->work(vj->context, progress, err);

	return memory_was_enough(before, err) && ok;
}

bool
view_job_finish(struct view *v, struct error *err)
{
	struct view_job *vj = v->job;
	bool ok;

	v->job = NULL;
	v->rows_version += vj->kind != JOB_READS_ROWS;
	ok = job_finish(vj->job, err);
	vj->done(v, vj->context, ok);
	memory_free(vj);
	return ok;
}

bool
view_job_stop(struct view *v)
{
	if (!v->job)
		return false;
	job_cancel(v->job->job);
	return view_job_finish(v, NULL);
}

static bool
start_work(struct view *v, const char *what, view_work *work, view_done *done, void *context,
	   enum view_job_kind kind, struct error *err)
{
	struct view_job *vj;

	view_job_stop(v);
	vj = memory_new(1, sizeof *vj, err);
	if (vj) {
		*vj = (struct view_job){ NULL, work, done, context, kind, false };
		vj->job = job_start(what, run_work, vj, v->session->waker, err);
	}
	if (!vj || !vj->job) {
		memory_free(vj);
		done(v, context, false);
		return false;
	}
	v->job = vj;
	return v->session->waker.wake || view_job_finish(v, err);
}

bool
view_run(struct view *v, const char *what, view_work *work, view_done *done, void *context,
	 struct error *err)
{
	return start_work(v, what, work, done, context, JOB_MAKES_ROWS, err);
}

bool
view_run_on_rows(struct view *v, const char *what, view_work *work, view_done *done, void *context,
		 struct error *err)
{
	return start_work(v, what, work, done, context, JOB_READS_ROWS, err);
}

bool
view_run_for_more(struct view *v, const char *what, view_work *work, view_done *done, void *context,
		  struct error *err)
{
	return start_work(v, what, work, done, context, JOB_ADDS_TO_ROWS, err);
}

bool
view_can_run_on_rows(const struct view *v)
{
	return v->session->heap && !(v->ops->list.flags & VIEW_GROWS);
}

static const struct view_job *
job_for(const struct view *v)
{
	return v->job || !v->source ? v->job : v->source->job;
}

bool
view_is_busy(const struct view *v)
{
	return job_for(v) != NULL;
}

const struct job *
view_job(const struct view *v)
{
	const struct view_job *vj = job_for(v);

	return vj ? vj->job : NULL;
}
