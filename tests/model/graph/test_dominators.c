#include "io/gcdump/gcdump.h"
#include "model/graph/reach.h"
#include "model/graph/retained.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/judge/slow_dominators.h"
#include "tests/drive/run_tests.h"
#include <string.h>

/* All that is computed about one heap. */
struct computed {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct dominators *dominators;
	const struct retained *retained;
};

static struct computed
compute(const struct heap *h, const struct ignored *ig)
{
	struct error err = { 0 };
	struct computed c = { .heap = h };

	c.reverse = reverse_compute(h, NULL, &err);
	assert_non_null(c.reverse);
	c.dominators = dominators_compute(h, c.reverse, ig, 0, NULL, &err);
	assert_ok(c.dominators, &err);
	c.retained = retained_compute(c.dominators, NULL, &err);
	assert_non_null(c.retained);
	return c;
}

static void
computed_clear(const struct computed *c)
{
	retained_free(c->retained);
	dominators_free(c->dominators);
	reverse_free(c->reverse);
}

/* The layout is a preorder of trees, each object in it once. */
static void
expect_preorder(const struct dominators *d)
{
	uint32_t count = d->heap->nodes_count;

	for (uint32_t p = 0; p < count; p++) {
		uint32_t end = dominators_end(d, p), naive = p + 1;

		assert_int_equal(d->positions[d->objects[p]], p);
		assert_true(d->parents[p] <= p);
		while (naive < count && d->parents[naive] > p)
			naive++;
		if (end != naive)
			fail_msg("the subtree at %u ends at %u, not at %u", p, naive, end);
		if (p < d->reachable_count)
			assert_true(end <= d->reachable_count);
		/* Long lists would make this quadratic. */
		if (naive - p > 2000)
			p += 97;
	}
}

static void
expect_dominators(const struct dominators *d, const struct plain_graph *g)
{
	node_id *wanted = slow_dominators(g);

	for (node_id n = 0; n < g->count; n++) {
		if (dominators_of(d, n) != wanted[n])
			fail_msg("object %u: dominated by %u, not by %u", n, dominators_of(d, n),
				 wanted[n]);
		if (dominators_is_reachable(d, n) != g->is_reachable[n])
			fail_msg("object %u: reachable or not", n);
	}
	memory_free(wanted);
}

static void
expect_sum(struct retained_sum sum, uint64_t count, uint64_t bytes, const char *what, uint32_t id)
{
	if (sum.count != count || sum.bytes != bytes)
		fail_msg("%s %u retains %llu objects of %llu bytes, not %llu of %llu", what, id,
			 (unsigned long long)sum.count, (unsigned long long)sum.bytes,
			 (unsigned long long)count, (unsigned long long)bytes);
}

/* ---- brute force ---- */

/* held[x * count + y]: without x, nothing reaches y any more. */
static bool *
brute_force(const struct plain_graph *g)
{
	size_t count = g->count;
	struct error err = { 0 };
	bool *held = memory_new(count * count + 1, 1, &err);
	bool *without = memory_new(count + 1, 1, &err);
	bool *seen = memory_new(count + 1, 1, &err);

	assert_true(held && without && seen);
	for (node_id x = 0; x < count; x++) {
		without[x] = true;
		plain_graph_search(g, g->is_reachable[x], without, seen);
		without[x] = false;
		for (node_id y = 0; y < count; y++)
			held[x * count + y] = !seen[y] && g->is_reachable[x] == g->is_reachable[y];
	}
	memory_free(without);
	memory_free(seen);
	return held;
}

static void
expect_holds(const struct computed *c, const bool *held)
{
	const struct dominators *d = c->dominators;
	uint32_t count = d->heap->nodes_count;

	for (node_id x = 0; x < count; x++) {
		uint64_t objects = 0, bytes = 0;

		for (node_id y = 0; y < count; y++) {
			bool is_held = held[(size_t)x * count + y];

			if (dominators_holds(d, x, y) != is_held)
				fail_msg("%u holds %u: wanted %d", x, y, is_held);
			objects += is_held;
			bytes += is_held ? graph_size(y) : 0;
		}
		expect_sum(retained_of(c->retained, x), objects, bytes, "object", x);
	}
}

