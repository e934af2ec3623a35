/* Jobs, what a session loads and when, and stopping all of it. */
#include "model/heap_build.h"
#include "tests/run_tests.h"
#include "tests/screens.h"
#include "tui/views.h"

#include <sched.h>
#include <string.h>

/* A waker that counts; with it, jobs have threads of their own. */
static atomic_uint wakes;

static void
count_wake(void *context)
{
	(void)context;
	atomic_fetch_add(&wakes, 1);
}

static const struct waker threads = { count_wake, NULL };
static const struct waker nobody = { NULL, NULL };

/* --- jobs ---------------------------------------------------------------- */

static bool
run_until_cancelled(void *context, struct progress *progress, struct error *err)
{
	atomic_bool *has_begun = context;

	atomic_store(has_begun, true);
	while (!progress_is_cancelled(progress))
		sched_yield();
	return error_cancelled(err);
}

static bool
run_and_count(void *context, struct progress *progress, struct error *err)
{
	int *runs = context;

	(void)progress;
	++*runs;
	return *runs < 3 || error_set(err, ERROR_SYSTEM, "three is too many");
}

static void
test_job_at_once(void **state)
{
	struct error err = { 0 };
	int runs = 0;
	struct job *j =
	    job_start("counting", run_and_count, &runs, nobody, &err);

	(void)state;
	assert_int_equal(runs, 1);
	assert_true(job_is_done(j));
	assert_true(job_finish(j, &err));
}

static void
test_job_fails(void **state)
{
	struct error err = { 0 };
	int runs = 2;
	struct job *j =
	    job_start("counting", run_and_count, &runs, threads, &err);

	(void)state;
	assert_non_null(j);
	assert_string_equal(job_what(j), "counting");
	assert_false(job_finish(j, &err));
	assert_string_equal(err.message, "three is too many");
}

