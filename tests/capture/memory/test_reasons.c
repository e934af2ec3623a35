/*
 * The reason told for the objects of a real program, by every way to its heap:
 * from its memory, as a core, by the events of its runtime, and as the .gcdump
 * of either. It is the program's own variable or method, where the way knows
 * it.
 */
#include "capture/memory/snapshot.h"
#include "io/formats/core_heap.h"
#include "model/graph/reach.h"
#include "tests/drive/captures.h"
#include "tests/drive/written.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Events come last: they begin with a collection. */
enum way { BY_MEMORY, BY_MEMORY_GCDUMP, BY_CORE, BY_EVENTS, BY_GCDUMP, WAYS };
static const char *const way_names[WAYS] = { "memory", "memory, .gcdump",
					     "core", "events",
					     "events, .gcdump" };
enum {
	EVERY_WAY = (1 << WAYS) - 1,
	/* A .gcdump shows words on stacks as roots of threads. */
	NO_MERE_WORDS = EVERY_WAY & ~(1 << BY_MEMORY_GCDUMP),
	WITH_STACKS = 1 << BY_EVENTS | 1 << BY_GCDUMP
};

static const struct reason {
	const char *type;
	enum root_kind kind;
	const char *name; /* the root's name begins so */
	unsigned ways;    /* that tell it, as bits */
} reasons[] = {
	{ "Shop.Quote", ROOT_STATIC, "Program.quotes", EVERY_WAY },
	{ "Shop.Reservation", ROOT_STATIC, "", NO_MERE_WORDS },
	/* Words on stacks come after all other roots. */
	{ "Shop.PriceFeed", ROOT_STACK, "Program.<Main>", WITH_STACKS },
	{ "Shop.PriceView", ROOT_STACK, "Program.<Main>", WITH_STACKS },
};

static const struct heap *
memory_of(int32_t pid, struct error *err)
{
	struct live_options options = { .from_memory = true };
	struct live_target target = { .pid = pid };
	struct still_cost cost;
	struct live_card card;

	if (!still_preflight(&card, &target, &options, PROC_FOLDER, err))
		return NULL;
	return still_load(&card, &options, NULL, NULL, &cost, err);
}

static const struct heap *
core_of_pid(int32_t pid, struct error *err)
{
	char command[800], path[300];
	const struct heap *h;

	snprintf(path, sizeof path, "%.250s/reasons.%d", targets_folder(), pid);
	snprintf(command, sizeof command,
		 "%.200s/shop-10.0/createdump -f %s -h %d >/dev/null 2>&1",
		 targets_folder(), path, pid);
	fflush(NULL);
	if (system(command))
		fail_msg("no core could be written");
	h = source_core.load(path, LOAD_ALL, NULL, NULL, err);
	unlink(path);
	return h;
}

static const struct heap *
dumped(const struct heap *h)
{
	struct blob b = { 0 };
	const struct heap *read;

	written(h, gcdump_write, &b);
	heap_free(h);
	read = read_gcdump(b.data, b.len);
	blob_free(&b);
	return read;
}

static const struct heap *
heap_by(enum way way, int32_t pid)
{
	struct capture_cost cost;
	struct error err = { 0 };
	const struct heap *h = way == BY_MEMORY || way == BY_MEMORY_GCDUMP
				   ? memory_of(pid, &err)
			       : way == BY_CORE ? core_of_pid(pid, &err)
						: capture_pid(pid, &cost, &err);

	if (!h)
		fail_msg("%s: %s", way_names[way], err.message);
	return way == BY_MEMORY_GCDUMP || way == BY_GCDUMP ? dumped(h) : h;
}

static void
check_reason(const struct reach *reach, node_id n, const struct reason *row,
	     enum way way)
{
	const struct root *root = reach_root(reach, n);

	if (!root)
		fail_msg("%s: %s has no root", way_names[way], row->type);
	if (!(row->ways >> way & 1))
		assert_int_not_equal(root->kind, ROOT_STACK_WORD);
	else if (root->kind != row->kind ||
		 strncmp(root->name, row->name, strlen(row->name)) != 0)
		fail_msg("%s: %s is kept by %s %s", way_names[way], row->type,
			 root_kinds[root->kind].title, root->name);
}

/* Calls of the program's methods are its own, though their boxes are not. */
static void
check_modules(const struct heap *h, enum way way)
{
	unsigned count = 0;

	for (type_id t = 0; t < h->types_count; t++) {
		const struct type *type = &h->types[t];
		bool is_own = !strncmp(type->name, "async Shop.", 11) ||
			      !strncmp(type->name, "async Program.", 14);

		if (!is_own)
			continue;
		count++;
		if (strcmp(type_module_file(type), "shop.dll") != 0)
			fail_msg("%s: %s is in \"%s\"", way_names[way],
				 type->name, type->module);
	}
	assert_true(count >= 3);
}

static void
check_heap(const struct heap *h, enum way way)
{
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	unsigned counts[COUNT_OF(reasons)] = { 0 };

	assert_non_null(reach);
	for (node_id n = 0; n < h->nodes_count; n++)
		for (size_t i = 0; i < COUNT_OF(reasons); i++)
			if (!strcmp(heap_type(h, n)->name, reasons[i].type) &&
			    reach->distance[n] != DISTANCE_UNREACHABLE) {
				check_reason(reach, n, &reasons[i], way);
				counts[i]++;
			}
	for (size_t i = 0; i < COUNT_OF(reasons); i++)
		assert_true(counts[i] > 0);
	check_modules(h, way);
	reach_free(reach);
}

TEST(test_reasons)
{
	static const char *const arguments[] = { "--faults", "all", NULL };
	struct target *t;

	if (!target_program_exists("shop", "10.0")) {
		printf("skipped: no shop for .NET 10.0\n");
		return;
	}
	t = target_start_program("shop", "10.0", arguments);
	for (int way = 0; way < WAYS; way++) {
		const struct heap *h = heap_by((enum way)way, target_pid(t));

		check_heap(h, (enum way)way);
		heap_free(h);
	}
	target_free(t);
}
