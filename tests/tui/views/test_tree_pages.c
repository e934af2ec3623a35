/*
 * Trees of referrers where there are many of them: pages of referrers and of references, ways that
 * are skipped, and jobs that are waited for.
 */
#include "tests/made/graphs.h"
#include "tests/made/text_heap.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/tables/referrer_expansion.h"
#include "tui/app/views.h"
#include <pthread.h>
#include <string.h>

/* --- many referrers ------------------------------------------------------ */

enum { HUB_PAGE = PAGE_ITEMS };

/* Object 0 is referred to by all others; only the last one is held. */
static struct graph *
hub(uint32_t referrers)
{
	struct graph *g = graph_new(referrers + 1, 1);

	for (node_id n = 1; n <= referrers; n++)
		graph_ref(g, n, 0);
	graph_root(g, referrers, ROOT_STATIC, "Last");
	return g;
}

static struct row
row_at(struct app *app, size_t index)
{
	struct row row;

	view_code(app_view(app)->ops)->row(app_view(app), index, &row);
	return row;
}

static void
expect_hub_page(struct app *app, uint32_t referrers, uint32_t shown)
{
	const struct view *v = app_view(app);
	bool is_all = shown == referrers;
	struct row row;

	/* The top, the nearest with its root, the others by id, what is left.
	 */
	assert_int_equal(v->rows_count, shown + 2 + !is_all);
	assert_int_equal(row_at(app, 1).node, referrers);
	assert_int_equal(row_at(app, 2).kind, ROW_ROOT);
	for (uint32_t i = 1; i < shown; i++)
		assert_int_equal(row_at(app, i + 2).node, i);
	if (is_all)
		return;
	row = row_at(app, v->rows_count - 1);
	assert_int_equal(row.kind, ROW_MORE);
	assert_int_equal(row.data, referrers - shown);
}

TEST(test_hub_pages)
{
	static const uint32_t sizes[] = { 1,
					  HUB_PAGE,
					  HUB_PAGE + 1,
					  2 * HUB_PAGE,
					  2 * HUB_PAGE + 50,
					  EXPANSION_AT_ONCE,
					  EXPANSION_AT_ONCE + 1 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct graph *g = hub(sizes[i]);
		struct app *app = app_on(graph_heap(g));
		struct screen *s = screen_for_test(24, 80, false);
		struct error err = { 0 };
		char line[64], address[24];
		uint32_t shown = 0;

		snprintf(line, sizeof line, "tree %s",
			 address_format(heap_address(app->session->heap, 0), address));
		assert_true(app_command(app, line, &err));
		for (int page = 1; page <= 3 && shown < sizes[i]; page++) {
			shown = page * HUB_PAGE < (int)sizes[i] ? (uint32_t)(page * HUB_PAGE)
								: sizes[i];
			if (page > 1)
				app_steps(app, s, "G Enter");
			expect_hub_page(app, sizes[i], shown);
			/* The selected row is the first of the new ones. */
			if (page > 1)
				assert_int_equal(app_view(app)->cursor, (page - 1) * HUB_PAGE + 2);
		}
		app_end(app);
		graph_free(g);
	}
}

/* By distance: farther referrers come later, whatever their ids. */
TEST(test_hub_order)
{
	enum { COUNT = 5000 };
	struct graph *g = graph_new(COUNT, 1);
	const struct heap *h;
	const struct reverse *rev;
	const struct reach *reach;
	struct referrer_page page;
	struct error err = { 0 };
	node_id after = NODE_NONE;
	uint64_t last = 0, seen = 0;

	/* A chain from the last one down, all of which refer to object 0. */
	for (node_id n = 1; n < COUNT; n++) {
		graph_ref(g, n, 0);
		if (n > 1)
			graph_ref(g, n, n - 1);
	}
	graph_root(g, COUNT - 1, ROOT_STATIC, "S");
	h = graph_heap(g);
	rev = reverse_compute(h, NULL, &err);
	reach = reach_compute(h, true, NULL, &err);
	assert_true(rev && reach);
	do {
		assert_true(referrer_page_read(&page, rev, reach, 0, after, NULL, &err));
		for (uint32_t i = 0; i < page.count; i++) {
			uint32_t distance = reach->distance[page.items[i].node];

			assert_true(distance >= last);
			last = distance;
		}
		seen += page.count;
		assert_int_equal(seen + page.left, COUNT - 1);
		after = page.items[page.count - 1].node;
	} while (page.left);
	reach_free(reach);
	reverse_free(rev);
	heap_free(h);
}

