/*
 * The reason told for the objects of a real program, by every way to its heap:
 * from its memory, as a core, by the events of its runtime, and as the .gcdump
 * of either. It is the program's own variable or method, where the way knows
 * it.
 */
#include "model/graph/reach.h"
#include "tests/drive/captures.h"
#include "tests/drive/ways.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
