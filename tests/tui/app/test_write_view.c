/*
 * `:w FILE` while the program goes on: it waits for numbers that are not there yet, long tables are
 * written on a worker, Esc and whatever changes the rows stop that, and quitting waits. What is
 * written: test_batch.c, test_table.c.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "io/gcdump/gcdump.h"
#include "tui/session/snapshots.h"
#include "tui/app/write_view.h"
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WAITS_MAX = 120000 }; /* of a millisecond at least */

/* A disk that is told what to do. */
static struct {
	atomic_bool waits;  /* within write(), for this to become false */
	atomic_int writing; /* calls of write() that have begun */
	bool fails;
	char path[64];
	char *text; /* of the last file that was completed; or NULL */
	size_t len;
} disk;

static bool
may_write(const char *path, bool may_replace, const char *command, struct error *err)
{
	return may_replace || strcmp(path, disk.path) != 0 ||
	       error_set(err, ERROR_USAGE, "%s is there; %s!", path, command);
}

static void
wait_a_moment(void)
{
	poll(NULL, 0, 1);
}

static bool
write_file(const char *path, bool may_replace,
	   bool (*print)(void *context, FILE *to, struct error *err), void *context,
	   struct error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	bool ok;

	(void)may_replace;
	atomic_fetch_add(&disk.writing, 1);
	while (atomic_load(&disk.waits))
		wait_a_moment();
	ok = to && print(context, to, err);
	if (to)
		fclose(to);
	if (ok && disk.fails)
		ok = error_set(err, ERROR_SYSTEM, "the disk is full");
	if (!ok) {
		free(text);
		return false;
	}
	free(disk.text);
	disk.text = text;
	disk.len = len;
	snprintf(disk.path, sizeof disk.path, "%s", path);
	return true;
}

static bool
may_save(const char *path, struct error *err)
{
	(void)path;
	(void)err;
	return true;
}

static bool
save(const char *path, bool may_replace, const struct facts *f, const char *name,
     char warning[SAVE_WARNING_BYTES], struct progress *progress, struct error *err)
{
	(void)may_replace;
	(void)f;
	(void)name;
	(void)progress;
	(void)err;
	while (atomic_load(&disk.waits))
		wait_a_moment();
	snprintf(warning, SAVE_WARNING_BYTES, "%s",
		 strstr(path, ".gcdump") ? "weak handles are left out" : "");
	return true;
}

static void
wake(void *context)
{
	(void)context;
}

static struct snapshots all;

static struct app *
start(void)
{
	struct loader loader = { .path = "tests/data/leaky-10.gcdump", .load = load_path };
	struct error err = { 0 };
	struct session *s;
	struct app *app;

	free(disk.text);
	memset(&disk, 0, sizeof disk);
	snapshots_init(&all, (struct waker){ wake, NULL });
	all.may_write = may_write;
	all.write = write_file;
	all.may_save = may_save;
	all.save = save;
	s = snapshots_add(&all, &loader, &err);
	assert_non_null(s);
	app = app_new(s, &err);
	assert_non_null(app);
	return app;
}

static void
end(struct app *app)
{
	atomic_store(&disk.waits, false);
	app_free(app);
	snapshots_clear(&all);
}

/* Until everything is computed. */
static void
settle(struct app *app)
{
	for (int i = 0; i < WAITS_MAX; i++) {
		app_poll(app);
		if (app->session->retention && !session_job(app->session) &&
		    !view_is_busy(app_view(app)))
			return;
		wait_a_moment();
	}
	fail_msg("it never ends");
}

static void
type_command(struct app *app, const char *line)
{
	struct error err = { 0 };

	app_enter(app);
	app->message[0] = '\0';
	if (!app_command(app, line, &err))
		app_show_error(app, &err);
	app_leave(app);
}

static void
finish(struct app *app)
{
	for (int i = 0; i < WAITS_MAX && app->writing; i++) {
		app_poll(app);
		wait_a_moment();
	}
	assert_null(app->writing);
}

/* Until the worker is in write(), which then waits. */
static void
wait_for_worker(struct app *app)
{
	for (int i = 0; i < WAITS_MAX && !atomic_load(&disk.writing); i++) {
		app_poll(app);
		wait_a_moment();
	}
	assert_int_equal(atomic_load(&disk.writing), 1);
	assert_non_null(write_view_job(app));
	assert_string_equal(app->message, ""); /* the progress stands there */
}