/* --- long ways ----------------------------------------------------------- */

/* The row that skips; SIZE_MAX if there is none. */
static size_t
find_skip(struct app *app)
{
	for (size_t i = 0; i < app_view(app)->rows_count; i++)
		if (row_at(app, i).kind == ROW_SKIP)
			return i;
	return SIZE_MAX;
}

/*
 * The first rows, one for those in the middle, the last ones: all objects of the way are accounted
 * for. Each Enter on that row shows some more of them.
 */
static void
expect_skipped_way(struct app *app, struct screen *s, uint32_t distance)
{
	const struct reach *reach = app->session->reach;
	uint32_t shown = 0;
	struct row row;

	for (int i = 0; i < 3; i++) {
		size_t at = find_skip(app);

		assert_true(at != SIZE_MAX);
		assert_true(app_view(app)->rows_count < 400);
		assert_true(at > shown);
		shown = (uint32_t)at;
		row = row_at(app, at);
		assert_int_equal(row.depth, at);
		assert_int_equal(reach->distance[row.node], distance - at);
		assert_true(referrer_row_skips_one_type(&row));
		assert_int_equal(referrer_row_skipped(reach, &row), distance - at - EXPANSION_LAST);
		row = row_at(app, at + 1);
		assert_int_equal(row.depth, at + 1);
		assert_int_equal(reach->distance[row.node], EXPANSION_LAST);
		/* From above, from the row itself and from behind it. */
		app_steps(app, s, i ? i == 1 ? "g *" : "k k *" : "*");
		assert_true(view_selected(app_view(app), &row));
		assert_int_equal(row.kind, ROW_ROOT);
		view_move_to(app_view(app), at);
		app_steps(app, s, "*");
		assert_true(view_selected(app_view(app), &row));
		assert_int_equal(row.kind, ROW_ROOT);
		view_move_to(app_view(app), at);
		app_steps(app, s, "Enter");
	}
	/* Closed, it is the object that it stood for. */
	view_move_to(app_view(app), find_skip(app));
	app_steps(app, s, "-");
	assert_true(view_selected(app_view(app), &row));
	assert_int_equal(row.kind, ROW_OBJECT);
	assert_int_equal(referrer_row_times(&row), 1);
	app_steps(app, s, "+ *");
	assert_true(view_selected(app_view(app), &row));
	assert_int_equal(row.kind, ROW_ROOT);
}

TEST(test_long_list)
{
	enum { LINKS = 30000 };
	struct graph *g = graph_list(LINKS);
	struct app *app = app_on(graph_heap(g));
	struct screen *s = screen_for_test(24, 80, false);
	const struct heap *h = app->session->heap;
	const uint32_t *distance = app->session->reach->distance;
	node_id end = 0;
	struct error err = { 0 };
	char line[64], address[24];
	struct row row;

	for (node_id n = 0; n < LINKS; n++)
		if (distance[n] != DISTANCE_UNREACHABLE && distance[n] > distance[end])
			end = n;
	snprintf(line, sizeof line, "tree %s", address_format(heap_address(h, end), address));
	for (int i = 0; i < 2; i++) {
		assert_true(app_command(app, line, &err));
		assert_in_range(app_view(app)->rows_count, 10, 20);
		app_steps(app, s, i ? "e" : "*");
		assert_true(view_selected(app_view(app), &row));
		assert_int_equal(row.kind, ROW_ROOT);
		if (i) {
			assert_int_equal(row.depth, distance[end] + 1);
			assert_true(app_view(app)->rows_count > distance[end]);
		} else {
			expect_skipped_way(app, s, distance[end]);
		}
		app_steps(app, s, "g - ");
		assert_int_equal(app_view(app)->rows_count, 1);
	}
	app_end(app);
}

