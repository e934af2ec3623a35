#include "model/graph/root_ways.h"
#include "model/heap/order.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>
#include <string.h>

/* A row to be opened, with what stands below it. */
struct open_row {
	struct root_ways_row row;
	uint32_t depth; /* 0: roots; else distance + 1 */
};

struct stack {
	struct open_row items[4096];
	size_t count;
	struct root_ways_rows kept[4096]; /* what the rows borrow from */
	size_t kept_count;
};

static bool
row_has(const struct root_ways_row *row, node_id n)
{
	for (uint32_t i = 0; i < row->nodes_count; i++)
		if (row->nodes[i] == n)
			return true;
	return false;
}

/* Each target's way, step by step: does it go through this row? */
static void
expect_counts(const struct root_ways *w, const struct open_row *o, const node_id *targets,
	      uint32_t count)
{
	const struct reach *reach = w->reach;
	uint32_t at_distance = o->depth ? o->depth - 1 : 0;
	uint64_t through = 0, bytes = 0, ends = 0;

	for (uint32_t i = 0; i < count; i++) {
		node_id n = targets[i];

		if (reach->distance[n] == DISTANCE_UNREACHABLE || reach->distance[n] < at_distance)
			continue;
		while (reach->distance[n] > at_distance)
			n = reach->next[n];
		if (!row_has(&o->row, n))
			continue;
		through++;
		bytes += heap_size(reach->heap, targets[i]);
		ends += o->depth && n == targets[i];
	}
	assert_int_equal(o->row.count, through);
	assert_int_equal(o->row.bytes, bytes);
	assert_int_equal(o->row.ends_count, ends);
}

static void
push(struct stack *s, const struct root_ways_rows *rows, uint32_t depth)
{
	for (uint32_t i = 0; i < rows->count; i++) {
		assert_true(s->count < 4096);
		s->items[s->count++] = (struct open_row){ rows->items[i], depth };
	}
	assert_true(s->kept_count < 4096);
	s->kept[s->kept_count++] = *rows;
}

static void
expect_top(const struct root_ways *w, const struct root_ways_rows *rows)
{
	const struct reach *reach = w->reach;
	uint64_t count = 0;

	for (uint32_t i = 0; i < rows->count; i++) {
		const struct root_ways_row *row = &rows->items[i];

		count += row->count;
		for (uint32_t k = 0; k < row->nodes_count; k++) {
			const struct root *root = reach_root(reach, row->nodes[k]);

			assert_int_equal(reach->distance[row->nodes[k]], 0);
			assert_int_equal(root->kind, row->root_kind);
			if (row->root_name[0])
				assert_string_equal(root->name, row->root_name);
		}
		if (i)
			assert_true(rows->items[i - 1].bytes >= row->bytes);
	}
	assert_int_equal(count, w->reached_count);
}

static void
expect_below(const struct root_ways *w, const struct open_row *above,
	     const struct root_ways_rows *rows)
{
	const struct reach *reach = w->reach;
	uint64_t count = above->row.ends_count;

	for (uint32_t i = 0; i < rows->count; i++) {
		const struct root_ways_row *row = &rows->items[i];

		count += row->count;
		assert_true(row->count > 0);
		for (uint32_t k = 0; k < row->nodes_count; k++) {
			node_id n = row->nodes[k];

			assert_int_equal(heap_type_of(reach->heap, n), row->type);
			assert_int_equal(reach->distance[n], above->depth);
			assert_true(row_has(&above->row, above->depth ? reach->next[n] : n));
		}
	}
	assert_int_equal(count, above->row.count);
}

static void
check_targets(const struct reach *reach, const node_id *targets, uint32_t count)
{
	struct error err = { 0 };
	struct root_ways *w = root_ways_new(reach, targets, count, NULL, &err);
	struct stack *s = calloc(1, sizeof(*s));
	struct root_ways_rows rows;

	assert_true(w && s);
	assert_true(root_ways_top(&rows, w, NULL, &err));
	expect_top(w, &rows);
	push(s, &rows, 0);
	while (s->count) {
		struct open_row o = s->items[--s->count];

		expect_counts(w, &o, targets, count);
		assert_true(root_ways_open(&rows, w, &o.row, false, NULL, &err));
		expect_below(w, &o, &rows);
		push(s, &rows, o.depth + 1);
	}
	for (size_t i = 0; i < s->kept_count; i++)
		root_ways_rows_clear(&s->kept[i]);
	free(s);
	root_ways_free(w);
}

