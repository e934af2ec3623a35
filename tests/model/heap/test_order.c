#include "model/heap/order.h"
#include "tests/made/graphs.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>

TEST(test_of_types)
{
	static const uint32_t sizes[] = { 1, 65535, 65536, 65537, 200001 };
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct graph *g = graph_mixed(i, sizes[i]);
		const struct heap *h = graph_heap(g);
		uint8_t types[11] = { [3] = 1, [7] = 1 };
		uint64_t bytes = 0;
		uint32_t count = 0;
		struct id_list list;

		assert_true(id_list_of_types(&list, h, types, NULL, &err));
		for (node_id n = 0; n < sizes[i]; n++) {
			if (!types[g->types[n]])
				continue;
			assert_true(count < list.count);
			assert_int_equal(list.ids[count++], n);
			bytes += graph_size(n);
		}
		assert_int_equal(list.count, count);
		assert_int_equal(list.bytes_count, bytes);
		id_list_free(&list);
		id_list_free(&list);

		assert_true(id_list_of_types(&list, h, NULL, NULL, &err));
		assert_int_equal(list.count, sizes[i]);
		assert_int_equal(list.ids[sizes[i] - 1], sizes[i] - 1);
		assert_int_equal(list.bytes_count, h->bytes_count);
		id_list_free(&list);
		heap_free(h);
		graph_free(g);
	}
}

static uint64_t
mix(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	return n ^ n >> 29;
}

/* Makes sort keys, from all equal to all different. */
static uint64_t
key_constant(const void *context, node_id n)
{
	(void)context;
	(void)n;
	return 42;
}

static uint64_t
key_few(const void *context, node_id n)
{
	(void)context;
	return 1000000 + mix(n) % 7;
}

static uint64_t
key_id(const void *context, node_id n)
{
	(void)context;
	return n;
}

static uint64_t
key_narrow(const void *context, node_id n)
{
	(void)context;
	return UINT64_MAX - mix(n) % UINT32_MAX;
}

static uint64_t
key_wide(const void *context, node_id n)
{
	(void)context;
	return mix(n);
}

/* Equal low halves, different high ones, and both ends of the range. */
static uint64_t
key_high(const void *context, node_id n)
{
	(void)context;
	return n % 3 ? mix(n) % 5 << 61 | n % 2 : UINT64_MAX * (n % 2);
}

static order_key *tested_key;
static bool tested_descending;

static int
compare(const void *a, const void *b)
{
	node_id left = *(const node_id *)a, right = *(const node_id *)b;
	uint64_t l = tested_key(NULL, left), r = tested_key(NULL, right);

	if (l != r)
		return (l < r) != tested_descending ? -1 : 1;
	/* The lists start in descending order of ids. */
	return left > right ? -1 : left < right;
}

static void
check_sort(uint32_t count)
{
	struct error err = { 0 };
	struct id_list list = { .count = count };
	node_id *wanted = memory_new((size_t)count + 1, sizeof(*wanted), &err);

	list.ids = memory_new((size_t)count + 1, sizeof(*list.ids), &err);
	assert_true(list.ids && wanted);
	for (uint32_t i = 0; i < count; i++)
		list.ids[i] = wanted[i] = (count - i) * 3;
	qsort(wanted, count, sizeof(*wanted), compare);
	assert_true(id_list_sort(&list, tested_key, NULL, tested_descending, NULL, &err));
	assert_memory_equal(list.ids, wanted, count * sizeof(*wanted));
	memory_free(wanted);
	id_list_free(&list);
}

TEST(test_sort)
{
	static order_key *const keys[] = { key_constant, key_few,  key_id,
					   key_narrow,   key_wide, key_high };
	static const uint32_t counts[] = { 0, 1, 2, 3, 1000, 65536, 150001 };

	for (size_t k = 0; k < COUNT_OF(keys); k++) {
		for (size_t i = 0; i < COUNT_OF(counts); i++) {
			tested_key = keys[k];
			tested_descending = false;
			check_sort(counts[i]);
			tested_descending = true;
			check_sort(counts[i]);
		}
	}
}

TEST(test_cancelled)
{
	struct error err = { 0 };
	struct progress progress = { 0 };
	const struct heap *h = heap_of_graph(graph_mixed(1, 100000));
	struct id_list list, stopped;

	assert_true(id_list_of_types(&list, h, NULL, NULL, &err));
	progress_cancel(&progress);
	assert_false(id_list_of_types(&stopped, h, NULL, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	assert_null(stopped.ids);
	error_clear(&err);
	assert_false(id_list_sort(&list, key_wide, NULL, false, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	for (uint32_t i = 0; i < list.count; i++)
		assert_int_equal(list.ids[i], i);
	id_list_free(&list);
	heap_free(h);
}
