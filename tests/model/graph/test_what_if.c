#include "model/graph/freed.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>
#include <string.h>

/* The ignored part of the graph, computed in the plainest way. */
struct plain {
	const struct heap *h;
	const struct ignored_entry *entries;
	uint32_t count;
	const struct cut *cut;
};

static bool
plain_skips_ref(const struct plain *p, node_id source, node_id target)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct ignored_entry *e = &p->entries[i];

		if ((e->kind == IGNORED_REFERRER && e->what == source) ||
		    (e->kind == IGNORED_REF && e->what == source && e->target == target) ||
		    (e->kind == IGNORED_TYPE && e->what == heap_type_of(p->h, source)))
			return true;
	}
	return p->cut && p->cut->sources && bits_has(p->cut->sources, source) &&
	       bits_has(p->cut->targets, target);
}

static bool
plain_skips_root(const struct plain *p, uint32_t root)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct ignored_entry *e = &p->entries[i];

		if ((e->kind == IGNORED_ROOT && e->what == root) ||
		    (e->kind == IGNORED_ROOT_KIND && e->what == p->h->roots[root].kind))
			return true;
	}
	return p->cut && p->cut->roots && bits_has(p->cut->roots, root);
}

/* A mark for everything that is still reached. */
static uint8_t *
plain_reach(const struct plain *p)
{
	uint8_t *marks = calloc((size_t)p->h->nodes_count + 1, 1);
	node_id *stack = calloc((size_t)p->h->nodes_count + 1, sizeof(*stack));
	size_t count = 0;

	assert_true(marks && stack);
	for (uint32_t i = 0; i < p->h->roots_count; i++) {
		node_id n = p->h->roots[i].object;

		if (!marks[n] && !plain_skips_root(p, i)) {
			marks[n] = 1;
			stack[count++] = n;
		}
	}
	while (count) {
		node_id n = stack[--count], target;
		struct refs refs = heap_refs(p->h, n);

		while (refs_next(&refs, &target))
			if (!marks[target] && !plain_skips_ref(p, n, target)) {
				marks[target] = 1;
				stack[count++] = target;
			}
	}
	free(stack);
	return marks;
}

/* Every type's share, and the sum, against the marks. */
static void
expect_freed(const struct plain *p, const struct freed *freed, bool has_types)
{
	const struct plain all = { .h = p->h };
	uint8_t *before = plain_reach(&all), *now = plain_reach(p);
	struct freed_type *types = calloc((size_t)p->h->types_count + 1, sizeof(*types));
	uint64_t count = 0, bytes = 0;

	assert_non_null(types);
	for (node_id n = 0; n < p->h->nodes_count; n++) {
		if (!before[n] || now[n])
			continue;
		count++;
		bytes += heap_size(p->h, n);
		types[heap_type_of(p->h, n)].count++;
		types[heap_type_of(p->h, n)].bytes += heap_size(p->h, n);
	}
	assert_int_equal(freed->count, count);
	assert_int_equal(freed->bytes, bytes);
	for (uint32_t i = 0; i < freed->types_count; i++) {
		struct freed_type *wanted = &types[freed->types[i].type];

		assert_true(freed->types[i].count > 0);
		assert_int_equal(freed->types[i].count, wanted->count);
		assert_int_equal(freed->types[i].bytes, wanted->bytes);
		wanted->count = 0;
		if (i)
			assert_true(freed->types[i - 1].bytes >= freed->types[i].bytes);
	}
	for (type_id t = 0; has_types && t < p->h->types_count; t++)
		assert_int_equal(types[t].count, 0);
	free(types);
	free(before);
	free(now);
}

static void
check_entries(const struct heap *h, const struct reach *before, const struct ignored_entry *entries,
	      uint32_t count)
{
	const struct plain plain = { h, entries, count, NULL };
	struct error err = { 0 };
	const struct ignored *ig = ignored_new(h, entries, count, NULL, &err);
	const struct reach *now = reach_compute_without(h, true, ig, NULL, &err);
	uint64_t *bits = reach_bits(before, NULL, &err);
	struct freed freed;

	assert_true(ig && now && bits);
	assert_true(freed_compute(&freed, bits, now, NULL, &err));
	expect_freed(&plain, &freed, true);
	freed_clear(&freed);
	memory_free(bits);
	reach_free(now);
	ignored_free(ig);
}

static struct ignored_entry
some_entry(struct graph *g, const struct heap *h)
{
	struct ignored_entry e = { 0 };
	struct refs refs;

	e.kind = (enum ignored_kind)graph_random(g, IGNORED_TYPE + 1);
	e.what = e.kind == IGNORED_ROOT        ? graph_random(g, h->roots_count)
		 : e.kind == IGNORED_ROOT_KIND ? graph_random(g, ROOT_KIND_COUNT)
		 : e.kind == IGNORED_TYPE      ? graph_random(g, h->types_count)
					       : graph_random(g, h->nodes_count);
	if (e.kind != IGNORED_REF)
		return e;
	refs = heap_refs(h, e.what);
	if (!refs_next(&refs, &e.target))
		e.kind = IGNORED_REFERRER;
	return e;
}

