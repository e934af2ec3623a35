#include "tests/judge/slow_dominators.h"

#include "tests/drive/run_tests.h"
#include <string.h>

static void *
take(size_t count, size_t size)
{
	struct error err = { 0 };
	void *p = memory_new(count + 1, size, &err);

	assert_non_null(p);
	return p;
}

static void
take_refs(struct plain_graph *g, const struct heap *h, const struct ignored *ig)
{
	uint32_t count = 0;

	g->starts = take((size_t)g->count + 1, sizeof(*g->starts));
	g->targets = take((size_t)h->refs_count, sizeof(*g->targets));
	for (node_id n = 0; n < g->count; n++) {
		struct refs refs = heap_refs(h, n);
		node_id target;

		while (refs_next(&refs, &target))
			if (!ignored_ref(ig, n, target))
				g->targets[count++] = target;
		g->starts[n + 1] = count;
	}
}

/* Marks all that can be reached from what is marked and on the stack. */
static void
spread(const struct plain_graph *g, bool *seen, node_id *stack, uint32_t depth)
{
	while (depth) {
		node_id n = stack[--depth];

		for (uint32_t i = g->starts[n]; i < g->starts[n + 1]; i++) {
			if (seen[g->targets[i]])
				continue;
			seen[g->targets[i]] = true;
			stack[depth++] = g->targets[i];
		}
	}
}

void
plain_graph_search(const struct plain_graph *g, bool reachable, const bool *without, bool *seen)
{
	node_id *stack = take(g->count, sizeof(*stack));
	uint32_t depth = 0;

	memset(seen, 0, g->count);
	for (node_id n = 0; n < g->count; n++) {
		seen[n] = without && without[n];
		if (!g->is_entry[n] || seen[n] || g->is_reachable[n] != reachable)
			continue;
		seen[n] = true;
		stack[depth++] = n;
	}
	/* Those to come may be met before it is their turn; no harm. */
	spread(g, seen, stack, depth);
	for (node_id n = 0; without && n < g->count; n++)
		seen[n] = seen[n] && !without[n];
	memory_free(stack);
}

/*
 * An unreachable object is a start if whoever leads to it can be reached from it, and has no lower
 * id. Reverse references are not needed: mark from each object in turn what it reaches; whoever is
 * marked by an object that it does not mark itself is none.
 */
static void
find_unreachable_starts(struct plain_graph *g)
{
	node_id *nodes = take(g->count, sizeof(*nodes));
	node_id *stack = take(g->count, sizeof(*stack));
	bool *is_start = take(g->count, sizeof(*is_start));
	uint32_t count = 0;
	bool **reaches;

	for (node_id n = 0; n < g->count; n++)
		if (!g->is_reachable[n])
			nodes[count++] = n;
	reaches = take(count, sizeof(*reaches));
	for (uint32_t i = 0; i < count; i++) {
		reaches[i] = take(g->count, 1);
		reaches[i][nodes[i]] = true;
		stack[0] = nodes[i];
		spread(g, reaches[i], stack, 1);
	}
	for (uint32_t i = 0; i < count; i++) {
		is_start[i] = true;
		for (uint32_t j = 0; j < count; j++)
			if (j != i && reaches[j][nodes[i]] && (!reaches[i][nodes[j]] || j < i))
				is_start[i] = false;
	}
	for (uint32_t i = 0; i < count; i++) {
		g->is_entry[nodes[i]] = is_start[i];
		memory_free(reaches[i]);
	}
	memory_free(reaches);
	memory_free(nodes);
	memory_free(stack);
	memory_free(is_start);
}

struct plain_graph *
plain_graph_new(const struct heap *h, const struct ignored *ig)
{
	struct plain_graph *g = take(1, sizeof(*g));

	g->count = h->nodes_count;
	take_refs(g, h, ig);
	g->is_entry = take(g->count, sizeof(*g->is_entry));
	g->is_reachable = take(g->count, sizeof(*g->is_reachable));
	for (uint32_t i = 0; i < h->roots_count; i++) {
		if (ignored_root(ig, i))
			continue;
		g->is_entry[h->roots[i].object] = true;
		g->is_reachable[h->roots[i].object] = true;
	}
	if (g->count) {
		bool *seen = take(g->count, 1);

		plain_graph_search(g, true, NULL, seen);
		memcpy(g->is_reachable, seen, g->count);
		memory_free(seen);
	}
	find_unreachable_starts(g);
	return g;
}

void
plain_graph_free(struct plain_graph *g)
{
	memory_free(g->starts);
	memory_free(g->targets);
	memory_free(g->is_entry);
	memory_free(g->is_reachable);
	memory_free(g);
}

