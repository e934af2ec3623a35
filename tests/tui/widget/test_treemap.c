/*
 * Treemaps of weights made up at random: every cell is covered once, every rectangle is as large as
 * it should be, each can be reached. Then the view on a heap: what its rectangles say adds up to
 * what an object retains.
 */
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "model/graph/dominated.h"
#include "tui/app/views.h"
#include "tui/widget/treemap_areas.h"
#include "tui/widget/treemap_layout.h"
#include <string.h>

static uint64_t seed;
static uint32_t
below(uint32_t end)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 33) % end);
}

/* ---- the layout ---------------------------------------------------------- */

static void
expect_cover(const struct treemap_rect *rects, size_t count, int height, int width)
{
	static uint8_t cells[64][256];

	memset(cells, 0, sizeof cells);
	for (size_t i = 0; i < count; i++) {
		const struct treemap_rect *r = &rects[i];

		assert_true(r->height >= 0 && r->width >= 0);
		for (int y = r->row; y < r->row + r->height; y++)
			for (int x = r->column; x < r->column + r->width; x++) {
				assert_in_range(y, 0, height - 1);
				assert_in_range(x, 0, width - 1);
				assert_int_equal(cells[y][x]++, 0);
			}
	}
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			assert_int_equal(cells[y][x], 1);
}

/*
 * Each edge is off by half a cell at most, so w × h is between (w-1) × (h-1) and (w+1) × (h+1) of
 * what it is exactly.
 */
static void
expect_areas(const uint64_t *weights, const struct treemap_rect *rects, size_t count, int height,
	     int width)
{
	double total = 0;

	for (size_t i = 0; i < count; i++)
		total += (double)weights[i];
	for (size_t i = 0; i < count; i++) {
		double exact = (double)weights[i] / total * height * width;
		double h = rects[i].height, w = rects[i].width;

		assert_true(exact < (h + 1) * (w + 1) + 0.01);
		if (h > 1 && w > 1)
			assert_true(exact > (h - 1) * (w - 1) - 0.01);
	}
}

static void
expect_reachable(const struct treemap_rect *rects, size_t count)
{
	static const int ways[][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 }, { 0, 1 } };
	bool is_reached[TREEMAP_MAX] = { true };
	size_t agenda[TREEMAP_MAX] = { 0 }, agenda_count = 1;

	for (size_t at = 0; at < agenda_count; at++)
		for (size_t i = 0; i < 4; i++) {
			size_t next =
			    treemap_neighbour(rects, count, agenda[at], ways[i][0], ways[i][1]);

			if (!is_reached[next])
				agenda[agenda_count++] = next;
			is_reached[next] = true;
		}
	assert_int_equal(agenda_count, count);
}

static size_t
make_weights(uint64_t *weights)
{
	size_t count = 1 + below(TREEMAP_MAX);
	unsigned kind = below(4);
	uint64_t last = UINT64_C(1) << (20 + below(20));

	for (size_t i = 0; i < count; i++) {
		weights[i] = kind == 0   ? 1 + below(1000)
			     : kind == 1 ? last
			     : kind == 2 ? UINT64_MAX - below(9)
					 : below(3);
		last -= last / (2 + below(9));
	}
	return count;
}

TEST(lays_out)
{
	struct treemap_rect rects[TREEMAP_MAX];
	uint64_t weights[TREEMAP_MAX], total;

	for (seed = 1; seed < 3000; seed++) {
		uint64_t before = seed;
		size_t count = make_weights(weights);
		int height = 1 + (int)below(60), width = 1 + (int)below(200);

		total = 0;
		for (size_t i = 0; i < count; i++)
			total |= weights[i];
		treemap_layout(weights, count, height, width, rects);
		expect_cover(rects, count, height, width);
		if (total)
			expect_areas(weights, rects, count, height, width);
		seed = before;
	}
}

