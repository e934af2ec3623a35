/*
 * New ways to the roots: what is known of retained sizes goes with the old
 * ones and comes with the new ones, whatever is stopped or fails meanwhile; and
 * views that are made of them are made anew.
 */
#include "model/base/thread.h"
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/settings.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- threads that fail, or begin late ------------------------------------- */

static unsigned threads_failing; /* the next ones */
static atomic_bool is_closed;    /* none does anything until it opens */

/* One that begins as soon as it is stopped: what were the ways then? */
static struct stopped {
	const struct session *session; /* of the next thread, or NULL */
	_Atomic(const struct progress *) progress;
	const struct reach *reach;
} stopped;

struct late {
	void *(*run)(void *context);
	void *context;
	const struct session *session; /* begins when stopped; or NULL */
};

static void *
begin_late(void *context)
{
	const struct late *l = context;
	const struct late late = *l;

	free(context);
	while (atomic_load(&is_closed))
		sched_yield();
	if (late.session) {
		while (!progress_is_cancelled(atomic_load(&stopped.progress)))
			sched_yield();
		stopped.reach = late.session->reach;
	}
	return late.run(late.context);
}

/* In place of the program's own. */
int
thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	struct late *l;

	if (threads_failing && threads_failing--)
		return EAGAIN;
	l = malloc(sizeof *l);
	assert_non_null(l);
	*l = (struct late){ run, context, stopped.session };
	stopped.session = NULL;
	return pthread_create(thread, NULL, begin_late, l);
}

/* --- a session ------------------------------------------------------------ */

static void
settle(struct session *s)
{
	while (session_job(s)) {
		session_poll(s, session_ended(s));
		sched_yield();
	}
}

/* So many objects that all that is computed looks whether it is stopped. */
static struct session *
session_of_graph(struct graph *g)
{
	struct error err = { 0 };
	struct session *s =
	    session_new_of_heap(graph_heap(g), jobs_on_threads(), &err);

	assert_true(session_start(s, &err));
	settle(s);
	assert_non_null(s->retention);
	return s;
}

static bool
ignore_kind(struct session *s, enum root_kind kind)
{
	const struct ignored_entry e = { IGNORED_ROOT_KIND, kind, 0 };
	struct error err = { 0 };

	return what_if_ignore(s, &e, 1, &err);
}

static void
expect_right_sizes(struct session *s)
{
	struct error err = { 0 };
	const struct retention *right;

	assert_true(session_want(s, NEED_RETAINED, &err));
	settle(s);
	assert_non_null(s->retention);
	right = retention_compute(s->heap, s->reverse, s->reach,
				  s->what_if.ignored, 0, NULL, &err);
	assert_non_null(right);
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		assert_int_equal(session_retained(s, n).bytes,
				 retained_of(right->retained, n).bytes);
	retention_free(right);
}

/* Ignores one kind; its ways are there, its retained sizes not yet. */
static void
begin_ignoring(struct session *s)
{
	assert_true(ignore_kind(s, s->heap->roots[0].kind));
	while (s->jobs[JOB_REACH]) {
		unsigned ended = session_ended(s);

		atomic_store(&is_closed, ended != 0);
		session_poll(s, ended);
		sched_yield();
	}
	assert_null(s->retention);
	assert_false(s->has & NEED_RETAINED);
	assert_non_null(s->jobs[JOB_RETENTION]);
}

/* Done, and not taken yet. */
static void
end_retention(struct session *s)
{
	atomic_store(&is_closed, false);
	while (!job_is_done(s->jobs[JOB_RETENTION]))
		sched_yield();
}

/* What waits may begin. */
static void
go_on(struct session *s)
{
	atomic_store(&is_closed, false);
	settle(s);
}

static void
stop_all(struct session *s)
{
	assert_true(session_cancel(s));
	go_on(s);
}

static enum root_kind
other_kind(const struct heap *h)
{
	uint32_t i = 0;

	while (h->roots[i].kind == h->roots[0].kind)
		i++;
	return h->roots[i].kind;
}

