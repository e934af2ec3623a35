#ifndef TESTS_DRIVE_JOBS_H
#define TESTS_DRIVE_JOBS_H

/* Jobs on threads of their own, as with a screen that they wake. */
#include "tui/app/state.h"
#include "tui/session/job.h"

/* For a session; whom it wakes does nothing but count. */
struct waker jobs_on_threads(void);
unsigned jobs_wakes(void);

/* Ends when it is stopped. The context: NULL, or an atomic_bool that is set
   once it has begun. */
job_run run_until_cancelled;

/* Until the app's session has all of these, or the app has ended. */
void poll_until(struct app *app, unsigned needs);

#endif