TEST(fits_what_is_seen)
{
	struct treemap_rect rects[TREEMAP_MAX];
	uint64_t weights[TREEMAP_MAX];

	for (seed = 1; seed < 3000; seed++) {
		uint64_t before = seed;
		size_t count = make_weights(weights), drawn, seen;
		int height = 4 + (int)below(56), width = 10 + (int)below(190);

		seen = treemap_fit(weights, count, height, width, rects, &drawn);
		assert_in_range(drawn, 1, count);
		assert_true(drawn == seen || drawn == seen + 1);
		expect_cover(rects, drawn, height, width);
		expect_reachable(rects, drawn);
		for (size_t i = 0; i < drawn; i++)
			assert_true(rects[i].width > 2 && rects[i].height > 0);
		seed = before;
	}
}

/* One that holds nearly all is seen, whatever is beside it. */
TEST(keeps_the_largest)
{
	static const uint64_t weights[] = { 1000000, 1 };
	struct treemap_rect rects[2];
	size_t drawn;

	assert_int_equal(treemap_fit(weights, 2, 20, 80, rects, &drawn), 1);
	assert_int_equal(drawn, 1);
	assert_int_equal(rects[0].height * rects[0].width, 20 * 80);
}

/* ---- colours ------------------------------------------------------------- */

/* Rows of a group have its colour, which it keeps while it is among the largest. */
TEST(areas_are_of_groups)
{
	static const char *const names[] = { "A.One", "A.Two", "B.One",   "C.One",  "D.One",
					     "E.One", "F.One", "G.B.One", "A.Three" };
	static const uint64_t first[] = { 50, 60, 40, 30, 20, 10, 5, 1, 9 };
	static const uint64_t later[] = { 0, 0, 10, 30, 20, 10, 5, 500, 9 };
	struct made_type made[COUNT_OF(names)];
	type_id types[COUNT_OF(names)];
	struct treemap_areas a = { 0 };
	const struct heap *h;
	uint8_t area_c;

	for (size_t i = 0; i < COUNT_OF(names); i++)
		made[i] = (struct made_type){ 0, names[i], "app.dll", 1 };
	h = made_heap(made, COUNT_OF(names), 0);
	for (size_t i = 0; i < COUNT_OF(names); i++)
		types[i] = type_named(h, names[i]);
	types[3] = TYPE_NONE;
	treemap_areas_assign(&a, h, types, first, COUNT_OF(names));
	assert_int_equal(a.of_rows[3], TREEMAP_NO_AREA);
	types[3] = type_named(h, names[3]);
	treemap_areas_assign(&a, h, types, first, COUNT_OF(names));
	assert_int_equal(a.of_rows[0], a.of_rows[1]);
	assert_int_equal(a.of_rows[0], a.of_rows[8]);
	assert_true(a.has_others);
	for (size_t i = 1; i < COUNT_OF(names) - 1; i++)
		for (size_t j = 1; j < i; j++)
			assert_true(a.of_rows[i] != a.of_rows[j] || i > TREEMAP_AREAS);
	assert_string_equal(a.items[a.of_rows[0]].name, "A");
	assert_int_equal(a.of_rows[6], TREEMAP_NO_AREA);
	assert_int_equal(a.of_rows[7], TREEMAP_NO_AREA);
	area_c = a.of_rows[3];
	treemap_areas_assign(&a, h, types, later, COUNT_OF(names));
	assert_int_equal(a.of_rows[3], area_c);
	assert_int_not_equal(a.of_rows[7], TREEMAP_NO_AREA);
	assert_string_equal(a.items[a.of_rows[7]].name, "G.B");
	heap_free(h);
}

/* ---- the view ------------------------------------------------------------ */

static uint64_t
bytes_of_row(const struct view *v, const struct row *row)
{
	const struct column *retained = v->ops->table->columns;
	struct value value;

	while (strcmp(retained->id, "retained") != 0)
		retained++;
	view_cell(v, retained, row, &value);
	assert_int_equal(value.kind, VALUE_BYTES);
	return value.number;
}

static uint64_t
sum_of_rows(const struct view *v)
{
	uint64_t sum = 0;
	struct row row;

	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		sum += bytes_of_row(v, &row);
	}
	return sum;
}

