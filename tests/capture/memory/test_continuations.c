/*
 * Suspended calls of a program that is compiled with runtime async, beside the same program
 * compiled to state machines: chains, states, and findings.
 */
#include "model/analysis/async.h"
#include "model/analysis/finding_text.h"
#include "model/heap/framework.h"
#include "model/heap/memory.h"
#include "tests/drive/targets.h"
#include "tests/drive/ways.h"
#include "tests/judge/chains.h"
#include "tests/drive/run_tests.h"
#include <string.h>

#define VERSION "11.0"

enum { CONTINUATIONS = 707, CALLS = 708, PROMISES = 267 };

/* clang-format off */
/* What tests/programs/rtasync starts. */
static const struct want {
	uint32_t count;
	const char *chain;
	const char *by_machines; /* NULL: the same */
} wants[] = {
	{ 197, "Task < Shop.Ask() 0 < Shop.Pay() 0 < Shop.Checkout() 0", NULL },
	{ 3,   "Task < Shop.Ask() 0 < Shop.Pay() 0 < Shop.Checkout() 0 < Task.WhenAllPromise < Program.Many() 0", NULL },
	{ 21,  "Task<string> < Shop.Read() 0", NULL },
	{ 10,  "Task.DelayPromiseWithCancellation < Program.Slow() 0", NULL },
	/* The base library is compiled with runtime async. */
	{ 10,  "SemaphoreSlim.TaskNode < SemaphoreSlim.WaitAsync() 0 < Program.Queue() 0",
	       "SemaphoreSlim.TaskNode < Program.Queue() 0" },
	/* Code for reference types is shared. */
	{ 5,   "Task < Shop.Generic<__Canon>() 0", "Task < Shop.Generic<string>() 0" },
	{ 5,   "Task < Shop.Generic<int>() 0", NULL },
	{ 5,   "Task < Shop.Generic<Pair>() 0", NULL },
	{ 5,   "Task < Shop.Structs() 0", NULL },
	{ 1,   "Task < Program.Numbers() 0 < Program.Locals() 0", NULL },
	{ 1,   "Task < lambda in Program.Main() 0 < Program.Lambda() 0", NULL },
	{ 1,   "Task < Program.Yielder() 1", NULL },
	{ 1,   "Task < Program.Recursive() 0"
#define TEN " < Program.Recursive() 1 < Program.Recursive() 1 < Program.Recursive() 1 < Program.Recursive() 1 < Program.Recursive() 1" \
	    " < Program.Recursive() 1 < Program.Recursive() 1 < Program.Recursive() 1 < Program.Recursive() 1 < Program.Recursive() 1"
	       TEN TEN TEN, NULL },
};
/* clang-format on */

/* Removes the promises, which only runtime async has. */
static void
remove_promises(char *text)
{
	static const char promise[] = " < AsyncHelpers.RuntimeAsyncTask<";
	char *at;

	while ((at = strstr(text, promise))) {
		char *end = at + sizeof promise - 1;

		for (int depth = 1; *end && depth; end++)
			depth += (*end == '<') - (*end == '>');
		memmove(at, end, strlen(end) + 1);
	}
}

/* Removes the states, which only field values show. */
static void
remove_states(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++)
		if (*at == ' ' && at[1] >= '0' && at[1] <= '9' && (!at[2] || at[2] == ' '))
			at++;
		else
			*to++ = *at;
	*to = '\0';
}

static void
expect_chain(const struct heap *h, const struct async_calls *c, const char *wanted, uint32_t count)
{
	char text[CHAIN_TEXT_BYTES], want[CHAIN_TEXT_BYTES];

	snprintf(want, sizeof want, "%s", wanted);
	if (c->is_guess)
		remove_states(want);
	for (uint32_t i = 0; i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];

		chain_write(h, c, &c->chains[g->chains_first], text);
		remove_promises(text);
		if (strcmp(text, want) != 0)
			continue;
		assert_int_equal(g->chains_count, count);
		return;
	}
	fail_msg("no chain %s", want);
}

