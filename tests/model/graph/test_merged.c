#include "model/graph/merged.h"
#include "model/heap/bits.h"
#include "tests/made/graphs.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>
#include <string.h>

/* One row by looking at every reference of the graph. */
struct plain_row {
	uint32_t count, held_count, cycle_count;
	uint64_t refs_count, bytes;
	node_id *nodes;
};

static bool
row_has(const struct merged_row *row, node_id n)
{
	for (uint32_t i = 0; i < row->count; i++)
		if (row->nodes[i] == n)
			return true;
	return false;
}

static uint8_t *
marks_of_path(const struct graph *g, const struct merged_row *const *path, uint32_t depth)
{
	uint8_t *marks = calloc(g->nodes_count, 1);

	assert_non_null(marks);
	for (uint32_t d = 0; d < depth; d++)
		for (uint32_t i = 0; i < path[d]->count; i++)
			marks[path[d]->nodes[i]] |= d + 1 == depth ? 3 : 1;
	return marks;
}

static struct plain_row
plain_row(const struct graph *g, type_id type, const struct merged_row *const *path, uint32_t depth)
{
	uint8_t *marks = marks_of_path(g, path, depth);
	struct plain_row row = { 0 };

	row.nodes = calloc(g->nodes_count, sizeof(*row.nodes));
	for (node_id n = 0; n < g->nodes_count; n++) {
		uint64_t refs_count = 0;

		if (g->types[n] != type)
			continue;
		for (uint64_t i = g->starts[n]; i < g->starts[n + 1]; i++) {
			node_id target = g->targets[i];

			refs_count += marks[target] >> 1 & 1;
			if (!(marks[n] & 1) && marks[target] & 2) {
				row.held_count += !(marks[target] & 4);
				marks[target] |= 4;
			}
		}
		if (!refs_count)
			continue;
		if (marks[n] & 1) {
			row.cycle_count++;
			continue;
		}
		row.nodes[row.count++] = n;
		row.refs_count += refs_count;
		row.bytes += graph_size(n);
	}
	free(marks);
	return row;
}

static const struct merged_row *
row_of_type(const struct merged_row *rows, uint32_t count, type_id type)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].type == type)
			return &rows[i];
	return NULL;
}

static void
expect_type_rows(const struct graph *g, const struct merged_row *rows, uint32_t count,
		 const struct merged_row *const *path, uint32_t depth)
{
	for (type_id t = 0; t < g->types_count; t++) {
		const struct merged_row *row = row_of_type(rows, count, t);
		struct plain_row wanted = plain_row(g, t, path, depth);

		assert_true(!row == (!wanted.count && !wanted.cycle_count));
		if (row) {
			assert_int_equal(row->count, wanted.count);
			assert_int_equal(row->bytes, wanted.bytes);
			assert_int_equal(row->refs_count, wanted.refs_count);
			assert_int_equal(row->held_count, wanted.held_count);
			assert_int_equal(row->cycle_count, wanted.cycle_count);
			assert_memory_equal(row->nodes, wanted.nodes,
					    wanted.count * sizeof(*wanted.nodes));
		}
		free(wanted.nodes);
	}
}

static void
expect_root_rows(const struct graph *g, const struct merged_row *rows, uint32_t count,
		 const struct merged_row *above)
{
	uint64_t roots_count = 0, wanted = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].type != TYPE_NONE)
			continue;
		assert_null(rows[i].nodes);
		assert_true(rows[i].held_count > 0);
		assert_true(rows[i].held_count <= rows[i].refs_count);
		roots_count += rows[i].refs_count;
		for (uint32_t k = 0; k < g->roots_count; k++)
			wanted += g->roots[k].kind == rows[i].root_kind &&
				  !strcmp(g->roots[k].name, rows[i].root_name) &&
				  row_has(above, g->roots[k].object);
		assert_int_equal(roots_count, wanted);
	}
	wanted = 0;
	for (uint32_t k = 0; k < g->roots_count; k++)
		wanted += row_has(above, g->roots[k].object);
	assert_int_equal(roots_count, wanted);
}

static void
expect_order(const struct merged_row *rows, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const struct merged_row *above = &rows[i - 1];

		assert_true(above->held_bytes >= rows[i].held_bytes);
		if (above->held_bytes != rows[i].held_bytes)
			continue;
		/* Among equals, roots are first, by priority. */
		assert_true(above->type == TYPE_NONE || rows[i].type != TYPE_NONE);
		if (above->type != TYPE_NONE)
			assert_true(above->held_count >= rows[i].held_count);
		else if (rows[i].type == TYPE_NONE)
			assert_true(root_kinds[above->root_kind].priority <=
				    root_kinds[rows[i].root_kind].priority);
	}
}

static void
rows_free(struct merged_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		merged_row_clear(&rows[i]);
	memory_free(rows);
}

enum { MAX_DEPTH = 6 };