/* ---- Cooper, Harvey, Kennedy ---- */

struct chk {
	const struct plain_graph *g;
	uint32_t *order;      /* by object: its number in postorder, from 1 on */
	node_id *objects;     /* by that number */
	uint32_t count;       /* the number above all: where roots come from */
	uint32_t *dominators; /* by number */
	uint32_t *sources_starts;
	node_id *sources;
};

static void
chk_order_from(struct chk *c, node_id entry, node_id *stack, uint32_t *next, bool *seen)
{
	const struct plain_graph *g = c->g;
	uint32_t depth = 0;

	seen[entry] = true;
	stack[depth++] = entry;
	while (depth) {
		node_id top = stack[depth - 1], target;

		if (next[top] == g->starts[top + 1]) {
			c->order[top] = ++c->count;
			c->objects[c->count] = top;
			depth--;
			continue;
		}
		target = g->targets[next[top]++];
		if (seen[target])
			continue;
		seen[target] = true;
		stack[depth++] = target;
	}
}

/* Reachable ones first: unreachable ones must not order them. */
static void
chk_order(struct chk *c)
{
	const struct plain_graph *g = c->g;
	node_id *stack = take(g->count, sizeof(*stack));
	uint32_t *next = take(g->count, sizeof(*next));
	bool *seen = take(g->count, 1);

	for (node_id n = 0; n < g->count; n++)
		next[n] = g->starts[n];
	for (int reachable = 1; reachable >= 0; reachable--)
		for (node_id n = 0; n < g->count; n++)
			if (g->is_entry[n] && !seen[n] && g->is_reachable[n] == reachable)
				chk_order_from(c, n, stack, next, seen);
	c->count++;
	memory_free(stack);
	memory_free(next);
	memory_free(seen);
}

static void
chk_sources(struct chk *c)
{
	const struct plain_graph *g = c->g;

	c->sources_starts = take((size_t)g->count + 1, sizeof(uint32_t));
	c->sources = take(g->starts[g->count], sizeof(node_id));
	for (uint32_t i = 0; i < g->starts[g->count]; i++)
		c->sources_starts[g->targets[i] + 1]++;
	for (node_id n = 0; n < g->count; n++)
		c->sources_starts[n + 1] += c->sources_starts[n];
	for (node_id n = 0; n < g->count; n++)
		for (uint32_t i = g->starts[n]; i < g->starts[n + 1]; i++)
			c->sources[c->sources_starts[g->targets[i]]++] = n;
	for (node_id n = g->count; n > 0; n--)
		c->sources_starts[n] = c->sources_starts[n - 1];
	c->sources_starts[0] = 0;
}

static uint32_t
chk_meet(const struct chk *c, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a < b)
			a = c->dominators[a];
		while (b < a)
			b = c->dominators[b];
	}
	return a;
}

/* One round; false if nothing changed. */
static bool
chk_round(struct chk *c)
{
	const struct plain_graph *g = c->g;
	bool has_changed = false;

	for (uint32_t k = c->count - 1; k > 0; k--) {
		node_id n = c->objects[k];
		uint32_t best = g->is_entry[n] ? c->count : 0;

		for (uint32_t i = c->sources_starts[n]; i < c->sources_starts[n + 1]; i++) {
			node_id source = c->sources[i];
			uint32_t s = c->order[source];

			if (g->is_reachable[source] != g->is_reachable[n] || !c->dominators[s])
				continue;
			best = best ? chk_meet(c, best, s) : s;
		}
		has_changed |= c->dominators[k] != best;
		c->dominators[k] = best;
	}
	return has_changed;
}

node_id *
slow_dominators(const struct plain_graph *g)
{
	struct chk c = { .g = g };
	size_t count = (size_t)g->count + 2;
	node_id *result = take(count, sizeof(*result));

	c.order = take(count, sizeof(*c.order));
	c.objects = take(count, sizeof(*c.objects));
	c.dominators = take(count, sizeof(*c.dominators));
	chk_order(&c);
	chk_sources(&c);
	assert_int_equal(c.count, g->count + 1);
	c.dominators[c.count] = c.count;
	while (chk_round(&c))
		continue;
	for (node_id n = 0; n < g->count; n++) {
		uint32_t d = c.dominators[c.order[n]];

		result[n] = d == c.count ? NODE_NONE : c.objects[d];
	}
	memory_free(c.order);
	memory_free(c.objects);
	memory_free(c.dominators);
	memory_free(c.sources_starts);
	memory_free(c.sources);
	return result;
}
