#include "tests/drive/jobs.h"
#include <sched.h>

static atomic_uint wakes;

static void
count_wake(void *context)
{
	(void)context;
	atomic_fetch_add(&wakes, 1);
}

struct waker
jobs_on_threads(void)
{
	return (struct waker){ count_wake, NULL };
}

unsigned
jobs_wakes(void)
{
	return atomic_load(&wakes);
}

bool
run_until_cancelled(void *context, struct progress *progress, struct error *err)
{
	atomic_bool *has_begun = context;

	if (has_begun)
		atomic_store(has_begun, true);
	while (!progress_is_cancelled(progress))
		sched_yield();
	return error_cancelled(err);
}

void
poll_until(struct app *app, unsigned needs)
{
	while (!app->has_quit && needs & ~app->session->has) {
		app_poll(app);
		sched_yield();
	}
}
