/*
 * Views that show what strings say, on a heap made of some: equal ones, of which most are dead, the
 * dead ones first.
 */
#include "tests/drive/jobs.h"
#include "tests/made/made_contents.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include "model/analysis/object_text.h"
#include <stdio.h>
#include <string.h>

enum { TEXT_UNITS_MAX = 64 };

static const struct {
	const char *text;
	int dead, live; /* strings that say so; dead ones lie before */
} texts[] = {
	{ "only dead", 3, 0 },
	{ "dead and alive", 5, 2 },
	{ "one is alive", 9, 1 },
	{ "live", 0, 4 },
};
enum { TEXTS = COUNT_OF(texts) };

static struct made_contents *made;
static const struct heap *heap;
static node_id subjects[TEXTS]; /* the first that is alive, or the first */

static void
put_texts(void)
{
	uint64_t addresses[TEXTS];

	made = made_contents_new(1);
	for (int i = 0; i < TEXTS; i++) {
		uint16_t units[TEXT_UNITS_MAX];
		uint32_t len = (uint32_t)strlen(texts[i].text);
		int count = texts[i].dead + texts[i].live;

		for (uint32_t k = 0; k < len; k++)
			units[k] = (uint8_t)texts[i].text[k];
		for (int n = 0; n < count; n++) {
			bool is_live = n >= texts[i].dead;
			uint64_t address = made_contents_put(made, MADE_TEXT, units, len, is_live);

			if (!n || (is_live && n == texts[i].dead))
				addresses[i] = address;
		}
	}
	made_contents_put(made, MADE_BOX, "1234", 4, false);
	heap = made_contents_heap(made);
	for (int i = 0; i < TEXTS; i++)
		subjects[i] = heap_find(heap, addresses[i]);
}

static struct app *
begin(void)
{
	put_texts();
	return app_on(heap);
}

static void
end(struct app *app)
{
	app->session->heap = NULL; /* it belongs to `made` */
	app_end(app);
	made_contents_free(made);
}

static void
command(struct app *app, const char *line)
{
	struct error err = { 0 };

	if (!app_command(app, line, &err))
		fail_msg("%s: %s", line, err.message);
	app_poll(app);
}

/* --- :strings ------------------------------------------------------------- */

static const char *
cell_of(const struct view *v, const struct row *row, const char *id, char out[VALUE_TEXT_BYTES])
{
	char text[VALUE_TEXT_BYTES];
	struct value value;

	view_cell(v, &v->ops->table->columns[column_by_id(v->ops->table->columns, id)], row,
		  &value);
	snprintf(out, VALUE_TEXT_BYTES, "%s", value_for_people(&value, text));
	return out;
}

/* The waste of live strings comes first; garbage is counted separately. */
TEST(live_and_dead_apart)
{
	static const struct {
		int text;
		const char *count, *dead, *wasted, *garbage;
	} wanted[] = {
		{ 3, "4", "0", "90 B", "0 B" },
		{ 1, "7", "5", "50 B", "250 B" },
		{ 0, "3", "3", "0 B", "120 B" },
		{ 2, "10", "9", "0 B", "414 B" },
	};
	struct app *app = begin();
	struct value heading;
	char out[VALUE_TEXT_BYTES];
	struct view *v;
	struct row row;

	command(app, "strings");
	v = app_view(app);
	assert_int_equal(v->rows_count, TEXTS);
	for (int i = 0; i < TEXTS; i++) {
		view_row(v, (size_t)i, &row);
		assert_string_equal(cell_of(v, &row, "text", out), texts[wanted[i].text].text);
		assert_int_equal(row.node, subjects[wanted[i].text]);
		assert_string_equal(cell_of(v, &row, "count", out), wanted[i].count);
		assert_string_equal(cell_of(v, &row, "dead", out), wanted[i].dead);
		assert_string_equal(cell_of(v, &row, "wasted", out), wanted[i].wasted);
		assert_string_equal(cell_of(v, &row, "garbage", out), wanted[i].garbage);
	}
	assert_true(view_code(v->ops)->heading(v, 0, &heading));
	assert_string_equal(heading.text,
			    "4 different texts in 24 strings, 1,050 B: live ones waste 140 B; 784 "
			    "B without a root");
	end(app);
}

/* The holders are those of the row's strings only. */
TEST(holders_of_a_row)
{
	struct app *app = begin();

	command(app, "strings");
	view_move_to(app_view(app), 1);
	command(app, "merged");
	assert_ptr_equal(app_view(app)->ops, &view_merged);
	assert_string_equal(app_view(app)->title, "merged strings dead and alive");
	assert_int_equal(app_view(app)->target.nodes_count, 7);
	app_close(app);
	command(app, "open");
	assert_true(view_is(app_view(app), &view_objects));
	assert_string_equal(app_view(app)->title, "strings dead and alive");
	assert_int_equal(app_view(app)->rows_count, 7);
	end(app);
}

