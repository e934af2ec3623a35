/*
 * A file of which only the types are left, and a dump of which only the threads are: what is shown
 * of it, what is refused and with which words.
 */
#include "model/heap/build.h"
#include "model/heap/memory.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <sched.h>
#include <string.h>

/* A file that is cut behind its types. */
static const struct heap *
load_cut(const struct loader *from, enum load_what what, struct progress *progress,
	 struct preview *preview, struct error *err)
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

/* Frames are drawn between the end of the job and the next poll. */
TEST(test_only_types_not_before_the_heap)
{
	struct session *s = session_loading("cut.heaptop", load_cut);
	struct error err = { 0 };

	assert_true(session_start(s, &err));
	while (!session_ended(s))
		sched_yield();
	assert_null(s->heap);
	assert_null(session_only_types(s));
	assert_false(session_unavailable(s, NEED_RETAINED));
	assert_true(session_poll(s, session_ended(s)));
	assert_non_null(session_only_types(s));
	assert_true(session_unavailable(s, NEED_RETAINED));
	session_free(s);
}

/* A view that needs objects says so at once, without waiting. */
TEST(test_only_types)
{
	static const char *const lines[] = { "objects",  "roots",  "dominators",
					     "findings", "memory", "paths A" };
	struct app *app = app_loading("cut.heaptop", load_cut);
	struct session *s = app->session;
	struct error err = { 0 };
	struct view *v = app_view(app);
	int retained = column_by_id(v->ops->table->columns, "retained");

	assert_true(session_start(s, &err));
	poll_until(app, NEED_TYPES);
	assert_false(session_is_loading(s));
	assert_int_equal(v->rows_count, 1);
	assert_false(view_has_column(v, &v->ops->table->columns[retained], false));
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		error_clear(&err);
		assert_false(app_command(app, lines[i], &err));
		assert_non_null(
		    strstr(err.message, "this file is cut short and has only types, no objects"));
	}
	assert_ptr_equal(app_view(app), v);
	assert_null(session_job(s));
	assert_true(session_prefer_statics(s, false, &err));
	assert_null(session_job(s));
	app_end(app);
}

/* The line of facts leads there. */
TEST(test_summary_of_only_types)
{
	struct screen *screen = screen_for_test(24, 100, false);
	struct app *app = app_loading("cut.heaptop", load_cut);
	struct session *s = app->session;
	struct error err = { 0 };
	char *text;

	assert_true(app_command(app, "summary", &err));
	assert_true(session_start(s, &err));
	poll_until(app, NEED_TYPES);
	app_draw(app, screen);
	text = screen_dump(screen, false, &err);
	assert_non_null(text);
	assert_non_null(strstr(text, "3 objects, 72 B, 1 B or more missing"));
	assert_non_null(strstr(text, "counted by type"));
	assert_non_null(strstr(text, "missing_bytes"));
	assert_null(strstr(text, "references"));
	memory_free(text);
	app_end(app);
}

/* Neither bar nor help names what is refused, and all of it says why. */
TEST(test_keys_of_only_types)
{
	static const int keys[] = { 'p', 'i', 'r', 'd', 'x', 'o', TK_TAB, TK_ENTER };
	static const char *const refused[] = { ":open   ", ":objects ", ":paths ",
					       ":holds ",  ":tree ",    ":ignore " };
	struct screen *screen = screen_for_test(300, 160, false);
	const char *not_here;
	char *text;
	struct app *app = app_loading("cut.heaptop", load_cut);
	struct session *s = app->session;
	struct error err = { 0 };

	assert_true(session_start(s, &err));
	poll_until(app, NEED_TYPES);
	assert_true(app_has_text(app, screen, "/ search"));
	assert_false(app_has_text(app, screen, "Enter objects"));
	assert_false(app_has_text(app, screen, "r who holds it"));
	assert_false(app_has_text(app, screen, "d holds"));
	assert_false(app_has_text(app, screen, "3 dominators"));
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		assert_true(app_key(app, keys[i]));
		assert_non_null(strstr(app->message, "has only types"));
	}
	assert_true(app_key(app, '?'));
	assert_false(app_has_text(app, screen, "In this view"));
	app_draw(app, screen);
	text = screen_dump(screen, false, &err);
	assert_non_null(text);
	not_here = strstr(text, "Not here: needs objects or memory");
	assert_non_null(not_here);
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		assert_true(strstr(text, refused[i]) > not_here);
	assert_true(strstr(text, ":summary") < not_here);
	memory_free(text);
	app_end(app);
}

