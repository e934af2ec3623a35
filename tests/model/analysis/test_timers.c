/* timers_retained() counts what timers retain themselves, without the timers after them in their
   list. */
#include "model/analysis/timers.h"
#include "tests/drive/run_tests.h"
#include "tests/made/graphs.h"
#include <string.h>

enum { SMALL = 10, GRAPHS = 2000 };

struct made {
	const struct heap *h;
	const struct reverse *rev;
	const struct dominators *d;
	const struct retained *r;
};

static struct made
made_of(struct graph *g)
{
	struct error err = { 0 };
	struct made m = { .h = graph_heap(g) };

	m.rev = reverse_compute(m.h, NULL, &err);
	assert_non_null(m.rev);
	m.d = dominators_compute(m.h, m.rev, NULL, 0, NULL, &err);
	assert_non_null(m.d);
	m.r = retained_compute(m.d, NULL, &err);
	assert_non_null(m.r);
	return m;
}

static void
made_clear(struct made *m, struct graph *g)
{
	retained_free(m->r);
	dominators_free(m->d);
	reverse_free(m->rev);
	heap_free(m->h);
	graph_free(g);
}

/* --- one list --------------------------------------------------------------
 */

/* queue 8 → timers 0 → 1 → 2 → 3, each with a state: 4 to 7. */
TEST(neighbours_do_not_count)
{
	static const node_id own[] = { 0, 2 }, all[] = { 0, 1, 2, 3 };
	struct graph *g = graph_new(9, 2);
	struct error err = { 0 };
	struct retained_sum sum;
	struct made m;

	g->type_names[1] = FRAMEWORK_TYPE "TimerQueueTimer";
	for (node_id n = 0; n < 4; n++) {
		g->types[n] = 1;
		graph_ref(g, n, n + 4);
		if (n < 3)
			graph_ref(g, n, n + 1);
		if (n > 0)
			graph_ref(g, n, n - 1);
	}
	graph_ref(g, 8, 0);
	graph_root(g, 8, ROOT_STATIC, "queue");
	m = made_of(g);
	assert_int_equal(retained_of(m.r, 0).count, 8);
	assert_ok(timers_retained(m.r, own, 2, &sum, &err), &err);
	assert_int_equal(sum.count, 4);
	assert_int_equal(sum.bytes, graph_size(0) + graph_size(4) + graph_size(2) + graph_size(6));
	assert_ok(timers_retained(m.r, all, 4, &sum, &err), &err);
	assert_int_equal(sum.count, 8);
	made_clear(&m, g);
}

/* --- against the book ------------------------------------------------------
 */

static bool
is_timer(const struct made *m, node_id n)
{
	return type_is_timer(heap_type(m->h, n));
}

/* Returns true for a timer that stands directly below a given one. */
static bool
is_neighbour(const struct made *m, const bool *is_given, node_id n)
{
	for (node_id t = 0; t < SMALL; t++)
		if (is_given[t] && is_timer(m, n) && heap_refers_to(m->h, t, n) &&
		    m->d->parents[m->d->positions[n]] == m->d->positions[t] + 1)
			return true;
	return false;
}

/* Returns true if the nearest of the given timers and their neighbours above the object is a given
   one. */
static bool
counts(const struct made *m, const bool *is_given, node_id n)
{
	node_id nearest = NODE_NONE;

	for (node_id t = 0; t < SMALL; t++)
		if ((is_given[t] || is_neighbour(m, is_given, t)) && dominators_holds(m->d, t, n) &&
		    (nearest == NODE_NONE || dominators_holds(m->d, nearest, t)))
			nearest = t;
	return nearest != NODE_NONE && is_given[nearest];
}

static uint32_t
check_graph(uint64_t seed)
{
	struct graph *g = graph_new(SMALL, 2);
	bool is_given[SMALL] = { false };
	node_id given[SMALL];
	uint32_t given_count = 0, wanted = 0;
	struct retained_sum sum;
	struct error err = { 0 };
	struct made m;

	g->random += seed * UINT64_C(0x9e3779b97f4a7c15);
	g->random |= 1;
	g->type_names[1] = FRAMEWORK_TYPE "TimerQueueTimer";
	for (node_id n = 0; n < SMALL; n++)
		g->types[n] = graph_random(g, 2);
	for (int i = 0; i < 14; i++)
		graph_ref(g, graph_random(g, SMALL), graph_random(g, SMALL));
	graph_root(g, graph_random(g, SMALL), ROOT_STATIC, "root");
	m = made_of(g);
	for (node_id n = 0; n < SMALL; n++)
		if (is_timer(&m, n) && graph_random(g, 2)) {
			is_given[n] = true;
			given[given_count++] = n;
		}
	for (node_id n = 0; n < SMALL; n++)
		wanted += counts(&m, is_given, n);
	assert_ok(timers_retained(m.r, given, given_count, &sum, &err), &err);
	assert_int_equal(sum.count, wanted);
	wanted -= given_count;
	made_clear(&m, g);
	return wanted;
}

TEST(random_graphs)
{
	uint32_t more = 0;

	for (uint64_t seed = 0; seed < GRAPHS; seed++)
		more += check_graph(seed);
	assert_true(more > GRAPHS / 4);
}
