/*
 * Sessions that are kept and come back: the same screen again, and no name of
 * the target and nothing in a file becomes a command. Runs $HEAPTOP on a
 * terminal of its own.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "model/heap_stream.h"
#include "tests/home.h"
#include "tests/pty.h"
#include "tests/run_tests.h"
#include "tests/screens.h"
#include "tui/resume.h"
#include "tui/save_session.h"
#include "tui/snapshots.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 100 };

static const char *program;
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
enum { EVIL_COUNT = sizeof evil / sizeof evil[0] };

/* An object of each type, in a chain, and a root of each name. */
static const struct heap *
evil_heap(void)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h;

	assert_non_null(s);
	for (uint64_t i = 0; i < EVIL_COUNT; i++) {
		type_id type = heap_builder_type(heap_stream_builder(s),
						 evil[i], "/app/a;b.dll", &err);

		assert_true(type != TYPE_NONE);
		assert_true(heap_stream_object(s, 0x1000 + i * 0x20, type, 32,
					       i > 0, &err));
		assert_true(!i ||
			    heap_stream_ref(s, 0x1000 + (i - 1) * 0x20, &err));
		assert_true(heap_stream_root(s, 0x1000 + i * 0x20, ROOT_STATIC,
					     false, evil[i], "", &err));
	}
	h = heap_stream_finish(s, NULL, &err);
	if (!h)
		fail_msg("%s", err.message);
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
		assert_true(marks_put(m, NODE_NONE, heap_type_of(h, i),
				      evil[EVIL_COUNT - 1 - i], &err));
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
			assert_true(session_ignore(s, &entries[k], 1, &err));
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

static void
same_views(const struct app *a, const struct app *b)
{
	assert_int_equal(a->views_count, b->views_count);
	assert_int_equal(a->current, b->current);
	for (size_t i = 0; i < a->views_count; i++) {
		assert_string_equal(a->views[i]->title, b->views[i]->title);
		assert_int_equal(a->views[i]->rows_count,
				 b->views[i]->rows_count);
		assert_int_equal(a->views[i]->cursor, b->views[i]->cursor);
		assert_int_equal(a->views[i]->top, b->views[i]->top);
	}
}

static void
names_are_never_commands(void **state)
{
	struct screen *s = screen_for_test(12, 80, false);
	struct app *app = app_on(evil_heap()), *again = app_on(evil_heap());
	struct error err = { 0 };
	char *text;

	(void)state;
	mark_all(app);
	ignore_all(app);
	for (int i = 0; i < 3; i++)
		app_steps(app, s, "j Enter < j r j < j P <");
	text = save_session_text(app, &err);
	if (!text)
		fail_msg("%s", err.message);
	assert_true(count_commands(text) > 6 * EVIL_COUNT);
	assert_null(strstr(text, "left out"));
	run_text(again, text);
	same_marks(&app->session->marks, &again->session->marks);
	same_ignored(&app->session->what_if.list,
		     &again->session->what_if.list);
	same_views(app, again);
	assert_int_not_equal(access("owned", F_OK), 0);
	free(text);
	app_end(app);
	app_end(again);
	screen_free(s);
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

/* As text, and what is in it done again elsewhere. */
static void
places_come_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
		struct screen *s = screen_for_test(ROWS, COLUMNS, false);
		struct app *app = app_on(leaky_heap());
		struct app *again = app_on(leaky_heap());
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
			same_views(app, again);
			text_again = save_session_text(again, &err);
			assert_string_equal(text, text_again);
			free(text_again);
		}
		free(text);
		app_end(app);
		app_end(again);
		screen_free(s);
	}
}

/* What was captured and is in no file could not be opened again. */
static void
a_capture_must_be_saved_first(void **state)
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

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct loader loader = { .path = rows[i].path,
					 .is_live = rows[i].is_live };
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

/* --- files ---------------------------------------------------------------- */

static const char *
in_home(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", home_folder(), name);
	return path;
}

static void
write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fwrite(text, 1, len, f);
	fclose(f);
}

