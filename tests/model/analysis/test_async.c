/*
 * Async calls that wait, and timers: of tests/programs/samples/Waits.cs on
 * every runtime, beside what ClrMD says of their fields; and chains of random
 * graphs beside what a plain search finds.
 */
#include "model/analysis/async.h"
#include "model/analysis/timers.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"
#include "tests/drive/cores.h"
#include "tests/made/graphs.h"
#include "tests/drive/targets.h"
// clang-format off
#include "tests/drive/run_tests.h"
// clang-format on
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 8192 };

/* --- chains as text ------------------------------------------------------- */

static struct async_walk
walk_of(const struct async_chain *chain)
{
	return (struct async_walk){ .item = chain->item, .next = chain->next };
}

static size_t
append(char *out, size_t at, const char *text)
{
	int written = snprintf(out + at, TEXT_BYTES - at, "%s", text);

	assert_true(written >= 0 && (size_t)written < TEXT_BYTES - at);
	return at + (size_t)written;
}

/* "A(0) B C(1) itself" */
static void
write_chain(const struct heap *h, const struct async_calls *c,
	    const struct async_chain *chain, char out[TEXT_BYTES])
{
	static const char *const ends[] = { "", " several", " itself", " cut" };
	struct async_walk w = walk_of(chain);
	const struct async_item *item;
	size_t at = 0;
	char state[16];

	out[0] = '\0';
	while ((item = async_walk_next(c, &w))) {
		const char *name = heap_type(h, item->node)->short_name;

		if (!strncmp(name, "async ", 6))
			name += 6;
		at = append(out, at, at ? " < " : "");
		at = append(out, at, name);
		if (item->has_state) {
			snprintf(state, sizeof(state), " %d", (int)item->state);
			at = append(out, at, state);
		}
	}
	append(out, at, ends[w.end]);
}

static struct async_calls *
find(const struct async_input *in)
{
	struct error err = { 0 };
	struct async_calls *c = async_find(in, NULL, &err);

	if (!c)
		fail_msg("%s", err.message);
	return c;
}

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

static int
compare_texts(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Each group has the chains of one text, and no two groups have the same. */
static void
check_groups(const struct heap *h, const struct async_calls *c)
{
	char text[TEXT_BYTES], **texts;
	uint32_t chains = 0;

	texts = calloc(c->groups_count + 1, sizeof(*texts));
	assert_non_null(texts);
	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];

		assert_int_equal(g->chains_first, chains);
		assert_true(g->chains_count > 0);
		chains += g->chains_count;
		write_chain(h, c, &c->chains[g->chains_first], text);
		texts[i] = strdup(text);
		for (uint32_t k = 1; k < g->chains_count; k++) {
			write_chain(h, c, &c->chains[g->chains_first + k],
				    text);
			assert_string_equal(text, texts[i]);
		}
	}
	assert_int_equal(chains, c->chains_count);
	qsort(texts, c->groups_count, sizeof(*texts), compare_texts);
	for (uint32_t i = 0; i < c->groups_count; i++) {
		assert_true(!i || strcmp(texts[i - 1], texts[i]) != 0);
		if (i)
			free(texts[i - 1]);
	}
	if (c->groups_count)
		free(texts[c->groups_count - 1]);
	free(texts);
}

/* The objects of a group, looked for one by one. */
static void
check_sums(const struct heap *h, const struct async_calls *c)
{
	uint8_t *seen = calloc(h->nodes_count, 1);

	assert_non_null(seen);
	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];
		struct error err = { 0 };
		uint64_t bytes = 0;
		node_id *nodes;

		memset(seen, 0, h->nodes_count);
		for (uint32_t k = 0; k < g->chains_count; k++) {
			struct async_walk w =
			    walk_of(&c->chains[g->chains_first + k]);
			const struct async_item *item;

			while ((item = async_walk_next(c, &w)))
				seen[item->node] = 1;
		}
		nodes = async_group_nodes(c, i, NULL, &err);
		assert_non_null(nodes);
		for (uint32_t k = 0; k < g->objects_count; k++) {
			assert_int_equal(seen[nodes[k]], 1);
			assert_true(!k || nodes[k - 1] < nodes[k]);
			seen[nodes[k]] = 0;
			bytes += heap_size(h, nodes[k]);
		}
		assert_int_equal(bytes, g->bytes);
		assert_null(memchr(seen, 1, h->nodes_count));
		memory_free(nodes);
	}
	free(seen);
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
		struct async_walk w = walk_of(&c->chains[i]);
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
		struct async_calls *c = find(&in);

		check_groups(h, c);
		check_sums(h, c);
		check_cover(c);
		check_circles(c);
		chains += c->chains_count;
		for (uint32_t i = 0; i < c->items_count; i++)
			circles += c->items[i].ends_circle;
		async_free(c);
		in.with_tasks = false;
		c = find(&in);
		check_groups(h, c);
		check_sums(h, c);
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
	c = find(&in);
	assert_int_equal(c->chains_count, 1);
	assert_int_equal(c->calls_count, CALLS);
	w = walk_of(c->chains);
	while (async_walk_next(c, &w))
		;
	assert_int_equal(w.depth, ASYNC_DEPTH_MAX);
	assert_int_equal(w.end, ASYNC_IS_CUT);
	async_free(c);
	heap_free(in.heap);
	graph_free(g);
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

