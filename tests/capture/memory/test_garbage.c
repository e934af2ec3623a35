/*
 * No object that lives is called garbage. A program (tests/programs/samples/Numbers.cs) numbers its
 * objects; those that no root reaches at a moment must be gone after the next collection.
 */
#include "capture/memory/freeze.h"
#include "capture/memory/process_memory.h"
#include "io/clr/graph.h"
#include "model/base/u64_map.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/targets.h"
#include <string.h>

enum { NUMBER_AT = 16, TRIES = 50 };

static const char *workstation[] = { NULL, "SAMPLES=numbers", NULL };
static const char *server[] = { NULL, "SAMPLES=numbers", "DOTNET_gcServer=1", NULL };
static const char *optimised[] = { NULL, "SAMPLES=numbers", "DOTNET_TieredCompilation=0", NULL };
static const char *slow[] = { NULL,
			      "SAMPLES=numbers",
			      "DOTNET_TieredCompilation=1",
			      "DOTNET_TC_QuickJitForLoops=1",
			      "DOTNET_ReadyToRun=0",
			      NULL };

static const struct busy {
	const char *name, *version;
	const char **variables;
	int moments;
} programs[] = {
	{ ".NET 8.0", "8.0", workstation, 2 },
	{ ".NET 9.0", "9.0", workstation, 2 },
	{ ".NET 10.0", "10.0", workstation, 2 },
	{ ".NET 11.0", "11.0", workstation, 2 },
	{ ".NET 10.0, server", "10.0", server, 2 },
	{ ".NET 10.0, optimised", "10.0", optimised, 2 },
	{ ".NET 11.0, not precompiled", "11.0", slow, 2 },
};

/* The numbered objects of a moment. */
struct moment {
	struct u64_map garbage; /* their numbers: no root reaches them */
	struct u64_map all;
	const struct heap *heap;
	struct memory *memory;
};

static uint64_t
number_of(const struct moment *m, node_id n)
{
	uint64_t number = 0;

	if (strcmp(heap_type(m->heap, n)->name, "Numbers.Numbered") != 0)
		return 0;
	(void)memory_copy(m->memory, heap_address(m->heap, n) + NUMBER_AT, &number, sizeof(number));
	return number;
}

/* Marks all objects that a root reaches. */
static void
reach(const struct heap *h, uint8_t *is_reached)
{
	node_id *stack = calloc(h->nodes_count + 1, sizeof(*stack));
	uint32_t count = 0;

	assert_non_null(stack);
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (!is_reached[h->roots[i].object]++)
			stack[count++] = h->roots[i].object;
	while (count) {
		struct refs refs = heap_refs(h, stack[--count]);
		node_id target;

		while (refs_next(&refs, &target))
			if (!is_reached[target]) {
				is_reached[target] = 1;
				stack[count++] = target;
			}
	}
	free(stack);
}

/* An object without a number has not been constructed yet. */
static void
collect(struct moment *m)
{
	uint8_t *is_reached = calloc(m->heap->nodes_count + 1, 1);
	struct error err = { 0 };

	assert_non_null(is_reached);
	reach(m->heap, is_reached);
	for (node_id n = 0; n < m->heap->nodes_count; n++) {
		uint64_t number = number_of(m, n);

		if (!number)
			continue;
		assert_ok(u64_map_put(&m->all, number, n, &err), &err);
		if (!is_reached[n])
			assert_ok(u64_map_put(&m->garbage, number, n, &err), &err);
	}
	free(is_reached);
}

/* Looks at a moment when the collector moves nothing. */
static void
look(const struct busy *p, const struct target *t, struct moment *m)
{
	struct error err = { 0 };

	memset(m, 0, sizeof(*m));
	for (int i = 0; i < TRIES && !m->heap; i++) {
		struct clr_graph_options options = { .what = LOAD_ALL };
		struct freeze f;

		error_clear(&err);
		assert_ok(freeze_start(&f, "/proc", target_pid(t), NULL, &err), &err);
		m->memory = process_memory_open("/proc", &f, &err);
		assert_ok(m->memory, &err);
		m->heap = clr_graph_load(m->memory, p->name, &options, &err);
		if (m->heap)
			collect(m);
		freeze_clear(&f);
		memory_close(m->memory);
	}
	if (!m->heap)
		fail_msg("%s: %s", p->name, err.message);
}

static void
clear(struct moment *m)
{
	u64_map_clear(&m->garbage);
	u64_map_clear(&m->all);
	heap_free(m->heap);
}

static void
compare(const struct busy *p, const struct moment *before, const struct moment *after)
{
	for (size_t i = 0; i < before->garbage.room; i++) {
		const struct u64_map_slot *slot = &before->garbage.slots[i];

		if (slot->value != U64_MAP_NONE &&
		    u64_map_get(&after->all, slot->key) != U64_MAP_NONE)
			fail_msg("%s: object %lu at 0x%lx was called garbage, and lives", p->name,
				 (unsigned long)slot->key,
				 (unsigned long)heap_address(before->heap, slot->value));
	}
}

TEST_ROWS(no_false_garbage, programs)
{
	const struct busy *p = *state;
	size_t garbage = 0, all = 0;
	struct target *t;
	const char *given = getenv("HEAPTOP_MOMENTS");
	int moments = given ? atoi(given) : p->moments;

	p->variables[0] = target_samples();
	if (!target_exists(p->version) || !p->variables[0])
		skip();
	t = target_start(p->version, TARGET_HERE, NULL, p->variables);
	for (int i = 0; i < moments; i++) {
		struct moment before, after;

		look(p, t, &before);
		target_tell(t, "gc");
		look(p, t, &after);
		compare(p, &before, &after);
		garbage += before.garbage.count;
		all += before.all.count;
		clear(&before);
		clear(&after);
	}
	printf("%s: %d moments, %zu numbered objects, %zu garbage, and gone then\n", p->name,
	       moments, all, garbage);
	assert_true(garbage > 0 && garbage < all);
	target_free(t);
}
