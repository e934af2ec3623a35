/*
 * New ways to the roots: what is known of retained sizes goes with the old
 * ones and comes with the new ones, whatever is stopped or fails meanwhile; and views that are made
 * of them are made anew.
 */
#include "model/base/thread.h"
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/late_threads.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/settings.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"

#include <sched.h>
#include <string.h>

int
thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	return late_thread_start(thread, run, context);
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
}

/* The second is taken back, and the sizes are those of the first. */
TEST(test_ways_that_were_stopped)
{
	struct graph *g = graph_mixed(8, 200000);
	struct session *s = session_of_graph(g);

	begin_ignoring(s);
	end_retention(s);
	/* Which frees what it came to. */
	atomic_store(&late.is_closed, true);
	assert_true(ignore_kind(s, other_kind(s->heap)));
	stop_all(s);
	assert_int_equal(s->what_if.list.items_count, 1);
	assert_int_equal(s->what_if.shown.items_count, 1);
	assert_non_null(s->retention);
	expect_right_sizes(s);
	session_free(s);
}

/* The freed objects depend on the current setting, not on an earlier one. */
TEST(test_statics_set_later)
{
	uint64_t freed[2];
	struct error err = { 0 };

	for (int is_later = 0; is_later < 2; is_later++) {
		struct session *s = session_on_threads(leaky_heap());

		assert_true(s && session_start(s, &err));
		session_settle(s);
		assert_true(session_prefer_statics(s, !is_later, &err));
		session_settle(s);
		assert_true(ignore_kind(s, ROOT_STATIC));
		session_settle(s);
		assert_true(session_prefer_statics(s, true, &err));
		session_settle(s);
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

	atomic_store(&late.is_closed, true);
	assert_true(session_prefer_statics(s, false, &err));
	stop_all(s);
	assert_true(s->prefers_statics);
	assert_int_equal(s->reach_version, version);
	/* Asked for again it is done. */
	assert_true(session_prefer_statics(s, false, &err));
	session_settle(s);
	assert_int_equal(s->reach_version, version + 1);
	session_free(s);
}

/* Threads that it has may be the ones that fail. */
static void
fail_next_thread(struct session *s)
{
	if (s->jobs[JOB_RETENTION])
		end_retention(s);
	late.failing = 1;
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
	assert_false(what_if_stop_ignoring(s, SIZE_MAX, &err));
	assert_int_equal(s->what_if.list.items_count, 1);
	fail_next_thread(s);
	assert_false(session_prefer_statics(s, false, &err));
	assert_true(s->prefers_statics);
	assert_non_null(s->jobs[JOB_RETENTION]);
	expect_right_sizes(s);
	session_free(s);
}

/* A refused command stops nothing and changes nothing. */
TEST(test_no_memory)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(heap_of_graph(graph_mixed(11, 200000)));

	atomic_store(&late.is_closed, true);
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
	atomic_store(&late.is_closed, true);
	assert_true(ignore_kind(s, s->heap->roots[0].kind));
	s->memory_limit = 1;
	assert_false(ignore_kind(s, other_kind(s->heap)));
	error_clear(&err);
	assert_false(what_if_stop_ignoring(s, SIZE_MAX, &err));
	s->memory_limit = 0;
	assert_int_equal(s->what_if.list.items_count, 1);
	go_on(s);
	assert_int_equal(s->what_if.shown.items_count, 1);
	session_free(s);
}

/* The first ways begin again as they were wanted, when something has ended. */
TEST(test_no_thread_for_first_ways)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(heap_of_graph(graph_mixed(12, 200000)));

	atomic_store(&late.is_closed, true);
	assert_true(session_want(s, NEED_REACH, &err));
	job_cancel(s->jobs[JOB_REACH]);
	atomic_store(&late.is_closed, false);
	while (!job_is_done(s->jobs[JOB_REACH]))
		sched_yield();
	late.failing = 1;
	assert_false(session_prefer_statics(s, false, &err));
	assert_true(s->prefers_statics);
	error_clear(&err);
	assert_true(session_want(s, NEED_REVERSE, &err));
	session_settle(s);
	assert_non_null(s->reach);
	session_free(s);
}

static const struct heap *
load_graph(const struct loader *from, enum load_what what, struct progress *progress,
	   struct preview *preview, struct error *err)
{
	const struct heap *h = heap_of_graph(graph_mixed(13, 2000));

	(void)from;
	(void)what;
	(void)progress;
	(void)preview;
	(void)err;
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
	settings_attach(&settings, &all);
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
		session_settle(s[i]);
		assert_true(s[i]->prefers_statics);
		assert_true(s[i]->reach_prefers_statics);
	}
	error_clear(&err);
	assert_true(app_command(app, "set nostatics", &err));
	for (size_t i = 0; i < 3; i++) {
		session_settle(s[i]);
		assert_false(s[i]->reach_prefers_statics);
	}
	app_free(app);
	snapshots_clear(&all);
}
