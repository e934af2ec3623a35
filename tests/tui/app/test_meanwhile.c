/*
 * Keys that come while something is computed for a view: what was begun goes on, what was shown
 * stays, and so does the place.
 */
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/job.h"
#include "tui/app/views.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 60000 };

static struct app *
begin(const struct heap *h)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(h);
	struct app *app;

	assert_non_null(s);
	/* Of ways: more than are found in a moment. */
	s->rows_wanted = MANY;
	app = app_new(s, &err);
	assert_non_null(app);
	assert_true(session_start(s, &err));
	return app;
}

static void
settle(struct app *app)
{
	do {
		app_poll(app);
		sched_yield();
	} while (app_is_busy(app));
	app_poll(app);
}

static bool
try_command(struct app *app, const char *line, struct error *err)
{
	bool ok;

	error_clear(err);
	app_enter(app);
	ok = app_command(app, line, err);
	app_leave(app);
	return ok;
}

static void
command(struct app *app, const char *line)
{
	struct error err;

	if (!try_command(app, line, &err))
		fail_msg("%s: %s", line, err.message);
}

/* All rows as text. */
static char *
rows_of(struct app *app)
{
	const struct view *v = app_view(app);
	char *text, shown[VALUE_TEXT_BYTES];
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (size_t i = 0; i < v->rows_count; i++) {
		struct row row;

		view_row(v, i, &row);
		for (const struct column *c = v->ops->table->columns; c->id; c++) {
			struct value value = { 0 };

			view_cell(v, c, &row, &value);
			fprintf(f, "%s|", value_for_people(&value, shown));
		}
		fprintf(f, "\n");
	}
	fclose(f);
	return text;
}

/* Polls until that runs for the view; false: it has run already. */
static bool
is_running(struct app *app, const char *what)
{
	for (;;) {
		const struct job *job = view_job(app_view(app));

		if (job && !strcmp(job_what(job), what))
			return true;
		if (!app_is_busy(app))
			return false;
		sched_yield();
		app_poll(app);
	}
}

/* --- what was begun goes on ----------------------------------------------- */

static struct graph *
mixed(void)
{
	return graph_mixed(5, MANY);
}

/* So many ways to the hub that they are not found in a moment. */
static struct graph *
hub_with_ways(void)
{
	struct graph *g = graph_hub(MANY);

	for (node_id n = 1; n < MANY / 2; n++)
		graph_root(g, n, ROOT_STATIC, "S");
	return g;
}

static const struct disturbed {
	struct graph *(*make)(void);
	const char *name, *on, *opens, *job;
	const char *keys[3]; /* one after the other, while that runs */
	const char *after;   /* when it has ended */
} disturbed[] = {
	{ mixed,
	  "filter in merged",
	  "types",
	  "merged Test.Type1",
	  "what each row would free",
	  { "filter .", "filter Test" },
	  "filter" },
	{ mixed,
	  "order of the session in merged",
	  "types",
	  "merged Test.Type1",
	  "what each row would free",
	  { "set nostatics", "set statics" },
	  "set statics" },
	{ hub_with_ways,
	  "filter in paths",
	  "objects Test.Type1",
	  "paths",
	  "searching for paths",
	  { "filter .", "filter Test" },
	  "filter" },
};

static void
open_disturbed(struct app *app, const struct disturbed *d)
{
	settle(app);
	command(app, d->on);
	settle(app);
	command(app, d->opens);
}

TEST_ROWS(test_goes_on, disturbed)
{
	const struct disturbed *d = *state;
	struct graph *g = d->make();
	struct app *calm = begin(graph_heap(g));
	struct app *app = begin(graph_heap(g));
	char *wanted, *got;
	bool ran = false;

	open_disturbed(calm, d);
	settle(calm);
	open_disturbed(app, d);
	for (int i = 0; i < 3 && d->keys[i]; i++) {
		ran = is_running(app, d->job) || ran;
		command(app, d->keys[i]);
	}
	assert_true(ran);
	settle(app);
	command(app, d->after);
	settle(app);
	wanted = rows_of(calm);
	got = rows_of(app);
	assert_string_equal(got, wanted);
	free(wanted);
	free(got);
	app_end(calm);
	app_end(app);
}

/* A key that is refused, and a row that is closed: the others are measured. */
TEST(test_folding_measures_on)
{
	struct graph *g = mixed();
	struct app *app = begin(graph_heap(g));
	struct error err = { 0 };
	char *rows;

	settle(app);
	command(app, "merged Test.Type1");
	assert_true(is_running(app, "what each row would free"));
	/* The first row is open. */
	assert_false(view_fold(app_view(app), 0, true, &err));
	settle(app);
	rows = rows_of(app);
	assert_null(strstr(rows, "?"));
	assert_non_null(strstr(rows, "◀ most"));
	free(rows);
	app_end(app);
}

/* Stopped for good: the filter is the one whose rows are shown. */
TEST(test_escape_keeps_filter)
{
	struct graph *g = mixed();
	struct app *app = begin(graph_heap(g));
	struct view *v;

	settle(app);
	command(app, "merged Test.Type1");
	assert_true(is_running(app, "what each row would free"));
	command(app, "filter Type2");
	v = app_view(app);
	assert_true(view_is_busy(v));
	app_enter(app);
	view_cancel(v);
	app_leave(app);
	assert_string_equal(filter_text(v->filter), "Type2");
	settle(app);
	app_end(app);
}

/* --- the place stays ------------------------------------------------------ */

