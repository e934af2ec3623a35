#include "model/graph/reach.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"

#include <string.h>

/* The tiers and costs of the paths that were found, added up step by step. */
struct plain {
	uint8_t *tiers;
	uint32_t *costs; /* UINT32_MAX: not yet known */
};

static uint32_t
step_of(const struct reach *r, node_id n)
{
	return r->costs.steps[heap_type_of(r->heap, n)];
}

static void
plain_add(struct plain *p, const struct reach *r, node_id n)
{
	node_id end = n;
	uint32_t cost = 0;

	while (p->costs[end] == UINT32_MAX && r->distance[end]) {
		end = r->next[end];
		cost += step_of(r, end);
	}
	if (p->costs[end] == UINT32_MAX) {
		p->costs[end] = r->costs.roots[r->next[end]];
		p->tiers[end] = r->costs.tiers[r->next[end]];
	}
	cost += p->costs[end];
	for (node_id at = n; at != end; cost -= step_of(r, at)) {
		p->costs[at] = cost;
		p->tiers[at] = p->tiers[end];
		at = r->next[at];
	}
}

static struct plain
plain_costs(const struct reach *r)
{
	size_t count = (size_t)r->heap->nodes_count + 1;
	struct error err = { 0 };
	struct plain p = { memory_new(count, sizeof(uint8_t), &err),
			   memory_new(count, sizeof(uint32_t), &err) };

	assert_true(p.tiers && p.costs);
	memset(p.costs, 0xff, count * sizeof(uint32_t));
	memset(p.tiers, 0xff, count);
	for (node_id n = 0; n < r->heap->nodes_count; n++)
		if (r->distance[n] != DISTANCE_UNREACHABLE)
			plain_add(&p, r, n);
	return p;
}

static void
plain_clear(struct plain *p)
{
	memory_free(p->tiers);
	memory_free(p->costs);
}

static void
expect_no_worse(const struct plain *p, node_id n, uint8_t tier, uint32_t cost)
{
	assert_true(p->tiers[n] < tier || (p->tiers[n] == tier && p->costs[n] <= cost));
}

/* A path is the best if no root and no referrer offers a better one. */
static void
expect_best(const struct plain *p, const struct graph *g, const struct reach *r)
{
	for (uint32_t i = 0; i < r->heap->roots_count; i++)
		expect_no_worse(p, r->heap->roots[i].object, r->costs.tiers[i], r->costs.roots[i]);
	for (node_id n = 0; n < g->nodes_count; n++)
		for (uint64_t i = g->starts[n];
		     r->distance[n] != DISTANCE_UNREACHABLE && i < g->starts[n + 1]; i++)
			expect_no_worse(p, g->targets[i], p->tiers[n], p->costs[n] + step_of(r, n));
}

static bool
graph_has_ref(const struct graph *g, node_id source, node_id target)
{
	for (uint64_t i = g->starts[source]; i < g->starts[source + 1]; i++)
		if (g->targets[i] == target)
			return true;
	return false;
}

/* Each step is one nearer to a root, whatever the order. */
static void
expect_step(const struct graph *g, const struct reach *r, node_id n)
{
	uint32_t next = r->next[n];

	if (!r->distance[n]) {
		assert_true(next < r->heap->roots_count);
		assert_int_equal(r->heap->roots[next].object, n);
		return;
	}
	assert_true(next < g->nodes_count);
	assert_int_equal(r->distance[next] + 1, r->distance[n]);
	assert_true(graph_has_ref(g, next, n));
}

static void
expect_plain(const struct graph *g, const struct reach *r)
{
	struct plain p = plain_costs(r);
	uint64_t count = 0, bytes = 0;

	expect_best(&p, g, r);

	for (node_id n = 0; n < g->nodes_count; n++) {
		if (r->distance[n] == DISTANCE_UNREACHABLE) {
			assert_null(reach_root(r, n));
			continue;
		}
		count++;
		bytes += graph_size(n);
		expect_step(g, r, n);
	}
	assert_int_equal(r->reachable_count, count);
	assert_int_equal(r->reachable_bytes, bytes);
	plain_clear(&p);
}

