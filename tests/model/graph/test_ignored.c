#include "model/graph/ignored.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"

enum { NODES = 8 };

/* Objects 0…7 refer to all of the others; types alternate between 0 and 1. */
static const struct heap *
full_heap(void)
{
	struct graph *g = graph_new(NODES, 2);
	const struct heap *h;

	for (node_id n = 0; n < NODES; n++) {
		g->types[n] = n & 1;
		for (node_id m = 0; m < NODES; m++)
			graph_ref(g, n, m);
	}
	graph_root(g, 1, ROOT_STATIC, "One");
	graph_root(g, 2, ROOT_STACK, "Main");
	graph_root(g, 4, ROOT_THREAD_STATIC, "Four");
	graph_root(g, 6, ROOT_STACK, "Main");
	h = graph_heap(g);
	graph_free(g);
	return h;
}

static void
expect_refs(const struct ignored *ig, const char *const wanted[NODES])
{
	for (node_id n = 0; n < NODES; n++) {
		bool has_some = false;

		for (node_id m = 0; m < NODES; m++) {
			bool is_out = wanted[n] && wanted[n][m] == 'x';

			has_some |= is_out;
			if (ignored_ref(ig, n, m) != is_out)
				fail_msg("%u → %u: wanted %d", n, m, is_out);
		}
		if (has_some)
			assert_true(ignored_some_of(ig, n));
		if (!wanted[n])
			assert_false(ignored_some_of(ig, n));
	}
}

TEST(test_kinds)
{
	static const struct {
		struct ignored_entry entries[3];
		uint32_t count;
		const char *refs[NODES]; /* x: left out */
		const char *roots;       /* of the objects 1, 2, 4, 6 */
	} rows[] = {
		{ { { 0 } }, 0, { 0 }, "----" },
		{ { { IGNORED_REFERRER, 3, 0 } }, 1, { [3] = "xxxxxxxx" }, "----" },
		{ { { IGNORED_REF, 3, 5 }, { IGNORED_REF, 0, 0 }, { IGNORED_REF, 3, 2 } },
		  3,
		  { [0] = "x-------", [3] = "--x--x--" },
		  "----" },
		{ { { IGNORED_ROOT, 1, 0 } }, 1, { 0 }, "-x--" },
		{ { { IGNORED_ROOT_KIND, ROOT_STACK, 0 } }, 1, { 0 }, "-x-x" },
		{ { { IGNORED_TYPE, 1, 0 } },
		  1,
		  { [1] = "xxxxxxxx", [3] = "xxxxxxxx", [5] = "xxxxxxxx", [7] = "xxxxxxxx" },
		  "----" },
		{ { { IGNORED_STATIC_TABLE, 7, 0 } }, 1, { [7] = "-x--x---" }, "----" },
		{ { { IGNORED_STATIC_TABLE, 7, 0 }, { IGNORED_REF, 7, 6 }, { IGNORED_ROOT, 0, 0 } },
		  3,
		  { [7] = "-x--x-x-" },
		  "x---" },
	};
	const struct heap *h = full_heap();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };
		const struct ignored *ig =
		    ignored_new(h, rows[i].entries, rows[i].count, NULL, &err);

		assert_non_null(ig);
		assert_int_equal(ig->entries_count, rows[i].count);
		expect_refs(ig, rows[i].refs);
		for (uint32_t r = 0; r < h->roots_count; r++)
			assert_int_equal(ignored_root(ig, r), rows[i].roots[r] == 'x');
		ignored_free(ig);
	}
	heap_free(h);
}

/* Entries or none, and tables behind them: as if all were entries. */
TEST(test_tables)
{
	static const struct ignored_entry entries[] = {
		{ IGNORED_REF, 3, 5 },
		{ IGNORED_ROOT, 1, 0 },
	};
	static const node_id tables[] = { 5, 7, NODES };
	static const struct {
		uint32_t entries_count, tables_count;
		const char *refs[NODES], *roots;
	} rows[] = {
		{ 0, 0, { 0 }, "----" },
		{ 0, 2, { [5] = "-x--x---", [7] = "-x--x---" }, "----" },
		{ 2, 0, { [3] = "-----x--" }, "-x--" },
		{ 2, 1, { [3] = "-----x--", [5] = "-x--x---" }, "-x--" },
	};
	const struct heap *h = full_heap();
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t count = rows[i].entries_count;
		const struct ignored *ig = ignored_with_tables(
		    h, count ? entries : NULL, count, tables, rows[i].tables_count, NULL, &err);

		assert_non_null(ig);
		assert_int_equal(ig->entries_count, count + rows[i].tables_count);
		expect_refs(ig, rows[i].refs);
		for (uint32_t r = 0; r < h->roots_count; r++)
			assert_int_equal(ignored_root(ig, r), rows[i].roots[r] == 'x');
		ignored_free(ig);
	}
	assert_null(ignored_with_tables(h, NULL, 0, tables, 3, NULL, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	heap_free(h);
}

TEST(test_nothing)
{
	assert_false(ignored_some_of(NULL, 0));
	assert_false(ignored_ref(NULL, 0, 1));
	assert_false(ignored_root(NULL, 0));
	ignored_free(NULL);
}

TEST(test_not_of_this_heap)
{
	static const struct ignored_entry rows[] = {
		{ IGNORED_REFERRER, NODES, 0 },
		{ IGNORED_REF, NODES, 0 },
		{ IGNORED_REF, 0, NODES },
		{ IGNORED_ROOT, 4, 0 },
		{ IGNORED_ROOT_KIND, ROOT_KIND_COUNT, 0 },
		{ IGNORED_TYPE, 2, 0 },
		{ IGNORED_STATIC_TABLE, NODES, 0 },
	};
	const struct heap *h = full_heap();

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };

		assert_null(ignored_new(h, &rows[i], 1, NULL, &err));
		assert_int_equal(err.kind, ERROR_INPUT);
	}
	heap_free(h);
}

TEST(test_cancelled)
{
	const struct ignored_entry entry = { IGNORED_TYPE, 1, 0 };
	const struct heap *h = full_heap();
	struct progress progress = { 0 };
	struct error err = { 0 };

	progress_cancel(&progress);
	assert_null(ignored_new(h, &entry, 1, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	heap_free(h);
}
