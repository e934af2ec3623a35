/*
 * Collections on the screen: a recorded trace at several sizes, one collection
 * opened, rows that stay selected while more come, and what is said at the end.
 */
#include "io/gc_stats.h"
#include "tests/screens.h"
#include "tui/gcs.h"
// clang-format off
#include "tests/run_tests.h"
// clang-format on
#include <stdlib.h>
#include <string.h>

static bool
collections_of_trace(const struct loader *from, struct gc_sink sink,
		     struct gc_source_facts *facts, struct progress *progress,
		     struct error *err)
{
	return gc_stats_load(from->path, sink, facts, progress, err);
}

/* Of nobody: the test itself puts records in. */
static bool
no_collections(const struct loader *from, struct gc_sink sink,
	       struct gc_source_facts *facts, struct progress *progress,
	       struct error *err)
{
	(void)from;
	(void)sink;
	(void)progress;
	(void)err;
	snprintf(facts->end, sizeof(facts->end), "process 1 (x) has ended");
	return true;
}

static bool
no_process(const struct loader *from, struct gc_sink sink,
	   struct gc_source_facts *facts, struct progress *progress,
	   struct error *err)
{
	(void)from;
	(void)sink;
	(void)facts;
	(void)progress;
	return error_set(err, ERROR_ATTACH, "process 1 (x) refuses");
}

static struct app *
app_on_loader(const struct loader *loader)
{
	struct error err;
	struct session *s;
	struct app *app;

	error_clear(&err);
	s = session_new(loader, (struct waker){ 0 }, &err);
	assert_non_null(s);
	s->is_empty = true;
	app = app_new(s, &err);
	assert_non_null(app);
	app_poll(app);
	return app;
}

static struct app *
app_on_trace(const char *path)
{
	const struct loader loader = { .path = path,
				       .collections = collections_of_trace };

	return app_on_loader(&loader);
}

static const struct {
	const char *name, *steps;
	const char *command; /* then this; NULL: none */
	int rows, columns;
	bool is_ascii;
} screens[] = {
	{ "gcs-80x24", "", NULL, 24, 80, false },
	{ "gcs-200x60", "", NULL, 60, 200, false },
	{ "gcs-40x10", "", NULL, 10, 40, false },
	{ "gcs-ascii", "", NULL, 24, 80, true },
	{ "gcs-by-pause", "", "sort pause_us", 12, 80, false },
	{ "gcs-filtered", "", "where kind = background and pause_us > 1000", 12,
	  80, false },
	{ "gcs-moved", "j j j", NULL, 12, 80, false },
	{ "gcs-chart-80x24", "t", NULL, 24, 80, false },
	{ "gcs-chart-200x60", "t", NULL, 60, 200, false },
	{ "gcs-chart-40x10", "t", NULL, 10, 40, false },
	{ "gcs-chart-ascii", "t", NULL, 24, 80, true },
	{ "gcs-chart-older", "t h h h l", NULL, 24, 80, false },
	{ "gcs-chart-oldest", "t G", NULL, 24, 40, false },
	{ "gcs-chart-up", "t :sort_number", NULL, 24, 80, false },
	{ "gcs-chart-sorted", ":sort_before t", NULL, 16, 80, false },
	{ "gcs-chart-left", "t :sort_before", NULL, 12, 80, false },
	{ "gcs-chart-again", "t t", NULL, 12, 80, false },
	{ "gcs-chart-filtered", "t :where_kind_=_background", NULL, 16, 80,
	  false },
	{ "gc-80x24", "j j Enter", NULL, 24, 80, false },
	{ "gc-200x60", "j j Enter", NULL, 60, 200, false },
	{ "gc-40x10", "j j Enter", NULL, 10, 40, false },
	{ "gc-by-number", ":gc_7", NULL, 24, 120, false },
	{ "gc-unknown", ":gc_700", NULL, 12, 80, false },
	{ "gc-nonsense", ":gc_x", NULL, 12, 80, false },
	{ "gc-back", "j j Enter Backspace", NULL, 12, 80, false },
};

static void
run_command(struct app *app, const char *line)
{
	struct error err;

	error_clear(&err);
	if (line && !app_command(app, line, &err))
		fail_msg("%s: %s", line, err.message);
}

static void
shows_a_trace(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct app *app =
		    app_on_trace("tests/data/gcs-10.nettrace.zst");
		struct screen *s = screen_for_test(
		    screens[i].rows, screens[i].columns, screens[i].is_ascii);

		app_draw(app, s);
		app_steps(app, s, screens[i].steps);
		run_command(app, screens[i].command);
		expect_screen(app, s, screens[i].name, false);
		screen_free(s);
		app_end(app);
	}
}

static void
shows_every_heap(void **state)
{
	struct app *app = app_on_trace("tests/data/gcs-server-10.nettrace.zst");
	struct screen *s = screen_for_test(30, 120, false);

	(void)state;
	app_draw(app, s);
	app_steps(app, s, "Enter");
	expect_screen(app, s, "gc-server", false);
	screen_free(s);
	app_end(app);
}

