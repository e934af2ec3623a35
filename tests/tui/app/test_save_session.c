/*
 * What is kept of a session brings the same screen again as commands, and no name of the target
 * becomes one.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "model/heap/stream.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/command.h"
#include "tui/app/resume.h"
#include "tui/app/save_session.h"
#include "tui/session/snapshots.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 100 };

static char dump[PATH_MAX];

/* --- names that would be commands ----------------------------------------- */

static const char *const evil[] = {
	"A;shell touch owned",
	"B\nshell touch owned",
	"!touch owned",
	"\"; shell touch owned; \"",
	"'; shell touch owned; '",
	"C\" D ';E\\x3b;F\\",
	"  blank ",
	"marked",
	"\x1b]0;owned\x07",
	"\xff\xfe;\xc2\x9b",
	"w !touch owned",
	"#comment",
	"1000",
};
enum { EVIL_COUNT = COUNT_OF(evil) };

/* An object of each type, in a chain, and a root of each name. */
static const struct heap *
evil_heap(void)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h;

	assert_non_null(s);
	for (uint64_t i = 0; i < EVIL_COUNT; i++) {
		type_id type =
		    heap_builder_type(heap_stream_builder(s), evil[i], "/app/a;b.dll", &err);

		assert_true(type != TYPE_NONE);
		assert_true(heap_stream_object(s, 0x1000 + i * 0x20, type, 32, i > 0, &err));
		assert_true(!i || heap_stream_ref(s, 0x1000 + (i - 1) * 0x20, &err));
		assert_true(
		    heap_stream_root(s, 0x1000 + i * 0x20, ROOT_STATIC, false, evil[i], "", &err));
	}
	h = heap_stream_finish(s, NULL, &err);
	assert_ok(h, &err);
	return h;
}

static void
mark_all(struct app *app)
{
	const struct heap *h = app->session->heap;
	struct marks *m = &app->session->marks;
	struct error err = { 0 };

	for (uint32_t i = 0; i < EVIL_COUNT; i++) {
		assert_true(marks_put(m, i, heap_type_of(h, i), evil[i], &err));
		assert_true(
		    marks_put(m, NODE_NONE, heap_type_of(h, i), evil[EVIL_COUNT - 1 - i], &err));
	}
}

static void
ignore_all(struct app *app)
{
	struct session *s = app->session;
	struct error err = { 0 };

	for (uint32_t i = 0; i < EVIL_COUNT; i++) {
		const struct ignored_entry entries[] = {
			{ IGNORED_TYPE, heap_type_of(s->heap, i), 0 },
			{ IGNORED_ROOT, i, 0 },
			{ IGNORED_REFERRER, i, 0 },
			{ IGNORED_REF, i, i ? i - 1 : 0 },
			{ IGNORED_ROOT_KIND, i % ROOT_KIND_COUNT, 0 },
		};

		for (int k = 0; k < (i < ROOT_KIND_COUNT ? 5 : 4); k++) {
			assert_true(what_if_ignore(s, &entries[k], 1, &err));
			(void)session_poll(s, session_ended(s));
		}
	}
}

/* Lines that are no comments, and none that sessions have no use for. */
static unsigned
count_commands(const char *text)
{
	struct script s;
	char line[SCRIPT_COMMAND_BYTES];
	struct error err = { 0 };
	unsigned count = 0;

	script_init(&s, text);
	while (script_next(&s, line, &err)) {
		count++;
		assert_true(line[0] >= 'a' && line[0] <= 'z');
		assert_int_not_equal(strncmp(line, "shell", 5), 0);
		assert_false(command_is_for_shell(line));
		/* One command a line. */
		assert_int_equal(s.column, 1);
	}
	assert_int_equal(err.kind, ERROR_NONE);
	return count;
}

static void
same_marks(const struct marks *a, const struct marks *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->items[i].node, b->items[i].node);
		assert_int_equal(a->items[i].type, b->items[i].type);
		assert_string_equal(a->items[i].note, b->items[i].note);
	}
}

static void
same_ignored(const struct what_if_list *a, const struct what_if_list *b)
{
	assert_int_equal(a->items_count, b->items_count);
	assert_int_equal(a->entries_count, b->entries_count);
	for (size_t i = 0; i < a->entries_count; i++) {
		assert_int_equal(a->entries[i].kind, b->entries[i].kind);
		assert_int_equal(a->entries[i].what, b->entries[i].what);
		assert_int_equal(a->entries[i].target, b->entries[i].target);
	}
}

static void
run_text(struct app *app, const char *text)
{
	char line[SCRIPT_COMMAND_BYTES];
	struct error err = { 0 };
	struct script s;

	script_init(&s, text);
	while (script_next(&s, line, &err)) {
		if (!app_command(app, line, &err))
			fail_msg("%s: %s in\n%s", line, err.message, text);
		app_poll(app);
	}
}