/* Returns the sum of all that objects of the set hold, each counted once. */
static struct retained_sum
brute_union(const bool *held, uint32_t count, const bool *set)
{
	struct retained_sum sum = { 0 };

	for (node_id y = 0; y < count; y++) {
		bool is_held = false;

		for (node_id x = 0; x < count; x++)
			is_held |= set[x] && held[(size_t)x * count + y];
		sum.count += is_held;
		sum.bytes += is_held ? graph_size(y) : 0;
	}
	return sum;
}

static void
expect_types(const struct computed *c, const bool *held)
{
	const struct heap *h = c->heap;
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	for (int only_reachable = 0; only_reachable < 2; only_reachable++) {
		struct retained_sum *sums =
		    retained_by_type(c->retained, only_reachable, &a, NULL, &err);
		bool *set = arena_array(&a, bool, h->nodes_count + 1, &err);

		assert_true(sums && set);
		for (type_id t = 0; t < h->types_count; t++) {
			struct retained_sum wanted;

			for (node_id n = 0; n < h->nodes_count; n++)
				set[n] =
				    heap_type_of(h, n) == t &&
				    (!only_reachable || dominators_is_reachable(c->dominators, n));
			wanted = brute_union(held, h->nodes_count, set);
			expect_sum(sums[t], wanted.count, wanted.bytes, "type", t);
		}
	}
	arena_clear(&a);
}

static void
expect_set(const struct computed *c, const bool *held, struct graph *g)
{
	uint32_t count = g->nodes_count, listed = 0;
	struct error err = { 0 };
	struct retained_sum sum, wanted;
	struct arena a;
	uint64_t *bits;
	node_id *list;
	bool *set;

	arena_init(&a, 0);
	bits = arena_array(&a, uint64_t, bits_words(count), &err);
	list = arena_array(&a, node_id, (size_t)count + 1, &err);
	set = arena_array(&a, bool, (size_t)count + 1, &err);
	assert_true(bits && list && set);
	for (node_id n = count; n-- > 0;) {
		if (graph_random(g, 4))
			continue;
		set[n] = true;
		bits_add(bits, n);
		list[listed++] = n;
	}
	wanted = brute_union(held, count, set);
	assert_true(retained_of_set(c->retained, bits, NULL, &sum, &err));
	expect_sum(sum, wanted.count, wanted.bytes, "set", 0);
	assert_true(retained_of_list(c->retained, list, listed, &sum, &err));
	expect_sum(sum, wanted.count, wanted.bytes, "list", 0);
	arena_clear(&a);
}

static void
check_small(struct graph *g, const struct heap *h, const struct ignored *ig)
{
	struct plain_graph *plain = plain_graph_new(h, ig);
	struct computed c = compute(h, ig);
	bool *held = brute_force(plain);

	expect_preorder(c.dominators);
	expect_dominators(c.dominators, plain);
	expect_holds(&c, held);
	expect_types(&c, held);
	expect_set(&c, held, g);
	memory_free(held);
	computed_clear(&c);
	plain_graph_free(plain);
}

/* ---- small graphs of every kind ---- */

static node_id
any(struct graph *g)
{
	return graph_random(g, g->nodes_count);
}

static void
add_any(struct graph *g)
{
	for (uint32_t i = graph_random(g, 2 * g->nodes_count); i > 0; i--)
		graph_ref(g, any(g), any(g));
}

static void
add_list(struct graph *g)
{
	for (node_id n = 1; n < g->nodes_count; n++)
		graph_ref(g, n - 1, n);
	for (uint32_t i = graph_random(g, 8); i > 0; i--)
		graph_ref(g, any(g), any(g));
}

static void
add_hub(struct graph *g)
{
	node_id hub = any(g);

	for (node_id n = 0; n < g->nodes_count; n++) {
		graph_ref(g, n, hub);
		if (graph_random(g, 2))
			graph_ref(g, hub, n);
	}
}

static void
add_tree(struct graph *g)
{
	for (node_id n = 1; n < g->nodes_count; n++) {
		node_id parent = graph_random(g, n);

		graph_ref(g, parent, n);
		if (!graph_random(g, 3))
			graph_ref(g, parent, n);
		if (!graph_random(g, 4))
			graph_ref(g, n, parent);
		if (!graph_random(g, 6))
			graph_ref(g, any(g), n);
	}
}

