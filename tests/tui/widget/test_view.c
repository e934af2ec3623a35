/* The screen after some keys: see screens.h. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"

#include <string.h>

/* clang-format off */
static const struct screen_case cases[] = {
	/* name                 heap          rows cols ascii  styles steps */
	{ "types-80x24",        leaky_heap,   24,  80,  false, false, "" },
	{ "types-200x60",       leaky_heap,   60,  200, false, false, "" },
	{ "types-40x10",        leaky_heap,   10,  40,  false, false, "j" },
	{ "types-ascii",        leaky_heap,   24,  80,  true,  false, "j" },
	{ "types-too-small",    leaky_heap,   4,   19,  false, false, "" },
	{ "types-20x5",         leaky_heap,   5,   20,  false, false, "" },
	{ "types-by-count",     leaky_heap,   24,  80,  false, false, "C" },
	{ "types-by-count-up",  leaky_heap,   24,  80,  false, false, "C C" },
	{ "types-by-name",      leaky_heap,   24,  80,  false, false, ":sort_type" },
	{ "types-last",         leaky_heap,   24,  80,  false, false, "G" },
	{ "types-filtered",     leaky_heap,   24,  80,  false, false, ":filter_leaky" },
	{ "types-no-match",     leaky_heap,   10,  80,  false, false, ":filter_xyzzy" },
	{ "types-case-matters", leaky_heap,   10,  80,  false, false, ":filter_Link" },
	{ "types-filter-gone",  leaky_heap,   10,  80,  false, false, ":filter_leaky j j Esc" },
	{ "types-found",        leaky_heap,   24,  80,  false, true,  ":search_session n" },
	{ "types-found-back",   leaky_heap,   24,  80,  false, false, ":search_session n N N" },
	{ "types-long-filter",  leaky_heap,   10,  80,  false, false, ":filter_size_>_1_and_count_>_1_and_module_~_leaky_and_avg_>_1" },
	{ "types-long-filter-ascii", leaky_heap, 10, 80, true, false, ":filter_size_>_1_and_count_>_1_and_module_~_leaky_and_avg_>_1" },
	{ "types-not-found",    leaky_heap,   10,  80,  false, false, ":search_xyzzy" },
	{ "types-bad-regex",    leaky_heap,   10,  80,  false, false, ":search_(" },
	{ "types-short-names",  leaky_heap,   10,  80,  false, false, "z z" },
	{ "types-moved-names",  leaky_heap,   10,  40,  false, false, "l" },
	{ "types-keeps-row",    leaky_heap,   10,  80,  false, false, "j j j C" },
	{ "types-shares",       leaky_heap,   10,  80,  false, false, "b b" },
	{ "copy-menu",          leaky_heap,   24,  80,  false, true,  "j Enter y j" },
	{ "copy-row",           leaky_heap,   12,  80,  false, false, "j Enter y y" },
	{ "copy-unknown",       leaky_heap,   12,  80,  false, false, ":copy_xyzzy" },
	{ "undo",               leaky_heap,   10,  80,  false, false, "C :filter_leaky S u u" },
	{ "undo-all",           leaky_heap,   10,  80,  false, false, "C u u" },
	{ "redo",               leaky_heap,   10,  80,  false, false, "C :filter_leaky u u ^R ^R" },
	{ "types-awkward",      awkward_heap, 20,  140, false, true,  "" },
	{ "types-awkward-80",   awkward_heap, 20,  80,  true,  false, "" },
	{ "types-moved-to-end", leaky_heap,   10,  40,  false, false, "l l l l l l" },
	{ "types-moved-back",   leaky_heap,   10,  40,  false, false, "l l Esc" },
	{ "types-sorted-seen", leaky_heap,    10,  60,  false, false, ":sort_-avg" },
	{ "types-sorted-unseen", leaky_heap,  10,  60,  false, false, ":set_columns.types=type,count,size,share :sort_-avg" },
	{ "search-address",     leaky_heap,   10,  80,  false, true,  "j Enter / 9 c 0 8 0 6 0 Enter" },
	{ "search-root",        leaky_heap,   10,  80,  false, false, "2 wait :search_longList" },
	{ "search-only-one",    leaky_heap,   10,  80,  false, false, ":search_subscriber$ n" },
	{ "sort-menu",          leaky_heap,   24,  80,  false, true,  "s j" },
	{ "sort-menu-chosen",   leaky_heap,   24,  80,  false, false, "s G Enter" },
	{ "sort-menu-closed",   leaky_heap,   10,  80,  false, false, "s j Esc" },
	{ "sort-menu-other-key", leaky_heap,  12,  80,  false, false, "s j d" },
	{ "sort-unknown",       leaky_heap,   10,  80,  false, false, ":sort_xyzzy" },
	{ "sort-title",         leaky_heap,   10,  80,  false, false, ":sort_Count" },
	{ "columns-40x10",      leaky_heap,   10,  40,  false, false, "F2" },
	{ "objects",            leaky_heap,   24,  80,  false, false, "j Enter" },
	{ "objects-200x60",     leaky_heap,   60,  200, false, false, "j Enter" },
	{ "objects-all",        leaky_heap,   24,  120, false, false, "2 wait" },
	{ "objects-by-size",    leaky_heap,   24,  120, false, false, ":objects S" },
	{ "objects-by-in",      leaky_heap,   24,  120, false, false, ":objects :sort_in" },
	{ "objects-by-type",    leaky_heap,   24,  120, false, false, ":objects :sort_type" },
	{ "objects-filtered",   leaky_heap,   24,  120, false, false, ":objects :filter_Session\\[" },
	{ "objects-awkward",    awkward_heap, 20,  120, false, false, ":objects" },
	{ "objects-page-down",  leaky_heap,   10,  80,  false, false, "j Enter ^F ^F" },
	{ "objects-count",      leaky_heap,   10,  80,  false, false, "j Enter 2 0 j" },
	{ "objects-row",        leaky_heap,   10,  80,  false, false, "j Enter :4321" },
	{ "unknown-type",       leaky_heap,   10,  80,  false, false, ":objects_Sesion" },
	{ "ambiguous-type",     leaky_heap,   10,  80,  false, false, ":objects_Leaky.S" },
	{ "path",               leaky_heap,   24,  80,  false, true,  ":objects_Leaky.Session G p" },
	{ "path-far",           leaky_heap,   24,  80,  false, false, ":objects_Leaky.Link p G" },
	{ "path-none",          awkward_heap, 10,  80,  false, false, ":path_1700" },
	{ "paths-none",         awkward_heap, 10,  80,  false, false, ":paths_1700" },
	{ "paths-80x24",        leaky_heap,   24,  80,  false, true,  ":paths_7fe019c093b8" },
	{ "paths-40x10",        leaky_heap,   10,  40,  false, false, ":paths_7fe019c093b8" },
	{ "paths-200x60",       leaky_heap,   60,  200, false, false, ":paths_7fe019c093b8 G Enter G" },
	{ "paths-opened",       leaky_heap,   24,  80,  false, false, ":paths_7fe019c093b8 - j Enter j" },
	{ "paths-inspect",      leaky_heap,   10,  80,  false, false, ":paths_7fe019c093b8 j j Enter" },
	{ "paths-filtered",     leaky_heap,   10,  80,  false, false, ":paths_7fe019c093b8 :filter_ById" },
	{ "paths-circles",      leaky_heap,   24,  80,  false, false, ":objects_Leaky.Parent p G Enter j" },
	{ "ignore-root",        leaky_heap,   24,  80,  false, true,  ":paths_7fe019c093b8 j x" },
	{ "ignore-referrer",    leaky_heap,   10,  80,  false, false, ":paths_7fe019c093b8 j j x" },
	{ "ignore-reference",   leaky_heap,   10,  80,  false, false, ":paths_7fe019c093b8 j j j :ignore_reference" },
	{ "ignore-ended",       leaky_heap,   10,  80,  false, false, ":roots x :ignore_nothing" },
	{ "ignore-type",        leaky_heap,   10,  80,  false, false, ":filter_Session$ x" },
	{ "ignore-kind",        leaky_heap,   10,  80,  false, false, ":roots x" },
	{ "ignore-tree",        leaky_heap,   24,  80,  false, false, ":tree_7fe019c093b8 j :ignore_reference" },
	{ "ignore-merged",      leaky_heap,   24,  80,  false, false, ":merged_Leaky.Session j j x" },
	{ "ignore-all-ways",    leaky_heap,   10,  80,  false, false, ":objects_Plugin.Thing p j x" },
	{ "ignore-no-reference", leaky_heap,  10,  80,  false, false, ":ignore_reference" },
	{ "ways",               leaky_heap,   24,  80,  false, true,  ":ways_Leaky.Session" },
	{ "ways-40x10",         leaky_heap,   10,  40,  false, false, ":ways_byte[] j x" },
	{ "ways-200x60",        leaky_heap,   60,  200, false, false, ":ways_string" },
	{ "ways-opened",        leaky_heap,   24,  80,  false, false, ":ways_Leaky.Session G k + j +" },
	{ "ways-of-a-row",      leaky_heap,   16,  80,  false, false, ":merged_Leaky.Subscriber j j W" },
	{ "merged-of-a-row",    leaky_heap,   16,  80,  false, false, ":ways_Leaky.Subscriber j j j Enter P" },
	{ "objsize-of-a-list",  leaky_heap,   10,  80,  false, false, ":merged_Leaky.Subscriber j Enter O" },
	{ "objsize",            leaky_heap,   10,  80,  false, true,  ":objsize_Leaky.Child" },
	{ "objsize-object",     leaky_heap,   10,  40,  false, false, ":objsize_7fe019c093b8" },
	{ "objsize-ignoring",   leaky_heap,   10,  80,  false, false, ":objsize_List<Leaky.Session> :roots x <" },
	{ "ignored-40x10",      leaky_heap,   10,  40,  false, false, ":paths_7fe019c093b8 j x :ignored" },
	{ "ignored",            leaky_heap,   16,  80,  false, false, ":roots x :types x :ignored" },
	{ "ignored-undone",     leaky_heap,   16,  80,  false, false, ":roots x :types x :ignored x" },
	{ "ignored-no-more",    leaky_heap,   10,  80,  false, false, ":roots x X" },
	{ "ignored-nothing",    leaky_heap,   10,  80,  false, false, ":ignored X" },
	{ "path-inside",        awkward_heap, 10,  80,  false, false, ":path_1108" },
	{ "search-closed",      leaky_heap,   10,  80,  false, false, ":tree_7fe019c093b8 :search_xyzzy" },
	{ "tree-root",          leaky_heap,   16,  80,  false, false, ":tree_7fe019c093b8 * e" },
	{ "path-nowhere",       awkward_heap, 10,  80,  false, false, ":path_123" },
	{ "typed-of-row",       awkward_heap, 12,  80,  false, false, ":objects j :references" },
	{ "path-no-address",    awkward_heap, 10,  80,  false, false, ":path_Cache" },
	{ "references",         awkward_heap, 12,  80,  false, false, ":objects j o" },
	{ "referrers",          awkward_heap, 12,  80,  false, false, ":referrers_1200" },
	{ "objects-of-one",     leaky_heap,   10,  80,  false, false, ":objects_Plugin.Thing" },
	{ "path-of-type",       leaky_heap,   10,  80,  false, false, "p" },
	{ "not-again",          leaky_heap,   10,  80,  false, false, ": t y p e s ; s o r t Space c o u n t Enter" },
	{ "path-again",         leaky_heap,   10,  80,  false, false, "j Enter r r" },
	{ "count-waits",        leaky_heap,   10,  80,  false, false, "1 2 wait wait" },
	{ "digit-eight",        leaky_heap,   10,  80,  false, false, "8 wait" },
	{ "digit-alone",        leaky_heap,   10,  80,  false, false, "2 wait j" },
	{ "digit-then-key",     leaky_heap,   10,  80,  false, false, "2 Enter" },
	{ "digit-then-motion",  leaky_heap,   10,  80,  false, false, "2 j" },
	{ "pane",               leaky_heap,   24,  80,  false, false, "j Enter j Tab" },
	{ "pane-beside",        leaky_heap,   24,  130, false, true,  "j Enter j Tab" },
	{ "pane-follows",       leaky_heap,   24,  130, false, false, "j Enter j Tab Tab j j" },
	{ "pane-no-room",       leaky_heap,   10,  40,  false, false, "j Enter j Tab" },
	{ "pane-closed",        leaky_heap,   24,  80,  false, false, "j Enter j Tab q" },
	{ "pane-enter",         leaky_heap,   24,  80,  false, false, "j Enter j Tab j Enter" },
	{ "pane-escape",        leaky_heap,   24,  80,  false, false, "j Enter j Tab Tab Esc" },
	{ "pane-nothing",       leaky_heap,   10,  80,  false, false, ":summary Tab" },
	{ "pane-comes-back",    leaky_heap,   24,  130, false, false, "j Tab j Enter Esc" },
	{ "pane-types",         leaky_heap,   24,  80,  false, false, "Tab Tab j" },
	{ "pane-types-beside",  leaky_heap,   24,  130, false, true,  "j Tab j j" },
	{ "pane-tree",          leaky_heap,   24,  130, false, false, "j Enter j r * Tab Tab j j" },
	{ "back",               leaky_heap,   10,  80,  false, false, "j Enter j j p Backspace Backspace" },
	{ "forward",            leaky_heap,   10,  80,  false, false, "j Enter j j p Backspace Backspace > >" },
	{ "number-key",         leaky_heap,   10,  80,  false, false, "j Enter j p 1 wait" },
	{ "close",              leaky_heap,   10,  80,  false, false, "j Enter j p q" },
	{ "escape-at-last",     leaky_heap,   10,  80,  false, false, "Esc Esc" },
	{ "unknown-key",        leaky_heap,   10,  80,  false, false, "^X" },
	{ "unknown-command",    leaky_heap,   10,  80,  false, false, ":xyzzy" },
	{ "help",               leaky_heap,   60,  80,  false, false, "?" },
	{ "help-wide",          leaky_heap,   60,  200, false, false, "?" },
	{ "help-not-here",      leaky_heap,   24,  80,  false, false, "? :search_heapmap" },
	{ "help-word",          leaky_heap,   10,  80,  false, false, ":help_sort" },
	{ "help-filter",        leaky_heap,   32,  80,  false, false, ":help_filter" },
	{ "help-unknown",       leaky_heap,   10,  80,  false, false, ":help_xyzzy" },
	{ "summary",            leaky_heap,   24,  80,  false, false, ":summary" },
	{ "sos-names",          leaky_heap,   10,  80,  false, false, ":dumpheap_-type_Leaky.Node" },
	{ "prompt",             leaky_heap,   10,  80,  false, false, ": o b j" },
	{ "prompt-words",       leaky_heap,   10,  80,  false, false, ": t h e m e Space Tab" },
	{ "filter-words",       leaky_heap,   10,  80,  false, false, "& s Tab" },
	{ "filter-operators",   leaky_heap,   10,  80,  false, false, "& s i z e Space Tab" },
	{ "where-words",        leaky_heap,   14,  80,  false, false, ": w h e r e Space ( t y p e = L e a k y . L Tab" },
	{ "filter-mistake",     leaky_heap,   10,  80,  false, false, ":filter_size_>_x" },
	{ "filter-unknown",     awkward_heap, 10,  100, false, false, ":objects :where_distance_<_100" },
	{ "prompt-closed",      leaky_heap,   10,  80,  false, false, ": o b j Esc" },
	{ "prompt-run",         leaky_heap,   10,  80,  false, false, "/ l i n k Enter" },
};
/* clang-format on */

