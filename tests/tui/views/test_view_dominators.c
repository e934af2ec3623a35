/*
 * The tree of dominators on the screen, the columns that come with it, and
 * what happens where memory does not allow it.
 */
#include "tests/drive/screens.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tui/session/analyses.h"
#include "tui/app/views.h"

#include <sched.h>
#include <string.h>

/* clang-format off */
static const struct screen_case screen_cases[] = {
	{ "dominators",            leaky_heap,   24, 80,  false, false, ":dominators" },
	{ "dominators-small",      leaky_heap,   10, 40,  false, false, ":dominators" },
	{ "dominators-large",      leaky_heap,   60, 200, false, false, ":dominators" },
	{ "dominators-open",       leaky_heap,   16, 80,  false, false, ":dominators j j + j + j +" },
	{ "dominators-by-type",    leaky_heap,   16, 80,  false, false, ":dominators j j j + t" },
	{ "dominators-one-type",   leaky_heap,   16, 80,  false, false, ":dominators j j j + t j +" },
	{ "dominators-one-by-one", leaky_heap,   16, 80,  false, false, ":dominators j j j + t t" },
	{ "dominators-top-types",  leaky_heap,   16, 80,  false, false, ":dominators T" },
	{ "dominators-more",       leaky_heap,   16, 80,  false, false, ":dominators_Leaky.Session G Enter" },
	{ "dominators-dead",       leaky_heap,   16, 80,  false, false, ":dominators G +" },
	{ "dominators-of",         leaky_heap,   24, 80,  false, false, ":dominators_7fe019dbb5c0" },
	{ "dominators-way",        leaky_heap,   60, 80,  false, false, ":dominators_7fe019d6a3c8" },
	{ "dominators-of-type",    leaky_heap,   16, 80,  false, false, ":dominators_Leaky.OnStack" },
	{ "dominators-filter",     leaky_heap,   16, 80,  false, false, ":dominators :filter_retained_>_100k" },
	{ "dominators-awkward",    awkward_heap, 24, 80,  false, false, ":dominators +" },
	{ "holds-type",            leaky_heap,   16, 80,  false, false, "j d" },
	{ "holds-object",          leaky_heap,   16, 80,  false, false, "j Enter d" },
	{ "holds-nothing",         leaky_heap,   10, 80,  false, false, ":dominators d" },
	{ "dominators-in-order",   leaky_heap,   12, 80,  false, false, ":dominators R" },
	{ "dominators-share-of",   leaky_heap,   12, 80,  false, false, ":dominators :ignore_kind_static" },
	{ "dominators-mine",       leaky_heap,   16, 80,  false, false, ":dominators Z j +" },
	{ "dominators-mine-of",    leaky_heap,   16, 80,  false, false, "Z :dominators_7fe019dbb5c0" },
	{ "types-mine",            leaky_heap,   16, 80,  false, false, "Z" },
	{ "types-mine-40x10",      leaky_heap,   10, 40,  false, false, "Z" },
	{ "types-mine-200x60",     leaky_heap,   60, 200, false, false, "Z" },
	{ "types-mine-off",        leaky_heap,   10, 80,  false, false, "Z Z" },
	{ "types-mine-framework",  leaky_heap,   10, 80,  false, false, "Z :search_^framework$ Enter" },
	{ "types-mine-modules",    leaky_heap,   10, 80,  false, false, "Z :set_mymodules=System.Console" },
	{ "types-filter-mine",     leaky_heap,   12, 80,  false, false, ":filter_mine" },
	{ "types-filter-not-mine", leaky_heap,   12, 80,  false, false, ":where_not_mine_and_size_>_10k" },
	{ "objects-filter-mine",   leaky_heap,   12, 80,  false, false, ":objects :where_mine_and_size_>_100" },
	{ "groups-mine",           leaky_heap,   12, 80,  false, false, "Z :groups" },
	{ "types-mine-of-group",  leaky_heap,   12, 80,  false, false, "Z :groups :search_^Plugin$ Enter" },
	{ "groups-mine-root",      leaky_heap,   12, 80,  false, false, "Z :groups_root" },
	{ "findings-mine",         leaky_heap,   16, 80,  false, false, "Z :findings" },
	{ "retained-types",        leaky_heap,   16, 80,  false, false, "R" },
	{ "retained-objects",      leaky_heap,   16, 100, false, false, ":objects R" },
	{ "retained-roots",        leaky_heap,   16, 100, false, false, "4 + R" },
	{ "retained-tree",         leaky_heap,   12, 130, false, false, ":tree_7fe019c08938" },
	{ "retained-inspect",      leaky_heap,   14, 80,  false, false, ":inspect_7fe019d511c0" },
	{ "retained-inspect-long", leaky_heap,   24, 80,  false, false, ":inspect_7fe019c05b70" },
	{ "retained-inspect-40x10",leaky_heap,   10, 40,  false, false, ":inspect_7fe019c05b70" },
};
/* clang-format on */

TEST(test_screens)
{
	expect_screens(screen_cases, COUNT_OF(screen_cases), app_with_retention);
}