TEST(names_are_never_commands)
{
	struct screen *s = screen_for_test(12, 80, false);
	struct app *app = app_on(evil_heap()), *again = app_on(evil_heap());
	struct error err = { 0 };
	char *text;

	mark_all(app);
	ignore_all(app);
	for (int i = 0; i < 3; i++)
		app_steps(app, s, "j Enter < j r j < j P <");
	text = save_session_text(app, &err);
	assert_ok(text, &err);
	assert_true(count_commands(text) > 6 * EVIL_COUNT);
	assert_null(strstr(text, "left out"));
	run_text(again, text);
	same_marks(&app->session->marks, &again->session->marks);
	same_ignored(&app->session->what_if.list, &again->session->what_if.list);
	expect_same_views(app, again);
	assert_int_not_equal(access("owned", F_OK), 0);
	free(text);
	app_end(app);
	app_end(again);
}

/* clang-format off */
static const struct {
	const char *steps;
	unsigned left_out; /* lines */
} walks[] = {
	{ "j j j", 0 },
	{ "G :sort_count j j Enter j Space k :sort_size G", 0 },
	{ ":sort_count s Enter j", 0 },
	{ "& S e s s Enter j Enter & s i z e > 2 0 Enter G < ", 0 },
	{ "j r j l j l j j < j j Enter j j r j l", 0 },
	{ ":dominators j l j l j G", 0 },
	{ ":groups_gen j", 0 },
	{ "j P j l j Enter j", 0 },
	{ ":roots j l j x :ignored", 0 },
	{ "j Enter Tab j j Tab", 0 },
	{ "j Enter Tab j j", 0 },
	{ "j Space Space ' j :objsize_marked", 0 },
	{ "& a ; b Enter", 1 },
	{ "b z :set_sort.objects=-size Enter", 0 },
	{ ":search_List j j", 0 },
	{ ":search_List g", 0 },
	{ "j Enter / x ; y Enter", 1 },
	{ ":map_F5_sort_count :map_types.X_\"objects;sort_-size\" j", 0 },
	/* Commands of a view itself. */
	{ ":treemap t", 0 },
	{ ":treemap T", 0 },
	{ ":treemap t :sort_-size j Enter", 1 },
	{ ":treemap j Enter j Enter", 0 },
	{ ":treemap T Enter Enter t j", 0 },
	{ ":dominators T j j l j t j", 0 },
	{ ":dominators G Enter G Enter G", 0 },
	{ ":groups B j", 0 },
	{ ":heapmap t", 0 },
	{ ":objsize j", 0 },
	{ "j Enter j j :near j", 0 },
	/* Lists that no command makes are opened from their row again. */
	{ ":groups j Enter j", 0 },
	{ ":groups_root j Enter j P j l j", 0 },
	{ ":groups_gen j Enter j Enter j", 0 },
	{ ":findings j Enter Enter j", 0 },
	{ ":groups j Enter < j", 1 },
	/* Rows that are open at first, and were closed; pages of rows. */
	{ "j Enter j r * g - j", 0 },
	{ "j Enter j p - j", 0 },
	{ "j Enter j p G Enter Enter", 0 },
	{ "j P e j j -", 0 },
	{ ":roots - j", 0 },
	{ "j :ways - j", 0 },
	{ "j Enter j i G Enter G Enter G", 0 },
	/* The pane beside it. */
	{ "j Enter Tab j j + j", 0 },
	{ "j Enter Tab j j + j Tab j", 0 },
	{ "j Tab S j j j Tab", 0 },
	{ "j Tab j Enter j", 0 },
	{ ":map_F5_w_owned :map_F6_!touch_owned :map_F7_map_F8_summary", 3 },
};
/* clang-format on */

static unsigned
count_of(const char *text, const char *what)
{
	unsigned count = 0;

	while ((text = strstr(text, what)) != NULL) {
		text += strlen(what);
		count++;
	}
	return count;
}

static void
same_screen(struct app *a, struct app *b, struct screen *s, const char *steps)
{
	char *before = app_screen_text(a, s), *after = app_screen_text(b, s);

	if (strcmp(before, after) != 0)
		fail_msg("%s:\n%s\n%s", steps, before, after);
	memory_free(before);
	memory_free(after);
}

/* An object that refers to so many opens page by page, each in no time. */
TEST(rows_have_a_limit)
{
	enum { MANY = 101000 };
	struct graph *g = graph_new(MANY, 1);
	struct error err = { 0 };
	struct app *app;
	char *text;

	for (node_id n = 1; n < MANY; n++)
		graph_ref(g, 0, n);
	app = app_on(graph_heap(g));
	graph_free(g);
	run_text(app, "objects\nsort +address\nrow 1\ninspect\n"
		      "row 2\nmore-rows 2 400\n");
	text = save_session_text(app, &err);
	assert_non_null(strstr(text, "more-rows 2 400\n"));
	assert_null(strstr(text, "# left out"));
	free(text);
	run_text(app, "more-rows 2 100500\n");
	text = save_session_text(app, &err);
	assert_non_null(strstr(text, "# left out: \"rows of a tree"));
	free(text);
	assert_false(app_command(app, "more-rows 2 4000000000", &err));
	assert_string_equal(err.message, "more-rows shows at most 131072 rows");
	app_end(app);
}