/* Continuations of known methods: threads have others, which mark the end of a chain. */
static void
check_objects(const struct heap *h, const struct async_calls *c)
{
	uint64_t count = 0;
	uint32_t promises = 0;

	for (type_id t = 0; t < h->types_count; t++)
		if (type_is_continuation(&h->types[t]) && type_is_async(&h->types[t]))
			count += h->types[t].count;
	assert_int_equal(count, CONTINUATIONS);
	assert_int_equal(c->calls_count, CALLS);
	assert_int_equal(c->nameless_count, 0);
	for (uint32_t i = 0; i < c->items_count; i++)
		promises += c->items[i].kind == ASYNC_PROMISE && c->items[i].has_previous;
	assert_int_equal(promises, PROMISES);
}

static void
check_chains(const struct heap *h, bool has_machines)
{
	struct async_input in = { .heap = h, .only = NODE_NONE };
	struct async_calls *c = chains_find(&in);

	for (size_t i = 0; i < COUNT_OF(wants); i++) {
		const struct want *w = &wants[i];

		expect_chain(h, c, has_machines && w->by_machines ? w->by_machines : w->chain,
			     w->count);
	}
	assert_int_equal(c->groups_count, COUNT_OF(wants));
	if (!has_machines)
		check_objects(h, c);
	chains_check_groups(h, c);
	chains_check_sums(h, c);
	async_free(c);
}

/* --- findings ------------------------------------------------------------- */

static const struct finding *
finding_of(const struct findings *all, const struct heap *h, const char *type)
{
	for (uint32_t i = 0; i < all->count; i++)
		if (all->items[i].kind == &finding_async &&
		    !strcmp(h->types[all->items[i].type].name, type))
			return &all->items[i];
	return NULL;
}

static void
check_findings(const struct heap *h)
{
	static const char *const methods[] = { "async Rt.Shop.Ask()", "async Rt.Shop.Pay()",
					       "async Rt.Shop.Checkout()" };
	const struct facts facts = { .heap = h, .types = h->types, .types_count = h->types_count };
	struct error err = { 0 };
	struct findings_input in = { .heap = h };
	struct findings *found;
	char text[FINDING_TEXT_BYTES];
	struct text why;

	in.reverse = reverse_compute(h, NULL, &err);
	in.reach = reach_compute(h, true, NULL, &err);
	assert_true(in.reverse && in.reach);
	found = findings_find(&in, NULL, &err);
	assert_ok(found, &err);
	for (size_t i = 0; i < COUNT_OF(methods); i++) {
		const struct finding *f = finding_of(found, h, methods[i]);

		assert_non_null(f);
		if (!f)
			return;
		assert_int_equal(f->count, 200);
		assert_int_equal(f->holders_count, 1);
		assert_string_equal(h->types[f->holder_type].short_name, "TaskCompletionSource");
		why = text_in(text, sizeof text);
		finding_why(&facts, f, &why);
		assert_non_null(strstr(text, "all wait for one TaskCompletionSource"));
	}
	/* The objects that join calls are not worth a finding of their own. */
	for (uint32_t i = 0; i < found->count; i++)
		assert_true(found->items[i].kind != &finding_collection ||
			    !strstr(h->types[found->items[i].type].name, "AsyncTaskContinuation"));
	findings_free(found);
	reach_free(in.reach);
	reverse_free(in.reverse);
}

/* --- data ----------------------------------------------------------------- */