/* Who lists a group holds the calls, and can be stopped. */
TEST(test_held)
{
	const struct heap *h = random_heap(1, 1000, 3000);
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct progress progress = { 0 };
	struct async_calls *c = find(&in), *held = async_hold(c);
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

/* --- real ones ------------------------------------------------------------ */

static const char *variables[] = { NULL, "SAMPLES=waits", NULL };
static const char *const sections[] = { "async", "timers", NULL };

/* clang-format off */
static const struct core_setup setups[] = {
	{ "waits, .NET 8.0",  "8.0",  variables, CORE_HEAP, false, false },
	{ "waits, .NET 9.0",  "9.0",  variables, CORE_HEAP, false, false },
	{ "waits, .NET 10.0", "10.0", variables, CORE_HEAP, false, false },
};

/* What tests/programs/samples/Waits.cs starts; and how many of them are found where
   references are all that is known, 0: none, joined otherwise. */
static const struct want {
	const char *chain;
	uint32_t count;
	const char *by_references;
	uint32_t by_references_count;
} wants[] = {
	{ "Task<int> < Program.Leaf() 0", 300, "Task<int> < Program.Leaf()", 309 },
	{ "Task.DelayPromise < Program.Inner() 0 < Program.Middle() 0 < Program.Outer() 0", 100,
	  "Task.DelayPromise < Program.Inner() < Program.Middle() < Program.Outer()", 101 },
	{ "Task.DelayPromise < Program.Inner() 0 < Program.Middle() 0 < Program.Outer() 0 several", 1, NULL, 0 },
	{ "Program.Outer() 0 < Program.Joined() 0", 6, NULL, 0 },
	{ "Task.DelayPromise < Program.Part() 0 < Task.WhenAllPromise < Program.Fan() 0", 60,
	  "Task.DelayPromise < Program.Part() < Task.WhenAllPromise < Program.Fan()", 60 },
	{ "Task.DelayPromise < Program.Part() 0 < Task.TwoTaskWhenAnyPromise<Task> < Program.First() 0", 10,
	  "Task.DelayPromise < Program.Part() < Task.TwoTaskWhenAnyPromise<Task> < Program.First()", 10 },
	{ "Task<int> < Task.TwoTaskWhenAnyPromise<Task> < Program.First() 0", 10, NULL, 0 },
	{ "SemaphoreSlim.TaskNode < Program.Gate() 0", 40, "Program.Gate()", 40 },
	{ "Task<int> < Program.ValueInner() 0 < Program.ValueOuter() 0", 25,
	  "Task<int> < Program.ValueInner() < Program.ValueOuter()", 25 },
	{ "Task<int> < Program.PooledInner() 1 < Program.PooledOuter() 0", 25,
	  "Task<int> < Program.PooledInner() < Program.PooledOuter()", 25 },
	{ "Task<int> < Program.Numbers() 0 < Program.Consume() 0", 15, "Task<int> < Program.Numbers()", 15 },
	{ "Task<int> < Program.Second() 1", 12, "Task<int> < Program.Second()", 12 },
	{ "Task<int> < Program.Forgotten() 0", 5, "Task<int> < Program.Forgotten()", 5 },
	{ "Task<int> < Program.Generic<string>() 0", 7, "Task<int> < Program.Generic<string>()", 7 },
	{ "Task<int> < Program.Generic<int>() 0", 6, "Task<int> < Program.Generic<int>()", 6 },
	{ "Task<int> < Task.CancellationPromise<int> < Program.Tokened() 0", 8,
	  "Task.CancellationPromise<int> < Program.Tokened()", 8 },
	{ "Task<int> < lambda in Program.Start() 0 < UnwrapPromise<VoidTaskResult>", 4,
	  "Task<int> < lambda in Program.Start() < UnwrapPromise<VoidTaskResult>", 4 },
	{ "Task<int> < Program.Leaf() 0 < ContinuationTaskFromTask", 9, NULL, 0 },
	{ "Task<int> < Program.InContext() 0", 11, "Program.InContext()", 11 },
	{ "PeriodicTimer.State < Program.Periodic() 0", 3, "Program.Periodic()", 3 },
	{ "Program.Circle() 1 itself", 1, "Program.Circle()", 1 },
	{ "Task<int> < Program.WaitForever() 0", 50, "Task<int> < Program.WaitForever()", 50 },
};
/* clang-format on */
enum { WANTS = COUNT_OF(wants) };

static void
expect_chains(const struct heap *h, const struct async_calls *c,
	      const char *chain, uint32_t count)
{
	char text[TEXT_BYTES];

	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];

		write_chain(h, c, &c->chains[g->chains_first], text);
		if (strcmp(text, chain) != 0)
			continue;
		if (g->chains_count != count)
			fail_msg("%s: %u times, not %u", chain,
				 (unsigned)g->chains_count, (unsigned)count);
		return;
	}
	fail_msg("no chain %s", chain);
}

