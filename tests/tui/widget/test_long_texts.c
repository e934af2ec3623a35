/*
 * Rows whose whole text takes long to look at: never on the screen's thread, and Esc waits for one
 * of them at most.
 */
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/made/made_contents.h"
#include "tests/drive/run_tests.h"
#include "tui/app/views.h"
#include "tui/widget/view_job.h"
#include "tui/widget/view_search.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { OBJECTS = 1000, FEW = 20 };

/* --- whole texts that take as long as a test wants ------------------------ */

static pthread_t screen_thread;
static atomic_bool is_slow, was_here;
static atomic_uint asked;

static const char *
slow_text(const struct cells *in, const struct row *row, struct arena *a)
{
	bool is_here = pthread_equal(pthread_self(), screen_thread);

	(void)in, (void)row, (void)a;
	was_here = was_here || is_here;
	asked++;
	while (is_slow && !is_here)
		sched_yield();
	return "long";
}

static void
short_cell(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in, (void)row;
	value_text(out, STYLE_NORMAL, "short");
}

/* A view whose names, addresses and texts are long and slow to read. */
static struct view_ops
slow_ops(const struct view_ops *of)
{
	static const struct value_source slow = LONG_TEXT(short_cell, slow_text);
	static struct column columns[64];
	static struct table table;
	struct view_ops ops = *of;
	size_t count = 0;

	for (const struct column *c = of->table->columns; c->id; c++) {
		assert_true(count + 1 < COUNT_OF(columns));
		columns[count] = *c;
		if (c->width == FILL || !strcmp(c->id, "address"))
			columns[count].from = slow;
		count++;
	}
	columns[count] = (struct column){ 0 };
	table = *of->table;
	table.columns = columns;
	ops.table = &table;
	return ops;
}

static void
update_until_done(struct view *v)
{
	struct error err = { 0 };

	do {
		assert_true(view_update(v, &err));
		sched_yield();
	} while (view_is_busy(v) || session_job(v->session));
}

static struct view *
open_on(const struct heap *h, const struct view_ops *ops, const struct target *target)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(h);
	struct view *v;

	screen_thread = pthread_self();
	is_slow = was_here = false;
	asked = 0;
	assert_non_null(s);
	assert_true(session_require(s, NEED_REVERSE | NEED_REACH, &err));
	v = view_open(ops, s, target, &err);
	assert_non_null(v);
	update_until_done(v);
	assert_true(v->rows_count > 1);
	return v;
}

/* Esc while the first of them is looked at. */
static void
escape_at_first(struct view *v)
{
	while (!asked)
		sched_yield();
	assert_true(view_is_busy(v));
	job_cancel(v->job->job);
	is_slow = false;
	assert_true(view_cancel(v));
	assert_int_equal(asked, 1);
	assert_false(was_here);
}

/* --- search --------------------------------------------------------------- */

TEST(test_search)
{
	struct graph *g = graph_new(FEW, 1);
	struct view_ops ops = slow_ops(&view_objects);
	struct view *v = open_on(graph_heap(g), &ops, &target_none);
	struct session *s = v->session;
	struct error err = { 0 };

	is_slow = true;
	assert_true(view_search(v, "zzz", &err));
	assert_true(view_is_searching(v));
	escape_at_first(v);
	view_close(v);
	session_free(s);
}

/* --- filters -------------------------------------------------------------- */

/* `made`: whose heap it is; or NULL. */
static void
filter_and_escape(struct view *v, const char *filter, struct made_contents *made)
{
	struct session *s = v->session;
	size_t rows = v->rows_count;
	struct error err = { 0 };

	is_slow = true;
	assert_true(view_where(v, filter, &err));
	escape_at_first(v);
	assert_int_equal(v->rows_count, rows);
	assert_null(v->filter);
	view_close(v);
	if (made)
		s->heap = NULL;
	session_free(s);
	if (made)
		made_contents_free(made);
}

TEST(test_filter_of_all)
{
	struct graph *g = graph_new(OBJECTS, 1);
	struct view_ops ops = slow_ops(&view_objects);

	filter_and_escape(open_on(graph_heap(g), &ops, &target_none), "address ~ zzz", NULL);
}

TEST(test_filter_of_some)
{
	struct graph *g = graph_new(OBJECTS, 1);
	struct view_ops ops = slow_ops(&view_referrers);
	struct target target = target_none;

	for (node_id n = 1; n < OBJECTS; n++)
		graph_ref(g, n, 0);
	target.node = 0;
	filter_and_escape(open_on(graph_heap(g), &ops, &target), "address ~ zzz", NULL);
}

TEST(test_filter_of_strings)
{
	struct made_contents *m = made_contents_new(1);
	struct view_ops ops = slow_ops(&view_strings);
	struct view *v;

	for (int i = 0; i < FEW; i++)
		made_contents_put(m, MADE_TEXT, &(uint16_t){ (uint16_t)i }, 1, true);
	v = open_on(made_contents_heap(m), &ops, &target_none);
	filter_and_escape(v, "text ~ zzz", m);
}