/* From the heap down the objects that hold most, one by one and by type. */
TEST(adds_up)
{
	struct app *app = app_with_retention(leaky_heap());
	struct error err = { 0 };
	uint64_t whole = app_session(app)->heap->bytes_count;
	struct view *v;
	int levels = 0;

	assert_true(app_command(app, "treemap", &err));
	v = app_view(app);
	for (; levels < 20; levels++) {
		uint64_t sum = sum_of_rows(v);
		struct row row;

		/* A folded object leaves out a hundredth at most. */
		assert_true(sum <= whole && sum >= whole - whole / 100);
		whole = sum;
		app_key(app, key_parse("T"));
		assert_int_equal(sum_of_rows(v), whole);
		app_key(app, key_parse("T"));
		/* Small objects of a type are listed, not drawn. */
		view_row(v, 0, &row);
		view_move_to(v, row.kind == ROW_TYPE);
		assert_true(view_selected(v, &row));
		if (row.fold == FOLD_NONE)
			break;
		whole = bytes_of_row(v, &row);
		app_key(app, key_parse("Enter"));
	}
	assert_true(levels > 3);
	app_end(app);
}

/* The last area stands for objects that are one level below: those of a type, or whatever was too
   small for an area. */
static const struct others {
	const char *keys;
	int rows, columns;
} others_rows[] = { { ":treemap_string G", 24, 80 }, { "M G", 12, 60 } };

TEST(opens_others)
{
	for (size_t i = 0; i < COUNT_OF(others_rows); i++) {
		const struct others *o = &others_rows[i];
		struct app *app = app_with_retention(leaky_heap());
		struct screen *s = screen_for_test(o->rows, o->columns, false);
		const struct view *v;
		uint64_t others;
		struct row row;

		app_steps(app, s, o->keys);
		v = app_view(app);
		assert_true(view_selected(v, &row));
		assert_int_equal(row.kind, ROW_SKIP);
		others = bytes_of_row(v, &row);
		app_steps(app, s, "Enter t wait");
		assert_int_equal(sum_of_rows(v), others);
		app_end(app);
	}
}

/* With my code, the framework's objects count with those that hold them. */
TEST(counts_my_code)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	struct row row;

	app_steps(app, s, ":treemap t wait");
	assert_true(app_has_text(app, s, "byte[]"));
	app_steps(app, s, "Z wait");
	assert_true(app_has_text(app, s, "my code"));
	for (size_t i = 0; i < app_view(app)->rows_count; i++) {
		view_row(app_view(app), i, &row);
		if (row.kind == ROW_TYPE)
			assert_int_not_equal(app_session(app)->code_owners[row.type],
					     CODE_FRAMEWORK);
	}
	app_steps(app, s, "Z wait");
	assert_false(app_has_text(app, s, "my code"));
	app_end(app);
}

/* The small ones of a type are one row, and one level below is each of them; objects that are all
   too small for an area are listed. */
TEST(small_ones_are_by_type)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	const struct view *v;
	struct row row;
	size_t types = 0, lists = 0;

	app_steps(app, s, ":treemap t wait");
	v = app_view(app);
	for (size_t i = 0; i < v->rows_count; i++) {
		uint64_t bytes;

		view_move_to(app_view(app), i);
		assert_true(view_selected(v, &row));
		if (row.kind != ROW_TYPE)
			continue;
		types++;
		bytes = bytes_of_row(v, &row);
		app_steps(app, s, "Enter wait");
		if (app_view(app) != v) {
			assert_string_equal(app_view(app)->ops->command.name, "objects");
			assert_true(app_view(app)->rows_count > SIBLINGS_PAGE);
			app_steps(app, s, "q wait");
			lists++;
			continue;
		}
		assert_int_equal(sum_of_rows(v), bytes);
		view_row(v, 0, &row);
		assert_int_equal(row.kind, ROW_OBJECT);
		app_steps(app, s, "Backspace wait");
	}
	assert_true(types > 5);
	assert_true(lists > 0);
	app_end(app);
}

