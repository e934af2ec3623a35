/*
 * Collections on the screen: a recorded trace at several sizes, one collection opened, rows that
 * stay selected while more come, and what is said at the end.
 */
#include "io/events/gc_stats.h"
#include "model/gc/text.h"
#include "tests/drive/screens.h"
#include "tui/session/gcs.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

static bool
collections_of_trace(const struct loader *from, struct gc_sink sink, struct gc_source_facts *facts,
		     struct progress *progress, struct error *err)
{
	return gc_stats_load(from->path, sink, facts, progress, err);
}

/* Delivers no collections: the test adds records itself. */
static bool
no_collections(const struct loader *from, struct gc_sink sink, struct gc_source_facts *facts,
	       struct progress *progress, struct error *err)
{
	(void)from;
	(void)sink;
	(void)progress;
	(void)err;
	snprintf(facts->end, sizeof(facts->end), "process 1 (x) has ended");
	return true;
}

static bool
no_process(const struct loader *from, struct gc_sink sink, struct gc_source_facts *facts,
	   struct progress *progress, struct error *err)
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
	struct error err = { 0 };
	struct session *s;
	struct app *app;

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
	const struct loader loader = { .path = path, .collections = collections_of_trace };

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
	{ "gcs-filtered-title", "", "where gen = 2 and pause > 11", 12, 80, false },
	{ "gcs-filtered-time", "", "where Pause_ms > 0.011s and pause_us < 12ms", 12, 80, false },
	{ "gcs-filtered", "", "where kind = background and pause_us > 1000", 12, 80, false },
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
	{ "gcs-chart-filtered", "t :where_kind_=_background", NULL, 16, 80, false },
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
	struct error err = { 0 };

	if (line && !app_command(app, line, &err))
		fail_msg("%s: %s", line, err.message);
}

TEST(shows_a_trace)
{
	for (size_t i = 0; i < COUNT_OF(screens); i++) {
		struct app *app = app_on_trace("tests/data/gcs-10.nettrace.zst");
		struct screen *s =
		    screen_for_test(screens[i].rows, screens[i].columns, screens[i].is_ascii);

		app_draw(app, s);
		app_steps(app, s, screens[i].steps);
		run_command(app, screens[i].command);
		expect_screen(app, s, screens[i].name, false);
		app_end(app);
	}
}

/* In the list, and in the view of each. */
TEST(a_cut_trace_says_so_everywhere)
{
	struct app *app = app_on_trace("tests/data/gcs-10-cut.nettrace");
	struct screen *s = screen_for_test(30, 120, false);
	const char *const steps[] = { "", "Enter", "< j j Enter" };

	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		struct error err = { 0 };
		char *text;

		app_steps(app, s, steps[i]);
		app->message[0] = '\0';
		app_draw(app, s);
		text = screen_dump(s, false, &err);
		assert_non_null(text);
		if (!strstr(text, "ends in the middle"))
			fail_msg("%s:\n%s", steps[i], text);
		memory_free(text);
	}
	app_end(app);
}

/* Views that cannot be opened here have a part of the help of their own. */
TEST(help_tells_what_there_is_without_a_heap)
{
	struct app *app = app_on_trace("tests/data/gcs-10.nettrace.zst");
	struct screen *s = screen_for_test(400, 120, false);
	struct error err = { 0 };
	const char *title;
	char *text;

	app_steps(app, s, "?");
	app_draw(app, s);
	text = screen_dump(s, false, &err);
	assert_non_null(text);
	title = strstr(text, "Not here: needs a heap");
	assert_non_null(title);
	assert_true(strstr(text, ":gcs ") < title);
	assert_true(strstr(text, ":types ") > title);
	assert_true(strstr(text, ":treemap ") > title);
	memory_free(text);
	app_end(app);
}

TEST(shows_every_heap)
{
	struct app *app = app_on_trace("tests/data/gcs-server-10.nettrace.zst");
	struct screen *s = screen_for_test(30, 120, false);

	app_draw(app, s);
	expect_steps(app, s, "Enter", "gc-server");
	app_end(app);
}

/* --- while more come ------------------------------------------------------ */

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

/* In the picture: whatever column it is, the cursor goes where one points. */
TEST(clicks_pick_a_collection)
{
	enum { FIRST = 13, LINE = 8, OUTSIDE = 4 };
	struct app *app = app_on_trace("tests/data/gcs-10.nettrace.zst");
	struct screen *s = screen_for_test(24, 80, false);
	struct mouse m = { MOUSE_PRESS, LINE, FIRST };
	uint64_t before = 0;
	int picked = 0;

	app_draw(app, s);
	app_steps(app, s, "t");
	app_draw(app, s);
	for (; m.column < s->columns; m.column++) {
		const struct cell *cell = s->cells + m.column;
		int cursors = 0;

		m.kind = MOUSE_PRESS;
		if (!app_mouse(app, &m) || selected(app) <= before)
			break;
		before = selected(app);
		m.kind = MOUSE_RELEASE;
		app_mouse(app, &m);
		app_draw(app, s);
		for (int row = 0; row < s->rows; row++)
			cursors += cell[row * s->columns].style == STYLE_CURSOR;
		assert_int_equal(cursors, 1);
		picked++;
	}
	assert_int_equal(picked, app_view(app)->rows_count);
	/* The axis is none of them. */
	m = (struct mouse){ MOUSE_PRESS, LINE, OUTSIDE };
	app_mouse(app, &m);
	assert_int_equal(selected(app), before);
	app_end(app);
}