static void
settle(struct app *app)
{
	do
		app_poll(app);
	while (app_is_busy(app));
	app_poll(app);
}

static void
expect_selected(struct app *app, const char *text)
{
	char out[VALUE_TEXT_BYTES];
	struct view *v = app_view(app);
	struct row row;

	settle(app);
	assert_true(view_selected(v, &row));
	assert_string_equal(cell_of(v, &row, "text", out), text);
}

/* Liveness and with it the order may change; the texts do not. */
TEST(row_stays_selected)
{
	struct app *app = begin();
	const struct ignored_entry all_roots = { IGNORED_ROOT_KIND, heap->roots[0].kind, 0 };
	struct error err = { 0 };

	app->session->waker = jobs_on_threads();
	command(app, "strings");
	settle(app);
	view_move_to(app_view(app), 0);
	expect_selected(app, texts[3].text);
	assert_true(what_if_ignore(app->session, &all_roots, 1, &err));
	expect_selected(app, texts[3].text);
	assert_int_equal(app_view(app)->cursor, 3);
	assert_true(what_if_stop_ignoring(app->session, SIZE_MAX, &err));
	expect_selected(app, texts[3].text);
	assert_int_equal(app_view(app)->cursor, 0);
	command(app, "set nostatics");
	expect_selected(app, texts[3].text);
	end(app);
}

/* --- lists of strings ----------------------------------------------------- */

/* Rows by what they say, as far as that is shown, and not by their type. */
TEST(strings_by_their_text)
{
	static const struct {
		const char *command, *filter;
		size_t rows;
	} lists[] = {
		{ "objects string", "", 24 },
		{ "objects string", "alive", 17 },
		{ "objects string", "size > 1 and /alive/", 17 },
		{ "find alive", "size > 1", 17 },
		{ "find \"alive\"", "one", 10 },
	};
	struct app *app = begin();

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct column *name;
		struct error err = { 0 };
		struct view *v;

		command(app, lists[i].command);
		v = app_view(app);
		assert_true(view_filter(v, lists[i].filter, &err));
		if (v->rows_count != lists[i].rows)
			fail_msg("%s, %s: %zu rows", lists[i].command, lists[i].filter,
				 v->rows_count);
		name = table_name_column(v->ops->table);
		assert_ptr_equal(name->from.cell, object_text_cell);
		assert_true(view_has_column(v, name, false));
		name = &v->ops->table->columns[column_by_id(v->ops->table->columns, "type")];
		assert_false(view_has_column(v, name, false));
		assert_true(view_has_column(v, name, true));
		assert_true(view_is(v, i < 3 ? &view_objects : &view_find));
	}
	end(app);
}

/* Of other objects it can be asked; its cell says nothing of them. */
TEST(text_of_any_object)
{
	struct app *app = begin();
	struct error err = { 0 };
	struct view *v;

	command(app, "objects");
	v = app_view(app);
	assert_int_equal(column_by_id(v->ops->table->columns, "type"),
			 table_name_column(v->ops->table) - v->ops->table->columns);
	assert_true(view_filter(v, "text ~ /^one is .*e$/", &err));
	assert_int_equal(v->rows_count, 10);
	assert_true(view_filter(v, "text = ''", &err));
	assert_int_equal(v->rows_count, 1);
	end(app);
}

/* --- filters -------------------------------------------------------------- */

/* Of objects it is what is meant; no other rows are searched for the word. */
TEST(live_is_no_text)
{
	static const struct {
		const char *command, *filter;
		int rows; /* with those of groups; negative: it is refused */
	} wanted[] = {
		{ "strings", "live", 3 }, { "strings", "dead", 1 }, { "strings", "/^live/", 1 },
		{ "objects", "live", 7 }, { "types", "live", -1 },  { "types", "/live/", 0 },
		{ "roots", "live", 8 },
	};
	struct app *app = begin();

	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		struct error err = { 0 };
		bool ok;

		command(app, wanted[i].command);
		ok = view_filter(app_view(app), wanted[i].filter, &err);
		if (ok != (wanted[i].rows >= 0) ||
		    (ok && app_view(app)->rows_count != (size_t)wanted[i].rows))
			fail_msg("%s, %s: %zu rows; %s", wanted[i].command, wanted[i].filter,
				 app_view(app)->rows_count, err.message);
	}
	end(app);
}