/* Three that hold nothing else, then one with many. */
static const struct heap *
chain_heap(void)
{
	struct graph *g = graph_new(2003, 3);

	for (node_id n = 0; n < 2; n++)
		graph_ref(g, n, n + 1);
	for (node_id n = 3; n < 2003; n++) {
		graph_ref(g, 2, n);
		g->types[n] = 1 + (n & 1);
	}
	graph_root(g, 0, ROOT_STATIC, "");
	return heap_of_graph(g);
}

TEST(folds_what_fills_the_screen)
{
	struct app *app = app_with_retention(chain_heap());
	struct screen *s = screen_for_test(24, 80, false);
	const struct view *v;

	app_steps(app, s, ":treemap");
	assert_true(app_has_text(app, s, "3 objects above hold little else"));
	v = app_view(app);
	assert_true(v->rows_count > 2);
	assert_int_equal(sum_of_rows(v), session_retained(v->session, 2).bytes);
	app_steps(app, s, "T");
	assert_int_equal(sum_of_rows(v), session_retained(v->session, 2).bytes);
	assert_int_equal(v->rows_count, 3);
	app_end(app);
}

/* At 80 by 24 none of 4,704 objects is large enough for an area. */
TEST(small_objects_are_listed)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);

	app_steps(app, s, ":treemap T wait Enter wait");
	assert_string_equal(app_view(app)->ops->command.name, "objects");
	assert_true(app_has_text(app, s, "Leaky.Session"));
	app_steps(app, s, "q wait");
	assert_string_equal(app_view(app)->ops->command.name, "treemap");
	app_end(app);
}

/* clang-format off */
static const struct screen_case screens[] = {
	{ "treemap-80x24",    leaky_heap,   24, 80,  false, false, "M" },
	{ "treemap-200x60",   leaky_heap,   60, 200, false, false, "M" },
	{ "treemap-40x10",    leaky_heap,   10, 40,  false, false, "M" },
	{ "treemap-ascii",    leaky_heap,   24, 80,  true,  false, "M" },
	{ "treemap-moved",    leaky_heap,   24, 80,  false, false, "M l l j" },
	{ "treemap-into",     leaky_heap,   24, 80,  false, false, "M l Enter" },
	{ "treemap-out",      leaky_heap,   24, 80,  false, false, "M l Enter Backspace" },
	{ "treemap-left",     leaky_heap,   10, 80,  false, false, "M Backspace" },
	{ "treemap-leaf",     leaky_heap,   16, 80,  false, false, ":treemap_Leaky.Session :sort_retained G Enter" },
	{ "treemap-others",   leaky_heap,   24, 80,  false, false, "M G Enter" },
	{ "treemap-by-type",  leaky_heap,   24, 80,  false, false, "M T" },
	{ "treemap-one-type", leaky_heap,   24, 80,  false, false, "M T Enter" },
	{ "treemap-of-type",  leaky_heap,   24, 80,  false, false, ":treemap_Leaky.Parent" },
	{ "treemap-of",       leaky_heap,   24, 80,  false, false, ":treemap_7fe019d511f8" },
	{ "treemap-table",    leaky_heap,   16, 80,  false, false, "M t" },
	{ "treemap-sorted",   leaky_heap,   16, 80,  false, false, "M :sort_size" },
	{ "treemap-picture",  leaky_heap,   16, 80,  false, false, "M :sort_size t" },
	{ "treemap-awkward",  awkward_heap, 24, 80,  false, false, "M" },
};
/* clang-format on */

TEST(shows)
{
	expect_screens(screens, COUNT_OF(screens), app_with_retention);
}

TEST(shows_in_colour)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(16, 70, false);

	app_steps(app, s, "M l");
	expect_screen(app, s, "treemap-styles", true);
	s->draws_patterns = true;
	expect_screen(app, s, "treemap-patterns", false);
	app_end(app);
}