static uint64_t *
some_bits(struct graph *g, uint32_t count, uint32_t one_in)
{
	uint64_t *bits = calloc(bits_words(count), sizeof(*bits));

	assert_non_null(bits);
	for (uint32_t i = 0; i < count; i++)
		if (!graph_random(g, one_in))
			bits_add(bits, i);
	return bits;
}

/* With one thing ignored already. */
static void
check_cut(struct graph *g, const struct heap *h)
{
	uint64_t *sources = some_bits(g, h->nodes_count, 2);
	uint64_t *targets = some_bits(g, h->nodes_count, 2);
	uint64_t *roots = some_bits(g, h->roots_count, 3);
	const struct cut cuts[] = { { sources, targets, NULL },
				    { NULL, NULL, roots },
				    { sources, targets, roots } };
	struct ignored_entry e = some_entry(g, h);
	struct error err = { 0 };
	const struct ignored *ig = ignored_new(h, &e, 1, NULL, &err);
	const struct reach *reach = reach_compute_without(h, true, ig, NULL, &err);

	assert_true(ig && reach);
	for (size_t i = 0; i < 3; i++) {
		const struct plain plain = { h, &e, 1, &cuts[i] };
		uint8_t *now = plain_reach(&plain);
		uint64_t left = 0;
		struct freed freed;

		assert_true(freed_by_cut(&freed, reach, ig, &cuts[i], NULL, &err));
		for (node_id n = 0; n < h->nodes_count; n++)
			left += now[n];
		assert_int_equal(reach->reachable_count - freed.count, left);
		assert_null(freed.types);
		free(now);
	}
	reach_free(reach);
	ignored_free(ig);
	free(sources);
	free(targets);
	free(roots);
}

static void
check_graph(struct graph *g)
{
	const struct heap *h = graph_heap(g);
	struct error err = { 0 };
	const struct reach *before = reach_compute(h, true, NULL, &err);
	struct ignored_entry entries[8];

	assert_non_null(before);
	check_entries(h, before, NULL, 0);
	for (int round = 0; round < 12; round++) {
		uint32_t count = 1 + graph_random(g, 8);

		for (uint32_t i = 0; i < count; i++)
			entries[i] = some_entry(g, h);
		check_entries(h, before, entries, count);
		check_cut(g, h);
	}
	reach_free(before);
	heap_free(h);
	graph_free(g);
}

TEST(test_graphs)
{
	static const uint32_t sizes[] = { 2, 5, 20, 100, 1000, 5000, 66000 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		check_graph(graph_mixed(i + 900, sizes[i]));
	check_graph(graph_list(1000));
	check_graph(graph_hub(1000));
}

/* --- the program that leaks ---------------------------------------------- */

static uint32_t
find_root(const struct heap *h, const char *name)
{
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (h->roots[i].kind == ROOT_STATIC && !strcmp(h->roots[i].name, name))
			return i;
	fail_msg("no static %s", name);
	return 0;
}

static uint64_t
freed_of_type(const struct freed *freed, type_id type)
{
	for (uint32_t i = 0; i < freed->types_count; i++)
		if (freed->types[i].type == type)
			return freed->types[i].count;
	return 0;
}

/* Ignoring all these static variables frees so many objects of a type. */
TEST(test_real)
{
	// clang-format off
	static const struct {
		const char *statics[4];
		const char *type;
		uint64_t count;
	} rows[] = {
		{ { "publisher" }, "Leaky.Subscriber", 200 },
		{ { "parent" }, "Leaky.Child", 1000 },
		{ { "longList" }, "Leaky.Link", 10000 },
		{ { "Ring" }, "Leaky.Node", 64 },
		/* No variable alone holds the sessions: a list, a dictionary and pairs do. */
		{ { "Sessions", "ById", "Pairs" }, "Leaky.Session", 5000 },
	};
	// clang-format on
	struct error err = { 0 };
	const struct heap *h = heap_of_file(LEAKY_10);
	const struct reach *before = reach_compute(h, true, NULL, &err);
	uint64_t *bits = reach_bits(before, NULL, &err);

	assert_true(h && before && bits);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ignored_entry entries[64];
		uint32_t count = 0;
		const struct ignored *ig;
		const struct reach *now;
		struct freed freed;

		for (; count < 4 && rows[i].statics[count]; count++)
			entries[count] =
			    (struct ignored_entry){ IGNORED_ROOT,
						    find_root(h, rows[i].statics[count]), 0 };
		for (uint32_t t = 0; t < before->static_tables_count; t++)
			entries[count++] = (struct ignored_entry){ IGNORED_STATIC_TABLE,
								   before->static_tables[t], 0 };
		ig = ignored_new(h, entries, count, NULL, &err);
		now = reach_compute_without(h, true, ig, NULL, &err);
		assert_true(ig && now);
		assert_true(freed_compute(&freed, bits, now, NULL, &err));
		assert_int_equal(freed_of_type(&freed, type_named(h, rows[i].type)), rows[i].count);
		freed_clear(&freed);
		reach_free(now);
		ignored_free(ig);
	}
	memory_free(bits);
	reach_free(before);
	heap_free(h);
}
