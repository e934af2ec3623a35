/* Queries in SQL on the screen. */
#include "tests/drive/screens.h"

/* The reason why a query ends is a message over the view that was there. */
TEST(failed_query_opens_no_view)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(24, 100, false);

	app_steps(app, s, ":sql_SELECT_sum(retained(1))_FROM_types");
	assert_int_equal(app->views_count, 1);
	assert_true(app_has_text(app, s, "\"1\" is no type and no object"));
	assert_true(app_has_text(app, s, "Leaky.Session"));
	app_steps(app, s, ":sql_SELECT_1_AS_one");
	assert_int_equal(app->views_count, 2);
	app_end(app);
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
	assert_true(
	    app_has_text(app, s, "is a function: SELECT path(address)"));
	app_end(app);
}

TESTS_BETWEEN(screens_begin, NULL);
