/* The same place in another capture of the process. */
#include "tests/drive/jobs.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include <string.h>

enum { ROWS = 24, COLUMNS = 100 };

/* Where the heap was captured anew; here it is the same one. */
static void
open_again(struct app *app, const struct view *v, struct waker waker)
{
	struct error err = { 0 };

	app->message[0] = '\0';
	app->session->waker = waker;
	assert_true(app_open(app, &view_types, &target_none, &err));
	app_again_show(app, v);
}

TEST(places_in_another_capture)
{
	const struct waker wakers[] = { { 0 }, jobs_on_threads() };
	static const struct {
		const char *steps, *title, *told;
		size_t cursor;
	} rows[] = {
		{ "j j :sort_count", "types", "", 3 },
		{ ":groups_module j", "groups by module", "", 1 },
		{ ":histogram j j j j", "histogram", "", 4 },
		{ ":summary G", "summary", "", 13 },
		{ "j Enter j & s i z e > 2 0 Enter", "objects Leaky.Session", "may have moved", 0 },
		{ "j Enter j Enter", "objects Leaky.Session", "may have moved", 0 },
		{ "j P j", "merged Leaky.Session", "", 1 },
	};

	for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
		struct screen *s = screen_for_test(ROWS, COLUMNS, false);
		struct app *app = app_with_retention(leaky_heap());
		const struct view *v;

		app_steps(app, s, rows[i / 2].steps);
		v = app_view(app);
		open_again(app, v, wakers[i % 2]);
		do
			app_poll(app);
		while (view_is_busy(app_view(app)));
		assert_ptr_not_equal(app_view(app), v);
		assert_string_equal(app_view(app)->title, rows[i / 2].title);
		if (app_view(app)->cursor != rows[i / 2].cursor)
			fail_msg("%s: row %zu", rows[i / 2].steps, app_view(app)->cursor);
		if (v->ops == app_view(app)->ops) {
			assert_int_equal(app_view(app)->sort, v->sort);
			assert_true(!v->filter == !app_view(app)->filter);
		}
		if (!strstr(app->message, rows[i / 2].told) ||
		    (!*rows[i / 2].told && *app->message))
			fail_msg("%s: %s", rows[i / 2].steps, app->message);
		app_end(app);
	}
}

TEST(rows_of_one_name_in_another_capture)
{
	static const struct made_type types[] = {
		{ 0, "Shop.Order", "a.dll", 4 },
		{ 0, "Shop.Order", "b.dll", 3 },
		{ 0, "Shop.Item", "b.dll", 2 },
		{ 0, "Shop.Order", "c.dll", 1 },
	};
	size_t count = COUNT_OF(types);

	for (size_t i = 0; i < count; i++) {
		struct app *app = app_on(made_heap(types, count, 0));

		view_move_to(app_view(app), i);
		open_again(app, app_view(app), (struct waker){ 0 });
		app_poll(app);
		assert_int_equal(app_view(app)->cursor, i);
		app_end(app);
	}
}

/* A user who has moved on meanwhile stays there. */
TEST(another_capture_is_left_alone)
{
	struct screen *s = screen_for_test(ROWS, COLUMNS, false);
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };

	app_steps(app, s, ":groups_module j");
	open_again(app, app_view(app), (struct waker){ 0 });
	assert_true(app_open(app, &view_roots, &target_none, &err));
	app_poll(app);
	assert_ptr_equal(app_view(app)->ops, &view_roots);
	/* As far as there is a way back, it is still to come. */
	app_go_back(app);
	assert_non_null(app->again.commands);
	app_close(app);
	assert_null(app->again.commands);
	app_poll(app);
	assert_string_equal(app_view(app)->title, "groups by module");
	/* A key chooses a row before there are some. */
	open_again(app, app_view(app), jobs_on_threads());
	app_again_run(app);
	assert_string_equal(app_view(app)->title, "groups by module");
	assert_true(app_key(app, 'g'));
	while (view_is_busy(app_view(app)))
		app_poll(app);
	assert_int_equal(app_view(app)->cursor, 0);
	app_end(app);
}
