#include "model/graph/root_index.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"

/* Every object's root is the one that walking finds, and memory is used only where ways are
   long. */
static void
check(struct graph *g, bool wants_array)
{
	struct error err = { 0 };
	const struct heap *h = graph_heap(g);
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	struct root_index *index = root_index_new(reach, NULL, &err);

	assert_non_null(index);
	assert_int_equal(index->bytes > 0, wants_array);
	for (node_id n = 0; n < h->nodes_count; n++)
		assert_ptr_equal(root_index_find(index, n), reach_root(reach, n));
	root_index_free(index);
	reach_free(reach);
	heap_free(h);
	graph_free(g);
}

TEST(test_random)
{
	struct graph *g = graph_new(2000, 5);

	for (int i = 0; i < 3000; i++)
		graph_ref(g, graph_random(g, 2000), graph_random(g, 2000));
	for (int i = 0; i < 20; i++)
		graph_root(g, graph_random(g, 2000), ROOT_STATIC, "a");
	check(g, false);
}

/* Two lists that meet, told from both ends, and objects nobody reaches. */
TEST(test_long_lists)
{
	enum { LEN = 3000 };
	struct graph *g = graph_new(2 * LEN + 10, 2);

	for (node_id n = 0; n + 1 < LEN; n++) {
		graph_ref(g, n, n + 1);
		graph_ref(g, LEN + n + 1, LEN + n);
	}
	graph_ref(g, LEN - 1, LEN);
	graph_root(g, 0, ROOT_STACK, "Main");
	graph_root(g, 2 * LEN - 1, ROOT_STATIC, "List");
	check(g, true);
}

TEST(test_cancelled)
{
	struct graph *g = graph_new(1000, 1);
	struct progress progress = { 0 };
	struct error err = { 0 };
	const struct heap *h;
	const struct reach *reach;

	for (node_id n = 0; n < 999; n++)
		graph_ref(g, n, n + 1);
	graph_root(g, 0, ROOT_STATIC, "List");
	h = graph_heap(g);
	reach = reach_compute(h, true, NULL, &err);
	progress_cancel(&progress);
	assert_null(root_index_new(reach, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	reach_free(reach);
	heap_free(h);
}