/* Whatever can be opened here: nothing matches, and then everything again. */
TEST(test_empty_filter_keeps_place)
{
	struct app *app = begin(leaky_heap());
	size_t looked_at = 0;
	struct error err;

	settle(app);
	command(app, "objects Leaky.Session");
	settle(app);
	for (size_t i = 0; all_views[i]; i++) {
		struct view *before = app_view(app), *v;
		struct row row, now;

		if (!try_command(app, all_views[i]->command.name, &err))
			continue;
		settle(app);
		v = app_view(app);
		if (v == before)
			continue;
		if (v->rows_count > 2) {
			view_move_to(v, v->rows_count - 1);
			assert_true(view_selected(v, &row));
			if (try_command(app, "filter no[w]here", &err)) {
				settle(app);
				command(app, "filter");
				settle(app);
			}
			assert_true(view_selected(v, &now));
			if (now.key != row.key)
				fail_msg("%s: row %zu of %zu", all_views[i]->command.name,
					 v->cursor, v->rows_count);
			looked_at++;
		}
		app_enter(app);
		app_close(app);
		app_leave(app);
	}
	assert_true(looked_at > 15);
	app_end(app);
}

/* Where the selected row goes, it comes back; not where another is chosen. */
TEST(test_filter_keeps_place)
{
	static const struct {
		const char *sort; /* while the row is away */
		bool moves;
		bool comes_back;
	} rows[] = {
		{ NULL, false, true },
		{ "sort count", false, true },
		{ NULL, true, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct app *app = app_on(leaky_heap());
		struct view *v = app_view(app);
		struct row row, other, now;

		view_move_to(v, 49);
		assert_true(view_selected(v, &row));
		command(app, "filter String");
		assert_true(view_selected(v, &other));
		assert_true(other.key != row.key);
		if (rows[i].sort)
			command(app, rows[i].sort);
		if (rows[i].moves)
			view_move_to(v, 0);
		assert_true(view_selected(v, &other));
		command(app, "filter");
		assert_true(view_selected(v, &now));
		assert_int_equal(now.key, rows[i].comes_back ? row.key : other.key);
		app_end(app);
	}
}

/* --- what cannot be is said ----------------------------------------------- */

static void
expect_refused(struct app *app, const char *line, const char *why)
{
	struct error err;

	assert_false(try_command(app, line, &err));
	if (!strstr(err.message, why))
		fail_msg("%s: %s", line, err.message);
}

/* A group by root is made of parts of types, of which little is known. */
TEST(test_group_lacks_columns)
{
	struct app *app = app_with_retention(leaky_heap());
	const struct view *v;
	size_t at;

	command(app, "groups root");
	command(app, "open");
	v = app_view(app);
	assert_true(view_is(v, &view_types));
	at = v->cursor;
	expect_refused(app, "sort-retained", "the group contains parts of types");
	expect_refused(app, "where retained > 1k", "the group contains parts of types");
	assert_int_equal(v->sort, column_by_id(v->ops->table->columns, "size"));
	assert_int_equal(v->cursor, at);
	for (const struct column *c = v->ops->table->columns; c->id; c++)
		if (!strcmp(c->id, "retained"))
			assert_false(view_has_column(v, c, false));
	/* Whole types, as ever. */
	command(app, "groups module");
	command(app, "open");
	command(app, "sort-retained");
	app_end(app);
}

TEST(test_nothing_waits_for_a_heap)
{
	const struct loader loader = { .path = "x", .load = load_for_ever };
	struct error err = { 0 };
	struct session *s = session_new(&loader, jobs_on_threads(), &err);
	struct app *app;

	assert_non_null(s);
	assert_true(session_start(s, &err));
	app = app_new(s, &err);
	assert_non_null(app);
	expect_refused(app, "tag", "nothing can be marked");
	expect_refused(app, "ignore", "types are still being counted");
	app_end(app);
}

/* Two levels in: out of one after the other. */
TEST(test_escape_leaves_one_level)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	const struct view *v;
	uint64_t first, second;
	struct row row;

	app_steps(app, s, ":treemap l k");
	v = app_view(app);
	assert_true(view_selected(v, &row));
	first = row.key;
	app_steps(app, s, "Enter");
	assert_true(view_selected(v, &row));
	second = row.key;
	app_steps(app, s, "Enter Esc");
	assert_ptr_equal(app_view(app), v);
	assert_true(view_selected(v, &row));
	assert_int_equal(row.key, second);
	app_steps(app, s, "Esc");
	assert_ptr_equal(app_view(app), v);
	assert_true(view_selected(v, &row));
	assert_int_equal(row.key, first);
	app_steps(app, s, "Esc");
	assert_true(view_is(app_view(app), &view_types));
	app_end(app);
}

/* A job brings a page; whoever wanted more is told that there are not. */
TEST(test_more_rows_than_a_page)
{
	struct app *app = begin(leaky_heap());
	size_t before;

	settle(app);
	command(app, "dominators");
	settle(app);
	before = app_view(app)->rows_count;
	command(app, "more-rows 0 1000");
	assert_int_equal(app_view(app)->rows_count, before);
	assert_non_null(strstr(app->message, "run :more-rows again"));
	settle(app);
	assert_in_range(app_view(app)->rows_count, before + 1, 1000);
	app_message(app, STYLE_STATUS, "%s", "");
	for (size_t rows = 0; app_view(app)->rows_count > rows; settle(app)) {
		rows = app_view(app)->rows_count;
		command(app, "more-rows 0 1000");
	}
	assert_true(app_view(app)->rows_count > 1000);
	app_message(app, STYLE_STATUS, "%s", "");
	command(app, "more-rows 0 1000");
	assert_string_equal(app->message, "");
	app_end(app);
}
