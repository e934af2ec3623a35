/*
 * Async calls that wait: chains of random graphs beside what a plain search
 * finds. Those of real processes are in tests/io/clr/test_waits.c.
 */
#include "model/analysis/async.h"
#include "model/analysis/timers.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"
#include "tests/drive/cores.h"
#include "tests/judge/chains.h"
#include "tests/made/graphs.h"
#include "tests/made/suspects.h"
#include "tests/drive/targets.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

/* --- random graphs -------------------------------------------------------- */

static const char *const type_names[] = {
	"System.Runtime.CompilerServices.AsyncTaskMethodBuilder<System.Int32>+"
	"AsyncStateMachineBox<Some.Program+<Read>d__1>",
	"System.Runtime.CompilerServices.AsyncTaskMethodBuilder<System.Int32>+"
	"AsyncStateMachineBox<Some.Program+<Write>d__2>",
	"System.Threading.Tasks.Task<System.Int32>",
	"WhenAllPromise",
	"System.Collections.Generic.List<System.Object>",
	"System.Object[]",
};
enum { TYPES = COUNT_OF(type_names) };

static const struct heap *
random_heap(uint64_t seed, uint32_t nodes, uint32_t refs)
{
	struct graph *g = graph_new(nodes, TYPES);
	const struct heap *h;

	g->random = seed;
	for (uint32_t i = 0; i < TYPES; i++)
		g->type_names[i] = type_names[i];
	for (node_id n = 0; n < nodes; n++)
		g->types[n] = graph_random(g, TYPES);
	/* Pairs that refer to each other are what joins two calls. */
	for (uint32_t i = 0; i < refs; i++) {
		node_id a = graph_random(g, nodes), b = graph_random(g, nodes);

		graph_ref(g, a, b);
		if (graph_random(g, 3))
			graph_ref(g, b, a);
	}
	graph_root(g, 0, ROOT_STATIC, "all");
	h = graph_heap(g);
	graph_free(g);
	return h;
}

/* With all tasks, each item is in a chain, in one only once, and from a fork
   one chain goes each way. */
static void
check_cover(const struct async_calls *c)
{
	uint32_t *last = calloc(c->items_count + 1, sizeof(*last));
	uint32_t *begins = calloc(c->items_count + 1, sizeof(*begins));

	assert_true(last && begins);
	for (uint32_t i = 0; i < c->chains_count; i++) {
		struct async_walk w = async_walk_of(&c->chains[i]);
		const struct async_item *item;

		begins[c->chains[i].item]++;
		while ((item = async_walk_next(c, &w))) {
			uint32_t at = (uint32_t)(item - c->items);

			/* A fork may be where its own way ends. */
			assert_true(last[at] != i + 1 || w.is_over);
			last[at] = i + 1;
		}
		assert_true(w.end != ASYNC_IS_CUT);
	}
	for (uint32_t i = 0; i < c->items_count; i++) {
		assert_true(last[i] != 0);
		if (c->items[i].nexts_count > 1)
			assert_int_equal(begins[i], c->items[i].nexts_count);
	}
	free(last);
	free(begins);
}

/* Ways that come back are closed once, wherever one begins. */
static void
check_circles(const struct async_calls *c)
{
	for (uint32_t i = 0; i < c->items_count; i++) {
		uint32_t at = i, closed = 0;

		for (uint32_t k = 0; k <= c->items_count; k++) {
			const struct async_item *item = &c->items[at];

			if (item->nexts_count != 1)
				break;
			closed += item->ends_circle;
			assert_true(k < c->items_count || closed > 0);
			at = c->nexts[item->nexts_first];
		}
	}
}

TEST(test_random)
{
	uint64_t chains = 0, circles = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint32_t nodes = 10 + (uint32_t)(seed % 7) * 25;
		const struct heap *h =
		    random_heap(seed, nodes, nodes * (uint32_t)(seed % 4 + 1));
		struct async_input in = { .heap = h,
					  .with_tasks = true,
					  .only = NODE_NONE };
		struct async_calls *c = chains_find(&in);

		chains_check_groups(h, c);
		chains_check_sums(h, c);
		check_cover(c);
		check_circles(c);
		chains += c->chains_count;
		for (uint32_t i = 0; i < c->items_count; i++)
			circles += c->items[i].ends_circle;
		async_free(c);
		in.with_tasks = false;
		c = chains_find(&in);
		chains_check_groups(h, c);
		chains_check_sums(h, c);
		async_free(c);
		heap_free(h);
	}
	printf("300 graphs: %u chains, %u circles\n", (unsigned)chains,
	       (unsigned)circles);
	assert_true(chains > 1000 && circles > 100);
}

/* Each call awaits the next one: the chain is as long as the heap. */
TEST(test_deep)
{
	enum { CALLS = 100000 };
	struct graph *g = graph_new(CALLS, TYPES);
	struct async_input in = { .only = NODE_NONE };
	struct async_calls *c;
	struct async_walk w;

	for (uint32_t i = 0; i < TYPES; i++)
		g->type_names[i] = type_names[i];
	for (node_id n = 0; n + 1 < CALLS; n++)
		graph_ref(g, n + 1, n);
	for (node_id n = 0; n + 1 < CALLS; n++)
		graph_ref(g, n, n + 1);
	graph_root(g, 0, ROOT_STATIC, "first");
	in.heap = graph_heap(g);
	c = chains_find(&in);
	assert_int_equal(c->chains_count, 1);
	assert_int_equal(c->calls_count, CALLS);
	w = async_walk_of(c->chains);
	while (async_walk_next(c, &w))
		;
	assert_int_equal(w.depth, ASYNC_DEPTH_MAX);
	assert_int_equal(w.end, ASYNC_IS_CUT);
	async_free(c);
	heap_free(in.heap);
}

