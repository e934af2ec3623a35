/*
 * Async calls that wait: chains of random graphs beside what a plain search finds. Those of real
 * processes are in tests/io/clr/test_waits.c.
 */
#include "model/analysis/async.h"
#include "model/analysis/timers.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"
#include "tests/drive/cores.h"
#include "tests/judge/chains.h"
#include "tests/made/graphs.h"
#include "tests/made/made_calls.h"
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

/* With all tasks, each item is in a chain, in one only once, and from a fork one chain goes each
   way. */
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
		const struct heap *h = random_heap(seed, nodes, nodes * (uint32_t)(seed % 4 + 1));
		struct async_input in = { .heap = h, .with_tasks = true, .only = NODE_NONE };
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
	printf("300 graphs: %u chains, %u circles\n", (unsigned)chains, (unsigned)circles);
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
	type_id list =
	    heap_builder_type(b, "System.Collections.Generic.List<System.Object>", "", &err);
	type_id array = heap_builder_type(b, "System.Object[]", "", &err);
	type_id task = heap_builder_type(b, "System.Threading.Tasks.Task", "", &err);
	type_id box =
	    heap_builder_type(b,
			      "System.Runtime.CompilerServices.AsyncTaskMethodBuilder<System."
			      "Int32>+AsyncStateMachineBox<Some.Program+<Read>d__1>",
			      "/a.dll", &err);
	uint64_t elements = base + 32, calls = elements + 24 + 8 * MANY;
	uint64_t tasks = calls + 24 * MANY;
	const struct heap *h;
	struct async_input in = { .only = NODE_NONE };
	struct async_calls *c;
	bool ok = heap_stream_object(s, base, list, 32, 1, &err) &&
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
expect_chain(const struct heap *h, const struct async_calls *c, const char *chain, uint32_t count)
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
	fail_msg("no chain %s, but %s", chain, c->groups_count ? text : "none");
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
	expect_chain(h, c, "Source < Continuation < AsyncHelpers.RuntimeAsyncTask<Cart>", 1);
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

/* --- calls without boxes, by fields --------------------------------------- */

/* A suspended call that a helper resumes for a promise, and that awaits what the helper's second
   word says. Returns the helper. */
static uint64_t
put_call(struct made_calls *m, enum call_kind helper, uint64_t awaited, uint64_t goes_on)
{
	uint64_t resume = made_calls_resume(m, 0x7001);
	uint64_t at = made_calls_next(m, 0), promise = made_calls_next(m, 3);

	made_calls_put(m, helper, made_calls_next(m, 1), awaited,
		       helper == CALL_HELPER ? promise : 0);
	made_calls_put(m, CALL_ASK, made_calls_next(m, 1), resume, 2);
	made_calls_put(m, CALL_PAY, 0, resume, 1);
	made_calls_put(m, CALL_PROMISE, at, goes_on, 0);
	return at;
}

static void
expect_calls(struct made_calls *m, const char *const *chains, size_t count, uint32_t calls,
	     uint32_t completed)
{
	struct async_input in = { .heap = made_calls_heap(m), .only = NODE_NONE };
	struct async_calls *c = chains_find(&in);

	for (size_t i = 0; i < count; i++)
		expect_chain(in.heap, c, chains[i], 1);
	assert_int_equal(c->groups_count, count);
	assert_int_equal(c->calls_count, calls);
	assert_int_equal(c->completed_count, completed);
	assert_false(c->is_guess);
	chains_check_groups(in.heap, c);
	chains_check_sums(in.heap, c);
	async_free(c);
	made_calls_free(m);
}

#define ONE_CHAIN "Shop.Ask() 2 < Shop.Pay() 1 < AsyncHelpers.RuntimeAsyncTask<int>"