static void
test_job_cancelled(void **state)
{
	struct error err = { 0 };
	atomic_bool has_begun = false;
	unsigned before = atomic_load(&wakes);
	struct job *j = job_start("waiting", run_until_cancelled, &has_begun,
				  threads, &err);

	(void)state;
	while (!atomic_load(&has_begun))
		sched_yield();
	assert_false(job_is_done(j));
	job_cancel(j);
	assert_false(job_finish(j, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	assert_int_equal(atomic_load(&wakes), before + 1);
}

/* --- loading ------------------------------------------------------------- */

static struct loads {
	int types, all;
} loads; /* what the loaders below were asked for */

static const struct heap *
load_awkward(const struct loader *from, enum load_what what,
	     struct progress *progress, struct preview *preview,
	     struct error *err)
{
	(void)from;
	(void)progress;
	(void)preview;
	(void)err;
	loads.types += what == LOAD_TYPES;
	loads.all += what == LOAD_ALL;
	return awkward_heap();
}

/* Shows some types, and is never done. */
static const struct heap *
load_half(const struct loader *from, enum load_what what,
	  struct progress *progress, struct preview *preview, struct error *err)
{
	const struct heap *h = awkward_heap();

	assert_true(preview_publish(preview, h->types, h->types_count, 12, 100,
				    false, err));
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	heap_free(h);
	return NULL;
}

/* As many types as are searched by a job, once there is a heap. */
static const struct heap *
load_wide(const struct loader *from, enum load_what what,
	  struct progress *progress, struct preview *preview, struct error *err)
{
	static struct type types[20000];
	size_t count = sizeof types / sizeof types[0];

	for (size_t i = 0; i < count; i++) {
		types[i].name = types[i].short_name = types[i].raw =
		    i + 1 < count ? "Shop.Order" : "Shop.Last";
		types[i].module = "";
		types[i].multiplier = 1;
		types[i].count = 1;
		types[i].bytes = count - i;
	}
	/* Each frees the one before, while the rows of that are on screen. */
	while (!progress_is_cancelled(progress))
		assert_true(preview_publish(preview, types, (uint32_t)count, 12,
					    100, false, err));
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	return NULL;
}

static const struct heap *
load_nothing(const struct loader *from, enum load_what what,
	     struct progress *progress, struct preview *preview,
	     struct error *err)
{
	(void)what;
	(void)progress;
	(void)preview;
	error_at(err, 42, "%s is damaged", from->path);
	return NULL;
}

static struct session *
new_session(const struct loader *loader, struct waker waker)
{
	struct error err = { 0 };
	struct session *s = session_new(loader, waker, &err);

	assert_non_null(s);
	return s;
}

static void
test_loads_no_more_than_needed(void **state)
{
	static const struct loader loader = { .path = "a/b.gcdump",
					      .load = load_awkward };
	struct session *s = new_session(&loader, nobody);
	struct error err = { 0 };

	(void)state;
	loads = (struct loads){ 0, 0 };
	assert_string_equal(s->name, "b.gcdump");
	assert_true(session_require(s, NEED_TYPES, &err));
	assert_int_equal(loads.types, 1);
	assert_int_equal(loads.all, 0);
	assert_true(session_require(s, NEED_TYPES, &err));
	assert_int_equal(loads.types, 1);
	session_free(s);

	loads = (struct loads){ 0, 0 };
	s = new_session(&loader, nobody);
	assert_true(session_require(s, NEED_REACH, &err));
	assert_int_equal(loads.types, 0);
	assert_int_equal(loads.all, 1);
	assert_non_null(s->reach);
	assert_null(s->reverse);
	session_free(s);
}

static void
poll_until(struct app *app, unsigned needs)
{
	while (!app->has_quit && needs & ~app->session->has) {
		app_poll(app);
		sched_yield();
	}
}

static void
test_all_arrives_by_itself(void **state)
{
	static const struct loader loader = { .path = "b.gcdump",
					      .load = load_awkward };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);

	(void)state;
	app_set_startup(app, "objects; sort size");
	assert_true(session_start(s, &err));
	poll_until(app,
		   NEED_OBJECTS | NEED_REVERSE | NEED_REACH | NEED_HOLDINGS);
	assert_ptr_equal(app_view(app)->ops, &view_objects);
	while (view_is_busy(app_view(app)))
		app_poll(app);
	assert_int_equal(app_view(app)->rows_count, 12);
	assert_false(session_is_loading(s));
	assert_null(session_job(s));
	app_end(app);
}

static void
test_escape_stops_loading(void **state)
{
	static const struct loader loader = { .path = "b.gcdump",
					      .load = load_half };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);
	struct screen *screen = screen_for_test(10, 80, false);

	(void)state;
	assert_true(session_start(s, &err));
	app_poll(app);
	app_draw(app, screen);
	assert_true(session_is_loading(s));
	while (app_view(app)->rows_count == 0) {
		app_poll(app);
		sched_yield();
	}
	assert_true(app_key(app, TK_DOWN)); /* keys are answered meanwhile */
	assert_true(app_key(app, TK_ESCAPE));
	poll_until(app, NEED_TYPES);
	assert_false(app->has_quit);
	assert_true(s->is_stopped);
	assert_int_equal(s->job_errors[JOB_LOAD].kind, ERROR_NONE);
	assert_int_equal(app_view(app)->rows_count, 10);
	/* What needs objects says why there are none. */
	assert_false(app_command(app, "objects", &err));
	assert_non_null(strstr(err.message, "reading was stopped"));
	expect_screen(app, screen, "stopped", false);
	/* Once more there is nothing to stop; ^C twice quits. */
	assert_true(app_key(app, TK_ESCAPE));
	assert_true(app_key(app, TK_INTERRUPT));
	assert_true(app_key(app, TK_DOWN));
	assert_true(app_key(app, TK_INTERRUPT));
	assert_false(app_key(app, TK_INTERRUPT));
	screen_free(screen);
	app_end(app);
}

/* A file that is cut behind its types. */
static const struct heap *
load_cut(const struct loader *from, enum load_what what,
	 struct progress *progress, struct preview *preview, struct error *err)
{
	struct heap_builder *b = heap_builder_new(err);
	type_id type = heap_builder_type(b, "Shop.Order", "", err);
	struct tally *tally = heap_builder_tally(b, err);

	(void)from;
	(void)what;
	(void)progress;
	(void)preview;
	tally->types[type].count = 3;
	tally->types[type].bytes = 72;
	assert_true(heap_builder_totals(b, err));
	heap_builder_info(b)->losses.missing_bytes = 1;
	return heap_builder_finish(b, err);
}

/* What needs objects says so at once; nothing is waited for. */
static void
test_only_types(void **state)
{
	static const char *const lines[] = { "objects",    "roots",
					     "dominators", "findings",
					     "summary",    "paths A" };
	static const struct loader loader = { .path = "cut.heaptop",
					      .load = load_cut };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);
	struct view *v = app_view(app);
	int retained = view_column_by_id(v->ops, "retained");

	(void)state;
	assert_true(session_start(s, &err));
	poll_until(app, NEED_TYPES);
	assert_false(session_is_loading(s));
	assert_int_equal(v->rows_count, 1);
	assert_false(view_has_column(v, &v->ops->columns[retained], false));
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		error_clear(&err);
		assert_false(app_command(app, lines[i], &err));
		assert_non_null(strstr(
		    err.message, "only the types are in this file, it is cut"));
	}
	assert_ptr_equal(app_view(app), v);
	assert_null(session_job(s));
	assert_true(session_prefer_statics(s, false, &err));
	assert_null(session_job(s));
	app_end(app);
}

