/*
 * Locks of every kind that tests/programs/samples/Locks.cs holds, on every runtime: who holds them,
 * how often, how many wait; and all sync blocks and thin locks beside what ClrMD says of them.
 */
#include "model/heap/memory.h"
#include "model/analysis/stacks.h"
#include "model/analysis/tables.h"
#include "tests/drive/cores.h"
#include "tests/drive/table_rows.h"
#include "tests/judge/judge_locks.h"
#include "tests/judge/judge_tables.h"
#include "tests/drive/targets.h"
#include "tests/drive/run_tests.h"
#include <string.h>

static const char *variables[] = { NULL, "SAMPLES=locks", NULL };
static const char *const sections[] = { "locks", "tables", NULL };

static const struct core_setup setups[] = {
	{ "locks, .NET 8.0", "8.0", variables, CORE_HEAP, false, false },
	{ "locks, .NET 9.0", "9.0", variables, CORE_HEAP, false, false },
	{ "locks, .NET 10.0", "10.0", variables, CORE_HEAP, false, false },
	{ "locks, .NET 11.0", "11.0", variables, CORE_HEAP, false, false },
};

static const struct held {
	const char *thread; /* its name */
	uint32_t entered, waiters, pulse_waiters;
	bool is_object, has_block;
} helds[] = {
	{ "holds once", 1, 3, 0, true, false },  { "holds again", 4, 0, 0, true, false },
	{ "holds block", 2, 2, 0, false, true }, { "holds pulsed", 1, 0, 2, false, true },
	{ "holds thin", 3, 0, 0, false, false },
};
enum { HELDS = COUNT_OF(helds) };

static const struct heap_thread *
thread_of(const struct heap *h, const struct heap_lock *lock)
{
	const struct heap_memory *m = h->memory;

	for (uint32_t i = 0; i < m->threads_count; i++)
		if (m->threads[i].id == lock->thread)
			return &m->threads[i];
	return NULL;
}

static bool
is_it(const struct heap *h, const struct heap_lock *lock, const struct held *held)
{
	const struct heap_thread *thread = thread_of(h, lock);

	return thread && !strcmp(thread->name, held->thread) && thread->os_id == lock->os_id &&
	       lock->entered == held->entered && lock->waiters == held->waiters &&
	       lock->pulse_waiters == held->pulse_waiters && lock->is_object == held->is_object &&
	       (lock->index != 0) == held->has_block;
}

/* Of each one, and of those that are held no other. */
static void
check_held(const struct heap *h, bool has_objects)
{
	const struct heap_memory *m = h->memory;
	struct heap_locks locks = { 0 };
	struct error err = { 0 };
	unsigned objects = 0, idle = 0;

	assert_true(m->contents->locks(m->source, &locks, NULL, &err));
	for (size_t i = 0; i < HELDS; i++) {
		unsigned found = 0;

		for (size_t k = 0; k < locks.count; k++)
			found += is_it(h, &locks.items[k], &helds[i]);
		if (found != (!helds[i].is_object || has_objects))
			fail_msg("%s: %u times", helds[i].thread, found);
	}
	for (size_t k = 0; k < locks.count; k++) {
		objects += locks.items[k].is_object;
		idle += !locks.items[k].entered && locks.items[k].pulse_waiters == 3;
	}
	assert_int_equal(idle, 1);
	assert_int_equal(objects, has_objects ? 2 : 0);
	memory_free(locks.items);
}

static bool
has_lock(const struct heap_locks *locks, node_id object)
{
	for (size_t i = 0; i < locks->count; i++)
		if (locks->items[i].object == object)
			return true;
	return false;
}

/* Compares the locks that threads wait for, which sync blocks alone tell. */
static void
check_awaited(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	struct heap_locks all = { 0 }, awaited = { 0 };
	struct error err = { 0 };
	size_t count = 0;

	assert_true(m->contents->locks(m->source, &all, NULL, &err));
	assert_true(m->contents->awaited_locks(m->source, &awaited, NULL, &err));
	for (size_t i = 0; i < all.count; i++) {
		count += all.items[i].waiters > 0;
		assert_int_equal(has_lock(&awaited, all.items[i].object), all.items[i].waiters > 0);
	}
	assert_true(count > 0);
	assert_int_equal(awaited.count, count);
	memory_free(all.items);
	memory_free(awaited.items);
}

