#include "model/graph/objsize.h"
#include "model/heap/order.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>
#include <string.h>

/* The same by the book: marks what can be reached, never what is `avoided`. */
static void
plain_mark(const struct heap *h, uint8_t *marks, const uint8_t *avoided, node_id start)
{
	node_id *stack = calloc((size_t)h->nodes_count + 1, sizeof(*stack));
	size_t count = 0;

	assert_non_null(stack);
	if (!marks[start] && !(avoided && avoided[start])) {
		marks[start] = 1;
		stack[count++] = start;
	}
	while (count) {
		struct refs refs = heap_refs(h, stack[--count]);
		node_id target;

		while (refs_next(&refs, &target)) {
			if (marks[target] || (avoided && avoided[target]))
				continue;
			marks[target] = 1;
			stack[count++] = target;
		}
	}
	free(stack);
}

static struct objsize
plain_objsize(const struct heap *h, const node_id *nodes, uint32_t count)
{
	size_t bytes = (size_t)h->nodes_count + 1;
	uint8_t *set = calloc(bytes, 1), *below = calloc(bytes, 1);
	uint8_t *others = calloc(bytes, 1);
	struct objsize size = { 0 };

	assert_true(set && below && others);
	for (uint32_t i = 0; i < count; i++) {
		set[nodes[i]] = 1;
		plain_mark(h, below, NULL, nodes[i]);
	}
	for (uint32_t i = 0; i < h->roots_count; i++)
		plain_mark(h, others, set, h->roots[i].object);
	for (node_id n = 0; n < h->nodes_count; n++) {
		size.set_count += set[n];
		size.set_bytes += set[n] * heap_size(h, n);
		size.count += below[n];
		size.bytes += below[n] * heap_size(h, n);
		if (below[n] && !others[n]) {
			size.exclusive_count++;
			size.exclusive_bytes += heap_size(h, n);
		}
	}
	free(set);
	free(below);
	free(others);
	return size;
}

static void
expect_plain(const struct heap *h, const node_id *nodes, uint32_t count)
{
	struct objsize wanted = plain_objsize(h, nodes, count), size;
	struct error err = { 0 };

	assert_true(objsize_compute(&size, h, nodes, count, NULL, NULL, &err));
	assert_int_equal(size.set_count, wanted.set_count);
	assert_int_equal(size.set_bytes, wanted.set_bytes);
	assert_int_equal(size.count, wanted.count);
	assert_int_equal(size.bytes, wanted.bytes);
	assert_int_equal(size.exclusive_count, wanted.exclusive_count);
	assert_int_equal(size.exclusive_bytes, wanted.exclusive_bytes);
}

/* Single objects, then sets of which some come twice. */
static void
check_graph(struct graph *g)
{
	enum { SET_MAX = 40 };
	const struct heap *h = graph_heap(g);
	node_id set[SET_MAX];

	expect_plain(h, NULL, 0);
	for (int i = 0; g->nodes_count && i < 30; i++) {
		uint32_t count = i < 15 ? 1 : graph_random(g, SET_MAX);

		for (uint32_t k = 0; k < count; k++)
			set[k] = graph_random(g, g->nodes_count);
		expect_plain(h, set, count);
	}
	heap_free(h);
	graph_free(g);
}

TEST(test_graphs)
{
	static const uint32_t sizes[] = { 1, 2, 9, 50, 300, 5000, 70000 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		check_graph(graph_mixed(i + 300, sizes[i]));
	check_graph(graph_list(3));
	check_graph(graph_list(70000));
	check_graph(graph_hub(2000));
	check_graph(graph_new(0, 1));
}

TEST(test_long_list)
{
	struct error err = { 0 };
	uint32_t count = graph_long_list();
	const struct heap *h = heap_of_graph(graph_list(count));
	node_id middle = count / 2;
	struct objsize size;

	assert_true(objsize_compute(&size, h, &middle, 1, NULL, NULL, &err));
	assert_int_equal(size.count, middle + 1);
	assert_int_equal(size.exclusive_count, middle + 1);
	assert_int_equal(size.set_count, 1);
	heap_free(h);
}

/* Objects 1 and 2 share object 0, until the reference from 2 is ignored. */
TEST(test_ignored)
{
	const struct ignored_entry entry = { IGNORED_REF, 2, 0 };
	struct error err = { 0 };
	struct graph *g = graph_new(4, 1);
	const struct ignored *ig;
	const struct heap *h;
	struct objsize size;
	node_id set = 1;

	graph_ref(g, 3, 1);
	graph_ref(g, 3, 2);
	graph_ref(g, 1, 0);
	graph_ref(g, 2, 0);
	graph_root(g, 3, ROOT_STATIC, "all");
	h = graph_heap(g);
	ig = ignored_new(h, &entry, 1, NULL, &err);
	assert_non_null(ig);
	assert_true(objsize_compute(&size, h, &set, 1, NULL, NULL, &err));
	assert_int_equal(size.count, 2);
	assert_int_equal(size.exclusive_count, 1);
	assert_true(objsize_compute(&size, h, &set, 1, ig, NULL, &err));
	assert_int_equal(size.count, 2);
	assert_int_equal(size.exclusive_count, 2);
	ignored_free(ig);
	heap_free(h);
}

TEST(test_cancelled)
{
	struct progress progress = { 0 };
	struct error err = { 0 };
	const struct heap *h = heap_of_graph(graph_mixed(7, 300000));
	struct objsize size;
	node_id first = 0;

	assert_true(objsize_compute(&size, h, &first, 1, NULL, &progress, &err));
	progress_cancel(&progress);
	assert_false(objsize_compute(&size, h, &first, 1, NULL, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	heap_free(h);
}

/* The facts that the program prints about itself, and what holds in every
   dump. */
TEST(test_real)
{
	// clang-format off
	static const struct {
		const char *type;
		uint64_t count, exclusive_min; /* without what they share */
	} rows[] = {
		{ "Leaky.Session", 5001, 2 * 5001 },  /* and a dictionary each */
		{ "List<Leaky.Session>", 1, 2 }, /* most are in a dictionary, too */
		{ "Leaky.Subscriber", 200, 2 * 200 }, /* and an array each */
		{ "Leaky.Parent", 1, 2 * 1000 + 3 },
		{ "Leaky.Child", 1000, 2 * 1000 },
	};
	// clang-format on
	struct error err = { 0 };
	const struct heap *h = heap_of_file(LEAKY_10);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t *types = calloc((size_t)h->types_count + 1, 1);
		struct id_list list = { 0 };
		struct objsize size;

		assert_non_null(types);
		types[type_named(h, rows[i].type)] = 1;
		assert_true(id_list_of_types(&list, h, types, NULL, &err));
		assert_true(objsize_compute(&size, h, list.ids, list.count, NULL, NULL, &err));
		assert_int_equal(size.set_count, rows[i].count);
		assert_int_equal(size.set_bytes, list.bytes_count);
		assert_true(size.exclusive_count >= rows[i].exclusive_min);
		expect_plain(h, list.ids, list.count);
		id_list_free(&list);
		free(types);
	}
	heap_free(h);
}
