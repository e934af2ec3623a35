/*
 * Async calls that wait, and timers: of tests/programs/samples/Waits.cs on every runtime, beside
 * what ClrMD says of their fields.
 */
#include "model/analysis/async.h"
#include "model/analysis/timers.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"
#include "tests/drive/cores.h"
#include "tests/judge/chains.h"
#include "tests/made/graphs.h"
#include "tests/drive/targets.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

/* --- real ones ------------------------------------------------------------ */

static const char *variables[] = { NULL, "SAMPLES=waits", NULL };
static const char *const sections[] = { "async", "timers", NULL };

/* clang-format off */
static const struct core_setup setups[] = {
	{ "waits, .NET 8.0",  "8.0",  variables, CORE_HEAP, false, false },
	{ "waits, .NET 9.0",  "9.0",  variables, CORE_HEAP, false, false },
	{ "waits, .NET 10.0", "10.0", variables, CORE_HEAP, false, false },
	{ "waits, .NET 11.0", "11.0", variables, CORE_HEAP, false, false },
};

/* tests/programs/samples/Waits.cs starts these. The numbers say how many of them are found where
   only references are known; 0: none, they are joined otherwise. */
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
expect_chains(const struct heap *h, const struct async_calls *c, const char *chain, uint32_t count)
{
	char text[CHAIN_TEXT_BYTES];

	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];

		chain_write(h, c, &c->chains[g->chains_first], text);
		if (strcmp(text, chain) != 0)
			continue;
		if (g->chains_count != count)
			fail_msg("%s: %u times, not %u", chain, (unsigned)g->chains_count,
				 (unsigned)count);
		return;
	}
	fail_msg("no chain %s", chain);
}

/* The channel's reads have another name since .NET 10. */
static const char *
read_chain(const char *version)
{
	return !strcmp(version, "8.0") || !strcmp(version, "9.0")
		   ? "AsyncOperation<int> < Program.Reader() 0"
		   : "BlockedReadAsyncOperation<int> < Program.Reader() 0";
}

/* A method table: what awaits such calls, and what they await, is there. */
static void
check_table(const struct heap *h)
{
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = chains_find(&in);

	for (uint32_t i = 0; i < c->items_count && !in.only_table; i++) {
		node_id n = c->items[i].node;

		if (strstr(heap_type(h, n)->name, "Program.Middle()"))
			in.only_table = contents_table(h, n);
	}
	async_free(c);
	assert_true(in.only_table != 0);
	c = chains_find(&in);
	expect_chains(h, c, wants[1].chain, wants[1].count);
	expect_chains(h, c, wants[2].chain, wants[2].count);
	assert_int_equal(c->groups_count, 2);
	async_free(c);
	in.only_table++;
	c = chains_find(&in);
	assert_int_equal(c->chains_count, 0);
	async_free(c);
}

static void
check_chains(const struct heap *h, const char *version)
{
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = chains_find(&in);

	for (size_t i = 0; i < WANTS; i++)
		expect_chains(h, c, wants[i].chain, wants[i].count);
	expect_chains(h, c, read_chain(version), 30);
	/* And nothing else. */
	assert_int_equal(c->groups_count, WANTS + 1);
	/* 10 each of Done, Fails, Cancelled, 3 of PooledUser, and one box or more that waits to be
	   used again. */
	assert_true(c->completed_count >= 34);
	chains_check_groups(h, c);
	chains_check_sums(h, c);
	in.only = c->items[c->chains[c->groups[0].chains_first].item].node;
	async_free(c);
	c = chains_find(&in);
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
	c = chains_find(&in);
	assert_true(c->is_guess);
	for (size_t i = 0; i < WANTS; i++)
		if (wants[i].by_references)
			expect_chains(h, c, wants[i].by_references, wants[i].by_references_count);
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
goes_on(const struct async_calls *c, const struct async_item *from, const struct async_item *to)
{
	for (uint32_t i = 0; i < from->nexts_count; i++)
		if (&c->items[c->nexts[from->nexts_first + i]] == to)
			return true;
	return false;
}

/* Each address of what goes on. */
static uint32_t
judge_nexts(const struct heap *h, const struct async_calls *c, const struct async_item *item,
	    const struct oracle_line *line)
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
	struct async_input in = {
		.heap = h, .with_tasks = true, .with_completed = true, .only = NODE_NONE
	};
	struct async_calls *c = chains_find(&in);
	uint32_t tasks = 0, states = 0, nexts = 0;
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(o, "task", &at, &line)) {
		const struct async_item *item = item_of(c, heap_find(h, oracle_hex(&line, 0)));

		assert_non_null(item);
		if (!item)
			break;
		assert_int_equal(item->is_completed, oracle_is(&line, 1, "1"));
		assert_int_equal(item->has_state, !oracle_is(&line, 2, "-"));
		if (item->has_state)
			assert_int_equal(item->state, strtol(line.fields[2], NULL, 10));
		states += item->has_state;
		nexts += judge_nexts(h, c, item, &line);
		tasks++;
	}
	printf("%s: %u tasks, %u states, %u continuations as ClrMD says\n", what, (unsigned)tasks,
	       (unsigned)states, (unsigned)nexts);
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
		assert_int_equal(t->target == NODE_NONE ? t->callback : t->target, target);
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

/* Waits.cs makes 101 + 3 * 20 + 10 delays, 5 + 4 timers of its own, 3 periodic ones, and one of a
   token; Leaky.cs one. */
static void
check_timers(const struct heap *h)
{
	static const struct {
		uint32_t due_ms, period_ms, count;
	} kinds[] = {
		{ 3600000, 60000, 5 },        { 7200000, TIMER_NEVER, 5 },  { 5400000, 5400000, 3 },
		{ 3600001, TIMER_NEVER, 20 }, { 3600004, TIMER_NEVER, 10 }, { 3600000, 3600000, 1 },
	};
	struct timers timers = { 0 };
	struct error err = { 0 };

	assert_true(timers_find(h, &timers, NULL, &err));
	for (size_t k = 0; k < COUNT_OF(kinds); k++) {
		uint32_t count = 0;

		for (uint32_t i = 0; i < timers.count; i++)
			count += timers.items[i].list != TIMER_UNSET &&
				 timers.items[i].due_ms == kinds[k].due_ms &&
				 timers.items[i].period_ms == kinds[k].period_ms;
		assert_int_equal(count, kinds[k].count);
	}
	assert_true(timers.count >= timers.set_count + 2);
	assert_int_equal(count_method(&timers, "Waits.Owner.Tick"), 5);
	assert_int_equal(count_method(&timers, "Waits.Owner.TickStatic"), 4);
	timers_clear(&timers);
}

TEST_ROWS(test_waits, setups)
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
		struct oracle *o = oracle_ask(core->path, setup->version, sections);

		judge_async(setup->name, o, h);
		judge_timers(setup->name, o, h);
		oracle_free(o);
	}
	heap_free(h);
}