TEST(test_sizes_that_were_stopped)
{
	struct graph *g = graph_mixed(7, 200000);
	struct session *s = session_of_graph(g);

	begin_ignoring(s);
	stop_all(s);
	assert_int_equal(s->what_if.shown.items_count, 1);
	assert_null(s->retention);
	expect_right_sizes(s);
	session_free(s);
	graph_free(g);
}

/* The second is taken back, and the sizes are those of the first. */
TEST(test_ways_that_were_stopped)
{
	struct graph *g = graph_mixed(8, 200000);
	struct session *s = session_of_graph(g);

	begin_ignoring(s);
	end_retention(s);
	/* Which frees what it came to. */
	atomic_store(&is_closed, true);
	assert_true(ignore_kind(s, other_kind(s->heap)));
	stop_all(s);
	assert_int_equal(s->what_if.list.items_count, 1);
	assert_int_equal(s->what_if.shown.items_count, 1);
	assert_non_null(s->retention);
	expect_right_sizes(s);
	session_free(s);
	graph_free(g);
}

/* What is freed depends on what is set, not on what was set before. */
TEST(test_statics_set_later)
{
	uint64_t freed[2];
	struct error err = { 0 };

	for (int is_later = 0; is_later < 2; is_later++) {
		struct session *s =
		    session_new_of_heap(leaky_heap(), jobs_on_threads(), &err);

		assert_true(s && session_start(s, &err));
		settle(s);
		assert_true(session_prefer_statics(s, !is_later, &err));
		settle(s);
		assert_true(ignore_kind(s, ROOT_STATIC));
		settle(s);
		assert_true(session_prefer_statics(s, true, &err));
		settle(s);
		freed[is_later] = s->what_if.freed.bytes;
		session_free(s);
	}
	assert_true(freed[0] > 1 << 20);
	assert_int_equal(freed[0], freed[1]);
}

TEST(test_statics_that_were_stopped)
{
	struct graph *g = graph_mixed(9, 200000);
	struct session *s = session_of_graph(g);
	struct error err = { 0 };
	uint32_t version = s->reach_version;

	atomic_store(&is_closed, true);
	assert_true(session_prefer_statics(s, false, &err));
	stop_all(s);
	assert_true(s->prefers_statics);
	assert_int_equal(s->reach_version, version);
	/* Asked for again it is done. */
	assert_true(session_prefer_statics(s, false, &err));
	settle(s);
	assert_int_equal(s->reach_version, version + 1);
	session_free(s);
	graph_free(g);
}

/* Threads that it has may be the ones that fail. */
static void
fail_next_thread(struct session *s)
{
	if (s->jobs[JOB_RETENTION])
		end_retention(s);
	threads_failing = 1;
}

/* Whatever ran before it: nothing is on the list that nobody computes. */
TEST(test_no_thread)
{
	struct graph *g = graph_mixed(10, 200000);
	struct session *s = session_of_graph(g);
	struct error err = { 0 };

	fail_next_thread(s);
	assert_false(ignore_kind(s, s->heap->roots[0].kind));
	assert_int_equal(s->what_if.list.items_count, 0);
	assert_null(session_job(s));
	assert_non_null(s->retention);
	begin_ignoring(s);
	fail_next_thread(s);
	assert_false(ignore_kind(s, other_kind(s->heap)));
	assert_int_equal(s->what_if.list.items_count, 1);
	assert_non_null(s->jobs[JOB_RETENTION]);
	fail_next_thread(s);
	assert_false(what_if_ignore_no_more(s, SIZE_MAX, &err));
	assert_int_equal(s->what_if.list.items_count, 1);
	fail_next_thread(s);
	assert_false(session_prefer_statics(s, false, &err));
	assert_true(s->prefers_statics);
	assert_non_null(s->jobs[JOB_RETENTION]);
	expect_right_sizes(s);
	session_free(s);
	graph_free(g);
}

