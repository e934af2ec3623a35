/*
 * Views that are made of ways to the roots, when these are computed anew: what is on the screen
 * meanwhile, and that nobody reads the old ways any more.
 */
#include "model/base/thread.h"
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/late_threads.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/settings.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>

int
thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	return late_thread_start(thread, run, context);
}

/* --- views ---------------------------------------------------------------- */

static void
expect_same_cells(const struct view *a, const struct row *of_a, const struct view *b,
		  const struct row *of_b)
{
	char text[VALUE_TEXT_BYTES], wanted[VALUE_TEXT_BYTES];

	for (const struct column *c = a->ops->table->columns; c->id; c++) {
		struct value value;

		if (!view_has_column(a, c, true))
			continue;
		view_cell(a, c, of_a, &value);
		snprintf(text, sizeof text, "%s", value_for_people(&value, wanted));
		view_cell(b, c, of_b, &value);
		assert_string_equal(text, value_for_people(&value, wanted));
	}
}

/* The rows, in their order, are those of one that is opened now. */
static void
expect_as_opened_now(const struct view *v)
{
	struct error err = { 0 };
	struct view *fresh = view_open(v->ops, v->session, &v->target, &err);
	struct row row, wanted;

	assert_non_null(fresh);
	assert_true(view_update(fresh, &err));
	assert_int_equal(v->rows_count, fresh->rows_count);
	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		view_row(fresh, i, &wanted);
		assert_int_equal(row.kind, wanted.kind);
		assert_int_equal(row.node, wanted.node);
		assert_int_equal(row.type, wanted.type);
		expect_same_cells(v, &row, fresh, &wanted);
	}
	view_close(fresh);
}

/* clang-format off */
static const struct {
	const char *open, *ignore;
} follow_cases[] = {
	{ ":dominators j j j",         "x" },
	{ ":dominators j j j",         ":ignore_kind_static" },
	{ ":dominators j j j +",       ":ignore_kind_static" },
	{ ":dominators_Leaky.Link",    ":ignore_kind_static" },
	{ ":dominators_7fe019c05bc0",  ":ignore_kind_static" },
	{ ":dominators_7fe019c05bc0",  "x" },
	{ ":treemap t j j j",          "x" },
	{ ":treemap t j j j",          ":ignore_kind_static" },
	{ ":treemap_7fe019c05bc0 t",   "x" },
	{ ":treemap_Leaky.Link t",     ":ignore_kind_static" },
	{ ":groups",                   ":ignore_kind_static" },
	{ ":groups_root",              ":ignore_kind_static" },
	{ ":roots",                    ":ignore_kind_static" },
};
/* clang-format on */

TEST(test_views_follow)
{
	for (size_t i = 0; i < COUNT_OF(follow_cases); i++) {
		struct app *app = app_with_retention(leaky_heap());
		struct screen *screen = screen_for_test(24, 80, false);
		struct session *s = app->session;

		app_steps(app, screen, follow_cases[i].open);
		app_steps(app, screen, follow_cases[i].ignore);
		assert_int_equal(s->what_if.shown.items_count, 1);
		expect_as_opened_now(app_view(app));
		app_steps(app, screen, "X");
		assert_int_equal(s->what_if.shown.items_count, 0);
		expect_as_opened_now(app_view(app));
		app_end(app);
	}
}

static struct app *
app_of_leaky(void)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };

	assert_true(session_require(s, NEED_REVERSE | NEED_REACH, &err));
	app_poll(app);
	return app;
}

static void
settle_app(struct app *app)
{
	go_on(app->session);
	app_poll(app);
}