/* clang-format off */
static const struct {
	const char *text, *wanted;
} files[] = {
	{ "",                                          "is no session of heaptop" },
	{ "# heaptop\n",                               "is no session of heaptop" },
	{ "# heaptop session\n",                       "names no heap" },
	{ "# heaptop session\n# heap \n",              "names a heap without its path" },
	{ "# heaptop session\n# heap \"a.gcdump\" 1 1\n", "names a heap without its path" },
	{ "# heaptop session\n# heap \"/no/such\" 1 1\n", "the heap /no/such is gone" },
};
/* clang-format on */

static void
bad_files_are_refused(void **state)
{
	const char *path = in_home("session");
	struct resume r;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		error_clear(&err);
		write_file(path, files[i].text, strlen(files[i].text));
		assert_false(resume_open(&r, path, &err));
		if (!strstr(err.message, files[i].wanted))
			fail_msg("%zu: %s", i, err.message);
	}
	error_clear(&err);
	write_file(path, "# heaptop session\n\0x", 20);
	assert_false(resume_open(&r, path, &err));
	error_clear(&err);
	assert_int_equal(chmod(path, 0666), 0);
	assert_false(resume_open(&r, path, &err));
	assert_non_null(strstr(err.message, "written to by everybody"));
	remove(path);
	error_clear(&err);
	assert_false(resume_open(&r, path, &err));
	assert_non_null(strstr(err.message, "there is no session"));
}

/* What a session has no use for is not run, and all else is. */
static void
only_sessions_are_run(void **state)
{
	char text[PATH_MAX + 400];
	const char *path = in_home("session");
	struct app *app = app_on(leaky_heap());
	struct resume r;
	struct error err = { 0 };

	(void)state;
	snprintf(text, sizeof text,
		 "# heaptop session\n# heap \"%s\" 1 2\n"
		 "!touch owned\nshell touch owned\nw !touch owned\n"
		 "source owned\nsave owned\nquit\nw owned\n"
		 "map F5 !touch owned\nmap F5 w owned\n"
		 "map F5 'sort count; !touch owned'\nmap F5 map F6 summary\n"
		 "map F7 'sort count; filter x'\n"
		 "mark-at nothing; set bytes=exact; row 7 2\n",
		 dump);
	write_file(path, text, strlen(text));
	if (!resume_open(&r, path, &err))
		fail_msg("%s", err.message);
	app_set_resume(app, &r);
	app_poll(app);
	assert_false(r.is_running);
	assert_int_equal(r.failed, 12);
	assert_int_equal(app->settings->keys.count, 1);
	assert_string_equal(app->settings->keys.entries[0].command,
			    "sort count; filter x");
	assert_int_equal(app_view(app)->cursor, 6);
	assert_int_equal(app_view(app)->top, 1);
	assert_int_equal(app->settings->bytes, 1);
	assert_false(app->has_quit);
	assert_int_not_equal(access("owned", F_OK), 0);
	assert_non_null(strstr(app->message, "has changed since"));
	assert_non_null(strstr(app->message, "no command !touch"));
	app_end(app);
	resume_clear(&r);
	remove(path);
}

/* --- on a terminal -------------------------------------------------------- */

static struct pty *
start(const char *a, const char *b)
{
	const char *const argv[] = { program, a, b, NULL };
	const char *const env[] = { "PATH=/usr/bin:/bin", "TERM=xterm",
				    "LC_CTYPE=C.UTF-8", home_variable(), NULL };
	struct pty *p = pty_start(argv, env, ROWS, COLUMNS);

	assert_non_null(p);
	return p;
}

static void
type_and_wait(struct pty *p, const char *keys, const char *wanted)
{
	pty_send(p, keys);
	if (!pty_wait_text(p, wanted))
		fail_msg("no \"%s\" after \"%s\"", wanted, keys);
}

static void
ends(struct pty *p, int code)
{
	int status = pty_wait_end(p);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
	pty_free(p);
}