static const char *const framework_types[] = {
	"", FRAMEWORK_TYPE "One",   "", "", FRAMEWORK_TYPE "Four", "",
	"", FRAMEWORK_TYPE "Seven", "", "", FRAMEWORK_TYPE "Ten",
};

static void
check_graph(struct graph *g)
{
	struct error err = { 0 };
	const struct heap *h;

	for (type_id t = 1; t < g->types_count; t += 3)
		g->type_names[t] = framework_types[t];
	h = graph_heap(g);
	for (int prefer_statics = 0; prefer_statics < 2; prefer_statics++) {
		struct progress progress = { 0 };
		const struct reach *r = reach_compute(h, prefer_statics, &progress, &err);

		assert_non_null(r);
		expect_plain(g, r);
		assert_int_equal(progress.done, progress.total);
		reach_free(r);
	}
	heap_free(h);
	graph_free(g);
}

TEST(test_mixed)
{
	static const uint32_t sizes[] = { 1,    2,     7,     8,     9,      100,
					  5000, 65535, 65536, 65537, 140000, 300001 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		check_graph(graph_mixed(i + 100, sizes[i]));
}

TEST(test_shapes)
{
	check_graph(graph_list(2));
	check_graph(graph_list(70000));
	check_graph(graph_hub(10));
	check_graph(graph_hub(20000));
	check_graph(graph_new(3, 1));
	check_graph(graph_new(0, 1));
}

TEST(test_long_list)
{
	struct error err = { 0 };
	uint32_t count = graph_long_list();
	const struct heap *h = heap_of_graph(graph_list(count));
	const struct reach *r = reach_compute(h, true, NULL, &err);

	assert_non_null(r);
	assert_int_equal(r->reachable_count, count);
	for (node_id n = 0; n < count; n++)
		assert_int_equal(r->distance[n], count - 1 - n);
	assert_string_equal(reach_root(r, 0)->name, "list");
	reach_free(r);
	heap_free(h);
}

/* The better of two roots is chosen by kind, distance and what it holds. */
TEST(test_best_root)
{
	// clang-format off
	static const struct {
		enum root_kind near, far; /* of 1, which holds 0; of 3 → 2 → 0 */
		const char *wanted;
		uint32_t distance;
	} rows[] = {
		{ ROOT_STATIC,    ROOT_STATIC,    "near", 1 },
		{ ROOT_STACK,     ROOT_STATIC,    "far",  2 },
		{ ROOT_STATIC,    ROOT_STACK,     "near", 1 },
		{ ROOT_STRONG,    ROOT_PINNED,    "near", 1 },
		{ ROOT_STACK_WORD, ROOT_STATIC,   "far",  2 },
		{ ROOT_FINALIZER, ROOT_STACK_WORD, "far", 2 },
		{ ROOT_FINALIZER, ROOT_STATIC,    "far",  2 },
		{ ROOT_FINALIZER, ROOT_STACK,     "far",  2 },
		{ ROOT_DEPENDENT, ROOT_FINALIZER, "far",  2 },
		{ ROOT_OTHER,     ROOT_DEPENDENT, "far",  2 },
		{ ROOT_OTHER,     ROOT_OTHER,     "near", 1 },
		{ ROOT_DEPENDENT, ROOT_OTHER,     "near", 1 },
	};
	// clang-format on

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct graph *g = graph_new(4, 1);
		struct error err = { 0 };
		const struct heap *h;
		const struct reach *r;

		graph_ref(g, 1, 0);
		graph_ref(g, 3, 2);
		graph_ref(g, 2, 0);
		graph_root(g, 1, rows[i].near, "near");
		graph_root(g, 3, rows[i].far, "far");
		h = graph_heap(g);
		r = reach_compute(h, true, NULL, &err);
		assert_non_null(r);
		assert_int_equal(r->distance[0], rows[i].distance);
		assert_string_equal(reach_root(r, 0)->name, rows[i].wanted);
		reach_free(r);
		heap_free(h);
		graph_free(g);
	}
}

/*
 * Which of two paths is the reason, by the names of their roots and the number of objects, of the
 * framework or not, on the way to the same object.
 */
