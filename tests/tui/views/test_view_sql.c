/* Queries in SQL on the screen. */
#include "tests/drive/screens.h"
#include "tui/session/snapshots.h"

/* The reason why a query ends is a message over the view that was there. */
TEST(failed_query_opens_no_view)
{
	const struct loader loader = { .path = "tests/data/leaky-10.gcdump", .load = load_path };
	struct screen *s = screen_for_test(24, 100, false);
	struct snapshots all;
	struct error err = { 0 };
	struct app *app;

	snapshots_init(&all, (struct waker){ 0 });
	assert_true(snapshots_add(&all, &loader, &err) &&
		    session_require(all.sessions[0], NEED_RETAINED, &err));
	assert_true(snapshots_start_next(&all, &err));
	snapshots_note_arrival(&all);
	app = app_new(all.sessions[0], &err);

	app_steps(app, s, ":sql_SELECT_sum(retained(1))_FROM_types");
	assert_int_equal(app->views_count, 1);
	assert_true(app_has_text(app, s, "\"1\" is no type and no object"));
	assert_true(app_has_text(app, s, "Leaky.Session"));
	app_steps(app, s, ":sql_SELECT_1_AS_one");
	assert_int_equal(app->views_count, 2);
	app_free(app);
	snapshots_clear(&all);
}

/* Functions are no rows of a table, so Enter says how to call them. */
TEST(functions_are_listed)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 100, false);

	app_steps(app, s, ":schema_functions");
	assert_true(app_has_text(app, s, "retained(type)"));
	assert_true(app_has_text(app, s, "SQLite"));
	app_steps(app, s, "Enter");
	assert_true(app_has_text(app, s, "is a function: SELECT path(address)"));
	app_end(app);
}

TESTS_BETWEEN(screens_begin, NULL);
