/* `/`, `n` and `N` over many rows: where they lead, and what is counted. */
#include "model/table/matches.h"
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include "tui/widget/view_search.h"

#include <sched.h>
#include <string.h>

enum { ROWS = 300000, EVERY = 1000, FIRST = 7, LAST_ONE = 123456 };

/* --- which match it is ---------------------------------------------------- */

/* Row by row, of those that were looked at. */
struct plain {
	bool is_match[200], is_looked[200];
	size_t count, looked;
};

/* Only from a row that was looked at, or is the next to be. */
static size_t
plain_nearest(const struct plain *p, size_t row, size_t next, bool backwards)
{
	if (!p->is_looked[row] && row != next)
		return SIZE_MAX;
	for (size_t i = 1; i <= p->count; i++) {
		size_t at = (backwards ? row + p->count - i : row + i) % p->count;

		if (!p->is_looked[at])
			return SIZE_MAX;
		if (p->is_match[at])
			return at;
	}
	return SIZE_MAX;
}

static size_t
plain_number(const struct plain *p, size_t row)
{
	size_t number = 0;

	for (size_t i = 0; i <= row; i++) {
		if (!p->is_looked[i])
			return 0;
		number += p->is_match[i];
	}
	return number;
}

static void
compare_rows(const struct plain *p, const struct matches *m)
{
	for (size_t row = 0; row < p->count; row++) {
		bool is_found = p->is_looked[row] && p->is_match[row];

		assert_int_equal(matches_has(m, row), is_found);
		if (is_found)
			assert_int_equal(matches_number(m, row), plain_number(p, row));
		for (int backwards = 0; backwards < 2; backwards++) {
			size_t next = matches_row(m, p->looked);

			assert_int_equal(matches_nearest(m, row, backwards),
					 plain_nearest(p, row, next, backwards));
		}
	}
}

static void
look_through(struct plain *p, size_t start, bool is_backwards)
{
	struct error err = { 0 };
	struct matches m;

	memset(p->is_looked, 0, sizeof p->is_looked);
	assert_true(matches_init(&m, p->count, start, is_backwards, &err));
	for (p->looked = 0; p->looked < p->count;) {
		size_t row = matches_row(&m, p->looked);

		/* It need not know that the last row is before the first. */
		if (p->looked % 7 == 0 && p->looked + 1 < p->count)
			compare_rows(p, &m);
		assert_false(p->is_looked[row]);
		p->is_looked[row] = true;
		if (p->is_match[row])
			matches_add(&m, p->looked);
		matches_advance(&m, ++p->looked);
	}
	assert_true(matches_complete(&m));
	compare_rows(p, &m);
	matches_clear(&m);
}

TEST(test_matches)
{
	static const size_t counts[] = { 1, 2, 63, 64, 65, 128, 130, 200 };
	struct graph *g = graph_new(1, 1);
	struct plain p = { 0 };

	for (size_t i = 0; i < COUNT_OF(counts); i++)
		for (uint32_t seldom = 1; seldom < 80; seldom += 13) {
			p.count = counts[i];
			for (size_t row = 0; row < p.count; row++)
				p.is_match[row] = !graph_random(g, seldom);
			look_through(&p, graph_random(g, (uint32_t)p.count), seldom & 1);
		}
}

TEST(test_no_rows)
{
	struct error err = { 0 };
	struct matches m;

	assert_true(matches_init(&m, 0, 0, false, &err));
	assert_true(matches_complete(&m));
	assert_false(matches_has(&m, 0));
	assert_int_equal(matches_nearest(&m, 0, true), SIZE_MAX);
	matches_clear(&m);
}

/* --- in a list of many objects -------------------------------------------- */

/* Every thousandth is a Type1, one is a Type2, all others are Type0. */
static struct app *
open_list(struct waker waker)
{
	struct graph *g = graph_new(ROWS, 3);
	struct error err = { 0 };
	struct session *s;
	struct app *app;

	for (node_id n = FIRST; n < ROWS; n += EVERY)
		g->types[n] = 1;
	g->types[LAST_ONE] = 2;
	s = session_new_of_heap(graph_heap(g), waker, &err);
	graph_free(g);
	app = app_new(s, &err);
	assert_non_null(app);
	assert_true(app_command(app, "objects", &err));
	assert_true(app_command(app, "sort +address", &err));
	while (view_is_busy(app_view(app)))
		app_poll(app);
	assert_int_equal(app_view(app)->rows_count, ROWS);
	return app;
}

