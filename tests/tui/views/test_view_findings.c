/* Findings on screens of several sizes, and while results arrive. */
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/made/graphs.h"
#include "tests/made/maker.h"
#include "tests/made/suspects.h"
#include <string.h>

/* clang-format off */
static const struct screen_case screen_cases[] = {
	{ "findings-80x24",       leaky_heap,   24, 80,  false, false, "9 wait" },
	{ "findings-200x60",      leaky_heap,   60, 200, false, false, ":findings" },
	{ "findings-40x10",       leaky_heap,   10, 40,  false, false, ":findings j" },
	{ "findings-100x30",      leaky_heap,   30, 100, false, false, ":findings" },
	{ "findings-20x80",       leaky_heap,   17, 80,  false, false, ":findings" },
	{ "findings-later",       leaky_heap,   24, 80,  false, false, ":findings G" },
	{ "findings-sorted",      leaky_heap,   24, 80,  false, false, ":findings :sort_kind" },
	{ "findings-filtered",    leaky_heap,   14, 80,  false, false, ":findings :filter_Session" },
	{ "findings-no-match",    leaky_heap,   14, 80,  false, false, ":findings :filter_xyzzy" },
	{ "findings-none",        awkward_heap, 14, 80,  false, false, ":findings" },
	{ "findings-none-narrow", awkward_heap, 24, 50,  false, false, ":findings" },
	{ "findings-objects",     leaky_heap,   14, 80,  false, false, ":findings Enter" },
	{ "findings-one-object",  leaky_heap,   24, 80,  false, false, ":findings G Enter" },
	{ "findings-tree",        leaky_heap,   14, 80,  false, false, ":findings r" },
};
static const struct screen_case with_retention[] = {
	{ "findings-retained-80x24",leaky_heap,   24, 80,  false, false, ":findings" },
	{ "findings-retained-200x60",leaky_heap,   60, 200, false, false, ":findings j" },
	{ "findings-retained-100x30",leaky_heap,  30, 100, false, false, ":findings" },
	{ "findings-retained-open",leaky_heap,   14, 80,  false, false, ":findings j Enter" },
	{ "findings-retained-40x10",leaky_heap,   10, 40,  false, false, ":findings" },
};
/* clang-format on */

/* No heading cuts a word or a name: on a small screen clauses are left out. A reason to be harmless
   is there as a whole or not at all. */
static void
expect_whole_sentences(const struct view *v)
{
	struct value value;
	const char *cut;

	assert_true(view_heading(v, 0, &value));
	cut = strstr(value.text, "…");
	if (cut && (cut == value.text || cut[-1] != ' '))
		fail_msg("%s", value.text);
	if (!view_heading(v, 1, &value) || strncmp(value.text, "no leak", 7))
		return;
	assert_null(strstr(value.text, "…"));
	assert_true(v->heading_lines >= 3 || v->area.width > 80);
}

TEST(test_sentences_are_whole)
{
	static const int sizes[][2] = { { 10, 40 }, { 24, 80 }, { 30, 100 } };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct app *app = app_with_retention(leaky_heap());
		struct screen *s = screen_for_test(sizes[i][0], sizes[i][1], false);
		struct view *v;

		app_steps(app, s, ":findings wait");
		v = app_view(app);
		assert_true(v->rows_count > 5);
		for (size_t row = 0; row < v->rows_count; row++) {
			view_move_to(v, row);
			app_steps(app, s, "wait");
			expect_whole_sentences(v);
		}
		app_end(app);
	}
}

/* Shown with what is known, and again with what comes. */
TEST(test_retention_arrive)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	struct error err = { 0 };
	size_t before;

	app_steps(app, s, ":findings j j");
	before = app_view(app)->rows_count;
	assert_true(session_require(app_session(app), NEED_RETAINED, &err));
	app_poll(app);
	assert_int_equal(app_view(app)->rows_count, before + 2);
	/* The selected one stays so, wherever it is now. */
	expect_screen(app, s, "findings-arrived", false);
	app_end(app);
}

/* Sentences of different lengths do not move them. */
TEST(test_rows_stay_in_place)
{
	static const struct {
		int rows, columns;
	} sizes[] = { { 24, 80 }, { 40, 45 }, { 18, 60 }, { 60, 200 } };
	struct app *app = app_on(leaky_heap());
	const struct view *v;

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct screen *s = screen_for_test(sizes[i].rows, sizes[i].columns, false);
		int lines;

		app_steps(app, s, ":findings g");
		v = app_view(app);
		lines = v->heading_lines;
		assert_in_range(lines, 2, sizes[i].rows / 2);
		for (size_t row = 1; row < v->rows_count; row++) {
			app_steps(app, s, "j");
			assert_int_equal(v->heading_lines, lines);
		}
	}
	app_end(app);
}

/* It is not about objects that could be mine, and no part of the heap. */
TEST(test_native_with_mine)
{
	struct app *app = app_on(heap_made(make_native, 128));
	struct screen *s = screen_for_test(24, 80, false);
	char *text;

	app_steps(app, s, "Z :findings");
	text = view_printed(app_view(app), TABLE_CSV, "kind,size,share", 9);
	assert_string_equal(text, "kind,size,share\nnative,134217728,\n");
	free(text);
	app_end(app);
}

/* A list of items whose types have names of more than `n` characters. */
static void
make_long_names(struct maker *m, size_t n)
{
	char item[1024] = "A.", array[sizeof item + 8], list[2 * sizeof item];
	uint64_t *items, inner, outer;

	memset(item + 2, 'x', n);
	item[2 + n] = '\0';
	snprintf(array, sizeof array, "%s[]", item);
	snprintf(list, sizeof list, "System.Collections.Generic.List<%s>", item);
	items = add_many(m, 100, item, 200, 0);
	inner = add(m, array, 24 + 8 * 128, items, 100);
	outer = add(m, list, 32, &inner, 1);
	free(items);
	root(m, outer, ROOT_STATIC, item);
}

/* The screen cuts names to its width; programs get them whole. */
TEST(test_names_are_whole_in_data)
{
	static const enum table_format formats[] = { TABLE_CSV, TABLE_TSV, TABLE_JSON,
						     TABLE_JSONL };
	struct app *app = app_on(heap_made(make_long_names, 700));
	struct screen *s = screen_for_test(24, 80, false);
	char name[701];

	memset(name, 'x', 700);
	name[700] = '\0';
	app_steps(app, s, ":findings");
	assert_true(app_has_text(app, s, "…"));
	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		char *text = view_printed(app_view(app), formats[i], "finding,what,why,kept_by", 9);
		const char *at = text;
		int count = 0;

		assert_null(strstr(text, "…"));
		for (; (at = strstr(at, name)) != NULL; at += strlen(name))
			count++;
		/* Items, list and root: in the sentence, and in a column each. */
		assert_int_equal(count, 6);
		free(text);
	}
	app_end(app);
}

RUN_ROWS(test_screen_case, screen_cases);
RUN_ROWS(test_retained_screen_case, with_retention);