/* What is refused stops nothing, and changes nothing. */
TEST(test_no_memory)
{
	struct graph *g = graph_mixed(11, 200000);
	struct error err = { 0 };
	struct session *s =
	    session_new_of_heap(graph_heap(g), jobs_on_threads(), &err);

	atomic_store(&is_closed, true);
	assert_true(session_start(s, &err));
	s->memory_limit = 1;
	assert_false(session_prefer_statics(s, false, &err));
	assert_true(strstr(err.message, "memory") != NULL);
	assert_true(s->prefers_statics);
	s->memory_limit = 0;
	go_on(s);
	assert_non_null(s->reach);
	assert_int_equal(s->reach_version, 1);
	/* The first is on its way. */
	atomic_store(&is_closed, true);
	assert_true(ignore_kind(s, s->heap->roots[0].kind));
	s->memory_limit = 1;
	assert_false(ignore_kind(s, other_kind(s->heap)));
	error_clear(&err);
	assert_false(what_if_ignore_no_more(s, SIZE_MAX, &err));
	s->memory_limit = 0;
	assert_int_equal(s->what_if.list.items_count, 1);
	go_on(s);
	assert_int_equal(s->what_if.shown.items_count, 1);
	session_free(s);
	graph_free(g);
}

/* The first ways begin again as they were wanted, when something has ended. */
TEST(test_no_thread_for_first_ways)
{
	struct graph *g = graph_mixed(12, 200000);
	struct error err = { 0 };
	struct session *s =
	    session_new_of_heap(graph_heap(g), jobs_on_threads(), &err);

	atomic_store(&is_closed, true);
	assert_true(session_want(s, NEED_REACH, &err));
	job_cancel(s->jobs[JOB_REACH]);
	atomic_store(&is_closed, false);
	while (!job_is_done(s->jobs[JOB_REACH]))
		sched_yield();
	threads_failing = 1;
	assert_false(session_prefer_statics(s, false, &err));
	assert_true(s->prefers_statics);
	error_clear(&err);
	assert_true(session_want(s, NEED_REVERSE, &err));
	settle(s);
	assert_non_null(s->reach);
	session_free(s);
	graph_free(g);
}

static const struct heap *
load_graph(const struct loader *from, enum load_what what,
	   struct progress *progress, struct preview *preview,
	   struct error *err)
{
	struct graph *g = graph_mixed(13, 2000);
	const struct heap *h = graph_heap(g);

	(void)from;
	(void)what;
	(void)progress;
	(void)preview;
	(void)err;
	graph_free(g);
	return h;
}

/* A setting of all heaps holds for all, or was never made. */
TEST(test_statics_of_all_or_none)
{
	const struct loader loader = { .path = "graph", .load = load_graph };
	struct session *s[3];
	struct settings settings;
	struct snapshots all;
	struct error err = { 0 };
	struct app *app;

	settings_init(&settings);
	snapshots_init(&all, jobs_on_threads());
	settings_give(&settings, &all);
	for (size_t i = 0; i < 3; i++) {
		s[i] = snapshots_add(&all, &loader, &err);
		assert_non_null(s[i]);
		assert_true(session_require(s[i], NEED_REACH, &err));
	}
	app = app_new(s[0], &err);
	s[1]->memory_limit = 1;
	assert_false(app_command(app, "set nostatics", &err));
	s[1]->memory_limit = 0;
	assert_true(settings.statics);
	for (size_t i = 0; i < 3; i++) {
		settle(s[i]);
		assert_true(s[i]->prefers_statics);
		assert_true(s[i]->reach_prefers_statics);
	}
	error_clear(&err);
	assert_true(app_command(app, "set nostatics", &err));
	for (size_t i = 0; i < 3; i++) {
		settle(s[i]);
		assert_false(s[i]->reach_prefers_statics);
	}
	app_free(app);
	snapshots_clear(&all);
}

/* --- views ---------------------------------------------------------------- */