struct reason {
	const char *name;
	struct {
		enum root_kind kind;
		const char *name;
		unsigned framework, own; /* objects before the last one */
	} paths[2];                      /* the first is the better one */
};
static const struct reason reasons[] = {
	{ "a stack before sockets",
	  { { ROOT_STACK, "Test.Program.Main", 2, 6 },
	    { ROOT_STATIC, "System.Threading.Engine.contexts", 15, 8 } } },
	{ "own variable before a framework's",
	  { { ROOT_STATIC, "Test.Cache.items", 0, 4 },
	    { ROOT_STATIC, "System.Threading.Engine.contexts", 1, 0 } } },
	{ "the framework's without its namespace",
	  { { ROOT_STATIC, "Test.Cache.items", 0, 5 }, { ROOT_STATIC, "Engine.contexts", 0, 1 } } },
	{ "own variable before a handle",
	  { { ROOT_STATIC, "Test.Cache.items", 2, 2 }, { ROOT_STRONG, "", 1, 0 } } },
	{ "own variable before own stack",
	  { { ROOT_STATIC, "Test.Cache.items", 0, 3 },
	    { ROOT_STACK, "Test.Program.Main", 0, 1 } } },
	{ "own stack before a long way",
	  { { ROOT_STACK, "Test.Program.Main", 0, 1 },
	    { ROOT_STATIC, "Test.Cache.items", 2, 0 } } },
	{ "own stack before a framework's",
	  { { ROOT_STACK, "Test.Program.Main", 0, 4 },
	    { ROOT_STACK, "System.Threading.Engine.Run", 0, 1 } } },
	{ "any reference before a stack word",
	  { { ROOT_STATIC, "System.Threading.Engine.contexts", 15, 8 },
	    { ROOT_STACK_WORD, "", 0, 0 } } },
	{ "a list of 400 before a stack word",
	  { { ROOT_STATIC, "Test.Cache.items", 0, 400 }, { ROOT_STACK_WORD, "", 0, 1 } } },
};

/* Adds the objects of a path that ends at object 0. */
static node_id
add_reason(struct graph *g, const struct reason *r, int which, node_id n)
{
	unsigned framework = r->paths[which].framework;
	unsigned count = framework + r->paths[which].own;
	node_id at = 0;

	for (unsigned i = 0; i < count; i++, at = n++) {
		g->types[n] = i < framework;
		graph_ref(g, n, at);
	}
	graph_root(g, at, r->paths[which].kind, r->paths[which].name);
	return n;
}

TEST_ROWS(test_reason, reasons)
{
	for (int order = 0; order < 2; order++) {
		const struct reason *row = *state;
		struct graph *g = graph_new(600, 2);
		struct error err = { 0 };
		const struct reach *r;
		const struct heap *h;
		node_id n;

		g->type_names[1] = FRAMEWORK_TYPE "Engine";
		n = add_reason(g, row, order, 1);
		add_reason(g, row, !order, n);
		h = graph_heap(g);
		r = reach_compute(h, true, NULL, &err);
		assert_non_null(r);
		assert_string_equal(reach_root(r, 0)->name, row->paths[0].name);
		assert_int_equal(r->distance[0], row->paths[0].framework + row->paths[0].own);
		reach_free(r);
		heap_free(h);
		graph_free(g);
	}
}

/*
 * A word on a stack against a variable behind 15 objects of the framework. It wins if it refers to
 * a task, 1, that has an object of a waiting thread, 2, to which that thread refers, too.
 */
struct word {
	const char *name;
	const char *waiter;     /* type of object 2 */
	const char *threads[2]; /* with words on the task and on 2; NULL: none */
	bool is_waited_for;     /* the task refers to 2 */
	bool wins;
};
#define WAITER FRAMEWORK_TYPE "Tasks.Task+SetOnInvokeMres"
static const struct word words[] = {
	{ "a thread that waits", WAITER, { "thread 1", "thread 1" }, true, true },
	{ "another thread waits", WAITER, { "thread 2", "thread 1" }, true, false },
	{ "no thread waits", WAITER, { "thread 1", NULL }, true, false },
	{ "it waits for another task", WAITER, { "thread 1", "thread 1" }, false, false },
	{ "another object",
	  FRAMEWORK_TYPE "Tasks.Task+Any",
	  { "thread 1", "thread 1" },
	  true,
	  false },
};