static size_t
lines_of(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

TEST(few_rows_at_once)
{
	struct app *app = start();

	settle(app);
	type_command(app, "w x.csv");
	assert_string_equal(app->message, "wrote 163 rows to x.csv");
	assert_null(app->writing);
	assert_int_equal(lines_of(disk.text), 164);
	assert_non_null(strstr(disk.text, ",retained,"));
	type_command(app, "w x.csv");
	assert_string_equal(app->message, "x.csv is there; w!");
	type_command(app, "filter ^byte\\[]$");
	type_command(app, "w! x.csv");
	assert_string_equal(app->message, "wrote 1 row to x.csv");
	disk.fails = true;
	type_command(app, "w! x.csv");
	assert_string_equal(app->message, "the disk is full");
	end(app);
}

/* A warning that a format has no place for is shown with the file's name. */
TEST(heap_with_a_warning)
{
	struct app *app = start();

	settle(app);
	type_command(app, "save x.gcdump");
	settle(app);
	assert_string_equal(app->message,
			    "the heap is saved in x.gcdump; weak handles are left out");
	assert_int_equal(app->message_style, STYLE_WARNING);
	type_command(app, "save x.heaptop");
	settle(app);
	assert_string_equal(app->message, "the heap is saved in x.heaptop");
	assert_int_equal(app->message_style, STYLE_STATUS);
	end(app);
}

/* As typed for the impatient: -x 'w x.csv; quit'. */
static unsigned
needs_of_database(const char *path)
{
	return strstr(path, ".sqlite") ? NEED_REACH | NEED_RETAINED : 0;
}

/* A database has results, so these are not replaced while it is written. */
TEST(results_stay_while_they_are_written)
{
	struct app *app = start();
	struct session *s = app->session;
	const struct reach *reach;

	all.save_needs = needs_of_database;
	settle(app);
	reach = s->reach;
	atomic_store(&disk.waits, true);
	type_command(app, "save x.sqlite");
	type_command(app, "set nostatics");
	while (!s->jobs[JOB_REACH] || !job_is_done(s->jobs[JOB_REACH]))
		wait_a_moment();
	app_poll(app);
	assert_ptr_equal(s->reach, reach);
	atomic_store(&disk.waits, false);
	settle(app);
	assert_string_equal(app->message, "the heap is saved in x.sqlite");
	assert_ptr_not_equal(s->reach, reach);
	end(app);
}

TEST(waits_for_numbers)
{
	struct app *app = start();
	struct error err = { 0 };

	assert_true(snapshots_start_next(&all, &err));
	type_command(app, "w x.jsonl");
	assert_string_equal(app->message, "x.jsonl will be written when all values are computed");
	assert_int_equal(atomic_load(&disk.writing), 0);
	type_command(app, "w y.csv");
	assert_string_equal(app->message, "x.jsonl is still being written; Esc stops that");
	type_command(app, "quit");
	assert_false(app->has_quit);
	assert_non_null(strstr(app->message, "heaptop quits when the file is written"));
	finish(app);
	assert_true(app->session->retention != NULL);
	assert_null(strstr(disk.text, "null,\"retained\""));
	assert_int_equal(lines_of(disk.text), 163);
	assert_true(app->has_quit);
	end(app);
}

/* A pipe gets the rows so far, and a message says so. */
TEST(pipes_what_there_is)
{
	struct app *app = start();
	struct error err = { 0 };

	settle(app);
	type_command(app, "w !cat >/dev/null");
	assert_string_equal(app->message, "");
	end(app);
	app = start();
	assert_true(snapshots_start_next(&all, &err));
	type_command(app, "w !cat >/dev/null");
	assert_string_equal(app->message,
			    "cat >/dev/null got the rows before all values were computed");
	settle(app);
	end(app);
}

TEST(can_be_given_up_before)
{
	struct app *app = start();
	struct error err = { 0 };

	assert_true(snapshots_start_next(&all, &err));
	type_command(app, "w x.csv");
	type_command(app, "quit");
	type_command(app, "escape");
	assert_string_equal(app->message, "x.csv was not written");
	assert_null(app->writing);
	settle(app);
	assert_false(app->has_quit);
	assert_int_equal(atomic_load(&disk.writing), 0);
	end(app);
}

/* A column that was wanted is not there when the numbers are. */
TEST(ends_where_columns_are_gone)
{
	struct app *app = start();
	struct error err = { 0 };

	assert_true(snapshots_start_next(&all, &err));
	type_command(app, "w x.csv");
	type_command(app, "quit");
	app_view(app)->wanted = "gone";
	app_view(app)->is_bare = true;
	finish(app);
	assert_non_null(strstr(app->message, "has no column \"gone\""));
	assert_int_equal(atomic_load(&disk.writing), 0);
	/* And it is told once. */
	app->message[0] = '\0';
	app_poll(app);
	assert_string_equal(app->message, "");
	assert_false(app->has_quit);
	end(app);
}

/* In an order that is made anew when something arrives. */
static struct app *
start_with_many(void)
{
	struct app *app = start();

	settle(app);
	type_command(app, "objects");
	settle(app);
	type_command(app, "sort in");
	settle(app);
	return app;
}

static void
begin_writing(struct app *app, const char *line)
{
	atomic_store(&disk.writing, 0);
	atomic_store(&disk.waits, true);
	type_command(app, line);
	wait_for_worker(app);
}

static struct app *
start_writing(void)
{
	struct app *app = start_with_many();

	begin_writing(app, "w x.csv");
	return app;
}

TEST(many_rows_by_a_job)
{
	struct app *app = start_writing();

	/* The screen is free meanwhile, also for other views. */
	type_command(app, "down");
	assert_int_equal(app_view(app)->cursor, 1);
	type_command(app, "tag");
	assert_int_equal(app->session->marks.count, 1);
	assert_int_equal(app_view(app)->cursor, 2);
	app_poll(app);
	assert_non_null(write_view_job(app));
	type_command(app, "search Session"); /* when it is written */
	type_command(app, "next");
	assert_string_equal(app->message, "the rows are being written; Esc stops that");
	type_command(app, "back");
	atomic_store(&disk.waits, false);
	finish(app);
	assert_string_equal(app->message, "wrote 31,867 rows to x.csv");
	assert_int_equal(lines_of(disk.text), 31868);
	end(app);
}

/* Names and sizes may be chosen otherwise meanwhile, on the screen. */
TEST(spells_as_it_began)
{
	struct app *app = start_with_many();
	char *wanted;

	type_command(app, "w x.txt");
	finish(app);
	wanted = strdup(disk.text);
	assert_non_null(wanted);
	begin_writing(app, "w! x.txt");
	type_command(app, "set names=short bytes=share");
	atomic_store(&disk.waits, false);
	finish(app);
	assert_string_equal(app->message, "wrote 31,867 rows to x.txt");
	assert_true(!strcmp(disk.text, wanted));
	type_command(app, "w! x.txt");
	finish(app);
	assert_false(!strcmp(disk.text, wanted));
	free(wanted);
	end(app);
}

TEST(is_stopped)
{
	static const char *const commands[] = { "escape", "sort size", "filter Session" };

	for (size_t i = 0; i < 3; i++) {
		struct app *app = start_writing();

		/* Else it would wait for us, who wait for it. */
		atomic_store(&disk.waits, false);
		type_command(app, commands[i]);
		finish(app);
		/* Unless it was there already. */
		if (!disk.text)
			assert_non_null(strstr(app->message, "x.csv was not written"));
		end(app);
	}
}

/* Of a view that is closed, and of a program that ends. */
TEST(ends_with_its_view)
{
	struct app *app = start_writing();

	atomic_store(&disk.waits, false);
	type_command(app, "close");
	assert_null(app->writing);
	end(app);
	app = start_writing();
	atomic_store(&disk.waits, false);
	end(app);
}

TEST(quitting_waits)
{
	struct app *app = start_writing();

	type_command(app, "quit");
	app_poll(app);
	assert_false(app->has_quit);
	atomic_store(&disk.waits, false);
	finish(app);
	app_poll(app);
	assert_true(app->has_quit);
	assert_int_equal(lines_of(disk.text), 31868);
	end(app);

	/* Not if there is no file to show for it. */
	app = start_writing();
	disk.fails = true;
	type_command(app, "quit");
	atomic_store(&disk.waits, false);
	finish(app);
	app_poll(app);
	assert_false(app->has_quit);
	assert_string_equal(app->message, "the disk is full");
	end(app);

	app = start_writing();
	type_command(app, "quit");
	type_command(app, "quit");
	assert_true(app->has_quit);
	end(app);
}

static int
empty_disk(void **state)
{
	(void)state;
	free(disk.text);
	return 0;
}
TESTS_BETWEEN(NULL, empty_disk);