static void
expect_same_cells(const struct view *a, const struct row *of_a,
		  const struct view *b, const struct row *of_b)
{
	char text[VALUE_TEXT_BYTES], wanted[VALUE_TEXT_BYTES];

	for (const struct column *c = a->ops->table->columns; c->id; c++) {
		struct value value;

		if (!view_has_column(a, c, true))
			continue;
		view_cell(a, c, of_a, &value);
		snprintf(text, sizeof text, "%s",
			 value_for_people(&value, wanted));
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
		screen_free(screen);
		app_end(app);
	}
}

static struct app *
app_of_leaky(void)
{
	struct error err = { 0 };
	struct session *s =
	    session_new_of_heap(leaky_heap(), jobs_on_threads(), &err);
	struct app *app = app_new(s, &err);

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
		assert_int_equal(app->session->what_if.shown.items_count,
				 restored[i].items);
		expect_as_opened_now(app_view(app));
		screen_free(screen);
		app_end(app);
	}
}

static void
cell_of_first(const struct view *v, const char *column, struct value *out)
{
	struct row row;

	view_row(v, 0, &row);
	view_cell(v, &v->ops->table->columns[view_column_by_id(v->ops, column)],
		  &row, out);
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
	int size = v->sort, retained = view_column_by_id(v->ops, "retained");
	struct error err = { 0 };

	expect_as_opened_now(v);
	atomic_store(&is_closed, true);
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

/* Nobody computes it any more: then nobody waits for it. */
TEST(test_order_that_never_comes)
{
	struct app *app = app_of_leaky();
	struct view *v = app_view(app);
	int size = v->sort;

	atomic_store(&is_closed, true);
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
	int size = v->sort, retained = view_column_by_id(v->ops, "retained");
	size_t all = v->rows_count;
	struct error err = { 0 };

	atomic_store(&is_closed, true);
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
	int retained = view_column_by_id(v->ops, "retained");
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

/* Who reads the old ways is stopped before they are freed, and begins again. */
static void
expect_stopped_in_time(struct app *app, struct view *v)
{
	struct session *s = app->session;
	const struct reach *before = s->reach;
	struct error err = { 0 };
	size_t wanted = 0;

	atomic_store(&stopped.progress, NULL);
	stopped.reach = NULL;
	assert_true(ignore_kind(s, ROOT_STATIC));
	while (!job_is_done(s->jobs[JOB_REACH]))
		sched_yield();
	stopped.session = s;
	assert_true(view_filter(v, "distance > 1", &err));
	assert_null(stopped.session);
	assert_true(view_is_busy(v));
	atomic_store(&stopped.progress, job_progress(view_job(v)));
	app_poll(app);
	assert_ptr_equal(stopped.reach, before);
	assert_ptr_not_equal(s->reach, before);
	settle_app(app);
	settle_view(app, v);
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		wanted += heap_type_of(s->heap, n) == v->target.type &&
			  s->reach->distance[n] > 1 &&
			  s->reach->distance[n] != DISTANCE_UNREACHABLE;
	assert_int_equal(v->rows_count, wanted);
}

TEST(test_who_reads_ways)
{
	for (int in_pane = 0; in_pane < 2; in_pane++) {
		struct app *app = app_of_leaky();
		struct error err = { 0 };

		assert_true(
		    view_filter(app_view(app), "type = Leaky.Session", &err));
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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_that_were_stopped),
		cmocka_unit_test(test_ways_that_were_stopped),
		cmocka_unit_test(test_statics_that_were_stopped),
		cmocka_unit_test(test_statics_set_later),
		cmocka_unit_test(test_no_thread),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_no_thread_for_first_ways),
		cmocka_unit_test(test_statics_of_all_or_none),
		cmocka_unit_test(test_views_follow),
		cmocka_unit_test(test_what_is_ignored_goes),
		cmocka_unit_test(test_sums_come_with_an_update),
		cmocka_unit_test(test_order_waits),
		cmocka_unit_test(test_order_that_never_comes),
		cmocka_unit_test(test_filter_while_order_waits),
		cmocka_unit_test(test_filter_while_sizes_are_gone),
		cmocka_unit_test(test_who_reads_ways),
	};

	return run_tests(tests);
}