/* The channel's reads have another name since .NET 10. */
static const char *
read_chain(const char *version)
{
	return strcmp(version, "10.0") != 0
		   ? "AsyncOperation<int> < Program.Reader() 0"
		   : "BlockedReadAsyncOperation<int> < Program.Reader() 0";
}

/* A method table: what awaits such calls, and what they await, is there. */
static void
check_table(const struct heap *h)
{
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = find(&in);

	for (uint32_t i = 0; i < c->items_count && !in.only_table; i++) {
		node_id n = c->items[i].node;

		if (strstr(heap_type(h, n)->name, "Program.Middle()"))
			in.only_table = contents_table(h, n);
	}
	async_free(c);
	assert_true(in.only_table != 0);
	c = find(&in);
	expect_chains(h, c, wants[1].chain, wants[1].count);
	expect_chains(h, c, wants[2].chain, wants[2].count);
	assert_int_equal(c->groups_count, 2);
	async_free(c);
	in.only_table++;
	c = find(&in);
	assert_int_equal(c->chains_count, 0);
	async_free(c);
}

static void
check_chains(const struct heap *h, const char *version)
{
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = find(&in);

	for (size_t i = 0; i < WANTS; i++)
		expect_chains(h, c, wants[i].chain, wants[i].count);
	expect_chains(h, c, read_chain(version), 30);
	/* And nothing else. */
	assert_int_equal(c->groups_count, WANTS + 1);
	/* 10 each of Done, Fails, Cancelled, 3 of PooledUser, and one box or
	   more that waits to be used again. */
	assert_true(c->completed_count >= 34);
	check_groups(h, c);
	check_sums(h, c);
	in.only = c->items[c->chains[c->groups[0].chains_first].item].node;
	async_free(c);
	c = find(&in);
	assert_true(c->chains_count > 0);
	async_free(c);
}

static void
check_without_values(const struct heap *h)
{
	struct heap bare = *h;
	struct async_input in = { .heap = &bare, .only = NODE_NONE };
	struct async_calls *c;

	bare.memory = NULL;
	c = find(&in);
	assert_true(c->is_guess);
	for (size_t i = 0; i < WANTS; i++)
		if (wants[i].by_references)
			expect_chains(h, c, wants[i].by_references,
				      wants[i].by_references_count);
	async_free(c);
}

/* --- beside ClrMD --------------------------------------------------------- */

static const struct async_item *
item_of(const struct async_calls *c, node_id n)
{
	for (uint32_t i = 0; i < c->items_count; i++)
		if (c->items[i].node == n)
			return &c->items[i];
	return NULL;
}

static bool
goes_on(const struct async_calls *c, const struct async_item *from,
	const struct async_item *to)
{
	for (uint32_t i = 0; i < from->nexts_count; i++)
		if (&c->items[c->nexts[from->nexts_first + i]] == to)
			return true;
	return false;
}

/* Each address of what goes on. */
static uint32_t
judge_nexts(const struct heap *h, const struct async_calls *c,
	    const struct async_item *item, const struct oracle_line *line)
{
	const char *at = line->fields[3], *end = at + line->lens[3];
	uint32_t count = 0;

	while (at < end) {
		char *behind;
		node_id n = heap_find(h, strtoull(at, &behind, 16));
		const struct async_item *to;

		assert_true(behind > at);
		at = behind + (*behind == ' ');
		assert_int_not_equal(n, NODE_NONE);
		to = item_of(c, n);
		assert_non_null(to);
		assert_true(item->is_completed || goes_on(c, item, to));
		count++;
	}
	return count;
}

