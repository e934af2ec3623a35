/* The list of walks in a trace: what it shows, and what Enter opens. */
#include "io/events/walk.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/made/walks.h"
#include "tui/session/snapshots.h"
#include <string.h>
#include <unistd.h>

static void
write_trace(const char *path)
{
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	walks_put(&t, 11, 100, LOSE_OBJECTS);
	walks_put(&t, 12, 200, 0);
	walks_put(&t, 13, 300, 0);
	trace_end(&t);
	file_write(path, t.out.data, t.out.len);
	trace_free(&t);
}

static uint32_t
objects_here(const struct app *app)
{
	return app->session->heap ? app->session->heap->nodes_count : 0;
}

TEST_IN_FOLDER(test_another_walk)
{
	const char *path = in_folder("trace");
	const struct loader loader = { .path = path, .load = load_path };
	struct screen *s = screen_for_test(12, 120, false);
	struct snapshots all;
	struct error err = { 0 };
	struct app *app;

	write_trace(path);
	snapshots_init(&all, (struct waker){ 0 });
	assert_true(snapshots_add(&all, &loader, &err) &&
		    session_require(all.sessions[0], NEED_REVERSE | NEED_REACH, &err));
	snprintf(all.sessions[0]->name, sizeof all.sessions[0]->name, "t");
	app = app_new(all.sessions[0], &err);
	assert_non_null(app);
	assert_int_equal(objects_here(app), 300); /* the last complete one */
	app_steps(app, s, ":walks");
	expect_screen(app, s, "walks", true);

	app_steps(app, s, "j Enter");
	assert_int_equal(objects_here(app), 200);
	assert_int_equal(all.count, 2);
	/* An open walk is not opened again. */
	app_steps(app, s, ":walks G Enter");
	assert_int_equal(all.count, 2);
	assert_int_equal(objects_here(app), 300);
	app_steps(app, s, ":walks g j Enter");
	assert_int_equal(all.count, 2);
	assert_int_equal(objects_here(app), 200);
	app_steps(app, s, ":walks g Enter");
	assert_int_equal(all.count, 3);
	assert_int_equal(objects_here(app), 80);

	app_free(app);
	snapshots_clear(&all);
	unlink(path);
}

/* Every screen reports the loss, and none claims anything about roots. */
TEST(test_what_is_lost)
{
	const unsigned faults = LOSE_TWICE | LOSE_REFS | LOSE_END | NO_TYPES;
	struct screen *s = screen_for_test(16, 120, false);
	struct app *app;
	struct trace t;

	trace_begin(&t, TRACE_4, 8);
	walks_put(&t, 11, 200, faults);
	trace_end(&t);
	app = app_on(walks_read(&t, 0, NULL));
	expect_screen(app, s, "lossy", false);
	expect_steps(app, s, ":inspect_10000040", "lossy-inspect");
	expect_steps(app, s, ":roots", "lossy-roots");
	expect_steps(app, s, ":summary", "lossy-summary");
	app_end(app);
	trace_free(&t);
}

TEST(test_no_trace)
{
	struct app *app = app_on(awkward_heap());
	struct screen *s = screen_for_test(12, 80, false);

	app_steps(app, s, ":walks");
	assert_int_equal(app->views_count, 1);
	app_end(app);
}