/* --- a dump without a heap --- */

/* A thread has one call, of the application. */
static bool
one_frame(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
	  struct arena *a, struct error *err)
{
	static struct content_frame run = { .text = "Shop.Worker.Run",
					    .full = "Shop.Worker.Run()",
					    .type = "Shop.Worker",
					    .module = "/app/Shop.dll" };

	(void)source;
	(void)max;
	(void)a;
	(void)err;
	*out = (struct content_frames){ .items = &run, .count = os_id == 4711, .why = "" };
	return true;
}

static const struct heap *
load_threads(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
{
	static const struct heap_thread threads[] = {
		{ .address = 1,
		  .os_id = 4711,
		  .id = 1,
		  .object = NODE_NONE,
		  .thrown = NODE_NONE,
		  .name = "",
		  .is_unnamed = true,
		  .thrown_type = "Shop.Empty" },
		{ .os_id = 4712, .object = NODE_NONE, .thrown = NODE_NONE, .name = "" },
	};
	static const struct contents_ops ops = { .frames = one_frame };
	struct heap_builder *b = heap_builder_new(err);
	struct heap_memory *m = heap_builder_memory(b, err);

	(void)from;
	(void)progress;
	(void)preview;
	m->threads = threads;
	m->threads_count = COUNT_OF(threads);
	m->lacks_objects = "this dump has no heap";
	assert_true(heap_builder_warning(b, err, "%s", m->lacks_objects));
	m->contents = what == LOAD_ALL ? &ops : NULL;
	return heap_builder_finish(b, err);
}

/* The threads are the first view of it, and the types behind it say why there are none. */
TEST(test_no_heap)
{
	static const char *const refused[] = { "objects",
					       "roots",
					       "dominators",
					       "findings",
					       "objects Shop.Order",
					       "ways Shop.Order",
					       "path 7f0012345678",
					       "diff" };
	struct screen *screen = screen_for_test(24, 160, false);
	struct app *app = app_loading("mini.core", load_threads);
	struct session *s = app->session;
	struct error err = { 0 };

	assert_true(session_start(s, &err));
	poll_until(app, NEED_PROCESS);
	assert_ptr_equal(app_view(app)->ops, &view_threads);
	update_until_idle(app_view(app));
	assert_true(app_has_text(app, screen, "NO HEAP IN THIS DUMP: 2 threads"));
	assert_false(app_has_text(app, screen, "warning"));
	assert_true(app_has_text(app, screen, "Shop.Empty"));
	assert_true(app_has_text(app, screen, "(no name)"));
	assert_true(app_has_text(app, screen, "(not in the dump)"));
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		error_clear(&err);
		assert_false(app_command(app, refused[i], &err));
		assert_non_null(strstr(err.message, "this dump has no heap"));
		assert_null(strstr(err.message, ":types"));
	}
	assert_true(app_command(app, "summary", &err));
	assert_true(app_has_text(app, screen, "none in this dump"));
	assert_true(app_key(app, 'q'));
	assert_true(app_key(app, 'q'));
	assert_ptr_equal(app_view(app)->ops, &view_types);
	assert_true(app_has_text(app, screen, "this dump has no heap"));
	app_end(app);
}

/* The threads that are shown follow the patterns of what is the application's. */
TEST(threads_follow_my_modules)
{
	struct screen *screen = screen_for_test(24, 160, false);
	struct app *app = app_loading("mini.core", load_threads);
	struct error err = { 0 };

	assert_true(session_start(app->session, &err));
	poll_until(app, NEED_PROCESS);
	update_until_idle(app_view(app));
	assert_true(app_has_text(app, screen, "Shop.Worker.Run"));
	assert_true(app_command(app, "set mymodules=Billing", &err));
	update_until_idle(app_view(app));
	assert_false(app_has_text(app, screen, "Shop.Worker.Run"));
	assert_true(app_command(app, "set mymodules=", &err));
	update_until_idle(app_view(app));
	assert_true(app_has_text(app, screen, "Shop.Worker.Run"));
	app_end(app);
}

/* Batch mode loads at once what its command needs. */
TEST(test_no_heap_required)
{
	struct error err = { 0 };
	struct session *s = session_loading("mini.core", load_threads);

	assert_false(session_require(s, NEED_TYPES, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_string_equal(err.message, "this dump has no heap");
	error_clear(&err);
	assert_true(session_require(s, NEED_PROCESS, &err));
	assert_false(session_require(s, NEED_OBJECTS | NEED_PROCESS, &err));
	session_free(s);
}