/* Opens the type row with most objects, again and again. */
static void
check_levels(const struct graph *g, const struct reverse *rev, const struct merged_row **path,
	     uint32_t depth)
{
	struct merged_row *rows[MAX_DEPTH];
	uint32_t counts[MAX_DEPTH], levels = 0;
	struct error err = { 0 };

	while (depth < MAX_DEPTH) {
		const struct merged_row *largest = NULL;
		uint32_t count;

		assert_true(merged_open(&rows[levels], &count, path, depth, rev, NULL, &err));
		expect_type_rows(g, rows[levels], count, path, depth);
		expect_root_rows(g, rows[levels], count, path[depth - 1]);
		expect_order(rows[levels], count);
		counts[levels] = count;
		for (uint32_t i = 0; i < count; i++)
			if (rows[levels][i].count > (largest ? largest->count : 0))
				largest = &rows[levels][i];
		levels++;
		if (!largest)
			break;
		path[depth++] = largest;
	}
	while (levels--)
		rows_free(rows[levels], counts[levels]);
}

TEST(test_mixed)
{
	static const uint32_t sizes[] = { 1, 9, 100, 3000, 70000 };
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct graph *g = graph_mixed(i + 7, sizes[i]);
		const struct heap *h = graph_heap(g);
		const struct reverse *rev = reverse_compute(h, NULL, &err);

		assert_non_null(rev);
		for (type_id t = 0; t < g->types_count; t += 3) {
			const struct merged_row *path[MAX_DEPTH];
			struct merged_row top;

			assert_true(merged_top(&top, h, t, NULL, &err));
			assert_int_equal(top.count, h->types[t].count);
			assert_int_equal(top.bytes, h->types[t].bytes);
			path[0] = &top;
			check_levels(g, rev, path, 1);
			merged_row_clear(&top);
		}
		reverse_free(rev);
		heap_free(h);
		graph_free(g);
	}
}

/* A list refers to itself only: all its other links are a cycle. */
TEST(test_list_is_a_cycle)
{
	struct error err = { 0 };
	const struct heap *h = heap_of_graph(graph_list(1000));
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	const struct merged_row *path[1];
	struct merged_row top, *rows;
	uint32_t count;

	assert_non_null(rev);
	assert_true(merged_top(&top, h, 0, NULL, &err));
	path[0] = &top;
	assert_true(merged_open(&rows, &count, path, 1, rev, NULL, &err));
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].type, TYPE_NONE);
	assert_int_equal(rows[0].root_kind, ROOT_STATIC);
	assert_string_equal(rows[0].root_name, "list");
	assert_int_equal(rows[0].held_count, 1);
	assert_int_equal(rows[1].count, 0);
	assert_int_equal(rows[1].cycle_count, 999);
	rows_free(rows, count);
	merged_row_clear(&top);
	reverse_free(rev);
	heap_free(h);
}

/* As many names as have rows of their own, and one more. */
static void
check_names(uint32_t names, uint32_t rows_wanted)
{
	static char texts[MERGED_ROOT_NAMES + 1][16];
	struct error err = { 0 };
	struct graph *g = graph_new(names, 1);
	const struct merged_row *path[1];
	const struct reverse *rev;
	struct merged_row top, *rows;
	const struct heap *h;
	uint32_t count, largest = 0;

	for (uint32_t i = 0; i < names; i++) {
		snprintf(texts[i], sizeof(texts[i]), "name%03u", names - i);
		if (graph_size(i) > graph_size(largest))
			largest = i;
		graph_root(g, i, ROOT_STATIC, texts[i]);
		graph_root(g, i, ROOT_STATIC, texts[i]);
	}
	h = graph_heap(g);
	rev = reverse_compute(h, NULL, &err);
	assert_non_null(rev);
	assert_true(merged_top(&top, h, 0, NULL, &err));
	path[0] = &top;
	assert_true(merged_open(&rows, &count, path, 1, rev, NULL, &err));
	assert_int_equal(count, rows_wanted);
	assert_string_equal(rows[0].root_name, rows_wanted == 1 ? "" : texts[largest]);
	assert_int_equal(rows[0].held_count, rows_wanted == 1 ? names : 1);
	assert_int_equal(rows[0].has_all_names, rows_wanted == 1);
	assert_int_equal(rows[0].refs_count, 2 * rows[0].held_count);
	rows_free(rows, count);
	merged_row_clear(&top);
	reverse_free(rev);
	heap_free(h);
	graph_free(g);
}

TEST(test_many_names)
{
	check_names(MERGED_ROOT_NAMES, MERGED_ROOT_NAMES);
	check_names(MERGED_ROOT_NAMES + 1, 1);
}

TEST(test_cancelled)
{
	struct error err = { 0 };
	struct progress progress = { 0 };
	const struct heap *h = heap_of_graph(graph_hub(400000));
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	const struct merged_row *path[1];
	struct merged_row top, *rows;
	uint32_t count;

	assert_non_null(rev);
	assert_true(merged_top(&top, h, 1, NULL, &err));
	path[0] = &top;
	progress_cancel(&progress);
	assert_false(merged_open(&rows, &count, path, 1, rev, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	assert_null(rows);
	merged_row_clear(&top);
	reverse_free(rev);
	heap_free(h);
}
