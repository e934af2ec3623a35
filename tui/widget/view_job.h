#ifndef TUI_WIDGET_VIEW_JOB_H
#define TUI_WIDGET_VIEW_JOB_H

/*
 * The computation that runs for a view, and its end: for view.c and
 * view_search.c. Views begin theirs with view_run() and view_run_on_rows().
 */
#include "tui/session/job.h"
#include "tui/widget/view.h"

enum view_job_kind { JOB_MAKES_ROWS, JOB_ADDS_TO_ROWS, JOB_READS_ROWS };

struct view_job {
	struct job *job;
	view_work *work;
	view_done *done;
	void *context;
	enum view_job_kind kind;
	bool begun_by_rows; /* begins again if it is stopped for others */
};

/* Waits for the job, hands its result to the view. */
bool view_job_finish(struct view *v, struct error *err) MUST_USE;
/* True if it had done what it should before it could be stopped. */
bool view_job_stop(struct view *v);

#endif
