/* Results that a session computes again, and views that work meanwhile. */
#include "model/heap/memory.h"
#include "model/heap/stream.h"
#include "tests/drive/heaps.h"
#include "tests/drive/jobs.h"
#include "tests/drive/kept.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "model/graph/retention.h"
#include "tui/session/earlier.h"
#include "tui/app/views.h"
#include "tui/widget/view_search.h"
#include "tui/session/snapshots.h"
#include "tui/session/what_if_text.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A sort that was stopped leaves the rows and the mark as they were. */
static int done_count;

static void
note_done(struct view *v, void *context, bool ok)
{
	(void)v;
	(void)context;
	assert_false(ok);
	done_count++;
}

TEST(test_stopped_work_is_told_once)
{
	struct app *app = app_on_threads(awkward_heap());
	struct error err = { 0 };
	struct view *v = app_view(app);
	atomic_bool has_begun = false;

	done_count = 0;
	assert_true(view_run(v, "waiting", run_until_cancelled, note_done, &has_begun, &err));
	assert_true(view_is_busy(v));
	assert_true(app_key(app, TK_ESCAPE));
	assert_false(view_is_busy(v));
	assert_int_equal(done_count, 1);
	assert_false(app->has_quit);
	/* Closing stops it as well. */
	assert_true(view_run(v, "waiting", run_until_cancelled, note_done, &has_begun, &err));
	app_end(app);
	assert_int_equal(done_count, 2);
}

TEST(test_stopped_sort_keeps_the_mark)
{
	struct app *app = app_on(awkward_heap());
	struct view *v = app_view(app);
	int sort = v->sort;
	struct error err = { 0 };
	atomic_bool has_begun = false;

	app->session->waker = jobs_on_threads();
	assert_true(view_run(v, "waiting", run_until_cancelled, note_done, &has_begun, &err));
	v->sort = sort + 1; /* as a view that sorts by a job does */
	assert_true(view_cancel(v));
	assert_int_equal(v->sort, sort);
	app_end(app);
}

TEST(test_statics_switch)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	const struct reach *before;

	assert_true(session_start(s, &err));
	poll_until(app, NEED_REVERSE | NEED_REACH);
	before = s->reach;
	assert_true(app_command(app, "set nostatics", &err));
	assert_false(s->prefers_statics);
	/* The old ones are there until the new ones are. */
	assert_ptr_equal(s->reach, before);
	while (session_job(s))
		app_poll(app);
	assert_non_null(s->reach);
	assert_int_equal(s->reach->static_tables_count, 0);
	assert_false(app_command(app, "set xyzzy", &err));
	app_end(app);
}

static void
ignore_kind(struct session *s, enum root_kind kind)
{
	const struct ignored_entry e = { IGNORED_ROOT_KIND, kind, 0 };
	struct error err = { 0 };

	assert_true(what_if_ignore(s, &e, 1, &err));
	while (s->jobs[JOB_REACH])
		session_poll(s, session_ended(s));
}

/* The rows are those of what is shown until the ways are there anew. */
TEST(test_undoing_what_is_ignored_twice)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(leaky_heap());
	char before[256], after[256];

	assert_true(session_require(s, NEED_REACH, &err));
	ignore_kind(s, ROOT_STRONG);
	ignore_kind(s, ROOT_STACK);
	assert_int_equal(s->what_if.shown.items_count, 2);
	what_if_describe(s, &s->what_if.shown, 1, before, sizeof before);
	assert_true(what_if_stop_ignoring(s, 1, &err));
	what_if_describe(s, &s->what_if.shown, 1, after, sizeof after);
	assert_string_equal(after, before);
	assert_false(what_if_stop_ignoring(s, 1, &err));
	assert_non_null(strstr(err.message, "being undone"));
	error_clear(&err);
	assert_true(what_if_stop_ignoring(s, 0, &err));
	while (s->jobs[JOB_REACH])
		session_poll(s, session_ended(s));
	assert_int_equal(s->what_if.shown.items_count, 0);
	session_free(s);
}

/* A file may say what types retain, unless something is ignored. */
TEST(test_retained_types_of_a_file)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(leaky_heap());
	struct saved_how how = { .prefers_statics = true };
	struct bytes_kept kept;
	struct session *again;
	struct facts facts;
	uint64_t string_bytes;
	type_id string = type_named(s->heap, "string");

	assert_true(session_require(s, NEED_RETAINED, &err));
	how.reach = s->reach;
	how.dominators = s->retention->dominators;
	how.types = s->retention->types;
	kept = kept_save_as(s->heap, &how);
	again = session_on_threads(kept_load_keeping(&kept, &err));
	assert_int_equal(again->has & (NEED_RETAINED | NEED_TYPE_RETAINED), NEED_TYPE_RETAINED);
	facts = session_facts(again);
	string_bytes = s->retention->types[string].bytes;
	assert_int_equal(facts_type_retained(&facts, string), string_bytes);
	assert_true(session_require(again, NEED_TYPE_RETAINED, &err));
	assert_null(again->retention);

	assert_true(session_require(again, NEED_REACH, &err));
	assert_true(again->has & NEED_TYPE_RETAINED);
	ignore_kind(again, ROOT_STRONG);
	assert_false(again->has & NEED_TYPE_RETAINED);
	assert_true(session_require(again, NEED_TYPE_RETAINED, &err));
	assert_non_null(again->retention);
	session_free(again);
	session_free(s);
	free(kept.data);
}