/* A task, and the call's own task, which another call awaits in a list. */
TEST(test_calls)
{
	static const char *const chains[] = { "Task < " ONE_CHAIN " < " ONE_CHAIN };
	struct made_calls *m = made_calls_new();
	uint64_t task = made_calls_next(m, 0), helper = made_calls_next(m, 1);

	made_calls_put(m, CALL_TASK, helper, 0, 0);
	put_call(m, CALL_HELPER, task, made_calls_next(m, 4));
	made_calls_put(m, CALL_LIST, made_calls_next(m, 1), 0, 0);
	made_calls_put(m, CALL_ARRAY, made_calls_next(m, 1), 0, 0);
	put_call(m, CALL_HELPER, made_calls_next(m, 0) - 3 * 64, 0);
	expect_calls(m, chains, 1, 4, 0);
}

/* The source of a ValueTask resumes the promise by a delegate; one whose fields are unknown is
   known by the helper. */
TEST(test_calls_of_sources)
{
	static const char *const chains[] = { "Source < " ONE_CHAIN, "Opaque < " ONE_CHAIN };
	struct made_calls *m = made_calls_new();
	uint64_t source = made_calls_next(m, 0);

	made_calls_put(m, CALL_SOURCE, made_calls_next(m, 1), 0, 0);
	made_calls_put(m, CALL_DELEGATE, made_calls_next(m, 4), 0, 0);
	put_call(m, CALL_WAITER, source, 0);
	source = made_calls_put(m, CALL_OPAQUE, 0, 0, 0);
	put_call(m, CALL_WAITER, source, 0);
	expect_calls(m, chains, 2, 4, 0);
}

/* The method called by Ask runs; other objects are left over, or idle. */
TEST(test_calls_that_run)
{
	static const char *const chains[] = { "Shop.Ask() -1 < Shop.Pay() 3" };
	struct made_calls *m = made_calls_new();
	uint64_t resume = made_calls_resume(m, 0x7001), ask;

	ask = made_calls_put(m, CALL_ASK, made_calls_next(m, 1), resume, 2);
	made_calls_put(m, CALL_PAY, 0, resume, 3);
	made_calls_put(m, CALL_PAY, 0, resume, 0);
	made_calls_put(m, CALL_UNKNOWN, 0, 0, 0);
	made_calls_put(m, CALL_HELPER, 0, 0, 0);
	made_calls_root(m, ask, ROOT_STACK_WORD);
	expect_calls(m, chains, 1, 2, 1);
}

/* Equal but for their unknown methods. */
TEST(test_calls_without_methods)
{
	struct made_calls *m = made_calls_new();
	struct async_input in = { .only = NODE_NONE };
	struct async_calls *c;

	for (uint64_t i = 0; i < 3; i++) {
		uint64_t resume = made_calls_resume(m, 0x7000 + i / 2);
		uint64_t call = made_calls_put(m, CALL_UNKNOWN, 0, resume, 0);

		made_calls_put(m, CALL_PROMISE, call, 0, 0);
	}
	in.heap = made_calls_heap(m);
	c = chains_find(&in);
	assert_int_equal(c->chains_count, 3);
	assert_int_equal(c->groups_count, 2);
	assert_int_equal(c->nameless_count, 3);
	assert_int_equal(c->items[0].code, 0x7000);
	async_free(c);
	made_calls_free(m);
}

/* Promises and continuations that lead back to themselves. */
TEST(test_calls_in_circles)
{
	struct made_calls *m = made_calls_new();
	struct async_input in = { .only = NODE_NONE };
	uint64_t resume = made_calls_resume(m, 0x7001), first;
	struct async_calls *c;

	first = made_calls_put(m, CALL_ASK, made_calls_next(m, 1), resume, 0);
	made_calls_put(m, CALL_PAY, first, resume, 0);
	made_calls_put(m, CALL_PROMISE, first, made_calls_next(m, 0), 0);
	made_calls_put(m, CALL_PROMISE, made_calls_next(m, 0), first, 0);
	in.heap = made_calls_heap(m);
	c = chains_find(&in);
	assert_int_equal(c->calls_count, 2);
	chains_check_groups(in.heap, c);
	chains_check_sums(in.heap, c);
	async_free(c);
	made_calls_free(m);
}
