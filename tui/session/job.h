#ifndef TUI_SESSION_JOB_H
#define TUI_SESSION_JOB_H

/*
 * One computation on a thread of its own, with progress, an end and a way to
 * stop it. The screen never waits for one: it polls job_is_done() when woken.
 */
#include "model/base/progress.h"

/* How to tell the screen's thread that something happened; from any thread. */
struct waker {
	void (*wake)(
	    void *context); /* NULL: nobody to wake, run jobs at once */
	void *context;
};

typedef bool job_run(void *context, struct progress *progress,
		     struct error *err);
struct job;

/*
 * Without a waker `run` is called here and now, on this thread: tests and
 * batch mode use that. `what` is a literal: "finding referrers".
 */
struct job *job_start(const char *what, job_run *run, void *context,
		      struct waker waker, struct error *err) MUST_USE;
/* The same at a low priority: see model/base/thread.h. */
struct job *job_start_giving_way(const char *what, job_run *run, void *context,
				 struct waker waker,
				 struct error *err) MUST_USE;
bool job_is_done(const struct job *j);
void job_cancel(struct job *j);
/* Waits for the end and frees; what `run` returned, with its error. */
bool job_finish(struct job *j, struct error *err) MUST_USE;

const char *job_what(const struct job *j);
const struct progress *job_progress(const struct job *j);

#endif
