/* Compares the application's bytes with a slow climb to the holders. */
#include "model/analysis/groups.h"
#include "model/graph/mine.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include <string.h>

#define CORE                                                                                       \
	"/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.1/"                                   \
	"System.Private.CoreLib.dll"
#define BOX "AsyncStateMachineBox<VoidTaskResult,Shop.Cart+<Pay>d__1>"

/* clang-format off */
static const struct row {
	const char *test;
	const char *name, *raw, *module;
	uint32_t flags;
	const char *patterns;
	enum code_owner owner;
} rows[] = {
	{ "mine",              "Shop.Order",   "Shop.Order",      "/app/shop.dll",  0, "", CODE_MINE },
	{ "my array",          "Shop.Order[]", "Shop.Order[]",    "/app/shop.dll",  TYPE_ARRAY, "", CODE_ARRAY },
	{ "string",            "string",       "System.String",   CORE,             0, "", CODE_FRAMEWORK },
	{ "list of mine",      "List<Order>",  "System.Collections.Generic.List<Shop.Order>", CORE, 0, "", CODE_FRAMEWORK },
	{ "library",           "Json.Node",    "Json.Node",       "/app/Json.dll",  0, "", CODE_MINE },
	{ "library, listed",   "Json.Node",    "Json.Node",       "/app/Json.dll",  0, "shop", CODE_FRAMEWORK },
	{ "suffix",            "Shop.Order",   "Shop.Order",      "/app/shop.dll",  0, "shop.dll", CODE_MINE },
	{ "second pattern",    "Shop.Order",   "Shop.Order",      "/app/shop.dll",  0, "bill,shop", CODE_MINE },
	{ "empty pattern",     "Shop.Order",   "Shop.Order",      "/app/shop.dll",  0, ",", CODE_FRAMEWORK },
	{ "star",              "Shop.Order",   "Shop.Order",      "/app/shop.core.dll", 0, "sh*", CODE_MINE },
	{ "star in between",   "Shop.Order",   "Shop.Order",      "/app/shop.core.dll", 0, "s*.c*e", CODE_MINE },
	{ "star, other end",   "Shop.Order",   "Shop.Order",      "/app/shop.core.dll", 0, "s*.x", CODE_FRAMEWORK },
	{ "no part of a name", "Shop.Order",   "Shop.Order",      "/app/shopping.dll", 0, "shop", CODE_FRAMEWORK },
	{ "no module",         "Shop.Order",   "Shop.Order",      "",               0, "Shop", CODE_MINE },
	{ "no module, other",  "Shopping.X",   "Shopping.X",      "",               0, "Shop", CODE_FRAMEWORK },
	{ "async",             "async Shop.Cart.Pay()", BOX,      CORE,             0, "", CODE_MINE },
	{ "async, listed",     "async Shop.Cart.Pay()", BOX,      CORE,             0, "Shop", CODE_MINE },
	{ "async, others",     "async Shop.Cart.Pay()", BOX,      CORE,             0, "Bill", CODE_FRAMEWORK },
	{ "framework, listed", "string",       "System.String",   CORE,             0, "System.*", CODE_MINE },
};
/* clang-format on */

TEST(test_owners)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];
		struct type t = {
			.name = r->name, .raw = r->raw, .module = r->module, .flags = r->flags
		};
		enum code_owner owner = my_code_owner(&t, r->patterns);

		if (owner != r->owner)
			fail_msg("%s: %d instead of %d", r->test, owner, r->owner);
	}
}

/* --- sums ---------------------------------------------------------------- */

struct computed {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct dominators *dominators;
	struct mine mine;
};

static struct computed
compute(const struct heap *h)
{
	struct computed c = { .heap = h };
	struct error err = { 0 };

	c.reverse = reverse_compute(h, NULL, &err);
	assert_ok(c.reverse, &err);
	c.dominators = dominators_compute(h, c.reverse, NULL, 0, NULL, &err);
	assert_ok(c.dominators, &err);
	assert_ok(mine_compute(&c.mine, h->types, h->types_count, c.dominators, "", NULL, &err),
		  &err);
	return c;
}

static void
computed_clear(struct computed *c)
{
	mine_clear(&c->mine);
	dominators_free(c->dominators);
	reverse_free(c->reverse);
}

/* Climbs to the object that counts this one; NODE_NONE: none does. An array counts with the
   outermost array, if nothing else holds it. */
static node_id
slow_holder(const struct computed *c, node_id n)
{
	node_id array = NODE_NONE;

	for (; n != NODE_NONE; n = dominators_of(c->dominators, n)) {
		enum code_owner owner = my_code_owner(heap_type(c->heap, n), "");

		if (owner == CODE_MINE)
			return n;
		if (owner == CODE_ARRAY)
			array = n;
	}
	return array;
}