/* clang-format off */
static const struct {
	const char *ignore[3], *move, *restore[2];
	size_t items;
} restored[] = {
	{ { "x" },                                              "G",   { "X" },                                    0 },
	{ { "x" },                                              "j k", { "x" },                                    0 },
	{ { "x" },                                              "G",   { "Enter", ":ignore_nothing" },             0 },
	{ { "x", ":ignore_kind_stack", ":ignore_kind_static" }, "j j", { "x" },                                    2 },
	{ { "x", ":ignore_kind_stack", ":ignore_kind_static" }, "G",   { "X" },                                    0 },
	{ { "x", ":ignore_kind_stack", ":ignore_kind_static" }, "G",   { "g x", "x" },                             1 },
	{ { ":ignore_kind_static" },                            "G",   { ":set_nostatics", ":ignore_kind_stack" }, 2 },
};
/* clang-format on */

/* Ways come while what they free is on the screen and a row is selected. */
TEST(test_what_is_ignored_goes)
{
	for (size_t i = 0; i < COUNT_OF(restored); i++) {
		struct app *app = app_of_leaky();
		struct screen *screen = screen_for_test(24, 80, false);

		app_steps(app, screen, ":roots j j");
		for (size_t n = 0; n < 3 && restored[i].ignore[n]; n++) {
			app_steps(app, screen, restored[i].ignore[n]);
			settle_app(app);
		}
		app_steps(app, screen, ":ignored");
		app_steps(app, screen, restored[i].move);
		for (size_t n = 0; n < 2 && restored[i].restore[n]; n++) {
			app_steps(app, screen, restored[i].restore[n]);
			settle_app(app);
		}
		if (app_view(app)->ops != &view_ignored)
			app_steps(app, screen, "Backspace");
		assert_ptr_equal(app_view(app)->ops, &view_ignored);
		assert_int_equal(app->session->what_if.shown.items_count, restored[i].items);
		expect_as_opened_now(app_view(app));
		app_end(app);
	}
}

static void
cell_of_first(const struct view *v, const char *column, struct value *out)
{
	struct row row;

	view_row(v, 0, &row);
	view_cell(v, &v->ops->table->columns[column_by_id(v->ops->table->columns, column)], &row,
		  out);
}

/* Other threads may be reading cells: those make nothing. */
TEST(test_sums_come_with_an_update)
{
	struct app *app = app_of_leaky();
	struct session *s = app->session;
	struct error err = { 0 };
	struct value value;

	go_on(s);
	assert_true(app_command(app, "roots", &err));
	assert_true(session_want(s, NEED_RETAINED, &err));
	go_on(s);
	assert_non_null(s->retention);
	cell_of_first(app_view(app), "retained", &value);
	assert_int_equal(value.kind, VALUE_PENDING);
	app_poll(app);
	cell_of_first(app_view(app), "retained", &value);
	assert_int_equal(value.kind, VALUE_BYTES);
	assert_true(value.number > 0);
	expect_as_opened_now(app_view(app));
	app_end(app);
}

/* An order by what is not there yet is none: the old one stays till then. */
TEST(test_order_waits)
{
	struct app *app = app_of_leaky();
	struct view *v = app_view(app);
	int size = v->sort, retained = column_by_id(v->ops->table->columns, "retained");
	struct error err = { 0 };

	expect_as_opened_now(v);
	atomic_store(&late.is_closed, true);
	assert_true(app_key(app, 'R'));
	assert_int_equal(v->sort, size);
	assert_false(view_has_settled(v));
	expect_as_opened_now(v);
	assert_true(view_filter(v, "leaky", &err));
	assert_int_equal(v->sort, size);
	assert_true(app_key(app, TK_ESCAPE));
	settle_app(app);
	assert_int_equal(v->sort, size);
	/* It may have been done before it was stopped. */
	assert_true(app_key(app, 'R'));
	settle_app(app);
	assert_int_equal(v->sort, retained);
	assert_true(v->is_descending);
	assert_true(view_has_settled(v));
	app_end(app);
}