/* --- many references ----------------------------------------------------- */

TEST(test_inspect_pages)
{
	enum { REFS = 450 };
	struct graph *g = graph_new(REFS, 1);
	struct app *app;
	struct screen *s = screen_for_test(24, 80, false);
	struct error err = { 0 };
	char line[64], address[24];

	for (node_id n = 0; n < REFS; n++)
		graph_ref(g, 0, REFS - 1 - n);
	graph_root(g, 0, ROOT_STATIC, "S");
	app = app_on(graph_heap(g));
	snprintf(line, sizeof line, "inspect %s",
		 address_format(heap_address(app->session->heap, 0), address));
	assert_true(app_command(app, line, &err));
	/* Two groups, a root, itself, a page, what is left. */
	assert_int_equal(app_view(app)->rows_count, 4 + HUB_PAGE + 1);
	app_steps(app, s, "G Enter G Enter");
	assert_int_equal(app_view(app)->rows_count, 4 + REFS);
	for (uint32_t i = 0; i < REFS; i++) {
		struct row row = row_at(app, 4 + i);

		assert_int_equal(row.data, i);
		assert_int_equal(row.node, REFS - 1 - i);
	}
	app_end(app);
}

/* --- jobs ---------------------------------------------------------------- */

/* Somebody to wake: the tests wait for it instead of sleeping. */
struct bell {
	pthread_mutex_t lock;
	pthread_cond_t rung;
	unsigned count;
};

static void
ring(void *context)
{
	struct bell *b = context;

	pthread_mutex_lock(&b->lock);
	b->count++;
	pthread_cond_signal(&b->rung);
	pthread_mutex_unlock(&b->lock);
}

static void
wait_until_idle(struct app *app, struct bell *b)
{
	app_poll(app);
	while (view_is_busy(app_view(app)) || session_job(app->session)) {
		pthread_mutex_lock(&b->lock);
		while (!b->count)
			pthread_cond_wait(&b->rung, &b->lock);
		b->count--;
		pthread_mutex_unlock(&b->lock);
		app_poll(app);
	}
}

TEST(test_jobs)
{
	struct bell bell = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
	enum { REFERRERS = EXPANSION_AT_ONCE + 10 };
	struct graph *g = hub(REFERRERS);
	const struct heap *h = graph_heap(g);
	struct error err = { 0 };
	struct session *session = session_new_of_heap(h, (struct waker){ ring, &bell }, &err);
	struct app *app;
	char line[64], address[24];

	assert_non_null(session);
	app = app_new(session, &err);
	assert_non_null(app);
	assert_true(session_start(session, &err));
	snprintf(line, sizeof line, "inspect %s", address_format(heap_address(h, 0), address));
	/* Before it is known who refers to whom, the view says so. */
	assert_true(app_command(app, line, &err));
	wait_until_idle(app, &bell);
	assert_int_equal(app_view(app)->rows_count, 2 + HUB_PAGE + 1);
	memcpy(line, "tree   ", 7);
	assert_true(app_command(app, line, &err));
	wait_until_idle(app, &bell);
	assert_int_equal(app_view(app)->rows_count, 3 + HUB_PAGE);
	/* More of them by a job: the first new row is selected. */
	assert_true(app_key(app, 'G') && app_key(app, TK_ENTER));
	wait_until_idle(app, &bell);
	assert_int_equal(app_view(app)->rows_count, 3 + 2 * HUB_PAGE);
	assert_int_equal(app_view(app)->cursor, 2 + HUB_PAGE);
	/* Stopped, or ended just before: the rows of old, or all the new. */
	assert_true(app_key(app, 'G') && app_key(app, TK_ENTER));
	view_cancel(app_view(app));
	assert_false(view_is_busy(app_view(app)));
	if (app_view(app)->rows_count != 3 + 2 * HUB_PAGE)
		assert_int_equal(app_view(app)->rows_count, 3 + 3 * HUB_PAGE);
	assert_true(app_key(app, 'G') && app_key(app, '*'));
	wait_until_idle(app, &bell);
	assert_int_equal(row_at(app, app_view(app)->cursor).kind, ROW_ROOT);
	app_end(app);
}
