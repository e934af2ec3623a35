/* Loading heaps: when, what is shown meanwhile, and stopping it. */
#include "model/heap/build.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <sched.h>
#include <string.h>

static atomic_bool may_begin_again, has_withdrawn;
static struct loads {
	int types, all;
} loads; /* what the loaders below were asked for */

static const struct heap *
load_awkward(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
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
load_half(const struct loader *from, enum load_what what, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	const struct heap *h = awkward_heap();

	assert_true(preview_publish(preview, h->types, h->types_count, 12, 100, false, err));
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	heap_free(h);
	return NULL;
}

/* The first time as above. */
static const struct heap *
load_at_last(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
{
	static bool has_begun;
	bool is_first = !has_begun;

	has_begun = true;
	return (is_first ? load_half : load_awkward)(from, what, progress, preview, err);
}

/* As many types as are searched by a job, once there is a heap. */
static const struct heap *
load_wide(const struct loader *from, enum load_what what, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	static struct type types[20000];
	size_t count = COUNT_OF(types);

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
		assert_true(preview_publish(preview, types, (uint32_t)count, 12, 100, false, err));
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	return NULL;
}

/* It is there, and then not all of it had room. */
static const struct heap *
load_refused(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
{
	const struct heap *h = load_awkward(from, what, progress, NULL, err);

	assert_true(preview_publish(preview, h->types, h->types_count, 12, 100, true, err));
	memory_refused_add((struct memory_refused){ .count = 1, .needed_bytes = 1 << 20 });
	return h;
}

static const struct heap *
load_nothing(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
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

TEST(test_loads_no_more_than_needed)
{
	static const struct loader loader = { .path = "a/b.gcdump", .load = load_awkward };
	struct session *s = new_session(&loader, (struct waker){ 0 });
	struct error err = { 0 };

	loads = (struct loads){ 0, 0 };
	assert_string_equal(s->name, "b.gcdump");
	assert_true(session_require(s, NEED_TYPES, &err));
	assert_int_equal(loads.types, 1);
	assert_int_equal(loads.all, 0);
	assert_true(session_require(s, NEED_TYPES, &err));
	assert_int_equal(loads.types, 1);
	session_free(s);

	loads = (struct loads){ 0, 0 };
	s = new_session(&loader, (struct waker){ 0 });
	assert_true(session_require(s, NEED_REACH, &err));
	assert_int_equal(loads.types, 0);
	assert_int_equal(loads.all, 1);
	assert_non_null(s->reach);
	assert_null(s->reverse);
	session_free(s);
}

/* Nothing is left to look at of a heap that had no room. */
TEST(test_refused_is_not_shown)
{
	static const struct loader loader = { .path = "b.gcdump", .load = load_refused };
	struct session *s = new_session(&loader, (struct waker){ 0 });
	struct error err = { 0 };

	assert_false(session_require(s, NEED_REACH, &err));
	assert_true(err.is_limit);
	assert_null(s->heap);
	assert_null(s->preview.types);
	session_free(s);
}

TEST(test_all_arrives_by_itself)
{
	struct app *app = app_loading("b.gcdump", load_awkward);
	struct session *s = app->session;
	struct error err = { 0 };

	app_set_startup(app, "objects; sort size");
	assert_true(session_start(s, &err));
	poll_until(app, NEED_OBJECTS | NEED_REVERSE | NEED_REACH | NEED_RETAINED);
	assert_ptr_equal(app_view(app)->ops, &view_objects);
	while (view_is_busy(app_view(app)))
		app_poll(app);
	assert_int_equal(app_view(app)->rows_count, 12);
	assert_false(session_is_loading(s));
	assert_null(session_job(s));
	app_end(app);
}

TEST(test_escape_stops_loading)
{
	struct app *app = app_loading("b.gcdump", load_half);
	struct session *s = app->session;
	struct error err = { 0 };
	struct screen *screen = screen_for_test(10, 80, false);

	assert_true(session_start(s, &err));
	app_poll(app);
	app_draw(app, screen);
	assert_true(session_is_loading(s));
	poll_while(app, app_view(app)->rows_count == 0);
	assert_true(app_key(app, TK_DOWN)); /* keys are answered meanwhile */
	assert_true(app_key(app, TK_ESCAPE));
	poll_until(app, NEED_TYPES);
	assert_false(app->has_quit);
	assert_true(s->is_stopped);
	assert_int_equal(s->job_errors[JOB_LOAD].kind, ERROR_NONE);
	assert_int_equal(app_view(app)->rows_count, 10);
	/* A view that needs objects says why there are none. */
	assert_false(app_command(app, "objects", &err));
	assert_non_null(strstr(err.message, "reading was stopped"));
	expect_screen(app, screen, "stopped", false);
	/* Once more there is nothing to stop; ^C twice quits. */
	assert_true(app_key(app, TK_ESCAPE));
	assert_true(app_key(app, TK_INTERRUPT));
	assert_true(app_key(app, TK_DOWN));
	assert_true(app_key(app, TK_INTERRUPT));
	assert_false(app_key(app, TK_INTERRUPT));
	app_end(app);
}

/* A message does not hide the progress of a job. */
TEST(test_message_and_progress)
{
	struct app *app = app_loading("b.gcdump", load_half);
	struct session *s = app->session;
	struct error err = { 0 };
	struct screen *screen = screen_for_test(12, 80, false);
	char *text;

	assert_true(session_start(s, &err));
	app_poll(app);
	app_draw(app, screen);
	poll_while(app, app_view(app)->rows_count == 0);
	app_message(app, STYLE_STATUS, "paused 6.6 s, 1 collection forced");
	app_draw(app, screen);
	assert_true(session_is_loading(s));
	text = screen_dump(screen, false, &err);
	assert_non_null(text);
	assert_non_null(strstr(text, "paused 6.6 s, 1 collection forced"));
	assert_non_null(strstr(text, "Esc stops"));
	assert_true(strstr(text, "paused") < strstr(text, "Esc stops"));
	memory_free(text);
	assert_true(app_key(app, TK_ESCAPE));
	poll_until(app, NEED_TYPES);
	app_end(app);
}

TEST(test_reads_again)
{
	static const struct loader loader = { .path = "b.gcdump", .load = load_at_last };
	struct screen *screen = screen_for_test(10, 80, false);
	struct error err = { 0 };
	struct snapshots all;
	struct session *s;
	struct app *app;

	snapshots_init(&all, jobs_on_threads());
	s = snapshots_add(&all, &loader, &err);
	app = app_new(s, &err);
	poll_while(app, app_view(app)->rows_count == 0);
	assert_false(app_command(app, "read-again", &err));
	assert_true(app_key(app, TK_ESCAPE));
	poll_until(app, NEED_TYPES);
	assert_true(s->is_stopped);
	assert_true(app_command(app, "read-again", &err));
	assert_ptr_not_equal(app->session, s);
	poll_until(app, NEED_OBJECTS | NEED_REACH | NEED_RETAINED);
	expect_screen(app, screen, "read-again", false);
	assert_false(app_command(app, "read-again", &err));
	app_free(app);
	snapshots_clear(&all);
}

/* The types belong to the loader meanwhile: no job may look at them. */
TEST(test_search_while_loading)
{
	struct app *app = app_loading("b.gcdump", load_wide);
	struct session *s = app->session;
	struct error err = { 0 };
	struct view *v = app_view(app);

	assert_true(session_start(s, &err));
	poll_while(app, v->rows_count == 0);
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

/* As of a process: the number of a type is another one when all is read. */
static const struct heap *
load_renumbered(const struct loader *from, enum load_what what, struct progress *progress,
		struct preview *preview, struct error *err)
{
	const struct heap *h = awkward_heap();
	struct type types[2] = { h->types[1], h->types[0] };

	assert_true(preview_publish(preview, types, 2, 2, 0, false, err));
	while (!atomic_load(&may_begin_again))
		sched_yield();
	(void)from;
	(void)what;
	(void)progress;
	preview_withdraw(preview);
	return h;
}

/* Enter never shows the objects of another type than that of the row. */
TEST(test_rows_before_numbers_settle)
{
	static const int keys[] = { TK_ENTER, 'r', 'd', 'P', 'p' };
	struct screen *screen = screen_for_test(24, 200, false);
	struct app *app = app_loading("b.gcdump", load_renumbered);
	struct session *s = app->session;
	struct error err = { 0 };

	atomic_store(&may_begin_again, false);
	assert_true(session_start(s, &err));
	poll_while(app, app_view(app)->rows_count == 0);
	assert_false(app_has_text(app, screen, "Enter objects"));
	assert_true(app_has_text(app, screen, "2 objects"));
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		assert_true(app_key(app, keys[i]));
		assert_non_null(strstr(app->message, "still being counted"));
	}
	assert_false(app_command(app, "objects Program", &err));
	assert_ptr_equal(app_view(app)->ops, &view_types);
	atomic_store(&may_begin_again, true);
	poll_until(app, NEED_OBJECTS);
	assert_true(app_has_text(app, screen, "Enter objects"));
	atomic_store(&may_begin_again, false);
	app_end(app);
}

/* Like a process: most types have no names yet, and are merged into one if
   the load is stopped. */
static const struct heap *
load_unnamed(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
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
	assert_true(preview_publish(preview, types, UNNAMED + 1, 82, 0, false, err));
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	return NULL;
}

TEST(test_stopped_types_without_names)
{
	struct app *app = app_loading("b.gcdump", load_unnamed);
	struct session *s = app->session;
	struct error err = { 0 };
	struct screen *screen = screen_for_test(60, 80, false);

	assert_true(session_start(s, &err));
	poll_while(app, app_view(app)->rows_count == 0);
	assert_int_equal(app_view(app)->rows_count, 41);
	assert_true(app_key(app, TK_ESCAPE));
	app_poll(app); /* perhaps before the loader has noticed */
	app_draw(app, screen);
	poll_until(app, NEED_TYPES);
	app_draw(app, screen);
	assert_int_equal(app_view(app)->rows_count, 2);
	assert_int_equal(s->types[0].count + s->types[1].count, 82);
	app_end(app);
}

/* As at the end: names have gone with what they were read to. */
static const struct heap *
load_withdrawn(const struct loader *from, enum load_what what, struct progress *progress,
	       struct preview *preview, struct error *err)
{
	const struct heap *h = awkward_heap();

	assert_true(preview_publish(preview, h->types, h->types_count, 12, 100, true, err));
	preview_withdraw(preview);
	atomic_store(&has_withdrawn, true);
	load_for_ever(from, what, progress, preview, err);
	heap_free(h);
	return NULL;
}

/* Without types nothing is called counted. */
TEST(test_stopped_without_types)
{
	struct app *app = app_loading("b.gcdump", load_withdrawn);
	struct session *s = app->session;
	struct error err = { 0 };
	struct screen *screen = screen_for_test(20, 80, false);
	char *text;

	atomic_store(&has_withdrawn, false);
	assert_true(session_start(s, &err));
	while (!atomic_load(&has_withdrawn))
		sched_yield();
	app_draw(app, screen);
	text = screen_dump(screen, false, &err);
	assert_non_null(text);
	assert_null(strstr(text, "counted"));
	assert_non_null(strstr(text, "still reading"));
	memory_free(text);
	assert_true(app_key(app, TK_ESCAPE));
	poll_while(app, session_is_loading(s));
	assert_false(s->is_stopped);
	assert_int_equal(s->job_errors[JOB_LOAD].kind, ERROR_CANCELLED);
	app_end(app);
}

/* As of a process that lost events: it begins again, with fewer types. */
static const struct heap *
load_twice(const struct loader *from, enum load_what what, struct progress *progress,
	   struct preview *preview, struct error *err)
{
	const struct heap *h = awkward_heap();

	assert_true(preview_publish(preview, h->types, h->types_count, 12, 100, false, err));
	while (!atomic_load(&may_begin_again))
		sched_yield();
	assert_true(preview_publish(preview, h->types, 1, 1, 100, false, err));
	atomic_store(&may_begin_again, false);
	load_for_ever(from, what, progress, preview, err);
	preview_withdraw(preview);
	heap_free(h);
	return NULL;
}

TEST(test_begins_again_with_fewer_types)
{
	struct app *app = app_loading("b.gcdump", load_twice);
	struct session *s = app->session;
	struct error err = { 0 };
	struct screen *screen = screen_for_test(20, 80, false);

	assert_true(session_start(s, &err));
	poll_while(app, app_view(app)->rows_count < 2);
	assert_true(app_key(app, TK_END));
	atomic_store(&may_begin_again, true);
	while (atomic_load(&may_begin_again))
		sched_yield();
	app_draw(app, screen);
	assert_true(app_view(app)->rows_count <= 1);
	app_end(app);
}

TEST(test_quitting_stops_loading)
{
	struct app *app = app_loading("b.gcdump", load_for_ever);
	struct session *s = app->session;
	struct error err = { 0 };

	assert_true(session_start(s, &err));
	assert_false(app_key(app, 'Q'));
	app_end(app); /* does not wait for ever */
}

/* Two at once would need the memory of both. */
TEST(test_heaps_are_read_in_turn)
{
	static const struct loader loader = { .path = "b.gcdump", .load = load_for_ever };
	struct snapshots all;
	struct error err = { 0 };

	snapshots_init(&all, jobs_on_threads());
	for (int i = 0; i < 2; i++)
		assert_non_null(snapshots_add(&all, &loader, &err));
	for (int i = 0; i < 2; i++) {
		assert_true(snapshots_start_next(&all, &err));
		assert_true(session_is_loading(all.sessions[0]));
		assert_false(session_is_loading(all.sessions[1]));
	}
	snapshots_clear(&all);
}

TEST(test_damaged_file_ends_the_program)
{
	struct app *app = app_loading("b.gcdump", load_nothing);
	struct session *s = app->session;
	struct error err = { 0 };

	assert_true(session_start(s, &err));
	poll_until(app, NEED_OBJECTS);
	assert_true(app->has_quit);
	assert_true(strstr(s->job_errors[JOB_LOAD].message, "is damaged"));
	app_end(app);
}