TEST(follows_the_newest)
{
	const struct loader loader = { .path = "process 1", .collections = no_collections };
	struct app *app = app_on_loader(&loader);
	struct screen *s = screen_for_test(24, 80, false);

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
	app_end(app);
}

/* More than is kept: the rows are those that are still there. */
/* The chart as well: the selected one stays, or the newest. */
TEST(draws_the_newest)
{
	const struct loader loader = { .path = "process 1", .collections = no_collections };
	struct app *app = app_on_loader(&loader);
	struct screen *s = screen_for_test(16, 40, false);

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
	app_end(app);
}

TEST(forgets_the_oldest)
{
	const struct loader loader = { .path = "process 1", .collections = no_collections };
	struct app *app = app_on_loader(&loader);
	struct screen *s = screen_for_test(24, 80, false);

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
	app_end(app);
}

TEST(ends_with_a_reason)
{
	const struct loader loader = { .path = "process 1", .collections = no_process };
	struct app *app = app_on_loader(&loader);
	struct session *s = app_session(app);

	assert_true(app->has_quit);
	assert_true(session_has_failed(s));
	assert_string_equal(s->job_errors[JOB_LOAD].message, "process 1 (x) refuses");
	app_end(app);
}

/* The heap of a file comes without collections. */
TEST(says_where_there_are_none)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };

	assert_false(app_command(app, "gcs", &err));
	assert_string_equal(err.message, "collections can only be watched in a process: heaptop -g "
					 "PID");
	error_clear(&err);
	assert_false(app_command(app, "gc 1", &err));
	assert_string_equal(err.message, "no collections are being watched; :gcs starts watching");
	app_end(app);
}

/* Nothing of collections, and no promise of some. */
TEST(says_why_none_will_come)
{
	struct app *app = app_on(awkward_heap());
	struct screen *s = screen_for_test(10, 80, false);

	app_session(app)->loader.collections = no_process;
	run_command(app, "gcs");
	app_poll(app);
	expect_screen(app, s, "gcs-none", false);
	app_steps(app, s, "N");
	assert_string_equal(app->message, "nothing to search for yet; type / first");
	app_steps(app, s, ":sort-name");
	assert_string_equal(app->message, "there are no rows to sort");
	app_end(app);
}

/* The commands work before the first collection of a process and after it. */
TEST(answers_while_it_waits)
{
	const struct loader loader = { .path = "process 7",
				       .pid = 7,
				       .collections = no_collections };
	struct app *app = app_on_loader(&loader);
	struct screen *s = screen_for_test(10, 80, false);

	expect_steps(app, s, "t", "gcs-waiting");
	app_steps(app, s, "1 wait");
	assert_string_equal(app->message, "there is no heap yet: c, then y, captures process 7");
	add_record(app, 1);
	expect_screen(app, s, "gcs-first", false);
	app_end(app);
}

/* Also of a heap that is there: those of a view beside it may be read. */
TEST(are_not_for_workers)
{
	struct app *app = app_on(awkward_heap());

	app_session(app)->loader.collections = no_process;
	assert_true(view_can_run_on_rows(app_view(app)));
	run_command(app, "gcs");
	assert_false(view_can_run_on_rows(app_view(app)));
	app_end(app);
}

/* Generations that were not collected take no room from what was. */
TEST(tells_pauses_first)
{
	struct gc_summary all = { .longest_ns = 121130000, .pause_ns = 1000 };
	char text[GC_TEXT_BYTES];

	all.totals.last_ns = UINT64_C(11300000000);
	assert_string_equal(gc_summary_short(&all, text), "no GCs in 11.3 s");
	all.count = all.counts[1] = 1;
	assert_string_equal(gc_summary_short(&all, text),
			    "paused 0.00%, longest 121.13 ms; 1 GC in 11.3 s: 1 gen1");
	all.count = 103;
	all.counts[1] = 101;
	all.counts[2] = 2;
	assert_string_equal(gc_summary_short(&all, text),
			    "paused 0.00%, longest 121.13 ms; 103 GCs in 11.3 s: 101 gen1, 2 gen2");
}

/* Lines have local times. */
static int
take_utc(void **state)
{
	(void)state;
	return setenv("TZ", "UTC", 1);
}
TESTS_BETWEEN(take_utc, NULL);