/* A view does not wait for an order that is no longer computed. */
TEST(test_order_that_never_comes)
{
	struct app *app = app_of_leaky();
	struct view *v = app_view(app);
	int size = v->sort;

	atomic_store(&late.is_closed, true);
	assert_true(app_key(app, 'R'));
	assert_true(v->awaited.is_set);
	assert_true(session_cancel(app->session));
	settle_app(app);
	assert_null(app->session->retention);
	assert_false(v->awaited.is_set);
	assert_int_equal(v->sort, size);
	assert_true(view_has_settled(v));
	app_end(app);
}

/* Rows of another filter come at once, the order as soon as it can. */
TEST(test_filter_while_order_waits)
{
	struct app *app = app_of_leaky();
	struct view *v = app_view(app);
	int size = v->sort, retained = column_by_id(v->ops->table->columns, "retained");
	size_t all = v->rows_count;
	struct error err = { 0 };

	atomic_store(&late.is_closed, true);
	assert_true(app_key(app, 'R'));
	assert_true(view_filter(v, "leaky", &err));
	assert_int_equal(v->sort, size);
	assert_in_range(v->rows_count, 1, all - 1);
	settle_app(app);
	assert_int_equal(v->sort, retained);
	assert_in_range(v->rows_count, 1, all - 1);
	app_end(app);
}

/* The order is by what is computed anew: it is the rows of the filter that
   come at once. */
TEST(test_filter_while_sizes_are_gone)
{
	struct app *app = app_of_leaky();
	struct view *v = app_view(app);
	int retained = column_by_id(v->ops->table->columns, "retained");
	size_t all = v->rows_count, some;
	struct error err = { 0 };

	assert_true(app_key(app, 'R'));
	settle_app(app);
	assert_int_equal(v->sort, retained);
	begin_ignoring(app->session);
	app_poll(app);
	assert_int_equal(v->rows_count, all);
	assert_true(view_filter(v, "leaky", &err));
	some = v->rows_count;
	assert_in_range(some, 1, all - 1);
	settle_app(app);
	assert_int_equal(v->sort, retained);
	assert_int_equal(v->rows_count, some);
	app_end(app);
}

static void
settle_view(struct app *app, const struct view *v)
{
	while (view_is_busy(v)) {
		sched_yield();
		app_poll(app);
	}
}

/* A job that reads the old paths is stopped before they are freed, and
   starts again. */
static void
expect_stopped_in_time(struct app *app, struct view *v)
{
	struct session *s = app->session;
	const struct reach *before = s->reach;
	struct error err = { 0 };
	size_t wanted = 0;

	atomic_store(&late.progress, NULL);
	late.reach = NULL;
	assert_true(ignore_kind(s, ROOT_STATIC));
	while (!job_is_done(s->jobs[JOB_REACH]))
		sched_yield();
	late.session = s;
	assert_true(view_filter(v, "distance > 1", &err));
	assert_null(late.session);
	assert_true(view_is_busy(v));
	atomic_store(&late.progress, job_progress(view_job(v)));
	app_poll(app);
	assert_ptr_equal(late.reach, before);
	assert_ptr_not_equal(s->reach, before);
	settle_app(app);
	settle_view(app, v);
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		wanted += heap_type_of(s->heap, n) == v->target.type && s->reach->distance[n] > 1 &&
			  s->reach->distance[n] != DISTANCE_UNREACHABLE;
	assert_int_equal(v->rows_count, wanted);
}

TEST(test_who_reads_ways)
{
	for (int in_pane = 0; in_pane < 2; in_pane++) {
		struct app *app = app_of_leaky();
		struct error err = { 0 };

		assert_true(view_filter(app_view(app), "type = Leaky.Session", &err));
		if (in_pane)
			assert_true(app_enter_pane(app, &err));
		else
			assert_true(app_command(app, "open", &err));
		assert_true(app_view(app)->ops == &view_objects);
		assert_int_equal(app->pane != NULL, in_pane);
		settle_view(app, app_view(app));
		expect_stopped_in_time(app, app_view(app));
		app_end(app);
	}
}
