/* Keys that are typed before a view has its rows are meant for them. */
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/job.h"
#include <sched.h>

enum { OBJECTS = 300000 };

/* Nobody looks; a moment lasts until the rows are made, or is none. */
struct typist {
	const int *keys; /* the last is TK_QUIT */
	bool waits;
	unsigned rests_count;
};

static bool
show_nothing(void *context, struct app *app, struct error *err)
{
	(void)context, (void)app, (void)err;
	return true;
}

static int
type_key(void *context, struct app *app, int timeout_ms)
{
	struct typist *t = context;

	(void)app, (void)timeout_ms;
	return *t->keys++;
}

static void
rest_a_moment(void *context, struct app *app)
{
	struct typist *t = context;
	const struct job *job = view_job(app_view(app));

	if (!job)
		job = session_job(app->session);
	t->rests_count++;
	while (t->waits && job && !job_is_done(job))
		sched_yield();
}

/* At a list whose rows are a job's. */
static struct app *
type_at_objects(struct typist *t)
{
	const struct front front = { t, false, show_nothing, type_key, rest_a_moment };
	const struct waker threads = jobs_on_threads();
	struct graph *g = graph_new(OBJECTS, 1);
	struct error err = { 0 };
	struct session *s = session_new_of_heap(graph_heap(g), threads, &err);
	struct app *app = app_new(s, &err);

	graph_free(g);
	assert_non_null(app);
	assert_true(app_command(app, "objects", &err));
	assert_true(app_run_with(app, &front, &err));
	return app;
}

TEST(keys_await_rows)
{
	static const int keys[] = { 'j', 'j', TK_QUIT };
	struct typist t = { keys, true, 0 };
	struct app *app = type_at_objects(&t);

	assert_int_equal(app_view(app)->rows_count, OBJECTS);
	assert_int_equal(app_view(app)->cursor, 2);
	app_end(app);
}

/* Not before each key: what takes long is seen to take long. */
TEST(keys_await_rows_once)
{
	enum { RESTS_MAX = 40 };
	static const int keys[] = { TK_TIMEOUT, TK_TIMEOUT, TK_TIMEOUT, TK_QUIT };
	struct typist t = { keys, false, 0 };
	struct app *app = type_at_objects(&t);

	assert_in_range(t.rests_count, 0, RESTS_MAX);
	app_end(app);
}