static const struct content *
row_named(const struct content *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* Shop.Read() has the parts of a struct among its variables: a Small, 7 and "third". */
static void
check_data(const struct heap *h, node_id call)
{
	enum { ROWS = 32 };
	const struct heap_memory *m = h->memory;
	struct content rows[ROWS];
	struct error err = { 0 };
	bool has_small = false, has_number = false, has_text = false;
	uint64_t total;
	struct arena a;
	size_t count;

	arena_init(&a, 0);
	assert_true(m->contents->rows(m->source, call, 0, ROWS, rows, &count, &total, &a, &err));
	assert_int_equal(total, count);
	assert_non_null(row_named(rows, count, "Next"));
	assert_non_null(row_named(rows, count, "State"));
	assert_non_null(row_named(rows, count, "+32 execution context"));
	assert_non_null(row_named(rows, count, "+48 result"));
	for (size_t i = 0; i < count; i++) {
		bool is_object = rows[i].kind == CONTENT_REFERENCE && rows[i].target != NODE_NONE;

		has_small |=
		    is_object && !strcmp(heap_type(h, rows[i].target)->short_name, "Small");
		has_text |= is_object && !strcmp(rows[i].text, "\"third\"");
		has_number |=
		    rows[i].kind == CONTENT_RAW && !strcmp(rows[i].text, "07 00 00 00 00 00 00 00");
	}
	assert_true(has_small && has_text && has_number);
	arena_clear(&a);
}

static void
check_calls_of_read(const struct heap *h)
{
	uint32_t count = 0;

	for (node_id n = 0; n < h->nodes_count; n++)
		if (!strcmp(heap_type(h, n)->name, "async Rt.Shop.Read()")) {
			check_data(h, n);
			count++;
		}
	assert_int_equal(count, 21);
}

/* --- tests ---------------------------------------------------------------- */

static struct target *
start(const char *version)
{
	if (target_program_exists("rtasync", version))
		return target_start_program("rtasync", version, NULL);
	printf("skipped: no rtasync for .NET %s\n", version);
	return NULL;
}

static void
check_way(enum way way, struct target *t, bool has_machines)
{
	const struct heap *h = heap_by(way, target_pid(t));

	check_chains(h, has_machines);
	check_findings(h);
	if (!has_machines)
		check_calls_of_read(h);
	heap_free(h);
}

TEST(test_runtime_async)
{
	struct target *t = start(VERSION);

	if (!t)
		return;
	check_way(BY_MEMORY, t, false);
	check_way(BY_CORE, t, false);
	target_free(t);
}

TEST(test_state_machines)
{
	struct target *t = start(VERSION "-off");

	if (!t)
		return;
	check_way(BY_MEMORY, t, true);
	target_free(t);
}

/* Without memory there are no methods, but the same chains. */
TEST(test_events)
{
	struct target *t = start(VERSION);
	struct async_input in = { .only = NODE_NONE };
	struct async_calls *c;

	if (!t)
		return;
	in.heap = heap_by(BY_EVENTS, target_pid(t));
	c = chains_find(&in);
	assert_true(c->is_guess);
	assert_int_equal(c->calls_count, CALLS);
	assert_int_equal(c->nameless_count, CONTINUATIONS);
	expect_chain(in.heap, c, "Task < Continuation < Continuation < Continuation", 197);
	expect_chain(in.heap, c,
		     "Task < Continuation < Continuation < Continuation < Task.WhenAllPromise < "
		     "Continuation",
		     3);
	expect_chain(in.heap, c, "Task<string> < Continuation", 21);
	expect_chain(in.heap, c, "SemaphoreSlim.TaskNode < Continuation < Continuation", 10);
	expect_chain(in.heap, c, "Task < Program.Numbers() < Continuation", 1);
	async_free(c);
	heap_free(in.heap);
	target_free(t);
}

/* A file without memory keeps the methods. */
TEST(test_written)
{
	struct target *t = start(VERSION);
	struct async_input in = { .only = NODE_NONE };
	struct async_calls *c;

	if (!t)
		return;
	in.heap = heap_by(BY_MEMORY_GCDUMP, target_pid(t));
	c = chains_find(&in);
	assert_true(c->is_guess);
	expect_chain(in.heap, c, wants[0].chain, wants[0].count);
	expect_chain(in.heap, c, wants[1].chain, wants[1].count);
	expect_chain(in.heap, c, wants[4].chain, wants[4].count);
	async_free(c);
	heap_free(in.heap);
	target_free(t);
}