static void
poll_to_end(struct app *app)
{
	do {
		app_poll(app);
		sched_yield();
	} while (view_is_busy(app_view(app)) || view_search_is_due(app_view(app)) ||
		 app->session->jobs[JOB_REVERSE] || app->session->jobs[JOB_REACH] ||
		 app->session->jobs[JOB_RETENTION]);
}

/* From this row on, while nothing else is computed. */
static struct app *
search_list(const char *regex, size_t row)
{
	struct app *app = open_list(jobs_on_threads());
	struct error err = { 0 };

	poll_to_end(app);
	view_move_to(app_view(app), row);
	assert_true(view_search(app_view(app), regex, &err));
	return app;
}

/* Until it led somewhere, and perhaps not all is counted. */
static void
poll_until_at(struct app *app, size_t row)
{
	poll_while(app, app_view(app)->cursor != row && view_is_searching(app_view(app)));
	app_poll(app);
	assert_int_equal(app_view(app)->cursor, row);
}

static void
expect_told(const struct app *app, const char *text)
{
	char told[80];

	view_search_text(app_view(app), told, sizeof told);
	assert_string_equal(told, text);
}

TEST(test_counts_all)
{
	struct app *app = search_list("Type1", 0);
	struct view *v = app_view(app);
	struct error err = { 0 };

	poll_until_at(app, FIRST);
	poll_to_end(app);
	assert_int_equal(v->cursor, FIRST);
	expect_told(app, "match 1 of 300  ");
	/* All is known: no job, and at once. */
	assert_true(view_search_again(v, true, &err));
	assert_false(view_is_busy(v));
	assert_int_equal(v->cursor, ROWS - EVERY + FIRST);
	expect_told(app, "match 300 of 300  ");
	assert_true(view_search_again(v, false, &err));
	assert_true(view_search_again(v, false, &err));
	assert_int_equal(v->cursor, FIRST + EVERY);
	expect_told(app, "match 2 of 300  ");
	view_move_to(v, 5000);
	expect_told(app, "");
	app_end(app);
}

TEST(test_goes_on_while_counting)
{
	struct app *app = search_list("Type1", 150000);
	struct view *v = app_view(app);
	struct error err = { 0 };

	poll_until_at(app, 150000 + FIRST);
	assert_true(view_search_again(v, false, &err));
	poll_until_at(app, 151000 + FIRST);
	assert_true(view_search_again(v, true, &err));
	poll_until_at(app, 150000 + FIRST);
	/* Not looked at yet, the other way. */
	assert_true(view_search_again(v, true, &err));
	poll_until_at(app, 149000 + FIRST);
	view_move_to(v, 10);
	assert_true(view_search_again(v, false, &err));
	poll_until_at(app, EVERY + FIRST);
	poll_to_end(app);
	expect_told(app, "match 2 of 300  ");
	app_end(app);
}

TEST(test_nothing_moves_under_the_cursor)
{
	struct app *app = search_list("Type2", 0);
	struct view *v = app_view(app);
	struct error err = { 0 }, none = { 0 };

	view_move_to(v, 3);
	poll_to_end(app);
	assert_int_equal(v->cursor, 3);
	/* A new one takes the place of the old. */
	assert_true(view_search(v, "Type2", &err));
	if (!view_search(v, "no such name", &none)) /* was faster than we */
		assert_non_null(strstr(none.message, "is in no row"));
	assert_true(view_search(v, "Type2", &err));
	poll_to_end(app);
	assert_int_equal(v->cursor, LAST_ONE);
	assert_string_equal(app->message, "");
	expect_told(app, "match 1 of 1  ");
	assert_false(view_search_again(v, false, &err));
	assert_string_equal(err.message, "this is the only match");
	app_end(app);
}

TEST(test_escape_stops_counting)
{
	struct app *app = search_list("Type", 0);
	struct view *v = app_view(app);
	struct error err = { 0 };
	char told[80];

	poll_until_at(app, 1);
	if (view_cancel(v)) {
		view_search_text(v, told, sizeof told);
		assert_non_null(strchr(told, '+'));
		assert_null(strstr(told, "…"));
		app_poll(app);
		assert_false(view_is_busy(v));
	}
	/* What was not looked at is, when it is wanted. */
	assert_true(view_search_again(v, true, &err));
	poll_until_at(app, 0);
	assert_true(view_search_again(v, true, &err));
	poll_until_at(app, ROWS - 1);
	poll_to_end(app);
	expect_told(app, "match 300,000 of 300,000  ");
	app_end(app);
}

