#ifndef TUI_WIDGET_VIEW_JOB_H
#define TUI_WIDGET_VIEW_JOB_H

/* The job that runs for a view, for view.c and view_search.c. Views start theirs with view_run()
   and view_run_on_rows(). */
#include "tui/session/job.h"
#include "tui/widget/view.h"

enum view_job_kind { JOB_MAKES_ROWS, JOB_ADDS_TO_ROWS, JOB_READS_ROWS };

struct view_job {
	struct job *job;
	view_work *work;
	view_done *done;
	void *context;
	enum view_job_kind kind;
	bool begun_by_rows; /* restarts if stopped for other work */
};

/* Waits for the job and passes its result to the view. */
bool view_job_finish(struct view *v, struct error *err) MUST_USE;
/* Stops the job. Returns true if it had already completed. */
bool view_job_stop(struct view *v);

#endif