/* Rows of the tree add up: children retain less than what holds them. */
static void
expect_tree(const struct view *v)
{
	struct row row, above[64];
	struct value value, parent;
	const struct column *retained = v->ops->table->columns;

	while (strcmp(retained->id, "retained") != 0)
		retained++;
	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		assert_in_range(row.depth, 0, 63);
		above[row.depth] = row;
		view_cell(v, retained, &row, &value);
		if (!row.depth || value.kind != VALUE_BYTES)
			continue;
		view_cell(v, retained, &above[row.depth - 1], &parent);
		assert_true(value.number <= parent.number);
	}
}

TEST(test_every_row_opens)
{
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };
	struct view *v;

	assert_true(app_command(app, "dominators", &err));
	v = app_view(app);
	for (size_t i = 0; i < v->rows_count && i < 400; i++) {
		struct row row;

		view_row(v, i, &row);
		if (row.fold == FOLD_CLOSED && row.depth < 60)
			assert_true(view_fold(v, i, true, &err));
	}
	assert_true(v->rows_count > 400);
	expect_tree(v);
	app_end(app);
}

/* Paging shows each of them once, in order. */
TEST(test_pages)
{
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };
	uint64_t last = UINT64_MAX;
	uint32_t count = 0;
	struct view *v;

	assert_true(app_command(app, "dominators Leaky.Session", &err));
	v = app_view(app);
	for (int pages = 0; pages < 100; pages++) {
		struct row row;

		view_move_to(v, SIZE_MAX);
		assert_true(view_selected(v, &row));
		if (row.kind != ROW_MORE)
			break;
		app_key(app, key_parse("Enter"));
	}
	for (size_t i = 0; i < v->rows_count; i++, count++) {
		struct row row;
		uint64_t bytes;

		view_row(v, i, &row);
		assert_int_equal(row.kind, ROW_OBJECT);
		bytes = session_retained(app->session, row.node).bytes;
		assert_true(bytes <= last);
		last = bytes;
	}
	/* Some sessions hold others. */
	assert_in_range(count, 4000, 5001);
	app_end(app);
}

static void
poll_all(struct app *app)
{
	do {
		app_poll(app);
		sched_yield();
	} while (session_job(app->session));
	app_poll(app);
}

/* Without a screen: the rows that the tree has before one is opened. */
TEST(test_list_is_the_tree)
{
	static const char *const lines[] = { "dominators", "dominators Leaky.Link",
					     "dominators Leaky.Session" };

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct app *app = app_with_retention(leaky_heap());
		struct error err = { 0 };
		struct view *tree, *list;
		struct row row, listed;
		size_t at = 0;

		assert_true(app_command(app, lines[i], &err));
		tree = app_view(app);
		app->session->is_batch = true;
		list = view_open(&view_dominators, app->session, &tree->target, &err);
		assert_non_null(list);
		assert_true(view_update(list, &err));
		for (; at < tree->rows_count; at++) {
			view_row(tree, at, &row);
			if (row.kind != ROW_OBJECT)
				break;
			assert_true(at < list->rows_count);
			view_row(list, at, &listed);
			assert_int_equal(listed.node, row.node);
		}
		assert_true(at > 0);
		assert_true(at == tree->rows_count ? at == list->rows_count
						   : at < list->rows_count);
		view_close(list);
		app_end(app);
	}
}

/* After referrers and distances, without being asked for. */
TEST(test_arrive_by_themselves)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	const struct retention *before;

	assert_true(session_start(s, &err));
	poll_all(app);
	assert_non_null(s->retention);
	assert_null(analyses_refusal(s, NEED_RETAINED));
	before = s->retention;
	assert_true(app_command(app, "dominators", &err));
	assert_true(app_command(app, "set nostatics", &err));
	assert_ptr_equal(s->retention, before);
	poll_all(app);
	assert_non_null(s->retention);
	while (view_is_busy(app_view(app)))
		poll_all(app);
	assert_true(app_view(app)->rows_count > 10);
	app_end(app);
}

TEST(test_too_little_memory)
{
	struct app *app = app_on_threads(leaky_heap());
	struct session *s = app->session;
	struct error err = { 0 };
	struct screen *screen = screen_for_test(10, 80, false);

	s->memory_limit = 2 << 20;
	assert_true(session_start(s, &err));
	poll_all(app);
	assert_null(s->retention);
	assert_true(session_unavailable(s, NEED_RETAINED));
	expect_screen(app, screen, "retained-refused", false);
	assert_false(app_command(app, "dominators", &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_non_null(strstr(err.message, "2.00 MiB are allowed"));
	error_clear(&err);
	assert_false(session_require(s, NEED_RETAINED, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	error_clear(&err);
	assert_true(app_command(app, "set mem=1500K", &err));
	assert_non_null(strstr(app->message, "1.46 MiB are allowed"));
	assert_true(app_command(app, "set mem=1G", &err));
	assert_string_equal(app->message, "mem=1G");
	poll_all(app);
	assert_non_null(s->retention);
	app_end(app);
}