static void
add_twice(struct graph *g)
{
	add_tree(g);
	for (uint32_t i = graph_random(g, g->nodes_count); i > 0; i--) {
		node_id source = any(g), target = any(g);

		graph_ref(g, source, source);
		graph_ref(g, source, target);
		graph_ref(g, source, target);
	}
}

static void
add_sparse(struct graph *g)
{
	for (uint32_t i = graph_random(g, g->nodes_count); i > 0; i--)
		graph_ref(g, any(g), any(g));
}

static struct graph *
small_graph(uint64_t seed)
{
	static void (*const shapes[])(struct graph *) = {
		add_any, add_list, add_hub, add_tree, add_twice, add_sparse,
	};
	struct graph *g = graph_new(1, 1);
	uint32_t count, types;

	g->random += seed * UINT64_C(0x9e3779b97f4a7c15);
	g->random |= 1;
	count = 1 + graph_random(g, 36);
	types = 1 + graph_random(g, 5);
	seed = g->random;
	graph_free(g);
	g = graph_new(count, types);
	g->random = seed;
	for (node_id n = 0; n < count; n++)
		g->types[n] = graph_random(g, types);
	shapes[graph_random(g, COUNT_OF(shapes))](g);
	for (uint32_t i = graph_random(g, 5); i > 0; i--)
		graph_root(g, any(g), (enum root_kind)graph_random(g, ROOT_KIND_COUNT), "root");
	return g;
}

static const struct ignored *
some_ignored(struct graph *g, const struct heap *h)
{
	struct ignored_entry entries[6];
	uint32_t count = 1 + graph_random(g, 6);
	struct error err = { 0 };
	const struct ignored *ig;

	for (uint32_t i = 0; i < count; i++) {
		struct ignored_entry *e = &entries[i];

		e->kind = (enum ignored_kind)graph_random(g, IGNORED_STATIC_TABLE + 1);
		e->what = any(g);
		e->target = any(g);
		if (e->kind == IGNORED_REF && g->refs_count) {
			/* One that there is. */
			e->target = g->targets[graph_random(g, (uint32_t)g->refs_count)];
		}
		if (e->kind == IGNORED_ROOT && !h->roots_count)
			e->kind = IGNORED_ROOT_KIND;
		if (e->kind == IGNORED_ROOT)
			e->what = graph_random(g, h->roots_count);
		if (e->kind == IGNORED_ROOT_KIND)
			e->what = graph_random(g, ROOT_KIND_COUNT);
		if (e->kind == IGNORED_TYPE)
			e->what = graph_random(g, h->types_count);
	}
	ig = ignored_new(h, entries, count, NULL, &err);
	assert_non_null(ig);
	return ig;
}

TEST(test_small)
{
	enum { GRAPHS = 3000 };

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct graph *g = small_graph(seed);
		const struct heap *h = graph_heap(g);
		const struct ignored *ig = some_ignored(g, h);

		check_small(g, h, NULL);
		check_small(g, h, ig);
		ignored_free(ig);
		heap_free(h);
		graph_free(g);
	}
}

TEST(test_mixed)
{
	static const uint32_t sizes[] = { 1, 2, 7, 64, 65, 100, 129, 4097, 5000, 12000 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		const struct heap *h = heap_of_graph(graph_mixed(i + 7, sizes[i]));
		struct plain_graph *plain = plain_graph_new(h, NULL);
		struct computed c = compute(h, NULL);

		expect_preorder(c.dominators);
		expect_dominators(c.dominators, plain);
		computed_clear(&c);
		plain_graph_free(plain);
		heap_free(h);
	}
}

TEST(test_empty)
{
	struct graph *g = graph_new(0, 1);
	const struct heap *h = graph_heap(g);
	struct computed c = compute(h, NULL);

	assert_int_equal(c.dominators->reachable_count, 0);
	computed_clear(&c);
	heap_free(h);
}

/* ---- large ones ---- */

