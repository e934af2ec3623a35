/* The view contents opens from every view that names a holder, and agrees with totals. */
#include "model/analysis/groups.h"
#include "tests/drive/jobs.h"
#include "tests/drive/lists.h"
#include "tests/drive/run_tests.h"
#include "tui/app/command.h"
#include "tui/app/views.h"
#include <inttypes.h>
#include <string.h>

static void
run(struct app *app, const char *commands)
{
	app_commands(app, commands);
	app_poll(app);
}

static uint64_t
number_in(const struct view *v, const char *column, const struct row *row)
{
	struct value value;
	int i = column_by_id(v->ops->table->columns, column);

	assert_true(i >= 0);
	view_cell(v, &v->ops->table->columns[i], row, &value);
	return value.number;
}

/* Without folding, contents are the holder and what totals say of all that is under it. */
TEST(raw_contents_are_totals)
{
	struct app *app = app_with_retention(leaky_heap());
	const struct heap *h = app->session->heap;

	for (node_id n = 5; n < h->nodes_count; n += h->nodes_count / 17) {
		struct type_sum *under, *held;
		const struct view *v;
		char line[128], at[24];

		address_format(heap_address(h, n), at);
		snprintf(line, sizeof line, "where under %s", at);
		list_open(app, "objects");
		list_open(app, line);
		v = list_open(app, "totals");
		assert_ptr_equal(v->ops, &view_totals);
		under = list_new_sums(v);
		list_read_sums(v, under);
		under[heap_type_of(h, n)].count++;
		under[heap_type_of(h, n)].bytes += heap_size(h, n);
		snprintf(line, sizeof line, "contents %s", at);
		list_open(app, line);
		v = list_open(app, "raw");
		assert_ptr_equal(v->ops, &view_contents);
		held = list_new_sums(v);
		list_read_sums(v, held);
		list_expect_same(v, line, held, under);
		memory_free(under);
		memory_free(held);
	}
	app_end(app);
}

/* Each row opens the objects that it counts. */
TEST(rows_open_their_objects)
{
	static const char *const of[] = {
		"contents Leaky.Session",
		"contents List<Leaky.Session>",
		"contents Leaky.Subscriber",
		"dominators; contents",
	};
	struct app *app = app_with_retention(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(of); i++) {
		const struct view *v, *objects;
		struct row row, object;
		size_t rows;

		run(app, of[i]);
		v = app_view(app);
		assert_ptr_equal(v->ops, &view_contents);
		rows = v->rows_count;
		assert_true(rows > 0);
		for (size_t k = 0; k < rows && k < 20; k++) {
			view_move_to(app_view(app), k);
			assert_true(view_selected(v, &row));
			assert_true(app_key(app, TK_ENTER));
			app_poll(app);
			objects = app_view(app);
			assert_ptr_equal(objects->ops, &view_objects);
			assert_int_equal(objects->rows_count, number_in(v, "count", &row));
			for (size_t j = 0; j < objects->rows_count; j++) {
				view_row(objects, j, &object);
				assert_int_equal(object.type, row.type);
			}
			run(app, "back");
		}
	}
	app_end(app);
}

/* The objects of a row are holders in turn: those in this holder only. */
TEST(rows_are_holders)
{
	struct app *app = app_with_retention(leaky_heap());
	const struct view *v;
	struct row row;
	uint64_t retained, sum = 0;

	run(app, "contents List<Leaky.Session>; row 2");
	v = app_view(app);
	assert_true(view_selected(v, &row));
	retained = number_in(v, "retained", &row);
	assert_true(app_key(app, 'w'));
	app_poll(app);
	v = app_view(app);
	assert_ptr_equal(v->ops, &view_contents);
	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		sum += number_in(v, "size", &row);
	}
	assert_int_equal(sum, retained);
	app_end(app);
}

/* The key works in every view with a holder in its row. */
TEST(every_holder_has_contents)
{
	static const char *const views[] = {
		"types",
		"objects Leaky.Session",
		"dominators",
		"treemap",
		"roots; row 2",
		"findings",
		"paths 7fe019dbb5c0; row 2",
		"tree 7fe019dbb5c0",
		"inspect 7fe019dbb5c0",
		"merged Leaky.Session; row 2",
		"ways Leaky.Session; row 2",
	};
	struct app *app = app_with_retention(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(views); i++) {
		run(app, views[i]);
		if (!app_key(app, 'w'))
			fail_msg("%s: no key", views[i]);
		app_poll(app);
		if (app_view(app)->ops != &view_contents)
			fail_msg("%s: %s", views[i], app->message);
		assert_true(app_view(app)->rows_count > 0);
	}
	app_end(app);
}

/* clang-format off */
static const struct screen_case screens[] = {
	{ "contents-80x24",  leaky_heap, 24, 80,  false, false, ":dominators j j j j j w" },
	{ "contents-40x10",  leaky_heap, 10, 40,  false, false, ":dominators j j j j j w" },
	{ "contents-200x60", leaky_heap, 60, 200, false, false, ":contents_Leaky.Session" },
	{ "contents-raw",    leaky_heap, 24, 80,  false, false, ":dominators j j j j j w f" },
	{ "contents-leaf",   leaky_heap, 10, 80,  false, false, ":contents_string" },
	{ "contents-what",   leaky_heap, 10, 80,  false, false, ":contents_xyzzy" },
};
/* clang-format on */

RUN_ROWS(test_retained_screen_case, screens);