/* Some objects, each once. */
static uint32_t
some_targets(struct graph *g, node_id *targets, uint32_t one_in)
{
	uint32_t count = 0;

	for (node_id n = 0; n < g->nodes_count; n++)
		if (!graph_random(g, one_in))
			targets[count++] = n;
	return count;
}

static void
check_graph(struct graph *g)
{
	const struct heap *h = graph_heap(g);
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	node_id *targets = calloc((size_t)g->nodes_count + 1, sizeof(*targets));

	assert_true(reach && targets);
	check_targets(reach, targets, 0);
	for (uint32_t one_in = 1; one_in < 100; one_in = one_in * 3 + 1)
		check_targets(reach, targets, some_targets(g, targets, one_in));
	free(targets);
	reach_free(reach);
	heap_free(h);
	graph_free(g);
}

TEST(test_graphs)
{
	static const uint32_t sizes[] = { 1, 2, 9, 60, 500, 2000 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		check_graph(graph_mixed(i + 40, sizes[i]));
	check_graph(graph_list(100));
	check_graph(graph_hub(500));
	check_graph(graph_new(0, 1));
}

/* The end of a long list: one way, no recursion, no square of its length. */
TEST(test_long_list)
{
	struct error err = { 0 };
	uint32_t count = graph_long_list();
	const struct heap *h = heap_of_graph(graph_list(count));
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	node_id ends[2] = { 0, count / 2 };
	struct root_ways *w = root_ways_new(reach, ends, 2, NULL, &err);
	struct root_ways_rows top, next;

	assert_non_null(w);
	assert_int_equal(w->reached_count, 2);
	assert_true(root_ways_top(&top, w, NULL, &err));
	assert_int_equal(top.count, 1);
	assert_int_equal(top.items[0].count, 2);
	assert_true(root_ways_open(&next, w, &top.items[0], false, NULL, &err));
	assert_int_equal(next.items[0].count, 2);
	root_ways_rows_clear(&next);
	root_ways_rows_clear(&top);
	root_ways_free(w);
	reach_free(reach);
	heap_free(h);
}

TEST(test_real)
{
	struct error err = { 0 };
	const struct heap *h = heap_of_file(LEAKY_10);
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	uint8_t *types = h ? calloc((size_t)h->types_count + 1, 1) : NULL;
	struct root_ways_rows rows;
	struct id_list list = { 0 };
	struct root_ways *w;
	type_id t = 0;

	assert_true(h && reach && types);
	while (strcmp(h->types[t].name, "Leaky.Subscriber") != 0)
		assert_true(++t < h->types_count);
	types[t] = 1;
	assert_true(id_list_of_types(&list, h, types, NULL, &err));
	w = root_ways_new(reach, list.ids, list.count, NULL, &err);
	assert_non_null(w);
	assert_true(root_ways_top(&rows, w, NULL, &err));
	assert_int_equal(rows.count, 1);
	assert_int_equal(rows.items[0].count, 200);
	assert_string_equal(rows.items[0].root_name, "publisher");
	check_targets(reach, list.ids, list.count);
	root_ways_rows_clear(&rows);
	root_ways_free(w);
	id_list_free(&list);
	free(types);
	reach_free(reach);
	heap_free(h);
}

TEST(test_cancelled)
{
	struct progress progress = { 0 };
	struct error err = { 0 };
	struct graph *g = graph_mixed(3, 200000);
	const struct heap *h = graph_heap(g);
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	node_id *targets = calloc(g->nodes_count, sizeof(*targets));
	uint32_t count = some_targets(g, targets, 1);

	progress_cancel(&progress);
	assert_null(root_ways_new(reach, targets, count, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	free(targets);
	reach_free(reach);
	heap_free(h);
}

/* Opens the row of the list below the only root twice, and returns what is below it. The row then
   has `joined` objects. */
static void
open_list(struct root_ways *w, bool joins_lists, uint32_t joined, struct root_ways_rows *below)
{
	struct root_ways_rows top, first;
	struct error err = { 0 };

	assert_true(root_ways_top(&top, w, NULL, &err));
	assert_true(root_ways_open(&first, w, &top.items[0], false, NULL, &err));
	assert_int_equal(first.count, 1);
	assert_true(root_ways_open(below, w, &first.items[0], joins_lists, NULL, &err));
	root_ways_join(&first.items[0], below);
	assert_int_equal(first.items[0].nodes_count, joined);
	root_ways_rows_clear(below);
	assert_true(root_ways_open(below, w, &first.items[0], joins_lists, NULL, &err));
	assert_null(below->joined);
	root_ways_rows_clear(&first);
	root_ways_rows_clear(&top);
}

/* Timers in a list, of which each refers to an object: one row stands for the list, if wanted. */
TEST(test_lists_are_joined)
{
	enum { TIMERS = 1000 };
	struct error err = { 0 };
	struct graph *g = graph_new(2 * TIMERS, 2);
	node_id targets[TIMERS];
	struct root_ways_rows below;
	const struct reach *reach;
	const struct heap *h;
	struct root_ways *w;

	g->type_names[0] = FRAMEWORK_TYPE "TimerQueueTimer";
	for (node_id n = 0; n < TIMERS; n++) {
		g->types[TIMERS + n] = 1;
		targets[n] = TIMERS + n;
		graph_ref(g, n, TIMERS + n);
		if (n + 1 < TIMERS)
			graph_ref(g, n, n + 1);
	}
	graph_root(g, 0, ROOT_STATIC, "timers");
	h = graph_heap(g);
	reach = reach_compute(h, true, NULL, &err);
	w = root_ways_new(reach, targets, TIMERS, NULL, &err);
	assert_non_null(w);
	open_list(w, false, 1, &below);
	assert_int_equal(below.count, 2);
	root_ways_rows_clear(&below);
	open_list(w, true, TIMERS, &below);
	assert_int_equal(below.count, 1);
	assert_int_equal(below.items[0].count, TIMERS);
	assert_int_equal(below.items[0].nodes_count, TIMERS);
	root_ways_rows_clear(&below);
	root_ways_free(w);
	reach_free(reach);
	heap_free(h);
	graph_free(g);
}

/* Nested arrays that refer to the next one, to another, and to the next one again: each counts
   once, and following them takes no 2^60 steps. */
TEST(test_doubles_in_lists)
{
	enum { NESTED = 60, NODES = 2 * NESTED + 1 };
	struct error err = { 0 };
	struct graph *g = graph_new(NODES, 2);
	node_id target = NODES - 1;
	struct root_ways_rows below;
	const struct reach *reach;
	const struct heap *h;
	struct root_ways *w;

	g->type_names[0] = FRAMEWORK_TYPE "TimerQueueTimer";
	g->types[target] = 1;
	for (node_id n = 0; n + 1 < NESTED; n++) {
		graph_ref(g, n, n + 1);
		graph_ref(g, n, NESTED + n);
		graph_ref(g, n, n + 1);
	}
	graph_ref(g, NESTED - 1, target);
	graph_ref(g, 2 * NESTED - 2, target);
	graph_root(g, 0, ROOT_STATIC, "timers");
	h = graph_heap(g);
	reach = reach_compute(h, true, NULL, &err);
	w = root_ways_new(reach, &target, 1, NULL, &err);
	assert_non_null(w);
	open_list(w, true, NESTED, &below);
	assert_int_equal(below.count, 1);
	assert_int_equal(below.items[0].count, 1);
	assert_int_equal(below.items[0].nodes_count, 1);
	root_ways_rows_clear(&below);
	root_ways_free(w);
	reach_free(reach);
	heap_free(h);
	graph_free(g);
}