static struct graph *
word_graph(const struct word *w)
{
	enum { PLUMBING = 15 };
	struct graph *g = graph_new(3 + PLUMBING, 3);
	node_id end = 2 + PLUMBING;

	g->type_names[1] = FRAMEWORK_TYPE "Engine";
	g->type_names[2] = w->waiter;
	g->types[2] = 2;
	graph_ref(g, 1, 0);
	if (w->is_waited_for)
		graph_ref(g, 1, 2);
	for (node_id n = 3; n <= end; n++) {
		g->types[n] = 1;
		graph_ref(g, n, n == 3 ? 0 : n - 1);
	}
	graph_root(g, end, ROOT_STATIC, "System.Threading.Engine.contexts");
	for (node_id i = 0; i < 2; i++)
		if (w->threads[i])
			graph_root(g, 1 + i, ROOT_STACK_WORD, w->threads[i]);
	return g;
}

TEST_ROWS(test_word, words)
{
	const struct word *row = *state;
	struct graph *g = word_graph(row);
	struct error err = { 0 };
	const struct heap *h = graph_heap(g);
	const struct reach *r = reach_compute(h, true, NULL, &err);

	assert_non_null(r);
	assert_string_equal(reach_root(r, 0)->name,
			    row->wins ? "thread 1" : "System.Threading.Engine.contexts");
	assert_int_equal(r->distance[0], row->wins ? 1 : 15);
	for (uint32_t i = 0; i < h->roots_count; i++)
		assert_int_equal(reach_is_mere_word(r, i),
				 h->roots[i].kind == ROOT_STACK_WORD &&
				     !(row->wins && h->roots[i].object == 1));
	expect_plain(g, r);
	reach_free(r);
	heap_free(h);
	graph_free(g);
}

/* At one distance the better kind wins, then the lower id. */
TEST(test_equal_distances)
{
	struct error err = { 0 };
	struct graph *g = graph_new(10, 1);
	const struct heap *h;
	const struct reach *r;

	graph_ref(g, 1, 0);
	graph_ref(g, 2, 0);
	graph_ref(g, 3, 0);
	graph_ref(g, 2, 9);
	graph_ref(g, 3, 9);
	graph_root(g, 1, ROOT_STACK, "stack");
	graph_root(g, 3, ROOT_STATIC, "third");
	graph_root(g, 2, ROOT_STATIC, "second");
	graph_root(g, 5, ROOT_OTHER, "worse");
	graph_root(g, 5, ROOT_PINNED, "better");
	h = graph_heap(g);
	r = reach_compute(h, true, NULL, &err);
	assert_non_null(r);
	assert_string_equal(reach_root(r, 0)->name, "second");
	assert_string_equal(reach_root(r, 9)->name, "second");
	assert_string_equal(reach_root(r, 5)->name, "better");
	reach_free(r);
	heap_free(h);
}

/* Objects 0…9 are arrays as the table says, 10 and 11 are static. */
static struct graph *
tables_graph(void)
{
	struct graph *g = graph_new(14, 3);

	g->type_names[1] = "System.Object[]";
	g->type_names[2] = "System.String[]";
	for (node_id n = 0; n < 10; n++) {
		g->types[n] = 1;
		graph_ref(g, n, 10);
	}
	graph_root(g, 10, ROOT_STATIC, "Ten");
	graph_root(g, 11, ROOT_THREAD_STATIC, "Eleven");
	graph_root(g, 0, ROOT_STRONG, "");
	graph_ref(g, 0, 0);
	graph_ref(g, 0, 12);
	graph_ref(g, 0, 11);
	graph_root(g, 1, ROOT_PINNED, "");
	graph_root(g, 1, ROOT_STACK, "Main");
	/* No tables: somebody refers to it; a static holds it; … */
	graph_root(g, 2, ROOT_STRONG, "");
	graph_ref(g, 13, 2);
	graph_root(g, 3, ROOT_STRONG, "");
	graph_root(g, 3, ROOT_STATIC, "Three");
	/* … no handle does; it is not an Object[]; it holds no static. */
	graph_root(g, 4, ROOT_STACK, "Main");
	graph_root(g, 5, ROOT_STRONG, "");
	g->types[5] = 2;
	graph_root(g, 12, ROOT_STRONG, "");
	g->types[12] = 1;
	return g;
}

