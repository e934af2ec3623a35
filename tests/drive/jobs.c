#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
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

static struct app *
app_of(struct session *s)
{
	struct error err = { 0 };
	struct app *app = app_new(s, &err);

	assert_ok(app, &err);
	return app;
}

struct session *
session_on_threads(const struct heap *h)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(h, jobs_on_threads(), &err);

	assert_ok(s, &err);
	return s;
}

struct app *
app_on_threads(const struct heap *h)
{
	return app_of(session_on_threads(h));
}

struct session *
session_loading(const char *path, session_load *load)
{
	struct loader *loader = calloc(1, sizeof(*loader));
	struct error err = { 0 };
	struct session *s;

	assert_non_null(loader);
	test_owns(loader, free);
	*loader = (struct loader){ .path = path, .load = load };
	s = session_new(loader, jobs_on_threads(), &err);
	assert_ok(s, &err);
	return s;
}

struct app *
app_loading(const char *path, session_load *load)
{
	return app_of(session_loading(path, load));
}

void
poll_once(struct app *app)
{
	app_poll(app);
	sched_yield();
}

void
check_patience(int64_t since_ns)
{
	const int64_t second = 1000000000;

	if (clock_ns() - since_ns > 120 * second)
		fail_msg("what is waited for does not happen");
}

void
poll_until(struct app *app, unsigned needs)
{
	poll_while(app, !app->has_quit && needs & ~app->session->has);
}

void
update_until_idle(struct view *v)
{
	struct error err = { 0 };

	do {
		assert_true(view_update(v, &err));
		sched_yield();
	} while (view_is_busy(v));
}
