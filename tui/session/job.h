#ifndef TUI_SESSION_JOB_H
#define TUI_SESSION_JOB_H

/*
 * One computation on its own thread, with progress and cancellation. The screen never waits for a
 * job: it calls job_is_done() when woken.
 */
#include "model/base/progress.h"
#include <stddef.h>

/* Wakes the screen's thread; called from any thread. */
struct waker {
	void (*wake)(void *context); /* NULL: run jobs at once */
	void *context;
};

typedef bool job_run(void *context, struct progress *progress, struct error *err);
struct job;

/*
 * Without a waker `run` is called before this returns, on this thread, for tests and batch mode.
 * `what` is a literal: "finding referrers".
 */
struct job *job_start(const char *what, job_run *run, void *context, struct waker waker,
		      struct error *err) MUST_USE;
/* The same at low priority: see model/base/low_priority.h. */
struct job *job_start_low_priority(const char *what, job_run *run, void *context,
				   struct waker waker, struct error *err) MUST_USE;
bool job_is_done(const struct job *j);
void job_cancel(struct job *j);
/* Waits for the job and frees it. Returns the result of `run`, with its error. */
bool job_finish(struct job *j, struct error *err) MUST_USE;
/* While job_finish() has waited for a second and waits on, `meanwhile` is called again and again;
   it may take a moment, and may end the program. NULL: the default. */
void job_set_meanwhile(void (*meanwhile)(void *context, const char *what), void *context);

/* Describes the job that began last, "finding referrers, 42%", for any thread. False: it has
   ended. */
bool job_describe_latest(char *text, size_t text_size);

const char *job_what(const struct job *j);
const struct progress *job_progress(const struct job *j);

#endif