/* --- what a picture does not show ---------------------------------------- */

TEST(test_resize_keeps_the_object)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	struct row before, after;
	static const int sizes[][2] = { { 24, 80 }, { 10, 40 }, { 60, 200 }, { 5, 20 } };

	app_steps(app, s, ":objects_Leaky.Session :3000");
	assert_true(view_selected(app_view(app), &before));
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct view *v = app_view(app);

		s = screen_for_test(sizes[i][0], sizes[i][1], false);
		app_draw(app, s);
		assert_true(view_selected(v, &after));
		assert_int_equal(after.node, before.node);
		assert_true(v->cursor >= v->top && v->cursor < v->top + (size_t)v->rows_shown);
		assert_true(s->cursor_row > 0);
	}
	app_end(app);
}

/* The selected row stays in its place on the screen. */
TEST(test_pages)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	struct view *v;
	size_t page;

	app_steps(app, s, ":objects j j j");
	v = app_view(app);
	page = (size_t)v->rows_shown;
	app_steps(app, s, "PgDn PgDn");
	assert_int_equal(v->cursor, 3 + 2 * page);
	assert_int_equal(v->top, 2 * page);
	app_steps(app, s, "PgUp");
	assert_int_equal(v->cursor, 3 + page);
	assert_int_equal(v->top, page);
	app_end(app);
}