/* A file may be anybody's: it does not open views until no memory is left. */
TEST(views_have_a_limit)
{
	static char text[(RESUME_VIEWS_MAX + 1) * sizeof "dominators\nroots\n"];
	struct app *app = app_with_retention(awkward_heap());
	struct resume r = { .is_running = true };

	for (int i = 0; i < RESUME_VIEWS_MAX; i++)
		strcat(text, i % 2 ? "roots\n" : "dominators\n");
	app->resume = &r;
	script_init(&r.script, text);
	resume_step(app);
	assert_false(r.is_running);
	assert_int_equal(app->views_count, RESUME_VIEWS_MAX);
	assert_non_null(strstr(app->message, "at most 500 views"));
	app_end(app);
}

/* The file contains no control characters. */
TEST(control_characters_are_left_out)
{
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };
	char *text;

	assert_true(app_command(app, "filter a\033c", &err));
	text = save_session_text(app, &err);
	assert_non_null(text);
	assert_non_null(strstr(text, "# left out: \"a filter\""));
	assert_null(strchr(text, '\033'));
	free(text);
	app_end(app);
}

/* "type<M" is a pattern after & and a comparison after :where. It stays what it was, wherever its
   text is read again. */
TEST(filters_keep_their_language)
{
	struct screen *screen = screen_for_test(24, 100, false);
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };
	size_t wanted;
	char *text;

	app_steps(app, screen, ":where_type<M");
	wanted = app_view(app)->rows_count;
	assert_true(wanted > 10);
	app_steps(app, screen, "C u");
	assert_int_equal(app_view(app)->rows_count, wanted);
	app_steps(app, screen, "u :redo");
	assert_int_equal(app_view(app)->rows_count, wanted);
	text = save_session_text(app, &err);
	assert_non_null(strstr(text, "\nwhere type<M\n"));
	free(text);
	app_steps(app, screen, "& Enter");
	assert_int_equal(app_view(app)->rows_count, wanted);
	app_steps(app, screen, ":filter_type<M");
	assert_int_equal(app_view(app)->rows_count, 0);
	text = save_session_text(app, &err);
	assert_non_null(strstr(text, "\nfilter type<M\n"));
	free(text);
	app_end(app);
}

/* Compares the text of a session, and runs it in another program. */
TEST(places_come_back)
{
	for (size_t i = 0; i < COUNT_OF(walks); i++) {
		struct screen *s = screen_for_test(ROWS, COLUMNS, false);
		struct app *app = app_with_retention(leaky_heap());
		struct app *again = app_with_retention(leaky_heap());
		struct error err = { 0 };
		char *text, *text_again;

		app_steps(app, s, walks[i].steps);
		app_draw(app, s);
		text = save_session_text(app, &err);
		assert_non_null(text);
		if (count_of(text, "# left out") != walks[i].left_out)
			fail_msg("%s:\n%s", walks[i].steps, text);
		run_text(again, text);
		app_draw(again, s);
		if (!walks[i].left_out) {
			expect_same_views(app, again);
			same_screen(app, again, s, walks[i].steps);
			text_again = save_session_text(again, &err);
			assert_string_equal(text, text_again);
			free(text_again);
		}
		free(text);
		app_end(app);
		app_end(again);
	}
}

/* A captured heap that is in no file could not be opened again. */
TEST(a_capture_must_be_saved_first)
{
	static const struct {
		const char *path, *save_path;
		bool is_live;
		const char *wanted; /* NULL: it is kept */
	} rows[] = {
		{ dump, "", false, NULL },
		{ "process 7", "", true, "save it first: save FILE.heaptop" },
		{ "process 7", "/no/such.heaptop", true, "save it first" },
		{ "process 7", dump, true, NULL },
		{ "-", "", false, "save it first" },
	};
	struct error err;
	struct snapshots all;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct loader loader = { .path = rows[i].path, .is_live = rows[i].is_live };
		struct session *s;
		struct app *app;
		char *text;

		error_clear(&err);
		snapshots_init(&all, (struct waker){ 0 });
		s = snapshots_add(&all, &loader, &err);
		assert_non_null(s);
		strcpy(s->save_path, rows[i].save_path);
		app = app_new(s, &err);
		assert_non_null(app);
		text = save_session_text(app, &err);
		if (!text != (rows[i].wanted != NULL))
			fail_msg("row %zu: %s", i, text ? text : err.message);
		if (rows[i].wanted && !strstr(err.message, rows[i].wanted))
			fail_msg("row %zu: %s", i, err.message);
		if (text)
			assert_non_null(strstr(text, dump));
		free(text);
		app_free(app);
		snapshots_clear(&all);
	}
}

static int
find_dump(void **state)
{
	(void)state;
	return !realpath("tests/data/leaky-10.gcdump", dump);
}
TESTS_BETWEEN(find_dump, NULL);
