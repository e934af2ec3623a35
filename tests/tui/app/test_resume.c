/*
 * Sessions that come back from a file: what is in it, meanwhile, and on a terminal, where $HEAPTOP
 * runs.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "tests/drive/jobs.h"
#include "tests/drive/screens.h"
#include "tests/drive/started.h"
#include "tui/app/resume.h"
#include "tui/app/save_session.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 100 };

static char dump[PATH_MAX];

/* --- files ---------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *text, *wanted;
} files[] = {
	{ "",                                          "is not a session of heaptop" },
	{ "# heaptop\n",                               "is not a session of heaptop" },
	{ "# heaptop session\n",                       "names no heap" },
	{ "# heaptop session\n# heap \n",              "names a heap without its full path" },
	{ "# heaptop session\n# heap \"a.gcdump\" 1 1\n", "names a heap without its full path" },
	{ "# heaptop session\n# heap \"/no/such\" 1 1\n", "the heap /no/such is gone" },
};
/* clang-format on */

TEST_AT_HOME(bad_files_are_refused)
{
	const char *path = in_folder("session");
	struct resume r;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		error_clear(&err);
		file_write(path, files[i].text, strlen(files[i].text));
		assert_false(resume_open(&r, path, &err));
		if (!strstr(err.message, files[i].wanted))
			fail_msg("%zu: %s", i, err.message);
	}
	error_clear(&err);
	file_write(path, "# heaptop session\n\0x", 20);
	assert_false(resume_open(&r, path, &err));
	error_clear(&err);
	assert_int_equal(chmod(path, 0666), 0);
	assert_false(resume_open(&r, path, &err));
	assert_non_null(strstr(err.message, "written to by everybody"));
	error_clear(&err);
	assert_int_equal(chmod(path, 0620), 0);
	assert_false(resume_open(&r, path, &err));
	assert_non_null(strstr(err.message, "written to by its group"));
	remove(path);
	error_clear(&err);
	assert_false(resume_open(&r, path, &err));
	assert_non_null(strstr(err.message, "there is no session"));
}

/* A session runs only commands that a session may contain. */
TEST_AT_HOME(only_sessions_are_run)
{
	char text[PATH_MAX + 400];
	const char *path = in_folder("session");
	struct app *app = app_on(leaky_heap());
	struct resume r;
	struct error err = { 0 };

	snprintf(text, sizeof text,
		 "# heaptop session\n# heap \"%s\" 1 2\n"
		 "!touch owned\nshell touch owned\nw !touch owned\n"
		 "source owned\nsave owned\nquit\nw owned\n"
		 "capture 1\nprocesses\nmap F5 capture 1\n"
		 "map F5 !touch owned\nmap F5 w owned\n"
		 "map F5 'sort count; !touch owned'\nmap F5 map F6 summary\n"
		 "map F7 'sort count; filter x'\n"
		 "mark-at nothing; set bytes=exact; row 7 2\n"
		 "# left out: \"a \\x1b[31m list\"\n# left out: \"more\"\n",
		 dump);
	file_write(path, text, strlen(text));
	assert_ok(resume_open(&r, path, &err), &err);
	app_set_resume(app, &r);
	app_poll(app);
	assert_false(r.is_running);
	assert_int_equal(r.failed, 15);
	assert_int_equal(app->settings->keys.count, 1);
	assert_string_equal(app->settings->keys.entries[0].command, "sort count; filter x");
	assert_int_equal(app_view(app)->cursor, 6);
	assert_int_equal(app_view(app)->top, 1);
	assert_int_equal(app->settings->bytes, 1);
	assert_false(app->has_quit);
	assert_int_not_equal(access("owned", F_OK), 0);
	assert_non_null(strstr(app->message, "has changed since"));
	assert_non_null(strstr(app->message, "may not run !touch"));
	assert_non_null(strstr(app->message, "list and 1 more"));
	app_end(app);
	resume_clear(&r);
	remove(path);
}

/* --- while something is computed ------------------------------------------ */