/* They take referrers and dominators, but no paths. */
TEST(test_retained_types_without_paths)
{
	struct error err = { 0 };
	struct session *all = session_on_threads(leaky_heap());
	struct session *types = session_on_threads(leaky_heap());
	struct facts of_all, of_types;

	assert_true(session_require(all, NEED_RETAINED, &err));
	assert_true(session_require(types, NEED_TYPE_RETAINED, &err));
	assert_null(types->reach);
	assert_false(types->has & NEED_RETAINED);
	of_all = session_facts(all);
	of_types = session_facts(types);
	for (type_id t = 0; t < types->types_count; t++)
		assert_int_equal(facts_type_retained(&of_types, t),
				 facts_type_retained(&of_all, t));
	assert_true(session_require(types, NEED_RETAINED, &err));
	assert_non_null(types->reach);
	assert_true(types->has & NEED_RETAINED);
	session_free(types);
	session_free(all);
}

/* What comes behind it is what it was. */
TEST(test_undoing_the_first_of_three)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(leaky_heap());
	char before[3][256], after[256];

	assert_true(session_require(s, NEED_REACH, &err));
	ignore_kind(s, ROOT_STRONG);
	ignore_kind(s, ROOT_STACK);
	ignore_kind(s, ROOT_STATIC);
	for (size_t i = 0; i < 3; i++)
		what_if_describe(s, &s->what_if.shown, i, before[i], sizeof before[i]);
	assert_true(what_if_stop_ignoring(s, 0, &err));
	while (s->jobs[JOB_REACH])
		session_poll(s, session_ended(s));
	assert_int_equal(s->what_if.shown.items_count, 2);
	for (size_t i = 0; i < 2; i++) {
		what_if_describe(s, &s->what_if.shown, i, after, sizeof after);
		assert_string_equal(after, before[i + 1]);
	}
	session_free(s);
}

/* A job that ends between asking and taking has not been announced. */
TEST(test_takes_only_what_was_announced)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(leaky_heap());
	const struct reach *before;
	unsigned ended = 0;

	assert_true(session_require(s, NEED_REACH, &err));
	before = s->reach;
	assert_true(session_prefer_statics(s, false, &err));
	while (!ended) {
		sched_yield();
		ended = session_ended(s);
	}
	assert_int_equal(ended, 1U << JOB_REACH);
	assert_false(session_poll(s, 0));
	assert_ptr_equal(s->reach, before);
	assert_true(session_is_replacing(s, ended));
	assert_true(session_poll(s, ended));
	assert_int_equal(s->reach->static_tables_count, 0);
	assert_int_equal(session_ended(s), 0);
	session_free(s);
}

/* New ways to the roots do not undo what the user asked for meanwhile. */
TEST(test_replacing_restarts_the_rows)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	int column = column_by_id(view_objects.table->columns, "size");
	struct view *v;

	assert_true(session_start(s, &err));
	poll_until(app, NEED_REVERSE | NEED_REACH);
	assert_true(app_command(app, "objects", &err));
	v = app_view(app);
	while (view_is_busy(v))
		app_poll(app);
	assert_true(app_command(app, "filter leaky", &err));
	assert_true(view_sort_to(v, column, true, &err));
	assert_true(view_is_busy(v));
	view_restart(v);
	assert_false(view_is_busy(v));
	assert_int_equal(v->sort, column);
	app_poll(app);
	while (view_is_busy(v))
		app_poll(app);
	assert_int_equal(v->shown.sort, column);
	assert_ptr_equal(v->shown.filter, v->filter);
	assert_non_null(v->filter);
	/* A search as well; it ended before it was stopped, or begins again. */
	assert_true(v->rows_count > 5000);
	if (view_search(v, "no such name", &err)) {
		assert_true(view_is_busy(v));
		view_restart(v);
		app_poll(app);
		while (view_is_busy(v))
			app_poll(app);
		assert_non_null(strstr(app->message, "is in no row"));
	} else {
		/* Its worker was done before it was asked. */
		assert_non_null(strstr(err.message, "is in no row"));
	}
	app_end(app);
}