/* All but the memory in use and the last line but one, which tells. */
static void
copy_rows(struct pty *p, char rows[ROWS][4 * COLUMNS])
{
	for (int i = 0; i < ROWS; i++) {
		char *memory;

		snprintf(rows[i], sizeof rows[i], "%s", pty_row(p, i));
		memory = strstr(rows[i], "  heaptop ");
		if (memory)
			*memory = '\0';
	}
}

static void
leaving_and_coming_back(void **state)
{
	char before[ROWS][4 * COLUMNS], after[ROWS][4 * COLUMNS];
	const char *path = in_home(".local/state/heaptop/session");
	struct pty *p = start(dump, NULL);
	struct stat st;

	(void)state;
	assert_true(pty_wait_text(p, "136 without a root"));
	type_and_wait(p, " ", "◆ byte[]");
	type_and_wait(p, "\r", "5,001 objects");
	type_and_wait(p, "x", "would be freed");
	type_and_wait(p, "SS", "Size▲");
	type_and_wait(p, "jjj m", ":mark");
	type_and_wait(p, "\"why; this?\"\r", "◆ Leaky.Session");
	type_and_wait(p, ":set bytes=exact\r", "440,088");
	type_and_wait(p, "200G", "200/5,001");
	type_and_wait(p, "kkk", "197/5,001");
	pty_send(p, ":save-session\r");
	assert_true(pty_wait_text(p, "heaptop --resume comes back here"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(pty_wait_no_text(p, "…      2")); /* retained */
	copy_rows(p, before);
	pty_send(p, "Q");
	ends(p, 0);

	p = start("--resume", NULL);
	if (!pty_wait_text(p, "197/5,001"))
		fail_msg("not at the same row");
	assert_true(pty_wait_no_text(p, "…      2"));
	copy_rows(p, after);
	for (int i = 0; i < ROWS - 2; i++)
		assert_string_equal(before[i], after[i]);
	type_and_wait(p, "'", "why; this?");
	pty_send(p, "Q");
	ends(p, 0);
	remove(path);
}

/* Nothing is kept unless it is wanted; and nothing with --secure. */
static void
kept_only_if_wanted(void **state)
{
	const char *path = in_home(".local/state/heaptop/session");
	struct pty *p = start(dump, NULL);

	(void)state;
	assert_true(pty_wait_text(p, "Leaky.Session"));
	pty_send(p, "Q");
	ends(p, 0);
	assert_int_not_equal(access(path, F_OK), 0);

	p = start("--secure", dump);
	assert_true(pty_wait_text(p, "Leaky.Session"));
	type_and_wait(p, ":save-session\r", "no file is written");
	pty_send(p, "Q");
	ends(p, 0);
	assert_int_not_equal(access(path, F_OK), 0);

	p = start("--resume", NULL);
	assert_true(pty_wait_text(p, "there is no session"));
	ends(p, 2);

	p = start(dump, NULL);
	assert_true(pty_wait_text(p, "Leaky.Session"));
	type_and_wait(p, ":set resume\r:7\r", "7/163");
	pty_send(p, "Q");
	ends(p, 0);
	p = start("--resume", NULL);
	assert_true(pty_wait_text(p, "7/163"));
	pty_send(p, "Q");
	ends(p, 0);
	remove(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_never_commands),
		cmocka_unit_test(places_come_back),
		cmocka_unit_test(a_capture_must_be_saved_first),
		cmocka_unit_test_setup_teardown(bad_files_are_refused,
						home_make, home_remove),
		cmocka_unit_test_setup_teardown(only_sessions_are_run,
						home_make, home_remove),
		cmocka_unit_test_setup_teardown(leaving_and_coming_back,
						home_make, home_remove),
		cmocka_unit_test_setup_teardown(kept_only_if_wanted, home_make,
						home_remove),
	};

	program = getenv("HEAPTOP");
	if (!program)
		program = "build/heaptop";
	if (!realpath("tests/data/leaky-10.gcdump", dump))
		return 1;
	return run_tests(tests);
}
