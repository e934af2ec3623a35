/*
 * Objects by size: edges of the classes, a heap counted the slow way, and what the screen shows of
 * it; each class lists as many objects as it says.
 */
#include "model/analysis/size_classes.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	uint64_t size;
	unsigned class;
} edges[] = {
	{ 0, 0 },   { 1, 0 },   { 2, 1 },     { 3, 1 },                     { 4, 2 },
	{ 24, 4 },  { 31, 4 },  { 32, 5 },    { UINT64_C(1) << 32, 32 },    { (UINT64_C(1) << 32) - 1, 31 },
	{ INT64_MAX, 62 },      { UINT64_C(1) << 63, 63 },                  { UINT64_MAX, 63 },
};
/* clang-format on */

TEST(has_edges)
{
	for (size_t i = 0; i < COUNT_OF(edges); i++) {
		unsigned class = size_class_of(edges[i].size);

		assert_int_equal(class, edges[i].class);
		assert_true(size_class_start(class) <= edges[i].size);
	}
}

static void
expect_classes(const struct heap *h, type_id type, const node_id *nodes, uint32_t count)
{
	struct size_class slow[SIZE_CLASSES] = { 0 }, all = { 0 };
	struct size_classes classes;
	struct error err = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		node_id n = nodes ? nodes[i] : i;
		uint64_t size = heap_size(h, n);
		unsigned class = 0;

		if (type != TYPE_NONE && heap_type_of(h, n) != type)
			continue;
		while (class < 63 && size >= UINT64_C(2) << class)
			class ++;
		slow[class].count++;
		slow[class].bytes += size;
		all.count++;
		all.bytes += size;
	}
	assert_true(size_classes_count(&classes, h, type, nodes, count, NULL, &err));
	assert_memory_equal(classes.items, slow, sizeof slow);
	assert_memory_equal(&classes.all, &all, sizeof all);
	for (unsigned i = 0; i < SIZE_CLASSES; i++)
		if (slow[i].count)
			assert_in_range(i, classes.first, classes.end - 1);
}

TEST(counts)
{
	const struct heap *heaps[] = { awkward_heap(), leaky_heap() };

	for (size_t i = 0; i < 2; i++) {
		const struct heap *h = heaps[i];
		const node_id nodes[] = { 3, 4, 8 };

		expect_classes(h, TYPE_NONE, NULL, h->nodes_count);
		for (type_id t = 0; t < h->types_count; t += 7)
			expect_classes(h, t, NULL, h->nodes_count);
		expect_classes(h, TYPE_NONE, nodes, 3);
		expect_classes(h, TYPE_NONE, nodes, 0);
		heap_free(h);
	}
}

TEST(can_be_stopped)
{
	const struct heap *h = leaky_heap();
	node_id *nodes = calloc(100000, sizeof *nodes);
	struct progress progress = { 0 };
	struct size_classes classes;
	struct error err = { 0 };

	progress_cancel(&progress);
	assert_false(size_classes_count(&classes, h, TYPE_NONE, nodes, 100000, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	free(nodes);
	heap_free(h);
}

static uint64_t
count_of(const struct view *v, const struct row *row)
{
	const struct column *c = v->ops->table->columns;
	struct value value;

	while (strcmp(c->id, "count") != 0)
		c++;
	view_cell(v, c, row, &value);
	return value.number;
}

/* Histograms of the whole heap and of a type. */
static const char *const opened[] = { "histogram", "histogram string" };

TEST(lists_what_it_counts)
{
	struct app *app = app_on(leaky_heap());
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(opened); i++) {
		struct view *v;

		assert_true(app_command(app, opened[i], &err));
		v = app_view(app);
		assert_true(v->rows_count > 3);
		for (size_t at = 0; at < v->rows_count; at++) {
			uint64_t count;
			struct row row;

			view_move_to(v, at);
			assert_true(view_selected(v, &row));
			count = count_of(v, &row);
			app_key(app, key_parse("Enter"));
			if (!count) {
				assert_ptr_equal(app_view(app), v);
				continue;
			}
			assert_int_equal(app_view(app)->rows_count, count);
			app_key(app, key_parse("q"));
		}
	}
	app_end(app);
}

/* clang-format off */
static const struct screen_case screens[] = {
	{ "histogram-80x24",    leaky_heap, 24, 80,  false, false, "H" },
	{ "histogram-200x60",   leaky_heap, 60, 200, false, false, "H" },
	{ "histogram-40x10",    leaky_heap, 10, 40,  false, false, "H" },
	{ "histogram-ascii",    leaky_heap, 24, 80,  true,  false, "H" },
	{ "histogram-type",     leaky_heap, 24, 80,  false, false, ":histogram_string" },
	{ "histogram-objects",  leaky_heap, 12, 80,  false, false, "H j Enter" },
	{ "histogram-empty",    leaky_heap, 24, 80,  false, false, "H G k k k Enter" },
	{ "histogram-by-count", leaky_heap, 12, 80,  false, false, "H :sort_count" },
};
/* clang-format on */

TEST(shows)
{
	expect_screens(screens, COUNT_OF(screens), app_on);
}