/* As after Esc stopped it: an order by what nobody computes is none. */
TEST(test_sorting_begins_what_it_needs)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	struct row first, second;
	struct view *v;

	assert_true(session_require(s, NEED_REVERSE | NEED_REACH, &err));
	assert_true(app_command(app, "objects", &err));
	assert_null(s->jobs[JOB_RETENTION]);
	assert_true(app_command(app, "sort retained", &err));
	assert_non_null(s->jobs[JOB_RETENTION]);
	poll_until(app, NEED_RETAINED);
	v = app_view(app);
	while (view_is_busy(v))
		app_poll(app);
	view_row(v, 0, &first);
	view_row(v, 1, &second);
	assert_int_equal(session_retained(s, first.node).bytes, 320000);
	assert_int_equal(session_retained(s, second.node).bytes, 319968);
	app_end(app);
}

/* Retained sizes of which Esc is quicker, however small the heap. */
static void
stop_retained(struct app *app, atomic_bool *has_begun)
{
	struct session *s = app->session;
	struct error err = { 0 };

	s->jobs[JOB_RETENTION] = job_start("computing retained sizes", run_until_cancelled,
					   has_begun, jobs_on_threads(), &err);
	assert_non_null(s->jobs[JOB_RETENTION]);
	app_poll(app);
	assert_true(app_key(app, TK_ESCAPE));
	while (session_job(s))
		app_poll(app);
	assert_null(s->retention);
}

/* Whatever has come of those that a key or a filter began. */
static void
drop_retained(struct session *s)
{
	session_stop(s);
	retention_free(s->retention);
	s->retention = NULL;
	s->has &= ~(unsigned)(NEED_RETAINED | NEED_TYPE_RETAINED);
}

/* Nothing was compared: that no row matches would be wrong. */
TEST(test_stopped_retained_sizes_go_on)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	struct view *v = app_view(app);
	char out[VALUE_TEXT_BYTES];
	atomic_bool has_begun = false;

	assert_true(session_require(s, NEED_REVERSE | NEED_REACH, &err));
	stop_retained(app, &has_begun);
	assert_string_equal(app->message, "stopped computing retained sizes; R computes them");
	assert_false(view_was_stopped(v));
	assert_true(view_filter(v, "retained > 1000", &err));
	assert_string_equal(view_empty_text(v, out), "computing retained sizes …; Esc stops that");
	assert_false(view_has_settled(v));
	drop_retained(s);
	stop_retained(app, &has_begun);
	assert_string_equal(app->message, "stopped computing retained sizes; :types computes them");
	assert_int_equal(v->rows_count, 0);
	assert_string_equal(view_empty_text(v, out),
			    "stopped before it was finished; :types starts it again");
	assert_true(app_command(app, "types", &err));
	poll_until(app, NEED_RETAINED);
	assert_true(v->rows_count > 0);
	assert_true(view_has_settled(v));
	app_end(app);
}

/* The key that says so begins it again, and the order stays. */
TEST(test_stopped_order_goes_on)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	atomic_bool has_begun = false;

	assert_true(session_require(s, NEED_REVERSE | NEED_REACH, &err));
	stop_retained(app, &has_begun);
	assert_true(app_key(app, 'R'));
	assert_true(app_view(app)->is_descending);
	drop_retained(s);
	stop_retained(app, &has_begun);
	assert_true(app_key(app, 'R'));
	assert_true(app_view(app)->is_descending);
	poll_until(app, NEED_RETAINED);
	assert_true(app_key(app, 'R'));
	assert_false(app_view(app)->is_descending);
	app_end(app);
}

/* Retained sizes were there, went with the old ways, and are not computed. */
TEST(test_stopped_order_is_left)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	struct view *v = app_view(app);
	atomic_bool has_begun = false;

	assert_true(session_require(s, NEED_RETAINED, &err));
	assert_true(app_command(app, "sort -count", &err));
	assert_true(app_command(app, "sort retained", &err));
	app_poll(app);
	assert_string_equal(v->ops->table->columns[v->shown.sort].id, "retained");
	drop_retained(s);
	s->version++;
	app->message[0] = '\0';
	stop_retained(app, &has_begun);
	app_poll(app);
	assert_string_equal(v->ops->table->columns[v->shown.sort].id, "count");
	assert_false(v->is_descending);
	assert_string_equal(app->message,
			    "stopped computing retained sizes, the order is by Count again; :sort "
			    "retained computes them");
	/* The key begins it again, and that is the order then. */
	assert_true(app_key(app, 'R'));
	poll_until(app, NEED_RETAINED);
	app_poll(app);
	assert_string_equal(v->ops->table->columns[v->shown.sort].id, "retained");
	assert_true(v->is_descending);
	app_end(app);
}

/* --- the capture before -------------------------------------------------- */