/* The thread sleeps in the method that took the lock. */
static void
check_frames(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	struct content_frames frames;
	struct error err = { 0 };
	uint32_t found = 0;
	struct arena a;

	arena_init(&a, 0);
	for (uint32_t i = 0; i < m->threads_count; i++) {
		if (strcmp(m->threads[i].name, "holds block") != 0)
			continue;
		assert_true(
		    m->contents->frames(m->source, m->threads[i].os_id, 64, &frames, &a, &err));
		assert_string_equal(frames.why, "");
		for (uint32_t k = 0; k < frames.count; k++) {
			static const char method[] = "Locks.Program.Hold";

			assert_true(*frames.items[k].text);
			found += !strncmp(frames.items[k].text, method, sizeof method - 1);
		}
	}
	assert_true(found > 0);
	arena_clear(&a);
}

/* Each thread of the program has a name that tells its state. */
static void
check_states(const struct heap *h)
{
	static const char *const states[][2] = {
		{ "holds ", "sleeps" },
		{ "waiter", stack_waits_for_lock },
		{ "in wait", "in Monitor.Wait" },
		{ "leaky-", "sleeps" },
	};
	unsigned found[COUNT_OF(states)] = { 0 };
	struct error err = { 0 };
	struct stacks s;

	assert_ok(stacks_read(&s, h, 0, NULL, &err), &err);
	for (uint32_t i = 0; i < s.count; i++) {
		const struct heap_thread *t = &h->memory->threads[s.items[i].thread];

		for (size_t k = 0; k < COUNT_OF(states); k++) {
			if (strncmp(t->name, states[k][0], strlen(states[k][0])) != 0)
				continue;
			assert_string_equal(stack_state(t, &s.items[i].frames, NULL), states[k][1]);
			found[k]++;
		}
	}
	for (size_t k = 0; k < COUNT_OF(states); k++)
		assert_true(found[k] > 1);
	stacks_clear(&s);
}

/* Each waiter is told whom it waits for. */
static void
check_holders(const struct heap *h)
{
	const struct subject about = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };
	const struct facts facts = { .heap = h };
	struct table_rows r;
	unsigned waiting = 0;
	struct value v;

	table_rows_make(&r, &threads_table, &facts, &about);
	for (uint32_t i = 0; i < r.count; i++) {
		bool waits = !strcmp(h->memory->threads[i].name, "waiter");

		table_rows_cell(&r, i, "holder", &v);
		assert_true(waits == (strstr(v.text, "\"holds ") != NULL));
		waiting += waits;
	}
	assert_true(waiting > 1);
	table_rows_clear(&r);
}

/* Each lock names as many waiters as its sync block counts, and the method that they are in. */
static void
check_waiters(const struct heap *h, bool has_objects)
{
	const struct subject about = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };
	const struct facts facts = { .heap = h };
	struct value waiters, methods, ids;
	struct table_rows r;
	unsigned named = 0;

	table_rows_make(&r, &locks_table, &facts, &about);
	for (uint32_t i = 0; i < r.count; i++) {
		table_rows_cell(&r, i, "waiters", &waiters);
		table_rows_cell(&r, i, "waiting", &methods);
		table_rows_cell(&r, i, "ids", &ids);
		if (!waiters.number) {
			assert_int_equal(methods.kind, VALUE_BLANK);
			continue;
		}
		named++;
		assert_int_equal(strtoul(methods.text, NULL, 10), waiters.number);
		assert_non_null(strstr(methods.text, " in Locks.Program."));
		assert_true(strtoul(ids.text, NULL, 10) > 1);
		assert_true(!strchr(ids.text, ',') == (waiters.number == 1));
	}
	assert_int_equal(named, has_objects ? 2 : 1);
	table_rows_clear(&r);
}

TEST_ROWS(test_locks, setups)
{
	const struct core_setup *setup = *state;
	const struct core *core;
	const struct heap *h;

	h = core_samples(setup, &variables[0], &core);
	if (!h)
		skip();
	check_held(h, strcmp(setup->version, "8.0") != 0);
	check_awaited(h);
	check_frames(h);
	check_states(h);
	check_holders(h);
	check_waiters(h, strcmp(setup->version, "8.0") != 0);
	if (oracle_exists()) {
		struct oracle *o = oracle_ask(core->path, setup->version, sections);

		judge_locks(setup->name, o, h);
		judge_tables(setup->name, o, h);
		oracle_free(o);
	}
	heap_free(h);
}