TEST(test_cancelled)
{
	const struct heap *h = random_heap(1, 1000, 3000);
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct progress progress = { 0 };
	struct timers timers = { 0 };
	struct error err = { 0 };

	progress_cancel(&progress);
	assert_null(async_find(&in, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	error_clear(&err);
	assert_false(timers_find(h, &timers, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	timers_clear(&timers);
	heap_free(h);
}

/* A list of a group holds a reference to the calls, and can be stopped. */
TEST(test_held)
{
	const struct heap *h = random_heap(1, 1000, 3000);
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct progress progress = { 0 };
	struct async_calls *c = chains_find(&in), *held = async_hold(c);
	struct error err = { 0 };
	node_id *nodes;

	assert_true(c->groups_count > 0);
	async_free(c);
	nodes = async_group_nodes(held, 0, &progress, &err);
	assert_non_null(nodes);
	memory_free(nodes);
	progress_cancel(&progress);
	assert_null(async_group_nodes(held, 0, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	async_free(held);
	heap_free(h);
}

/* Many tasks with one list of many calls: it is read once. */
TEST(test_shared_list)
{
	static const uint64_t base = UINT64_C(0x7f0000001000);
	enum { MANY = 300 };
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct heap_builder *b = heap_stream_builder(s);
	type_id list = heap_builder_type(
	    b, "System.Collections.Generic.List<System.Object>", "", &err);
	type_id array = heap_builder_type(b, "System.Object[]", "", &err);
	type_id task =
	    heap_builder_type(b, "System.Threading.Tasks.Task", "", &err);
	type_id box = heap_builder_type(
	    b,
	    "System.Runtime.CompilerServices.AsyncTaskMethodBuilder<System."
	    "Int32>+AsyncStateMachineBox<Some.Program+<Read>d__1>",
	    "/a.dll", &err);
	uint64_t elements = base + 32, calls = elements + 24 + 8 * MANY;
	uint64_t tasks = calls + 24 * MANY;
	const struct heap *h;
	struct async_input in = { .only = NODE_NONE };
	struct async_calls *c;
	bool ok =
	    heap_stream_object(s, base, list, 32, 1, &err) &&
	    heap_stream_ref(s, elements, &err) &&
	    heap_stream_object(s, elements, array, 24 + 8 * MANY, MANY, &err);

	for (uint64_t i = 0; ok && i < MANY; i++)
		ok = heap_stream_ref(s, calls + 24 * i, &err);
	for (uint64_t i = 0; ok && i < MANY; i++)
		ok = heap_stream_object(s, calls + 24 * i, box, 24, 0, &err);
	for (uint64_t i = 0; ok && i < MANY; i++)
		ok = heap_stream_object(s, tasks + 24 * i, task, 24, 1, &err) &&
		     heap_stream_ref(s, base, &err);
	assert_true(ok);
	h = heap_stream_finish(s, NULL, &err);
	assert_non_null(h);
	in.heap = h;
	c = async_find(&in, NULL, &err);
	assert_non_null(c);
	assert_int_equal(c->nexts_count, MANY);
	async_free(c);
	heap_free(h);
}

/* --- calls without boxes -------------------------------------------------- */

static void
expect_chain(const struct heap *h, const struct async_calls *c,
	     const char *chain, uint32_t count)
{
	char text[CHAIN_TEXT_BYTES];

	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];

		chain_write(h, c, &c->chains[g->chains_first], text);
		if (!strcmp(text, chain)) {
			assert_int_equal(g->chains_count, count);
			return;
		}
	}
	fail_msg("no chain %s", chain);
}

TEST(test_continuations)
{
	const struct heap *h = heap_made(make_chains, 30);
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = chains_find(&in);

	expect_chain(h, c,
		     "Task < Shop.Ask() < Shop.Pay() < Shop.Checkout() < "
		     "AsyncHelpers.RuntimeAsyncTask<int>",
		     30);
	assert_int_equal(c->groups_count, 1);
	/* One task is awaited by all; the helpers are not listed. */
	assert_int_equal(c->groups[0].objects_count, 30 * 4 + 1);
	assert_int_equal(c->calls_count, 90);
	assert_int_equal(c->completed_count, 0);
	assert_int_equal(c->nameless_count, 0);
	chains_check_groups(h, c);
	chains_check_sums(h, c);
	async_free(c);
	heap_free(h);
}

TEST(test_nameless_continuations)
{
	const struct heap *h = heap_made(make_nameless_chains, 30);
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = chains_find(&in);

	expect_chain(h, c,
		     "Task < Continuation < Continuation < Continuation < "
		     "AsyncHelpers.RuntimeAsyncTask<int>",
		     30);
	assert_int_equal(c->groups_count, 1);
	assert_int_equal(c->calls_count, 90);
	assert_int_equal(c->nameless_count, 90);
	async_free(c);
	heap_free(h);
}

TEST(test_odd_continuations)
{
	const struct heap *h = heap_made(make_odd_chains, 1);
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = chains_find(&in);

	expect_chain(h, c, "Continuation < Continuation", 1);
	expect_chain(h, c,
		     "Source < Continuation < "
		     "AsyncHelpers.RuntimeAsyncTask<Cart>",
		     1);
	assert_int_equal(c->groups_count, 2);
	assert_int_equal(c->calls_count, 3);
	assert_int_equal(c->completed_count, 1);
	async_free(c);
	in.with_completed = true;
	c = chains_find(&in);
	expect_chain(h, c, "Continuation", 1);
	assert_int_equal(c->groups_count, 3);
	async_free(c);
	heap_free(h);
}
