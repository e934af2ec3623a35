#ifndef TESTS_DRIVE_JOBS_H
#define TESTS_DRIVE_JOBS_H

/* Jobs on threads of their own, as with a screen that they wake. */
#include "model/base/clock.h"
#include "tui/app/state.h"
#include "tui/session/job.h"

/* For a session; whom it wakes does nothing but count. */
struct waker jobs_on_threads(void);
unsigned jobs_wakes(void);

typedef const struct heap *session_load(const struct loader *from, enum load_what what,
					struct progress *progress, struct preview *preview,
					struct error *err);
/* Sessions with such jobs, and apps on them: never NULL, nothing has begun. */
struct session *session_on_threads(const struct heap *h);
struct app *app_on_threads(const struct heap *h);
/* Its heap comes from `load`, which is told the path; it is not copied. */
struct session *session_loading(const char *path, session_load *load);
struct app *app_loading(const char *path, session_load *load);

/* Ends when it is stopped. The context: NULL, or an atomic_bool that is set once it has begun. */
job_run run_until_cancelled;

/* Until the app's session has all of these, or the app has ended. */
void poll_until(struct app *app, unsigned needs);
/* Updates the view until it is not busy. */
void update_until_idle(struct view *v);
/* As long as the condition holds; after two minutes the test fails. */
#define poll_while(app, condition)                                                                 \
	for (int64_t poll_since = clock_ns(); condition; check_patience(poll_since))               \
	poll_once(app)
void poll_once(struct app *app);
void check_patience(int64_t since_ns);

#endif