/* An app that takes a session up, of this heap, and computes one thing. */
static struct app *
resume_at_work(struct resume *r, const char *text)
{
	const char *path = in_folder("session");
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	FILE *f = fopen(path, "w");

	assert_non_null(app);
	assert_non_null(f);
	fprintf(f, "# heaptop session\n# heap \"%s\" 1 2\n%s", dump, text);
	fclose(f);
	s->jobs[JOB_REVERSE] =
	    job_start("finding referrers", run_until_cancelled, NULL, s->waker, &err);
	assert_non_null(s->jobs[JOB_REVERSE]);
	assert_true(resume_open(r, path, &err));
	r->changed[0] = '\0';
	app_set_resume(app, r);
	app_poll(app);
	return app;
}

static void
end_resumed(struct app *app, struct resume *r)
{
	app_end(app);
	resume_clear(r);
	remove(in_folder("session"));
}

/* The referrers are rows of it, and come later than the heap. */
TEST_AT_HOME(an_inspector_comes_back_whole)
{
	struct screen *s = screen_for_test(ROWS, COLUMNS, false);
	struct app *before = app_with_retention(leaky_heap()), *app;
	struct error err = { 0 };
	struct resume r;
	char *text;

	app_steps(before, s, "j Enter j j i j j j");
	assert_true(app_view(before)->cursor > 2);
	text = save_session_text(before, &err);
	assert_non_null(strstr(text, "unfold-row"));
	app = resume_at_work(&r, text);
	assert_true(r.is_running);
	assert_int_equal(r.failed, 0);
	session_stop(app->session);
	assert_true(session_require(app->session, NEED_REVERSE | NEED_REACH, &err));
	app->session->version++;
	while (r.is_running)
		app_poll(app);
	assert_string_equal(app->message, "");
	expect_same_views(before, app);
	free(text);
	app_end(before);
	end_resumed(app, &r);
}

TEST_AT_HOME(what_is_not_found_again_is_told)
{
	struct app *app;
	struct resume r;

	app = resume_at_work(&r, "roots\nunfold-row 5000\nrow 6000\n");
	session_stop(app->session);
	while (r.is_running)
		app_poll(app);
	assert_string_equal(app->message,
			    "the open rows of roots were not found again; 1 more of the session is "
			    "not restored");
	end_resumed(app, &r);
}

