#include "model/graph/reverse.h"
#include "model/heap/bits.h"
#include "tests/made/graphs.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"

#include <string.h>

/* The plain inversion: for each target its sources, ascending. */
struct inversion {
	uint64_t *starts;
	node_id *sources;
};

static struct inversion
invert(const struct graph *g)
{
	struct error err = { 0 };
	struct inversion v = {
		memory_new((size_t)g->nodes_count + 2, sizeof(uint64_t), &err),
		memory_new((size_t)g->refs_count + 1, sizeof(node_id), &err),
	};

	assert_true(v.starts && v.sources);
	for (uint64_t i = 0; i < g->refs_count; i++)
		v.starts[g->targets[i] + 2]++;
	for (node_id n = 0; n < g->nodes_count; n++)
		v.starts[n + 2] += v.starts[n + 1];
	for (node_id n = 0; n < g->nodes_count; n++)
		for (uint64_t i = g->starts[n]; i < g->starts[n + 1]; i++)
			v.sources[v.starts[g->targets[i] + 1]++] = n;
	return v;
}

static void
expect_referrers(const struct inversion *v, node_id n, struct referrers r)
{
	node_id source = NODE_NONE;

	for (uint64_t i = v->starts[n]; i < v->starts[n + 1]; i++) {
		if (!referrers_next(&r, &source) || source != v->sources[i])
			fail_msg("object %u: referrer %llu is %u, not %u", n,
				 (unsigned long long)(i - v->starts[n]), source, v->sources[i]);
	}
	if (referrers_next(&r, &source))
		fail_msg("object %u: %u is a referrer too many", n, source);
}

static void
check_graph(struct graph *g)
{
	struct error err = { 0 };
	const struct heap *h = graph_heap(g);
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	struct inversion v = invert(g);
	struct reverse_scan scan;

	assert_non_null(rev);
	assert_true(rev->bytes > 0);
	reverse_scan_init(&scan, rev, 0);
	for (node_id n = 0; n < h->nodes_count; n++) {
		uint64_t count = v.starts[n + 1] - v.starts[n];

		expect_referrers(&v, n, reverse_scan_next(&scan));
		expect_referrers(&v, n, reverse_of(rev, n));
		assert_int_equal(reverse_count(rev, n), count);
		assert_int_equal(bits_has(rev->referred, n), count > 0);
		assert_int_equal(bits_has(rev->several, n), count > 1);
	}
	reverse_scan_init(&scan, rev, h->nodes_count / 2);
	expect_referrers(&v, h->nodes_count / 2, reverse_scan_next(&scan));
	reverse_free(rev);
	heap_free(h);
	memory_free(v.starts);
	memory_free(v.sources);
	graph_free(g);
}

TEST(test_mixed)
{
	static const uint32_t sizes[] = { 1,     2,     7,     8,     9,      100,    5000,  65535,
					  65536, 65537, 70000, 71000, 131072, 140000, 300001 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		check_graph(graph_mixed(i, sizes[i]));
}

/* More chunks than are looked upon as few. */
TEST(test_many_chunks)
{
	check_graph(graph_mixed(77, 20 * 65536 + 5));
}

TEST(test_shapes)
{
	check_graph(graph_list(3));
	check_graph(graph_list(200000));
	check_graph(graph_hub(10));
	/* Below, at and above the size that counts as a hub. */
	for (uint32_t count = 60; count < 70; count++)
		check_graph(graph_hub(2 * count));
	/* Counts that run over a byte, exactly and by one. */
	for (uint32_t count = 254; count < 259; count++)
		check_graph(graph_hub(2 * count));
	check_graph(graph_hub(512 * 3));
	check_graph(graph_hub(1000000));
	check_graph(graph_new(1, 1));
}

TEST(test_no_objects)
{
	struct error err = { 0 };
	struct graph *g = graph_new(0, 1);
	const struct heap *h = graph_heap(g);
	const struct reverse *rev = reverse_compute(h, NULL, &err);

	assert_non_null(rev);
	reverse_free(rev);
	reverse_free(NULL);
	heap_free(h);
}

TEST(test_duplicates)
{
	struct graph *g = graph_new(20, 1);

	for (int i = 0; i < 300; i++) {
		graph_ref(g, 7, 7);
		graph_ref(g, 19, 7);
		graph_ref(g, 0, 7);
	}
	check_graph(g);
}

TEST(test_cancelled)
{
	struct error err = { 0 };
	struct progress progress = { 0 };
	const struct heap *h = heap_of_graph(graph_mixed(3, 200000));

	progress_cancel(&progress);
	assert_null(reverse_compute(h, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	heap_free(h);
}

TEST(test_progress_ends)
{
	struct error err = { 0 };
	struct progress progress = { 0 };
	const struct heap *h = heap_of_graph(graph_mixed(3, 200000));
	const struct reverse *rev = reverse_compute(h, &progress, &err);

	assert_non_null(rev);
	assert_int_equal(progress.done, progress.total);
	reverse_free(rev);
	heap_free(h);
}