/* ---- while more come
 * --------------------------------------------------------- */

static void
add_record(struct app *app, uint32_t number)
{
	struct gcs *g = app_session(app)->gcs;
	struct gc_record r;

	gc_record_init(&r);
	r.number = number;
	r.generation = number % 3;
	r.pause_ns = number * 1000000;
	r.after = number << 20;
	gc_feed_sink(&g->feed).take(&g->feed, &r);
	app_poll(app);
}

static uint64_t
selected(struct app *app)
{
	struct row row;

	assert_true(view_selected(app_view(app), &row));
	return gc_log_at(&app_session(app)->gcs->log, row.data)->number;
}

static void
follows_the_newest(void **state)
{
	const struct loader loader = { .path = "process 1",
				       .collections = no_collections };
	struct app *app = app_on_loader(&loader);
	struct screen *s = screen_for_test(24, 80, false);

	(void)state;
	for (uint32_t i = 1; i <= 5; i++)
		add_record(app, i);
	app_draw(app, s);
	assert_int_equal(selected(app), 5);
	app_steps(app, s, "j j");
	assert_int_equal(selected(app), 3);
	add_record(app, 6);
	app_draw(app, s);
	assert_int_equal(selected(app), 3);
	app_steps(app, s, "g");
	assert_int_equal(selected(app), 6);
	add_record(app, 7);
	app_draw(app, s);
	assert_int_equal(selected(app), 7);
	expect_screen(app, s, "gcs-ended", false);
	screen_free(s);
	app_end(app);
}

/* More than is kept: the rows are those that are still there. */
/* The chart as well: the selected one stays, or the newest. */
static void
draws_the_newest(void **state)
{
	const struct loader loader = { .path = "process 1",
				       .collections = no_collections };
	struct app *app = app_on_loader(&loader);
	struct screen *s = screen_for_test(16, 40, false);

	(void)state;
	for (uint32_t i = 1; i <= 40; i++)
		add_record(app, i);
	app_draw(app, s);
	app_steps(app, s, "t h h");
	assert_int_equal(selected(app), 38);
	add_record(app, 41);
	app_draw(app, s);
	assert_int_equal(selected(app), 38);
	app_steps(app, s, "g");
	add_record(app, 42);
	expect_screen(app, s, "gcs-chart-live", false);
	assert_int_equal(selected(app), 42);
	screen_free(s);
	app_end(app);
}

static void
forgets_the_oldest(void **state)
{
	const struct loader loader = { .path = "process 1",
				       .collections = no_collections };
	struct app *app = app_on_loader(&loader);
	struct screen *s = screen_for_test(24, 80, false);

	(void)state;
	for (uint32_t i = 0; i < GC_LOG_RECORDS; i += 512) {
		struct gcs *g = app_session(app)->gcs;

		for (uint32_t k = 0; k < 512; k++) {
			struct gc_record r;

			gc_record_init(&r);
			r.number = i + k;
			gc_feed_sink(&g->feed).take(&g->feed, &r);
		}
		app_poll(app);
	}
	app_draw(app, s);
	app_steps(app, s, "G");
	assert_int_equal(selected(app), 0);
	assert_int_equal(app_view(app)->rows_count, GC_LOG_RECORDS);
	for (uint32_t i = 0; i < 3; i++)
		add_record(app, GC_LOG_RECORDS + i);
	app_draw(app, s);
	assert_int_equal(app_view(app)->rows_count, GC_LOG_RECORDS);
	assert_int_equal(selected(app), 3);
	screen_free(s);
	app_end(app);
}

static void
ends_with_a_reason(void **state)
{
	const struct loader loader = { .path = "process 1",
				       .collections = no_process };
	struct app *app = app_on_loader(&loader);
	struct session *s = app_session(app);

	(void)state;
	assert_true(app->has_quit);
	assert_true(session_has_failed(s));
	assert_string_equal(s->job_errors[JOB_LOAD].message,
			    "process 1 (x) refuses");
	app_end(app);
}

/* Of a heap from a file that tells of none. */
static void
says_where_there_are_none(void **state)
{
	struct app *app = app_on(awkward_heap());
	struct error err;

	(void)state;
	error_clear(&err);
	assert_false(app_command(app, "gcs", &err));
	assert_string_equal(err.message,
			    "nobody tells of collections here, but of a "
			    "process: heaptop -g PID");
	error_clear(&err);
	assert_false(app_command(app, "gc 1", &err));
	assert_string_equal(err.message,
			    "no collections are watched; :gcs begins to");
	app_end(app);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_a_trace),
		cmocka_unit_test(shows_every_heap),
		cmocka_unit_test(follows_the_newest),
		cmocka_unit_test(draws_the_newest),
		cmocka_unit_test(forgets_the_oldest),
		cmocka_unit_test(ends_with_a_reason),
		cmocka_unit_test(says_where_there_are_none),
	};

	setenv("TZ", "UTC", 1); /* lines have local times */
	return run_tests(tests);
}
