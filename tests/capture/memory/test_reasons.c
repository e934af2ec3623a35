/*
 * The reason told for the objects of a real program, by every way to its heap: from its memory, as
 * a core, by the events of its runtime, and as the .gcdump of either. It is the program's own
 * variable or method, and the objects between are the same by every way.
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
	PATH_BYTES = 2000
};

static const struct reason {
	const char *type;
	enum root_kind kind;
	const char *name;  /* the root's name begins so */
	unsigned ways;     /* that tell it, as bits */
	const char *first; /* so begins the type of the root's object */
	bool is_same;      /* the types on the path, by each of these ways */
} reasons[] = {
	{ "Shop.Quote", ROOT_STATIC, "Program.quotes", EVERY_WAY, "", false },
	{ "Shop.Reservation", ROOT_STATIC, "", NO_MERE_WORDS, "", false },
	{ "Shop.PriceFeed", ROOT_STACK, "Program.<Main>", NO_MERE_WORDS, "async Program.Main()",
	  true },
	{ "Shop.PriceView", ROOT_STACK, "Program.<Main>", NO_MERE_WORDS, "async Program.Main()",
	  true },
	/* Events know that a thread runs what follows Serve(). Its object refers to the gate
	   directly. */
	{ "Shop.TenantGate", ROOT_STACK, "", NO_MERE_WORDS, "async Program.", false },
	{ "async Shop.TenantGate.EnterAsync()", ROOT_STACK, "", NO_MERE_WORDS, "async Program.",
	  false },
};

/* The types on the paths that are the same, from the first way on. */
static char paths[COUNT_OF(reasons)][PATH_BYTES];

static void
write_path(const struct reach *reach, node_id n, char *out)
{
	size_t len = 0;

	out[0] = '\0';
	for (;; n = reach->next[n]) {
		len += (size_t)snprintf(out + len, PATH_BYTES - len, " < %s",
					heap_type(reach->heap, n)->name);
		assert_true(len < PATH_BYTES);
		if (!reach->distance[n])
			return;
	}
}

static void
check_path(const struct reach *reach, node_id n, size_t row, enum way way)
{
	char path[PATH_BYTES];

	write_path(reach, n, path);
	if (!paths[row][0])
		memcpy(paths[row], path, sizeof path);
	else if (strcmp(paths[row], path) != 0)
		fail_msg("%s: %s is kept by%s instead of%s", way_names[way], reasons[row].type,
			 path, paths[row]);
}

static bool
is_told(const struct reach *reach, const struct root *root, const struct reason *row)
{
	if (strncmp(heap_type(reach->heap, root->object)->name, row->first, strlen(row->first)) !=
	    0)
		return false;
	return root->kind == row->kind && !strncmp(root->name, row->name, strlen(row->name));
}

static void
check_reason(const struct reach *reach, node_id n, const struct reason *row, enum way way)
{
	const struct root *root = reach_root(reach, n);

	if (!root)
		fail_msg("%s: %s has no root", way_names[way], row->type);
	if (!(row->ways >> way & 1))
		assert_int_not_equal(root->kind, ROOT_STACK_WORD);
	else if (!is_told(reach, root, row))
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
			fail_msg("%s: %s is in \"%s\"", way_names[way], type->name, type->module);
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
				if (!counts[i]++ && reasons[i].is_same &&
				    reasons[i].ways >> way & 1)
					check_path(reach, n, i, way);
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