/* The types belong to the loader meanwhile: no job may look at them. */
static void
test_search_while_loading(void **state)
{
	static const struct loader loader = { .path = "b.gcdump",
					      .load = load_wide };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);
	struct view *v = app_view(app);

	(void)state;
	assert_true(session_start(s, &err));
	while (v->rows_count == 0) {
		app_poll(app);
		sched_yield();
	}
	for (const char *key = "/shop.last"; *key; key++)
		assert_true(app_key(app, *key));
	assert_true(app_key(app, TK_ENTER));
	assert_false(view_is_busy(v));
	assert_int_equal(v->cursor, v->rows_count - 1);
	assert_true(app_key(app, 'n'));
	assert_false(view_is_busy(v));
	assert_non_null(strstr(app->message, "this is the only match"));
	app_end(app);
}

/* As of a process: most types have no names yet, and are one when stopped. */
static const struct heap *
load_unnamed(const struct loader *from, enum load_what what,
	     struct progress *progress, struct preview *preview,
	     struct error *err)
{
	enum { UNNAMED = 40 };
	struct type types[UNNAMED + 1];

	for (uint32_t i = 0; i <= UNNAMED; i++)
		types[i] = (struct type){ .name = "…",
					  .short_name = "…",
					  .raw = "…",
					  .module = "",
					  .multiplier = 1,
					  .count = 2,
					  .bytes = 16 };
	types[0].name = types[0].short_name = types[0].raw = "Api.Order";
	assert_true(
	    preview_publish(preview, types, UNNAMED + 1, 82, 0, false, err));
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	return NULL;
}

static void
test_stopped_types_without_names(void **state)
{
	static const struct loader loader = { .path = "b.gcdump",
					      .load = load_unnamed };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);
	struct screen *screen = screen_for_test(60, 80, false);

	(void)state;
	assert_true(session_start(s, &err));
	while (app_view(app)->rows_count == 0) {
		app_poll(app);
		sched_yield();
	}
	assert_int_equal(app_view(app)->rows_count, 41);
	assert_true(app_key(app, TK_ESCAPE));
	app_poll(app); /* perhaps before the loader has noticed */
	app_draw(app, screen);
	poll_until(app, NEED_TYPES);
	app_draw(app, screen);
	assert_int_equal(app_view(app)->rows_count, 2);
	assert_int_equal(s->types[0].count + s->types[1].count, 82);
	screen_free(screen);
	app_end(app);
}

static atomic_bool may_begin_again;

/* As of a process that lost events: it begins again, with fewer types. */
static const struct heap *
load_twice(const struct loader *from, enum load_what what,
	   struct progress *progress, struct preview *preview,
	   struct error *err)
{
	const struct heap *h = awkward_heap();

	assert_true(preview_publish(preview, h->types, h->types_count, 12, 100,
				    false, err));
	while (!atomic_load(&may_begin_again))
		sched_yield();
	assert_true(preview_publish(preview, h->types, 1, 1, 100, false, err));
	atomic_store(&may_begin_again, false);
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	heap_free(h);
	return NULL;
}

static void
test_begins_again_with_fewer_types(void **state)
{
	static const struct loader loader = { .path = "b.gcdump",
					      .load = load_twice };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);
	struct screen *screen = screen_for_test(20, 80, false);

	(void)state;
	assert_true(session_start(s, &err));
	while (app_view(app)->rows_count < 2) {
		app_poll(app);
		sched_yield();
	}
	assert_true(app_key(app, TK_END));
	atomic_store(&may_begin_again, true);
	while (atomic_load(&may_begin_again))
		sched_yield();
	app_draw(app, screen);
	assert_true(app_view(app)->rows_count <= 1);
	screen_free(screen);
	app_end(app);
}

static void
test_quitting_stops_loading(void **state)
{
	static const struct loader loader = { .path = "b.gcdump",
					      .load = load_for_ever };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);

	(void)state;
	assert_true(session_start(s, &err));
	assert_false(app_key(app, 'Q'));
	app_end(app); /* does not wait for ever */
}

static void
test_damaged_file_ends_the_program(void **state)
{
	static const struct loader loader = { .path = "b.gcdump",
					      .load = load_nothing };
	struct session *s = new_session(&loader, threads);
	struct error err = { 0 };
	struct app *app = app_new(s, &err);

	(void)state;
	assert_true(session_start(s, &err));
	poll_until(app, NEED_OBJECTS);
	assert_true(app->has_quit);
	assert_true(strstr(s->job_errors[JOB_LOAD].message, "is damaged"));
	app_end(app);
}