/* It says so, one may look around meanwhile, and stop it. */
TEST_AT_HOME(looking_around_while_it_comes_back)
{
	static const struct {
		const char *step;
		bool goes_on;
	} rows[] = {
		{ "j", true },    { "G", true },      { "3 j", true },    { "PgDn", true },
		{ "Esc", false }, { ": i n", false }, { "Enter", false }, { "x", false },
		{ "S", false },   { "?", false },     { "F11", true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct screen *s = screen_for_test(ROWS, COLUMNS, false);
		struct resume r;
		struct app *app =
		    resume_at_work(&r, "set bytes=exact\nsort count\nignore kind static\n");
		char *text = app_screen_text(app, s);

		assert_non_null(strstr(text, "resuming the session"));
		assert_non_null(strstr(text, "Esc stops"));
		memory_free(text);
		app_steps(app, s, rows[i].step);
		if (resume_is_running(app) != rows[i].goes_on)
			fail_msg("%s: %d", rows[i].step, !rows[i].goes_on);
		if (!strcmp(rows[i].step, "Esc")) {
			assert_non_null(strstr(app->message, "rest of the session is not"));
			/* Only the session was stopped. */
			assert_non_null(app->session->jobs[JOB_REVERSE]);
		}
		end_resumed(app, &r);
	}
}

/* --- on a terminal -------------------------------------------------------- */

static struct pty *
start(const char *a, const char *b)
{
	const char *const arguments[] = { a, b, NULL };
	static const char *const variables[] = { "TERM=xterm", NULL };

	return started(arguments, variables, ROWS, COLUMNS);
}

/* All but the memory in use and the last line but one, which tells. */
static void
copy_rows(struct pty *p, char rows[ROWS][4 * COLUMNS])
{
	/* The line about a job takes a row of the view. */
	assert_true(pty_wait_no_text(p, "Esc stops"));
	assert_true(pty_wait_quiet(p, 100)); /* the frame is whole */
	for (int i = 0; i < ROWS; i++) {
		char *memory;

		snprintf(rows[i], sizeof rows[i], "%s", pty_row(p, i));
		memory = strstr(rows[i], "  heaptop ");
		if (memory)
			*memory = '\0';
	}
}

TEST_AT_HOME(leaving_and_coming_back)
{
	char before[ROWS][4 * COLUMNS], after[ROWS][4 * COLUMNS];
	const char *path = in_folder(".local/state/heaptop/session");
	struct pty *p = start(dump, NULL);
	struct stat st;

	assert_true(pty_wait_text(p, "136 without a root"));
	pty_types(p, " ", "◆ byte[]");
	pty_types(p, "\r", "5,001 objects");
	pty_types(p, "x", "would be freed");
	pty_types(p, "SS", "Size▲");
	pty_types(p, "jjj m", ":mark");
	pty_types(p, "\"why; this?\"\r", "◆ Session");
	pty_types(p, ":set bytes=exact\r", "440,088");
	pty_types(p, "200G", "200/5,001");
	pty_types(p, "kkk", "197/5,001");
	pty_types(p, ":save-session\r", "heaptop --resume resumes here");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(pty_wait_no_text(p, "…      2")); /* retained */
	copy_rows(p, before);
	pty_quits(p);

	p = start("--resume", NULL);
	if (!pty_wait_text(p, "197/5,001"))
		fail_msg("not at the same row");
	assert_true(pty_wait_no_text(p, "…      2"));
	copy_rows(p, after);
	for (int i = 0; i < ROWS - 2; i++)
		assert_string_equal(before[i], after[i]);
	pty_types(p, "'", "why; this?");
	pty_quits(p);
	remove(path);
}

/* "save-session ! FILE" is no file whose name begins with "! ". */
TEST_AT_HOME(replaced_with_a_mark_apart)
{
	const char *path = in_folder("kept.session");
	struct pty *p = start(dump, NULL);
	char line[PATH_MAX + 32], place[16];

	assert_true(pty_wait_text(p, "Session"));
	for (int i = 0; i < 2; i++) {
		snprintf(line, sizeof line, ":save-session%s %s\r", i ? " !" : "", path);
		pty_types(p, line, "resumes here");
		assert_int_equal(access(path, F_OK), 0);
		snprintf(place, sizeof place, " %d/163", i + 2);
		pty_types(p, "j", place); /* and the message is gone */
	}
	snprintf(line, sizeof line, ":save-session %s\r", path);
	pty_types(p, line, "save-session!");
	pty_quits(p);
	remove(path);
}

/* Nothing is kept unless it is wanted; and nothing with --secure. */
TEST_AT_HOME(kept_only_if_wanted)
{
	const char *path = in_folder(".local/state/heaptop/session");
	struct pty *p = start(dump, NULL);

	assert_true(pty_wait_text(p, "Session"));
	pty_quits(p);
	assert_int_not_equal(access(path, F_OK), 0);

	p = start("--secure", dump);
	assert_true(pty_wait_text(p, "Session"));
	pty_types(p, ":save-session\r", "no files are written");
	pty_quits(p);
	assert_int_not_equal(access(path, F_OK), 0);

	p = start("--resume", NULL);
	assert_true(pty_wait_text(p, "there is no session"));
	pty_exits(p, 2);

	p = start(dump, NULL);
	assert_true(pty_wait_text(p, "Session"));
	pty_types(p, ":set resume\r:7\r", "7/163");
	pty_quits(p);
	p = start("--resume", NULL);
	assert_true(pty_wait_text(p, "7/163"));
	pty_quits(p);
	remove(path);
}

static int
find_dump(void **state)
{
	(void)state;
	return !realpath("tests/data/leaky-10.gcdump", dump);
}
TESTS_BETWEEN(find_dump, NULL);