/* Threads add up a part of the objects each: compares with one set a type. */
static void
expect_types_of_sets(const struct computed *c)
{
	const struct heap *h = c->heap;
	struct error err = { 0 };
	struct arena a;
	const struct retained_sum *sums;

	arena_init(&a, 0);
	sums = retained_by_type(c->retained, false, &a, NULL, &err);
	assert_non_null(sums);
	for (type_id t = 0; t < h->types_count; t++) {
		uint64_t *bits = memory_new(bits_words(h->nodes_count), sizeof(*bits), &err);
		struct retained_sum wanted;

		assert_non_null(bits);
		for (node_id n = 0; n < h->nodes_count; n++) {
			if (heap_type_of(h, n) == t)
				bits_add(bits, n);
		}
		assert_true(retained_of_set(c->retained, bits, NULL, &wanted, &err));
		expect_sum(sums[t], wanted.count, wanted.bytes, "type", t);
		memory_free(bits);
	}
	arena_clear(&a);
}

/* graph_list(): the last object holds all. */
TEST(test_chain)
{
	uint32_t count = graph_long_list();
	const struct heap *h = heap_of_graph(graph_list(count));
	struct computed c = compute(h, NULL);
	uint64_t bytes = 0;

	for (node_id n = 0; n < count; n++) {
		bytes += graph_size(n);
		assert_int_equal(dominators_of(c.dominators, n), n + 1 < count ? n + 1 : NODE_NONE);
		if (!(n % 1009) || n + 1 == count)
			expect_sum(retained_of(c.retained, n), n + 1, bytes, "link", n);
	}
	computed_clear(&c);
	heap_free(h);
}

/* One holds a million, a tenth of which refer back and to each other. */
TEST(test_star)
{
	enum { COUNT = 1000000 };
	struct graph *g = graph_new(COUNT, 2);
	const struct heap *h;
	struct computed c;
	uint64_t bytes = 0;

	g->types[0] = 1;
	for (node_id n = 1; n < COUNT; n++) {
		graph_ref(g, 0, n);
		if (n % 10)
			continue;
		g->types[n] = 1;
		graph_ref(g, n, 0);
		graph_ref(g, n, n - 1);
	}
	graph_root(g, 0, ROOT_STATIC, "star");
	h = graph_heap(g);
	c = compute(h, NULL);
	for (node_id n = 0; n < COUNT; n++) {
		bytes += graph_size(n);
		assert_int_equal(dominators_of(c.dominators, n), n ? 0 : NODE_NONE);
	}
	expect_sum(retained_of(c.retained, 0), COUNT, bytes, "hub", 0);
	expect_types_of_sets(&c);
	computed_clear(&c);
	heap_free(h);
}

/*
 * A list whose first and last link hold the same objects: the ancestor of each of them is a whole
 * list away, which a climb step by step would not survive.
 */
TEST(test_long_climbs)
{
	uint32_t half = graph_long_list() / 10;
	struct graph *g = graph_new(2 * half, 3);
	const struct heap *h;
	struct computed c;

	for (node_id n = 0; n < 2 * half; n++)
		g->types[n] = graph_random(g, 3);
	/* The list first, so that the search goes down there. */
	for (node_id n = 1; n < half; n++)
		graph_ref(g, n - 1, n);
	for (node_id n = half; n < 2 * half; n++) {
		graph_ref(g, half - 1, n);
		graph_ref(g, 0, n);
		graph_ref(g, n, n == half ? n : n - 1);
	}
	graph_root(g, 0, ROOT_STATIC, "list");
	h = graph_heap(g);
	c = compute(h, NULL);
	for (node_id n = 1; n < 2 * half; n++)
		assert_int_equal(dominators_of(c.dominators, n), n < half ? n - 1 : 0);
	expect_types_of_sets(&c);
	computed_clear(&c);
	heap_free(h);
}

/* ---- real dumps ---- */

/* The tables of static variables, as they are left out on the screen. */
static const struct ignored *
without_tables(const struct heap *h)
{
	struct ignored_entry entries[8];
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	const struct ignored *ig;

	assert_non_null(reach);
	assert_in_range(reach->static_tables_count, 1, 8);
	for (uint32_t i = 0; i < reach->static_tables_count; i++)
		entries[i] =
		    (struct ignored_entry){ IGNORED_STATIC_TABLE, reach->static_tables[i], 0 };
	ig = ignored_new(h, entries, reach->static_tables_count, NULL, &err);
	assert_non_null(ig);
	reach_free(reach);
	return ig;
}

