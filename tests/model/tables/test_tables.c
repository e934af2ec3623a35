/* Rows of objects, roots, dominators and paths, and the list of all tables. */
#include "model/graph/reach.h"
#include "model/tables/root_table.h"
#include "model/tables/tables.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/table_rows.h"
#include <string.h>

static const struct subject whole = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };

TEST(objects)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	struct table_rows r;
	struct computed c;
	struct row row;

	computed_begin(&c, h, 0);
	table_rows_make(&r, &objects_table, &c.facts, &whole);
	assert_null(r.made);
	assert_int_equal(r.count, h->nodes_count);
	for (uint32_t i = 0; i < r.count; i += 97) {
		table_rows_row(&r, i, &row);
		assert_int_equal(row.kind, ROW_OBJECT);
		assert_int_equal(row.node, i);
		assert_int_equal(row.key, i);
		assert_int_equal(row.type, heap_type_of(h, i));
	}
	assert_int_equal(table_rows_sum(&r, "size"), h->bytes_count);
	computed_end(&c);
	heap_free(h);
}

/* Weak handles follow the roots. */
TEST(roots)
{
	for (size_t at = 0; at < REAL_DUMPS; at++) {
		const struct heap *h = heap_of_file(real_dumps[at]);
		struct table_rows r;
		struct computed c;
		struct row row;

		computed_begin(&c, h, 0);
		table_rows_make(&r, &roots_table, &c.facts, &whole);
		assert_int_equal(r.count, h->roots_count + h->weak_count);
		for (uint32_t i = 0; i < r.count; i++) {
			bool is_weak = i >= h->roots_count;

			table_rows_row(&r, i, &row);
			assert_int_equal(row.kind, is_weak ? ROW_PLAIN : ROW_ROOT);
			assert_int_equal(row.node, is_weak ? h->weak[i - h->roots_count].object
							   : h->roots[i].object);
			assert_int_equal(row.data, root_group_of(h, i));
		}
		computed_end(&c);
		heap_free(h);
	}
}

/* The sums of a kind count each object once. */
TEST(roots_by_kind)
{
	struct graph *g = graph_new(4, 1);
	struct root_groups groups = { 0 };
	const uint32_t all[] = { 0, 1, 2, 3 }, some[] = { 1 };
	struct error err = { 0 };
	const struct heap *h;
	struct computed c;

	graph_ref(g, 1, 2);
	graph_root(g, 1, ROOT_STATIC, "a");
	graph_root(g, 1, ROOT_STATIC, "b");
	graph_root(g, 1, ROOT_STACK, "c");
	graph_root(g, 3, ROOT_STATIC, "d");
	h = heap_of_graph(g);
	computed_begin(&c, h, NEED_RETAINED);
	assert_ok(root_groups_add_up(&groups, h, all, 4, &err), &err);
	assert_int_equal(groups.items[ROOT_STATIC].count, 3);
	assert_int_equal(groups.items[ROOT_STACK].count, 1);
	assert_int_equal(groups.items[ROOT_STATIC].bytes, heap_size(h, 1) + heap_size(h, 3));
	assert_int_equal(groups.items[ROOT_STACK].bytes, heap_size(h, 1));
	root_groups_add_retained(&groups, &c.facts);
	assert_int_equal(groups.items[ROOT_STATIC].retained_bytes,
			 heap_size(h, 1) + heap_size(h, 2) + heap_size(h, 3));
	assert_ok(root_groups_add_up(&groups, h, some, 1, &err), &err);
	assert_int_equal(groups.items[ROOT_STATIC].count + groups.items[ROOT_STACK].count, 1);
	root_groups_clear(&groups);
	computed_end(&c);
	heap_free(h);
}

/* Objects below an object follow it; the top level with unreachable objects last. */
TEST(dominators)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	struct subject about = whole;
	struct table_rows r;
	struct computed c;
	uint64_t retained = 0;
	node_id largest;
	struct row row;

	computed_begin(&c, h, NEED_RETAINED);
	table_rows_make(&r, &dominators_table, &c.facts, &whole);
	assert_int_equal(table_rows_sum(&r, "retained"), h->bytes_count);
	table_rows_row(&r, 0, &row);
	largest = row.node;
	retained = table_rows_number(&r, 0, "retained");
	table_rows_clear(&r);
	about.node = largest;
	about.type = heap_type_of(h, largest);
	table_rows_make(&r, &dominators_table, &c.facts, &about);
	table_rows_row(&r, 0, &row);
	assert_int_equal(row.node, largest);
	assert_int_equal(table_rows_sum(&r, "retained"), 2 * retained - heap_size(h, largest));
	table_rows_clear(&r);
	computed_end(&c);
	heap_free(h);
}

TEST(path)
{
	const struct heap *h = heap_of_file(LEAKY_10);
	struct subject about = whole;
	struct table_rows r;
	struct computed c;
	struct row row;

	computed_begin(&c, h, NEED_REACH);
	about.type = type_named(h, "Leaky.Session");
	for (node_id n = 0; about.node == NODE_NONE; n++)
		if (heap_type_of(h, n) == about.type)
			about.node = n;
	table_rows_make(&r, &path_table, &c.facts, &about);
	assert_int_equal(r.count, c.facts.reach->distance[about.node] + 1);
	for (uint32_t i = 0; i < r.count; i++)
		assert_int_equal(table_rows_number(&r, i, "distance"), i);
	table_rows_row(&r, r.count - 1, &row);
	assert_int_equal(row.node, about.node);
	table_rows_clear(&r);
	computed_end(&c);
	heap_free(h);
}

/* If tables share a name, SQL has only the first, so tables with rows have names of their own. */
TEST(names_are_unique)
{
	for (const struct table *const *t = all_tables; *t; t++)
		for (const struct table *const *u = t + 1; *u && table_lists_rows(*t); u++)
			if (table_lists_rows(*u) && !strcmp((*t)->name, (*u)->name))
				fail_msg("two tables are called %s", (*t)->name);
}

TEST(sources_are_whole)
{
	for (const struct table *const *t = all_tables; *t; t++) {
		const struct row_source *rows = (*t)->rows;

		if (!rows)
			continue;
		if (!rows->count && !rows->record_size)
			fail_msg("%s has no rows", (*t)->name);
		if (rows->make && (!rows->clear || !rows->what || !rows->made_size))
			fail_msg("%s cannot be made", (*t)->name);
		if (rows->make && rows->holder)
			fail_msg("%s is made, and the heap has it", (*t)->name);
	}
}