TEST(test_static_tables)
{
	struct error err = { 0 };
	struct graph *g = tables_graph();
	const struct heap *h = graph_heap(g);
	const struct reach *r = reach_compute(h, true, NULL, &err);

	assert_non_null(r);
	assert_int_equal(r->static_tables_count, 2);
	assert_int_equal(r->static_tables[0], 0);
	assert_int_equal(r->static_tables[1], 1);
	assert_int_equal(r->static_refs_count, 3);
	assert_true(reach_is_static_ref(r, 0, 10));
	assert_true(reach_is_static_ref(r, 0, 11));
	assert_true(reach_is_static_ref(r, 1, 10));
	assert_false(reach_is_static_ref(r, 0, 12));
	assert_false(reach_is_static_ref(r, 2, 10));
	assert_false(reach_is_static_ref(r, 9, 10));
	assert_int_equal(r->distance[10], 0);
	assert_string_equal(reach_root(r, 10)->name, "Ten");
	reach_free(r);

	r = reach_compute(h, false, NULL, &err);
	assert_non_null(r);
	assert_int_equal(r->static_tables_count, 0);
	assert_int_equal(r->static_refs_count, 0);
	assert_false(reach_is_static_ref(r, 0, 10));
	assert_string_equal(reach_root(r, 10)->name, "Ten");
	reach_free(r);
	heap_free(h);
}

/* All sessions leak through static variables, nearly all through one list. */
static void
expect_sessions(const struct reach *r, uint32_t wanted)
{
	uint32_t count = 0, in_list = 0;

	for (node_id n = 0; n < r->heap->nodes_count; n++) {
		const struct root *root;

		if (strcmp(heap_type(r->heap, n)->raw, "Leaky.Session") != 0)
			continue;
		root = reach_root(r, n);
		assert_non_null(root);
		assert_int_equal(root->kind, ROOT_STATIC);
		count++;
		in_list += strcmp(root->name, "Sessions") == 0;
	}
	assert_int_equal(count, wanted);
	assert_in_range(in_list, wanted - 20, wanted);
}

TEST(test_real_dumps)
{
	static const struct {
		const char *path;
		uint64_t reachable, reachable_bytes;
		uint32_t sessions;
	} rows[] = {
		{ "tests/data/leaky-8.gcdump.zst", 31724, 2329453, 5001 },
		{ "tests/data/leaky-9.gcdump.zst", 31735, 2305839, 5001 },
		{ "tests/data/leaky-10.gcdump", 31731, 2305779, 5001 },
		{ "tests/data/leaky-10-server.gcdump.zst", 31733, 2305859, 5001 },
		{ "tests/data/leaky-10-later.gcdump.zst", 52437, 3758507, 10001 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };
		const struct heap *h = heap_of_file(rows[i].path);
		const struct reach *r;

		r = reach_compute(h, true, NULL, &err);
		assert_non_null(r);
		assert_int_equal(r->reachable_count, rows[i].reachable);
		assert_int_equal(r->reachable_bytes, rows[i].reachable_bytes);
		/* The table is the runtime's Object[1020]. */
		assert_int_equal(r->static_tables_count, 1);
		assert_int_equal(heap_size(h, r->static_tables[0]), 8184);
		assert_in_range(r->static_refs_count, 325, 369);
		expect_sessions(r, rows[i].sessions);
		reach_free(r);
		heap_free(h);
	}
}

TEST(test_cancelled)
{
	struct error err = { 0 };
	struct progress progress = { 0 };
	const struct heap *h = heap_of_graph(graph_mixed(3, 200000));

	progress_cancel(&progress);
	assert_null(reach_compute(h, true, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	reach_free(NULL);
	heap_free(h);
}