TEST(test_real_dumps)
{
	for (size_t i = 0; i < REAL_DUMPS; i++) {
		const struct heap *h = heap_of_file(real_dumps[i]);
		const struct ignored *ig = without_tables(h);

		for (int with = 0; with < 2; with++) {
			const struct ignored *out = with ? ig : NULL;
			struct plain_graph *plain = plain_graph_new(h, out);
			struct computed c = compute(h, out);

			expect_preorder(c.dominators);
			expect_dominators(c.dominators, plain);
			expect_types_of_sets(&c);
			computed_clear(&c);
			plain_graph_free(plain);
		}
		ignored_free(ig);
		heap_free(h);
	}
}

/*
 * The list of sessions: rooted by a static variable, whose table a handle roots. Without the
 * variable nothing holds it: the table's slot is the same variable. Only if tables count like all
 * else, they do.
 */
TEST(test_double_rooting)
{
	const struct heap *h = heap_of_file("tests/data/leaky-10.gcdump");
	const struct ignored *ig = without_tables(h), *both, *root_only;
	struct ignored_entry entries[2] = { ig->entries[0] };
	struct error err = { 0 };
	struct computed c;
	node_id list = NODE_NONE;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		if (strcmp(h->roots[i].name, "Sessions") != 0)
			continue;
		list = h->roots[i].object;
		entries[1] = (struct ignored_entry){ IGNORED_ROOT, i, 0 };
	}
	assert_int_not_equal(list, NODE_NONE);
	both = ignored_new(h, entries, 2, NULL, &err);
	root_only = ignored_new(h, &entries[1], 1, NULL, &err);
	assert_true(both && root_only);
	c = compute(h, ig);
	assert_int_equal(dominators_of(c.dominators, list), NODE_NONE);
	/* The publisher holds most sessions as well, but not their array. */
	assert_true(retained_of(c.retained, list).bytes > 65560);
	assert_true(dominators_is_reachable(c.dominators, list));
	computed_clear(&c);
	c = compute(h, both);
	assert_false(dominators_is_reachable(c.dominators, list));
	computed_clear(&c);
	c = compute(h, root_only);
	assert_true(dominators_is_reachable(c.dominators, list));
	computed_clear(&c);
	ignored_free(ig);
	ignored_free(both);
	ignored_free(root_only);
	heap_free(h);
}

/* ---- refusals ---- */

TEST(test_limit)
{
	const struct heap *h = heap_of_graph(graph_mixed(5, 200000));
	struct error err = { 0 };
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	const struct dominators *d;
	uint64_t peak;

	d = dominators_compute(h, rev, NULL, 0, NULL, &err);
	assert_non_null(d);
	peak = d->peak_bytes;
	dominators_free(d);
	assert_null(dominators_compute(h, rev, NULL, peak / 2, NULL, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_non_null(strstr(err.message, "MB are allowed"));
	error_clear(&err);
	d = dominators_compute(h, rev, NULL, peak * 5 / 4, NULL, &err);
	assert_non_null(d);
	dominators_free(d);
	reverse_free(rev);
	heap_free(h);
}

TEST(test_cancelled)
{
	const struct heap *h = heap_of_graph(graph_mixed(3, 200000));
	struct progress progress = { 0 };
	struct error err = { 0 };
	struct computed c = compute(h, NULL);
	struct retained_sum sum;
	uint64_t *set = memory_new(bits_words(200000), 8, &err);
	struct arena a;

	arena_init(&a, 0);
	progress_cancel(&progress);
	assert_null(dominators_compute(h, c.reverse, NULL, 0, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	assert_null(retained_compute(c.dominators, &progress, &err));
	assert_null(retained_by_type(c.retained, true, &a, &progress, &err));
	assert_false(retained_of_set(c.retained, set, &progress, &sum, &err));
	arena_clear(&a);
	memory_free(set);
	computed_clear(&c);
	heap_free(h);
	dominators_free(NULL);
	retained_free(NULL);
}