/* --- views that work ----------------------------------------------------- */

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

static void
test_stopped_work_is_told_once(void **state)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(awkward_heap(), threads, &err);
	struct app *app = app_new(s, &err);
	struct view *v = app_view(app);
	atomic_bool has_begun = false;

	(void)state;
	done_count = 0;
	assert_true(view_run(v, "waiting", run_until_cancelled, note_done,
			     &has_begun, &err));
	assert_true(view_is_busy(v));
	assert_true(app_key(app, TK_ESCAPE));
	assert_false(view_is_busy(v));
	assert_int_equal(done_count, 1);
	assert_false(app->has_quit);
	/* Closing stops it as well. */
	assert_true(view_run(v, "waiting", run_until_cancelled, note_done,
			     &has_begun, &err));
	app_end(app);
	assert_int_equal(done_count, 2);
}

static void
test_stopped_sort_keeps_the_mark(void **state)
{
	struct app *app = app_on(awkward_heap());
	struct view *v = app_view(app);
	int sort = v->sort;
	struct error err = { 0 };
	atomic_bool has_begun = false;

	(void)state;
	app->session->waker = threads;
	assert_true(view_run(v, "waiting", run_until_cancelled, note_done,
			     &has_begun, &err));
	v->sort = sort + 1; /* as a view that sorts by a job does */
	assert_true(view_cancel(v));
	assert_int_equal(v->sort, sort);
	app_end(app);
}

static void
test_statics_switch(void **state)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(leaky_heap(), threads, &err);
	struct app *app = app_new(s, &err);
	const struct reach *before;

	(void)state;
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

	assert_true(session_ignore(s, &e, 1, &err));
	while (s->jobs[JOB_REACH])
		session_poll(s, session_ended(s));
}

/* The rows are those of what is shown until the ways are there anew. */
static void
test_undoing_what_is_ignored_twice(void **state)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(leaky_heap(), threads, &err);
	char before[256], after[256];

	(void)state;
	assert_true(session_require(s, NEED_REACH, &err));
	ignore_kind(s, ROOT_STRONG);
	ignore_kind(s, ROOT_STACK);
	assert_int_equal(s->what_if.shown.items_count, 2);
	what_if_describe(s, 1, before, sizeof before);
	assert_true(session_ignore_no_more(s, 1, &err));
	what_if_describe(s, 1, after, sizeof after);
	assert_string_equal(after, before);
	assert_false(session_ignore_no_more(s, 1, &err));
	assert_non_null(strstr(err.message, "being undone"));
	error_clear(&err);
	assert_true(session_ignore_no_more(s, 0, &err));
	while (s->jobs[JOB_REACH])
		session_poll(s, session_ended(s));
	assert_int_equal(s->what_if.shown.items_count, 0);
	session_free(s);
}

/* What ends between the question and the taking was announced to nobody. */
static void
test_takes_only_what_was_announced(void **state)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(leaky_heap(), threads, &err);
	const struct reach *before;
	unsigned ended = 0;

	(void)state;
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
static void
test_replacing_restarts_the_rows(void **state)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(leaky_heap(), threads, &err);
	struct app *app = app_new(s, &err);
	int column = view_column_by_id(&view_objects, "size");
	struct view *v;

	(void)state;
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
	assert_true(view_search(v, "no such name", &err));
	assert_true(view_is_busy(v));
	view_restart(v);
	app_poll(app);
	while (view_is_busy(v))
		app_poll(app);
	assert_non_null(strstr(app->message, "is in no row"));
	app_end(app);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job_at_once),
		cmocka_unit_test(test_job_fails),
		cmocka_unit_test(test_job_cancelled),
		cmocka_unit_test(test_loads_no_more_than_needed),
		cmocka_unit_test(test_all_arrives_by_itself),
		cmocka_unit_test(test_escape_stops_loading),
		cmocka_unit_test(test_only_types),
		cmocka_unit_test(test_search_while_loading),
		cmocka_unit_test(test_stopped_types_without_names),
		cmocka_unit_test(test_begins_again_with_fewer_types),
		cmocka_unit_test(test_quitting_stops_loading),
		cmocka_unit_test(test_damaged_file_ends_the_program),
		cmocka_unit_test(test_stopped_work_is_told_once),
		cmocka_unit_test(test_stopped_sort_keeps_the_mark),
		cmocka_unit_test(test_statics_switch),
		cmocka_unit_test(test_undoing_what_is_ignored_twice),
		cmocka_unit_test(test_takes_only_what_was_announced),
		cmocka_unit_test(test_replacing_restarts_the_rows),
	};

	return run_tests(tests);
}
