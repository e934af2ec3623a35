/* Rows of types: of the whole heap, of groups of it, and as the application's objects hold them. */
#include "model/tables/tables.h"
#include "model/tables/type_table.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/table_rows.h"

static const struct subject whole = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };

static uint64_t
objects_of(const struct heap *h)
{
	uint64_t count = 0;

	for (type_id t = 0; t < h->types_count; t++)
		count += h->types[t].count;
	return count;
}

static void
expect_whole_heap(const char *path)
{
	const struct heap *h = heap_of_file(path);
	struct table_rows r;
	struct computed c;
	struct row row;

	computed_begin(&c, h, 0);
	table_rows_make(&r, &types_table, &c.facts, &whole);
	assert_int_equal(table_rows_sum(&r, "count"), objects_of(h));
	assert_int_equal(table_rows_sum(&r, "size"), h->bytes_count);
	for (uint32_t i = 0; i < r.count; i++) {
		table_rows_row(&r, i, &row);
		assert_int_equal(row.kind, ROW_TYPE);
		assert_int_equal(row.key, row.type);
		assert_int_equal(table_rows_number(&r, i, "count"), h->types[row.type].count);
		assert_int_equal(table_rows_number(&r, i, "size"), h->types[row.type].bytes);
		assert_int_equal(table_rows_number(&r, i, "own"), h->types[row.type].bytes);
	}
	table_rows_clear(&r);
	computed_end(&c);
	heap_free(h);
}

TEST(whole_heap)
{
	for (size_t i = 0; i < REAL_DUMPS; i++)
		expect_whole_heap(real_dumps[i]);
}

/* Types without objects have no row. */
TEST(only_types_with_objects)
{
	struct type types[3] = {
		{ .name = "A", .raw = "A", .module = "", .count = 2, .bytes = 48, .multiplier = 1 },
		{ .name = "B", .raw = "B", .module = "", .multiplier = 1 },
		{ .name = "C", .raw = "C", .module = "", .count = 3, .bytes = 24, .multiplier = 1 },
	};
	const struct facts f = { .types = types, .types_count = 3, .has = 0 };
	struct table_rows r;
	struct value v;

	/* The heap is still read: the rows are made at once, and its largest objects are unknown.
	 */
	assert_true(types_table.rows->is_quick(&f, &whole));
	table_rows_make(&r, &types_table, &f, &whole);
	assert_int_equal(r.count, 2);
	assert_int_equal(table_rows_number(&r, 1, "count"), 3);
	assert_int_equal(table_rows_number(&r, 1, "avg"), 8);
	table_rows_cell(&r, 0, "max", &v);
	assert_int_equal(v.kind, VALUE_PENDING);
	table_rows_clear(&r);
}

/* The groups of one grouping add up to the heap. */
static void
expect_groups(const struct facts *f, enum grouping by)
{
	struct error err = { 0 };
	struct groups groups;
	uint64_t count = 0, bytes = 0;

	assert_ok(groups_compute(&groups, f->heap, f->reach, by, NULL, &err), &err);
	for (uint32_t i = 0; i < groups.count; i++) {
		const struct group_sum *g = &groups.items[i];
		struct subject about = whole;
		struct table_rows r;

		about.group = &g->id;
		assert_false(types_table.rows->is_quick(f, &about));
		table_rows_make(&r, &types_table, f, &about);
		assert_int_equal(table_rows_sum(&r, "count"), g->count);
		assert_int_equal(table_rows_sum(&r, "size"), g->bytes);
		count += g->count;
		bytes += g->bytes;
		table_rows_clear(&r);
	}
	assert_int_equal(count, f->heap->nodes_count);
	assert_int_equal(bytes, f->heap->bytes_count);
	groups_clear(&groups);
}

TEST(groups_add_up)
{
	const struct heap *h = heap_of_file(LEAKY_TRACE);
	struct computed c;

	computed_begin(&c, h, NEED_REACH);
	for (int by = GROUP_NAMESPACE; by < GROUPING_COUNT; by++)
		expect_groups(&c.facts, (enum grouping)by);
	computed_end(&c);
	heap_free(h);
}

/* Every column counts my code, and what none of it holds is one row of the framework. */
TEST(mine)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	struct subject about = whole;
	uint64_t own = 0;
	struct table_rows r;
	struct computed c;
	struct value v;
	struct row row;

	computed_begin(&c, h, NEED_RETAINED);
	about.is_mine = true;
	table_rows_make(&r, &types_table, &c.facts, &about);
	assert_int_equal(table_rows_sum(&r, "size"), h->bytes_count);
	table_rows_row(&r, r.count - 1, &row);
	assert_int_equal(row.type, TYPE_NONE);
	for (uint32_t i = 0; i + 1 < r.count; i++) {
		uint64_t count = table_rows_number(&r, i, "count");

		table_rows_row(&r, i, &row);
		if (row.type == type_named(h, "Leaky.Session")) {
			assert_int_equal(count, h->types[row.type].count);
			assert_true(table_rows_number(&r, i, "size") > h->types[row.type].bytes);
			own = table_rows_number(&r, i, "own");
			assert_int_equal(own, h->types[row.type].bytes);
		}
		assert_int_equal(table_rows_number(&r, i, "avg"),
				 table_rows_number(&r, i, "size") / count);
	}
	assert_true(own);
	assert_true(types_table.heading(&r.cells, 0, &v));
	assert_false(types_table.heading(&r.cells, 1, &v));
	table_rows_clear(&r);
	computed_end(&c);
	heap_free(h);
}

/* Without dominators the application's types count for themselves. */
TEST(mine_without_dominators)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	struct subject about = whole;
	struct table_rows r;
	struct computed c;

	computed_begin(&c, h, 0);
	about.is_mine = true;
	assert_true(types_table.rows->is_quick(&c.facts, &about));
	table_rows_make(&r, &types_table, &c.facts, &about);
	assert_int_equal(table_rows_sum(&r, "size"), h->bytes_count);
	assert_int_equal(table_rows_number(&r, 0, "size"), table_rows_number(&r, 0, "own"));
	table_rows_clear(&r);
	computed_end(&c);
	heap_free(h);
}

/* Only groups that split no type know what only whole types have. */
TEST(whole_types)
{
	struct group_id id = { .by = GROUP_MODULE };

	assert_true(types_are_whole(NULL));
	assert_true(types_are_whole(&id));
	id.by = GROUP_GENERATION;
	assert_false(types_are_whole(&id));
}

TEST(cancelled)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	struct progress progress = { .is_cancelled = true };
	struct subject about = whole;
	struct types_made made = { 0 };
	struct error err = { 0 };
	struct computed c;

	computed_begin(&c, h, NEED_RETAINED);
	about.is_mine = true;
	assert_false(types_table.rows->make(&made, &c.facts, &about, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	types_table.rows->clear(&made);
	computed_end(&c);
	heap_free(h);
}