TEST(test_sorting_keeps_the_object)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	struct row before, after;

	app_steps(app, s, ":objects :20000");
	assert_true(view_selected(app_view(app), &before));
	app_steps(app, s, ":sort_size");
	assert_true(view_selected(app_view(app), &after));
	assert_int_equal(after.node, before.node);
	app_steps(app, s, ":sort_distance :sort_root :sort_type :sort_address");
	assert_true(view_selected(app_view(app), &after));
	assert_int_equal(after.node, before.node);
	app_end(app);
}

/* If no row was ever chosen, the selection stays at the top. Opening the
   first row chooses it. */
TEST(test_sorting_at_the_top)
{
	static const struct {
		const char *steps;
		bool stays_on_top;
	} rows[] = {
		{ ":objects", true },
		{ ":objects ? Esc", true },
		{ ":objects Enter Esc", false },
		{ ":objects p Esc", false },
		{ ":objects j k", false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct app *app = app_on(leaky_heap());
		struct screen *s = screen_for_test(24, 80, false);
		struct row before, after;

		app_steps(app, s, rows[i].steps);
		assert_true(view_selected(app_view(app), &before));
		assert_int_equal(app_view(app)->cursor, 0);
		app_steps(app, s, ":sort_size");
		assert_true(view_selected(app_view(app), &after));
		if ((app_view(app)->cursor == 0) != rows[i].stays_on_top ||
		    (after.node == before.node) == rows[i].stays_on_top)
			fail_msg("%s: row %zu", rows[i].steps, app_view(app)->cursor);
		app_end(app);
	}
}

TEST(test_cells_wait_for_analyses)
{
	struct error err = { 0 };
	struct session *session =
	    session_new_of_heap(leaky_heap(), (struct waker){ NULL, NULL }, &err);
	struct app *app = app_new(session, &err);
	struct screen *s = screen_for_test(10, 120, false);

	assert_non_null(app);
	expect_steps(app, s, ":objects_Leaky.Node", "objects-pending");
	assert_true(session_require(session, NEED_REVERSE | NEED_REACH, &err));
	app_poll(app);
	expect_screen(app, s, "objects-arrived", false);
	app_end(app);
}

/* The types seen so far, and a source that takes them back. */
TEST(test_preview)
{
	static const struct loader nobody = { .path = "big.gcdump" };
	struct error err = { 0 };
	const struct heap *h = awkward_heap();
	struct session *session = session_new(&nobody, (struct waker){ NULL, NULL }, &err);
	struct app *app = app_new(session, &err);
	struct screen *s = screen_for_test(16, 80, false);

	assert_non_null(app);
	expect_screen(app, s, "preview-nothing", false);
	assert_true(
	    preview_publish(&session->preview, h->types, h->types_count, 12, 100, false, &err));
	session_enter(session);
	assert_true(view_update(app_view(app), &err));
	session_leave(session);
	expect_screen(app, s, "preview-some", false);
	preview_withdraw(&session->preview);
	session_enter(session);
	assert_true(view_update(app_view(app), &err));
	assert_int_equal(app_view(app)->rows_count, 0);
	session_leave(session);
	app_end(app);
	heap_free(h);
}

/* Where there was less room for a while, the same rows stand as before. */
TEST(test_resize_keeps_the_scroll)
{
	static const char *const steps[] = {
		"j Enter :300 ^U k k", "j Enter G k k k k", ":roots :40",
		"j Enter :300 j j j",  ":300 ^F ^F k",
	};
	struct screen *large = screen_for_test(60, 200, false);
	struct screen *small = screen_for_test(10, 40, false);

	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		struct app *app = app_on(leaky_heap());
		size_t cursor, top;

		app_steps(app, large, steps[i]);
		app_draw(app, large);
		cursor = app_view(app)->cursor;
		top = app_view(app)->top;
		app_draw(app, small);
		app_draw(app, large);
		assert_int_equal(app_view(app)->cursor, cursor);
		assert_int_equal(app_view(app)->top, top);
		app_steps(app, large, "Tab Tab Tab Esc");
		app_draw(app, large);
		assert_int_equal(app_view(app)->top, top);
		app_end(app);
	}
}

