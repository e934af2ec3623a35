/* Names without namespaces, and how equal ones are told apart. */
#include "tests/drive/run_tests.h"
#include "model/base/arena.h"
#include "tui/session/shown_names.h"
#include <string.h>

static const struct type types[] = {
	{ .name = "Shop.Orders.Item", .short_name = "Item" },
	{ .name = "Shop.Session", .short_name = "Session" },
	{ .name = "Shop.Baskets.Item", .short_name = "Item" },
	{ .name = "A.X.Node[]", .short_name = "Node[]" },
	{ .name = "B.X.Node[]", .short_name = "Node[]" },
	{ .name = "List<A.Item>", .short_name = "List<Item>" },
	{ .name = "List<B.Item>", .short_name = "List<Item>" },
	{ .name = "Item", .short_name = "Item" },
	/* The same name in another module. */
	{ .name = "Shop.Session", .short_name = "Session" },
	{ .name = "byte[]", .short_name = "byte[]" },
};
static const char *const wanted[] = {
	"Orders.Item",  "Session",      "Baskets.Item", "A.X.Node[]", "B.X.Node[]",
	"List<A.Item>", "List<B.Item>", "Item",         "Session",    "byte[]",
};

TEST(equal_names_keep_what_tells_them_apart)
{
	struct error err = { 0 };
	struct arena a;
	const char *const *names;

	arena_init(&a, 0);
	names = shown_names_make(types, COUNT_OF(types), &a, &err);
	assert_ok(names, &err);
	for (size_t i = 0; i < COUNT_OF(types); i++)
		assert_string_equal(names[i], wanted[i]);
	arena_clear(&a);
}

TEST(no_types_have_no_names)
{
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	assert_non_null(shown_names_make(types, 0, &a, &err));
	arena_clear(&a);
}