static void
expect_sums(const struct computed *c)
{
	const struct heap *h = c->heap;
	struct error err = { 0 };
	struct mine_sum *sums = memory_new((size_t)h->types_count + 1, sizeof *sums, &err);
	uint64_t left_bytes = 0, left_count = 0, dead = 0, all_dead = 0;

	assert_non_null(sums);
	for (node_id n = 0; n < h->nodes_count; n++) {
		node_id holder = slow_holder(c, n);
		struct mine_sum *sum;

		assert_int_equal(mine_has(&c->mine, h, n), holder != NODE_NONE);
		if (holder == NODE_NONE) {
			left_bytes += heap_size(h, n);
			left_count++;
			continue;
		}
		sum = &sums[heap_type_of(h, holder)];
		sum->bytes += heap_size(h, n);
		if (!dominators_is_reachable(c->dominators, n))
			sum->dead_bytes += heap_size(h, n);
		if (holder == n) {
			sum->count++;
			sum->own_bytes += heap_size(h, n);
		}
	}
	for (type_id t = 0; t < h->types_count; t++) {
		const struct mine_sum *sum = &c->mine.types[t];

		assert_int_equal(sum->bytes, sums[t].bytes);
		assert_int_equal(sum->dead_bytes, sums[t].dead_bytes);
		dead += sum->dead_bytes;
		if (c->mine.owners[t] != CODE_MINE)
			continue;
		assert_int_equal(sum->count, sums[t].count);
		assert_int_equal(sum->own_bytes, sums[t].own_bytes);
	}
	all_dead = c->mine.all.dead_bytes;
	assert_int_equal(dead, all_dead);
	assert_int_equal(c->mine.left_out.bytes, left_bytes);
	assert_int_equal(c->mine.left_out.count, left_count);
	assert_int_equal(c->mine.all.bytes + left_bytes, h->bytes_count);
	memory_free(sums);
}

/* The types of graph_mixed(); the first four refer to nothing. */
static const char *const type_names[] = {
	"System.String",
	"System.Byte[]",
	"Shop.Price[]",
	"Shop.Price",
	"Shop.Order",
	"Shop.Order[]",
	"System.Collections.Generic.List<Shop.Order>",
	"System.Object[]",
	"Shop.Cart",
	"Shop.Order[][]",
	"System.Action",
};

static const struct heap *
mixed_heap(uint64_t seed, uint32_t nodes_count)
{
	struct graph *g = graph_mixed(seed, nodes_count);
	const struct heap *h;

	assert_int_equal(g->types_count, COUNT_OF(type_names));
	for (uint32_t t = 0; t < g->types_count; t++)
		g->type_names[t] = type_names[t];
	h = heap_of_graph(g);
	/* A graph's types are all of one module. */
	for (type_id t = 0; t < h->types_count; t++)
		if (!strncmp(h->types[t].raw, "System.", 7))
			((struct type *)(uintptr_t)h->types)[t].module = CORE;
	return h;
}

TEST(test_sums_like_a_slow_climb)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		const struct heap *h = mixed_heap(seed, 30 + 70 * (uint32_t)seed);
		struct computed c = compute(h);

		expect_sums(&c);
		assert_true(c.mine.left_out.count && c.mine.mine_count);
		computed_clear(&c);
		heap_free(h);
	}
}

TEST(test_real_dumps)
{
	for (int i = 0; i < REAL_DUMPS; i++) {
		const struct heap *h = heap_of_file(real_dumps[i]);
		struct computed c = compute(h);

		expect_sums(&c);
		assert_true(c.mine.mine_count > 0);
		computed_clear(&c);
		heap_free(h);
	}
}

/* Without dominators, every object of the framework is left out. */
TEST(test_types_alone)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	type_id session = type_named(h, "Leaky.Session");
	struct error err = { 0 };
	struct mine mine;

	assert_ok(mine_compute(&mine, h->types, h->types_count, NULL, "", NULL, &err), &err);
	assert_int_equal(mine.types[session].bytes, h->types[session].bytes);
	assert_int_equal(mine.types[session].own_bytes, h->types[session].bytes);
	assert_int_equal(mine.all.bytes + mine.left_out.bytes, h->bytes_count);
	assert_true(mine.left_out.bytes > mine.all.bytes);
	mine_clear(&mine);
	heap_free(h);
}

/* --- groups -------------------------------------------------------------- */

static uint64_t
arrays_count(const struct computed *c)
{
	uint64_t count = 0;

	for (type_id t = 0; t < c->mine.types_count; t++)
		if (c->mine.owners[t] == CODE_ARRAY)
			count += c->heap->types[t].count;
	return count;
}

/* Groups of each kind add up to what is counted. */
TEST(test_groups_add_up)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	struct computed c = compute(h);
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);

	assert_ok(reach, &err);
	for (int by = GROUP_NAMESPACE; by < GROUPING_COUNT; by++) {
		struct groups g;
		uint64_t bytes = 0, count = 0;

		assert_ok(groups_compute(&g, h, reach, (enum grouping)by, NULL, &err) &&
			      groups_count_mine(&g, &c.mine, h, reach, NULL, &err),
			  &err);
		groups_drop_empty(&g);
		for (uint32_t i = 0; i < g.count; i++) {
			assert_true(g.items[i].bytes > 0);
			bytes += g.items[i].bytes;
			count += g.items[i].count;
		}
		assert_int_equal(bytes, c.mine.all.bytes);
		/* Where each object is, arrays with a holder count, too. */
		assert_in_range(count, c.mine.all.count,
				c.mine.all.count + (g.of_type ? 0 : arrays_count(&c)));
		groups_clear(&g);
	}
	reach_free(reach);
	computed_clear(&c);
	heap_free(h);
}