/* Another order is looked through again, and the match stays selected. */
TEST(test_other_rows)
{
	struct app *app = search_list("Type1", 0);
	struct view *v = app_view(app);
	struct error err = { 0 };

	poll_to_end(app);
	expect_told(app, "match 1 of 300  ");
	assert_true(app_command(app, "sort -address", &err));
	poll_to_end(app);
	assert_int_equal(v->cursor, ROWS - 1 - FIRST);
	expect_told(app, "match 300 of 300  ");
	assert_true(app_command(app, "filter Type[12]", &err));
	poll_to_end(app);
	assert_int_equal(v->rows_count, 301);
	expect_told(app, "match 300 of 300  ");
	assert_true(view_search_again(v, false, &err));
	expect_told(app, "match 1 of 300  ");
	/* Nobody is at a match: nothing to tell, nothing to look for. */
	view_move_to(v, 177);
	assert_true(app_command(app, "filter", &err));
	poll_to_end(app);
	expect_told(app, "");
	assert_true(view_search_again(v, false, &err));
	poll_to_end(app);
	assert_int_equal(v->cursor % EVERY, (ROWS - 1 - FIRST) % EVERY);
	app_end(app);
}

/* A text that is no longer in the cells is no match, and no message says so. */
TEST(test_other_cells)
{
	struct app *app = open_list(jobs_on_threads());
	struct screen *screen = screen_for_test(24, 80, false);
	struct error err = { 0 };

	poll_to_end(app);
	app_draw(app, screen);
	assert_true(view_search(app_view(app), "^[0-9]+ B$", &err));
	poll_to_end(app);
	expect_told(app, "match 1 of 296,907  ");
	assert_true(app_command(app, "set bytes=share", &err));
	poll_to_end(app);
	expect_told(app, "");
	app_end(app);
}

TEST(test_search_without_threads)
{
	struct app *app = open_list((struct waker){ NULL, NULL });
	struct view *v = app_view(app);
	struct error err = { 0 };

	view_move_to(v, 0);
	assert_true(view_search(v, "Type1", &err));
	assert_int_equal(v->cursor, FIRST);
	expect_told(app, "match 1 of 300  ");
	assert_false(view_search(v, "no such name", &err));
	assert_non_null(strstr(err.message, "is in no row"));
	app_end(app);
}

/* --- in rows that open ---------------------------------------------------- */

enum { PAGE = 200, BEHIND_THE_PAGE = PAGE + 50 };

/* The first refers to all others, and they are of Type0 but for two: one stands on the first page
   of what it refers to, one on the second. */
static struct app *
open_hub(void)
{
	struct graph *g = graph_new(PAGE * 2, 2);
	struct error err = { 0 };
	struct app *app;

	for (node_id n = 1; n < PAGE * 2; n++)
		graph_ref(g, 0, n);
	graph_root(g, 0, ROOT_STATIC, "Hub");
	g->types[PAGE / 2] = g->types[BEHIND_THE_PAGE] = 1;
	app = app_on(graph_heap(g));
	assert_true(app_command(app, "objects", &err));
	assert_true(app_command(app, "sort +address", &err));
	assert_true(app_command(app, "row 1", &err));
	assert_true(app_command(app, "inspect", &err));
	graph_free(g);
	return app;
}

static void
go_to_more(struct app *app)
{
	struct view *v = app_view(app);
	struct row row;

	for (size_t i = v->rows_count; i-- > 0;) {
		view_row(v, i, &row);
		if (row.kind == ROW_MORE) {
			view_move_to(v, i);
			return;
		}
	}
	fail_msg("nothing stands for more");
}

/* Rows that are shown since then were not searched before. */
TEST(test_more_rows)
{
	struct app *app = open_hub();
	struct view *v = app_view(app);
	struct error err = { 0 };
	size_t first;

	assert_true(view_search(v, "Type1", &err));
	expect_told(app, "match 1 of 1  ");
	first = v->cursor;
	go_to_more(app);
	assert_true(app_key(app, TK_ENTER));
	poll_to_end(app);
	assert_true(view_search_again(v, true, &err));
	assert_int_equal(v->cursor, first);
	assert_true(view_search_again(v, false, &err));
	expect_told(app, "match 2 of 2  ");
	assert_int_equal(v->cursor, first + BEHIND_THE_PAGE - PAGE / 2);
	app_end(app);
}