TEST(test_escape_never_quits)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);

	app_steps(app, s, "j Enter p :filter_x");
	for (int i = 0; i < 8; i++)
		assert_true(app_key(app, TK_ESCAPE));
	assert_int_equal(app->current, 0);
	assert_false(app_key(app, 'q') && app_key(app, 'q') && app_key(app, 'q'));
	app_end(app);
}

/* `q` closes what is on the screen and what is ahead; behind the last: quit. */
TEST(test_close)
{
	static const struct {
		const char *steps;
		size_t current; /* after a q; SIZE_MAX: the program ends */
	} rows[] = {
		{ "", SIZE_MAX },      { "j Enter r Esc Esc", SIZE_MAX },
		{ "? Esc", SIZE_MAX }, { "?", 0 },
		{ "j Enter j ?", 1 },  { "j Enter r Esc", 0 },
		{ "j Enter Tab", 1 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct app *app = app_on(leaky_heap());
		struct screen *s = screen_for_test(24, 80, false);
		bool goes_on;

		app_steps(app, s, rows[i].steps);
		goes_on = app_key(app, 'q');
		assert_int_equal(goes_on, rows[i].current != SIZE_MAX);
		if (goes_on) {
			assert_int_equal(app->current, rows[i].current);
			assert_int_equal(app->views_count, app->current + 1);
		}
		app_end(app);
	}
}

TEST(test_filter_comes_back)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	struct error err = { 0 };
	size_t all = app_view(app)->rows_count, some;

	app_steps(app, s, ":filter_leaky");
	some = app_view(app)->rows_count;
	assert_true(some > 0 && some < all);
	/* A filter that is none leaves the old one where it was. */
	assert_false(app_command(app, "filter (", &err));
	assert_int_equal(app_view(app)->rows_count, some);
	app_steps(app, s, ":filter");
	assert_int_equal(app_view(app)->rows_count, all);
	app_end(app);
}

RUN_ROWS(test_screen_case, cases);