static void
judge_async(const char *what, const struct oracle *o, const struct heap *h)
{
	struct async_input in = { .heap = h,
				  .with_tasks = true,
				  .with_completed = true,
				  .only = NODE_NONE };
	struct async_calls *c = find(&in);
	uint32_t tasks = 0, states = 0, nexts = 0;
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(o, "task", &at, &line)) {
		const struct async_item *item =
		    item_of(c, heap_find(h, oracle_hex(&line, 0)));

		assert_non_null(item);
		if (!item)
			break;
		assert_int_equal(item->is_completed, oracle_is(&line, 1, "1"));
		assert_int_equal(item->has_state, !oracle_is(&line, 2, "-"));
		if (item->has_state)
			assert_int_equal(item->state,
					 strtol(line.fields[2], NULL, 10));
		states += item->has_state;
		nexts += judge_nexts(h, c, item, &line);
		tasks++;
	}
	printf("%s: %u tasks, %u states, %u continuations as ClrMD says\n",
	       what, (unsigned)tasks, (unsigned)states, (unsigned)nexts);
	assert_true(tasks > 1200 && states > 900 && nexts > 700);
	async_free(c);
}

static void
judge_timers(const char *what, const struct oracle *o, const struct heap *h)
{
	struct timers timers = { 0 };
	struct error err = { 0 };
	struct oracle_line line;
	const char *at = NULL;
	uint32_t count = 0;

	assert_true(timers_find(h, &timers, NULL, &err));
	while (oracle_next(o, "timer", &at, &line)) {
		node_id n = heap_find(h, oracle_hex(&line, 0));
		node_id target = heap_find(h, oracle_hex(&line, 4));
		const struct timer *t = timers.items;

		while (t < timers.items + timers.count && t->node != n)
			t++;
		assert_true(t < timers.items + timers.count);
		assert_true(t->list == TIMER_SHORT || t->list == TIMER_LONG);
		assert_int_equal(t->due_ms, oracle_number(&line, 1));
		assert_int_equal(t->period_ms, oracle_number(&line, 2));
		assert_int_equal(t->state, heap_find(h, oracle_hex(&line, 3)));
		assert_int_equal(
		    t->target == NODE_NONE ? t->callback : t->target, target);
		count++;
	}
	assert_int_equal(count, timers.set_count);
	printf("%s: %u timers as ClrMD says\n", what, (unsigned)count);
	timers_clear(&timers);
}

static uint32_t
count_method(const struct timers *t, const char *method)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->count; i++)
		count += !strcmp(t->items[i].method, method);
	return count;
}

/* Waits.cs makes 101 + 3 * 20 + 10 delays, 5 + 4 timers of its own, 3 periodic
   ones, and one of a token; Leaky.cs one. */
static void
check_timers(const struct heap *h)
{
	static const struct {
		uint32_t due_ms, period_ms, count;
	} kinds[] = {
		{ 3600000, 60000, 5 },        { 7200000, TIMER_NEVER, 5 },
		{ 5400000, 5400000, 3 },      { 3600001, TIMER_NEVER, 20 },
		{ 3600004, TIMER_NEVER, 10 }, { 3600000, 3600000, 1 },
	};
	struct timers timers = { 0 };
	struct error err = { 0 };

	assert_true(timers_find(h, &timers, NULL, &err));
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < timers.count; i++)
			count +=
			    timers.items[i].list != TIMER_UNSET &&
			    timers.items[i].due_ms == kinds[k].due_ms &&
			    timers.items[i].period_ms == kinds[k].period_ms;
		assert_int_equal(count, kinds[k].count);
	}
	assert_true(timers.count >= timers.set_count + 2);
	assert_int_equal(count_method(&timers, "Waits.Owner.Tick"), 5);
	assert_int_equal(count_method(&timers, "Waits.Owner.TickStatic"), 4);
	timers_clear(&timers);
}

TEST(test_waits)
{
	const struct core_setup *setup = *state;
	const struct core *core;
	const struct heap *h;

	h = core_samples(setup, &variables[0], &core);
	if (!h)
		skip();
	check_table(h);
	check_chains(h, setup->version);
	check_timers(h);
	check_without_values(h);
	if (oracle_exists()) {
		struct oracle *o =
		    oracle_ask(core->path, setup->version, sections);

		judge_async(setup->name, o, h);
		judge_timers(setup->name, o, h);
		oracle_free(o);
	}
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_held),
		cmocka_unit_test(test_shared_list),
		{ "8.0", test_waits, NULL, NULL,
		  (void *)(uintptr_t)&setups[0] },
		{ "9.0", test_waits, NULL, NULL,
		  (void *)(uintptr_t)&setups[1] },
		{ "10.0", test_waits, NULL, NULL,
		  (void *)(uintptr_t)&setups[2] },
	};

	return run_tests(tests);
}