/* Heaps that are opened one after another. */
static const struct before {
	const char *name;
	int latest; /* the last capture of the process of the last heap */
	int before; /* the one that it is compared with; -1: none */
	struct opened {
		int64_t time;
		int32_t pid;
		const char *process;
		uint64_t detail, thread; /* thread 0: not from memory */
	} heaps[3];
} befores[] = {
	/* clang-format off */
	{ "in order",      1, 0,  { { 10, 1, "api", RESIDENT_MAPPINGS, 0 }, { 20, 1, "api", RESIDENT_MAPPINGS, 0 } } },
	{ "backwards",     0, 1, { { 20, 1, "api", RESIDENT_MAPPINGS, 0 }, { 10, 1, "api", RESIDENT_MAPPINGS, 0 } } },
	{ "without times", 1, 0,  { { 0, 1, "", RESIDENT_PRESENT, 0 },      { 0, 1, "api", RESIDENT_PRESENT, 0 } } },
	{ "the latest",    2, 0,  { { 20, 1, "api", RESIDENT_MAPPINGS, 0 }, { 10, 1, "api", RESIDENT_MAPPINGS, 0 }, { 30, 1, "api", RESIDENT_MAPPINGS, 0 } } },
	{ "other pid",     1, -1, { { 10, 2, "api", RESIDENT_MAPPINGS, 0 }, { 20, 1, "api", RESIDENT_MAPPINGS, 0 } } },
	{ "other program", 1, -1, { { 10, 1, "web", RESIDENT_MAPPINGS, 0 }, { 20, 1, "api", RESIDENT_MAPPINGS, 0 } } },
	{ "other detail",  1, -1, { { 10, 1, "api", RESIDENT_SUMS, 0 },     { 20, 1, "api", RESIDENT_MAPPINGS, 0 } } },
	{ "same core",     1, 0,  { { 0, 1, "", RESIDENT_PRESENT, 0x7010 }, { 0, 1, "", RESIDENT_PRESENT, 0x7010 } } },
	{ "other core",    1, -1, { { 0, 1, "", RESIDENT_PRESENT, 0x7010 }, { 0, 1, "", RESIDENT_PRESENT, 0x7020 } } },
	{ "any order",     1, 2,  { { 20, 1, "api", RESIDENT_MAPPINGS, 0 }, { 40, 1, "api", RESIDENT_MAPPINGS, 0 }, { 30, 1, "api", RESIDENT_MAPPINGS, 0 } } },
	/* clang-format on */
};
static const struct opened *opened;
static struct heap_thread finalizer_threads[3];
static struct heap_memory memories[3];

/* The path is the number of the heap. */
static const struct heap *
load_opened(const struct loader *from, enum load_what what, struct progress *progress,
	    struct preview *preview, struct error *err)
{
	int i = *from->path - '0';
	struct heap_stream *stream = heap_stream_new(err);
	struct heap_builder *builder = heap_stream_builder(stream);
	struct heap_info *info = heap_builder_info(builder);
	struct heap *h;

	(void)what;
	(void)progress;
	(void)preview;
	assert_true(heap_stream_object(stream, 0x1000,
				       heap_builder_type(builder, "A", "a.dll", err), 24, 0, err));
	info->time = opened[i].time;
	info->pid = opened[i].pid;
	info->process = opened[i].process;
	info->resident.detail = opened[i].detail;
	info->resident.bytes = (uint64_t)i + 1;
	h = (struct heap *)heap_stream_finish(stream, NULL, err);
	assert_non_null(h);
	if (opened[i].thread) {
		finalizer_threads[i] =
		    (struct heap_thread){ .address = opened[i].thread, .is_finalizer = true };
		memories[i] =
		    (struct heap_memory){ .threads = &finalizer_threads[i], .threads_count = 1 };
		h->memory = &memories[i];
	}
	return h;
}

TEST_ROWS(test_capture_before, befores)
{
	static const char *const paths[] = { "0", "1", "2" };
	const struct before *b = *state;
	struct error err = { 0 };
	struct snapshots all;
	struct session *last = NULL;
	struct facts facts;

	opened = b->heaps;
	snapshots_init(&all, (struct waker){ 0 });
	for (int i = 0; i < 3 && b->heaps[i].pid; i++) {
		struct loader loader = { .path = paths[i], .load = load_opened };
		struct session *s = snapshots_add(&all, &loader, &err);

		assert_non_null(s);
		assert_ok(session_require(s, NEED_OBJECTS, &err), &err);
		last = earlier_latest(s);
	}
	assert_int_equal(*last->loader.path - '0', b->latest);
	facts = session_facts(last);
	assert_int_equal(facts.earlier ? (int)facts.earlier->bytes - 1 : -1, b->before);
	snapshots_clear(&all);
}
