#include "model/graph/paths.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 8, PLAIN_MAX = 200000 };

/* One way by the book: its objects, from the object to the root. */
struct plain_path {
	uint8_t tier, kind;
	uint32_t length, cost;
	const char *root;
	node_id nodes[SMALL];
};

struct plain {
	const struct heap *h;
	const struct reach *reach; /* for its costs */
	const struct ignored *ignored;
	uint8_t on_path[SMALL];
	node_id nodes[SMALL];
	struct plain_path *paths;
	size_t count;
};

static bool
plain_refers(const struct plain *p, node_id source, node_id target)
{
	struct refs refs = heap_refs(p->h, source);
	node_id n;

	while (refs_next(&refs, &n))
		if (n == target)
			return !ignored_ref(p->ignored, source, target);
	return false;
}

/* Roots of one object come in their own order. */
static uint32_t
cost_of(const struct reach *reach, const struct ignored *ignored, const struct plain_path *path)
{
	uint32_t root = reach_own_root(reach, ignored, path->nodes[path->length], path->tier);
	uint32_t cost = reach->costs.roots[root];

	for (uint32_t i = 1; i <= path->length; i++)
		cost += reach->costs.steps[heap_type_of(reach->heap, path->nodes[i])];
	return cost;
}

static void
plain_add(struct plain *p, const struct root *root, uint32_t length)
{
	struct plain_path *path = &p->paths[p->count];

	*path = (struct plain_path){
		p->reach->costs.tiers[root - p->h->roots], root->kind, length, 0, root->name, { 0 }
	};
	memcpy(path->nodes, p->nodes, (length + 1) * sizeof(node_id));
	path->cost = cost_of(p->reach, p->ignored, path);
	for (size_t i = 0; i < p->count; i++)
		if (p->paths[i].kind == path->kind && p->paths[i].length == length &&
		    !strcmp(p->paths[i].root, path->root) &&
		    !memcmp(p->paths[i].nodes, path->nodes, sizeof(path->nodes)))
			return;
	assert_true(++p->count < PLAIN_MAX);
}

static void
plain_visit(struct plain *p, node_id n, uint32_t depth)
{
	p->on_path[n] = 1;
	p->nodes[depth] = n;
	for (uint32_t i = 0; i < p->h->roots_count; i++)
		if (p->h->roots[i].object == n && !ignored_root(p->ignored, i))
			plain_add(p, &p->h->roots[i], depth);
	for (node_id source = 0; source < p->h->nodes_count; source++)
		if (!p->on_path[source] && plain_refers(p, source, n))
			plain_visit(p, source, depth + 1);
	p->on_path[n] = 0;
}

static int
compare_paths(const void *left, const void *right)
{
	const struct plain_path *a = left, *b = right;
	int order = memcmp(a->nodes, b->nodes, sizeof(a->nodes));

	if (a->tier != b->tier)
		return a->tier < b->tier ? -1 : 1;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	if (order)
		return order;
	return a->kind != b->kind ? a->kind - b->kind : strcmp(a->root, b->root);
}

/* --- the same as found ---------------------------------------------------- */

static struct plain_path
found_path(const struct paths *p, const struct reach *reach, const struct ignored *ignored,
	   uint32_t index)
{
	const struct heap *h = reach->heap;
	const struct path *path = paths_get(p, index);
	const struct root *root = &h->roots[path->root];
	struct plain_path out = {
		reach->costs.tiers[path->root], root->kind, path->length, 0, root->name, { 0 }
	};

	assert_true(path->length < SMALL);
	paths_steps(p, index, 0, path->length + 1, out.nodes);
	assert_int_equal(root->object, out.nodes[path->length]);
	out.cost = cost_of(reach, ignored, &out);
	return out;
}

/* Steps in pieces are the same as all at once. */
static void
expect_pieces(const struct paths *p, uint32_t index, const struct plain_path *whole)
{
	node_id piece[SMALL];

	for (uint32_t first = 0; first <= whole->length; first++)
		for (uint32_t count = 0; first + count <= whole->length + 1; count++) {
			paths_steps(p, index, first, count, piece);
			assert_memory_equal(piece, whole->nodes + first, count * sizeof(*piece));
		}
}

/* Checks that the steps reported as shared with an earlier path are. */
static void
expect_shared(const struct paths *p, const struct plain_path *found, uint32_t index)
{
	const struct path *path = paths_get(p, index);
	const struct plain_path *mine = &found[index], *other;
	uint32_t shared = path->shared_length;

	if (path->shared_path == PATH_NONE) {
		assert_false(path->has_same_objects);
		return;
	}
	assert_true(path->shared_path < index);
	other = &found[path->shared_path];
	assert_true(shared <= mine->length && shared <= other->length);
	assert_memory_equal(mine->nodes + mine->length - shared,
			    other->nodes + other->length - shared, (shared + 1) * sizeof(node_id));
	if (path->has_same_objects) {
		assert_int_equal(shared, mine->length);
		assert_int_equal(shared, other->length);
		assert_true(path->root != paths_get(p, path->shared_path)->root);
	} else {
		assert_int_equal(path->root, paths_get(p, path->shared_path)->root);
	}
}

static void
expect_order(const struct plain_path *found, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		assert_true(found[i - 1].tier <= found[i].tier);
		if (found[i - 1].tier == found[i].tier)
			assert_true(found[i - 1].cost <= found[i].cost);
	}
}

/* All ways, the search interrupted after every `budget` visits. */
static size_t
find_all(struct paths *p, const struct plain *plain, uint64_t budget, struct plain_path *found)
{
	struct error err = { 0 };
	size_t count = 0;

	for (;;) {
		uint64_t left = budget;
		enum paths_end end = paths_next(p, &left, &err);

		if (end == PATHS_ALL)
			break;
		if (end == PATHS_BUDGET)
			continue;
		assert_int_equal(end, PATHS_FOUND);
		assert_true(count < PLAIN_MAX);
		assert_int_equal(paths_count(p), count + 1);
		found[count] = found_path(p, plain->reach, plain->ignored, (uint32_t)count);
		expect_pieces(p, (uint32_t)count, &found[count]);
		expect_shared(p, found, (uint32_t)count);
		count++;
	}
	expect_order(found, count);
	return count;
}

static struct plain_path *wanted, *found;

static void
check_object(const struct reverse *rev, const struct reach *reach, const struct ignored *ignored,
	     const struct dominators *dominators, node_id n, uint64_t budget)
{
	struct plain plain = {
		.h = rev->heap, .reach = reach, .ignored = ignored, .paths = wanted
	};
	struct error err = { 0 };
	struct paths *p = paths_new(rev, reach, ignored, n, &err);
	size_t count;

	assert_non_null(p);
	paths_use_dominators(p, dominators);
	plain_visit(&plain, n, 0);
	count = find_all(p, &plain, budget, found);
	assert_int_equal(count, plain.count);
	/* The first is the one that is told everywhere else. */
	if (count && reach->distance[n] != DISTANCE_UNREACHABLE) {
		assert_int_equal(found[0].length, reach->distance[n]);
		assert_ptr_equal(&rev->heap->roots[paths_get(p, 0)->root], reach_root(reach, n));
	}
	qsort(wanted, plain.count, sizeof(*wanted), compare_paths);
	qsort(found, count, sizeof(*found), compare_paths);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(compare_paths(&wanted[i], &found[i]), 0);
	paths_free(p);
}

/* Words on stacks that are proved to be references, in all small graphs. */
static uint32_t awaited_words;

static void
count_awaited(const struct reach *reach)
{
	for (uint32_t i = 0; i < reach->heap->roots_count; i++)
		awaited_words +=
		    reach->heap->roots[i].kind == ROOT_STACK_WORD && !reach_is_mere_word(reach, i);
}

static enum root_kind
some_kind(struct graph *g)
{
	uint32_t kind = graph_random(g, ROOT_KIND_COUNT + 5);

	return kind < ROOT_KIND_COUNT ? (enum root_kind)kind : ROOT_STACK_WORD;
}

static struct graph *
small_graph(uint64_t seed)
{
	static const char *const names[] = { "one", "Test.Type0.two",
					     "System.Threading.Any.three" };
	struct graph *g = graph_new(SMALL, 3);
	uint32_t count, refs, roots;

	g->random += seed * UINT64_C(0x9e3779b97f4a7c15);
	g->random |= 1;
	g->type_names[1] = FRAMEWORK_TYPE "Any";
	g->type_names[2] = FRAMEWORK_TYPE "Tasks.Task+SetOnInvokeMres";
	for (node_id n = 0; n < SMALL; n++)
		g->types[n] = graph_random(g, 3);
	count = 1 + graph_random(g, SMALL);
	refs = graph_random(g, 3 * count + 1);
	roots = 1 + graph_random(g, 4);
	for (uint32_t i = 0; i < refs; i++)
		graph_ref(g, graph_random(g, count), graph_random(g, count));
	for (uint32_t i = 0; i < roots; i++)
		graph_root(g, graph_random(g, count), some_kind(g), names[graph_random(g, 3)]);
	return g;
}

/* Nothing, or up to three things of any kind. */
static const struct ignored *
some_ignored(struct graph *g, const struct heap *h)
{
	struct ignored_entry entries[3];
	uint32_t count = graph_random(g, 4);
	struct error err = { 0 };
	const struct ignored *ig;

	for (uint32_t i = 0; i < count; i++) {
		struct ignored_entry *e = &entries[i];

		*e = (struct ignored_entry){ 0 };
		e->kind = (enum ignored_kind)graph_random(g, IGNORED_TYPE + 1);
		e->what = e->kind == IGNORED_ROOT        ? graph_random(g, h->roots_count)
			  : e->kind == IGNORED_ROOT_KIND ? graph_random(g, ROOT_KIND_COUNT)
			  : e->kind == IGNORED_TYPE      ? graph_random(g, 2)
							 : graph_random(g, SMALL);
		e->target = graph_random(g, SMALL);
	}
	if (!count)
		return NULL;
	ig = ignored_new(h, entries, count, NULL, &err);
	assert_non_null(ig);
	return ig;
}

static void
check_graph(struct graph *g)
{
	const struct heap *h = graph_heap(g);
	const struct ignored *ig = some_ignored(g, h);
	struct error err = { 0 };
	const struct reverse *rev = reverse_compute(h, NULL, &err);
	const struct reach *reach = reach_compute_without(h, true, ig, NULL, &err);
	uint64_t budget = graph_random(g, 2) ? 1000000 : 1 + graph_random(g, 3);

	const struct dominators *dominators = dominators_compute(h, rev, ig, 0, NULL, &err);

	assert_true(rev && reach && dominators);
	count_awaited(reach);
	for (node_id n = 0; n < h->nodes_count; n++) {
		check_object(rev, reach, ig, NULL, n, budget);
		check_object(rev, reach, ig, dominators, n, budget);
	}
	dominators_free(dominators);
	reach_free(reach);
	reverse_free(rev);
	ignored_free(ig);
	heap_free(h);
	graph_free(g);
}

TEST(test_small)
{
	wanted = calloc(PLAIN_MAX, sizeof(*wanted));
	found = calloc(PLAIN_MAX, sizeof(*found));
	assert_true(wanted && found);
	for (uint64_t seed = 0; seed < 3000; seed++)
		check_graph(small_graph(seed));
	assert_true(awaited_words > 10);
	free(wanted);
	free(found);
}

/* --- shapes --------------------------------------------------------------- */

struct fixture {
	struct graph *g;
	const struct heap *h;
	const struct reverse *rev;
	const struct reach *reach;
};

static struct fixture
fixture_of(struct graph *g)
{
	struct error err = { 0 };
	struct fixture f = { .g = g, .h = graph_heap(g) };

	f.rev = reverse_compute(f.h, NULL, &err);
	f.reach = reach_compute(f.h, true, NULL, &err);
	assert_true(f.rev && f.reach);
	return f;
}

static void
fixture_free(struct fixture *f)
{
	reach_free(f->reach);
	reverse_free(f->rev);
	heap_free(f->h);
	graph_free(f->g);
}

/* The next way, whatever it costs; the visits are added up. */
static enum paths_end
next_path(struct paths *p, uint64_t *visits)
{
	struct error err = { 0 };
	enum paths_end end = PATHS_BUDGET;

	while (end == PATHS_BUDGET) {
		uint64_t left = PATHS_BUDGET_DEFAULT;

		end = paths_next(p, &left, &err);
		*visits += PATHS_BUDGET_DEFAULT - left;
	}
	assert_int_not_equal(end, PATHS_FAILED);
	return end;
}

/*
 * A list linked both ways, a million long: one way from its first object, and
 * a circle at every other. The way back is no second one.
 */
TEST(test_long_list)
{
	uint32_t count = graph_long_list() / 5;
	struct graph *g = graph_list(count);
	struct error err = { 0 };
	struct fixture f;
	struct paths *p;
	node_id far[3];
	uint64_t visits = 0;

	for (node_id n = 1; n < count; n++)
		graph_ref(g, n - 1, n);
	f = fixture_of(g);
	p = paths_new(f.rev, f.reach, NULL, 0, &err);
	assert_non_null(p);
	assert_int_equal(next_path(p, &visits), PATHS_FOUND);
	assert_int_equal(paths_get(p, 0)->length, count - 1);
	paths_steps(p, 0, count - 3, 3, far);
	assert_int_equal(far[2], count - 1);
	assert_int_equal(far[0], count - 3);
	assert_int_equal(next_path(p, &visits), PATHS_ALL);
	assert_true(visits < 30 * (uint64_t)count);
	paths_free(p);
	fixture_free(&f);
}

/* Half a heap refers to one object: each gives a way, none is waited for. */
TEST(test_hub)
{
	enum { COUNT = 400000, HUB = COUNT / 2, WANTED = 50 };
	struct graph *g = graph_hub(COUNT);
	struct error err = { 0 };
	struct fixture f;
	struct paths *p;
	uint64_t visits = 0;

	for (node_id n = 1; n < HUB; n++)
		graph_root(g, n, ROOT_STATIC, "each");
	f = fixture_of(g);
	p = paths_new(f.rev, f.reach, NULL, COUNT - 1, &err);
	assert_non_null(p);
	for (uint32_t i = 0; i < WANTED; i++) {
		assert_int_equal(next_path(p, &visits), PATHS_FOUND);
		assert_int_equal(paths_get(p, i)->length, 2);
	}
	/* Objects skipped while looking for paths of the same length count, too. */
	assert_true(visits < 3 * WANTED + COUNT);
	paths_free(p);
	fixture_free(&f);
}

/*
 * Everybody refers to everybody, and one root: more ways than atoms. Those of one reference more
 * than the shortest are 38, with two more 38 × 37.
 */
TEST(test_dense)
{
	enum { COUNT = 40 };
	struct graph *g = graph_new(COUNT, 1);
	struct error err = { 0 };
	uint32_t lengths[4] = { 0 };
	struct fixture f;
	struct paths *p;
	uint64_t visits = 0;

	for (node_id n = 0; n < COUNT; n++)
		for (node_id to = 0; to < COUNT; to++)
			graph_ref(g, n, to);
	graph_root(g, 0, ROOT_STATIC, "all");
	f = fixture_of(g);
	p = paths_new(f.rev, f.reach, NULL, COUNT - 1, &err);
	assert_non_null(p);
	for (uint32_t i = 0; i < 1 + 38 + 38 * 37 + 1; i++) {
		assert_int_equal(next_path(p, &visits), PATHS_FOUND);
		assert_true(paths_get(p, i)->length < 5);
		lengths[paths_get(p, i)->length - 1]++;
	}
	assert_int_equal(lengths[0], 1);
	assert_int_equal(lengths[1], 38);
	assert_int_equal(lengths[2], 38 * 37);
	assert_int_equal(lengths[3], 1);
	paths_free(p);
	fixture_free(&f);
}

/*
 * A parent whose children all refer to it and to each other: a maze with one exit. Trying all ways
 * through it would take for ever; each is seen to lead nowhere once.
 */
TEST(test_maze)
{
	enum { COUNT = 300 };
	struct graph *g = graph_new(COUNT + 2, 1);
	node_id parent = COUNT, holder = COUNT + 1;
	const struct path_circle *circles;
	struct error err = { 0 };
	struct fixture f;
	struct paths *p;
	uint64_t visits = 0;

	for (node_id n = 0; n < COUNT; n++) {
		graph_ref(g, parent, n);
		graph_ref(g, n, parent);
		for (node_id to = 0; to < COUNT; to++)
			if (graph_random(g, 10) == 0)
				graph_ref(g, n, to);
	}
	graph_ref(g, holder, parent);
	graph_root(g, holder, ROOT_STATIC, "holder");
	f = fixture_of(g);
	p = paths_new(f.rev, f.reach, NULL, parent, &err);
	assert_non_null(p);
	assert_int_equal(next_path(p, &visits), PATHS_FOUND);
	assert_int_equal(paths_get(p, 0)->length, 1);
	assert_int_equal(next_path(p, &visits), PATHS_ALL);
	assert_true(visits < 4 * f.h->refs_count);
	assert_int_equal(paths_circles(p, &circles), PATH_CIRCLES_MAX);
	assert_int_equal(circles[0].held, parent);
	paths_free(p);
	fixture_free(&f);
}

/*
 * A list that all its members know, and that know each other in a row: only through the first of
 * them another root comes in. Asking each of them alone for its way out would take the square of
 * their number.
 */
TEST(test_back_references)
{
	enum { COUNT = 20000, LIST = COUNT, ARRAY, LEAF, OTHER, NODES };
	struct graph *g = graph_new(NODES, 1);
	struct error err = { 0 };
	struct fixture f;
	struct paths *p;
	uint64_t visits = 0;

	graph_ref(g, LIST, ARRAY);
	for (node_id n = 0; n < COUNT; n++) {
		graph_ref(g, ARRAY, n);
		graph_ref(g, n, LIST);
		if (n + 1 < COUNT)
			graph_ref(g, n, n + 1);
	}
	graph_ref(g, COUNT / 2, LEAF);
	graph_ref(g, OTHER, 0);
	graph_root(g, LIST, ROOT_STATIC, "list");
	graph_root(g, OTHER, ROOT_STATIC, "other");
	f = fixture_of(g);
	p = paths_new(f.rev, f.reach, NULL, LEAF, &err);
	assert_non_null(p);
	assert_int_equal(next_path(p, &visits), PATHS_FOUND);
	assert_int_equal(paths_get(p, 0)->length, 3);
	assert_int_equal(next_path(p, &visits), PATHS_FOUND);
	assert_int_equal(paths_get(p, 1)->length, 4);
	/* Other, the first, the list, its array, the holder, the leaf. */
	while (paths_get(p, paths_count(p) - 1)->root == paths_get(p, 0)->root)
		assert_int_equal(next_path(p, &visits), PATHS_FOUND);
	assert_int_equal(paths_get(p, paths_count(p) - 1)->length, 5);
	assert_true(visits < 20 * (uint64_t)COUNT);
	paths_free(p);
	fixture_free(&f);
}

/* Handles and stacks cost more; a finalizer's way comes after all others. */
TEST(test_tiers)
{
	static const enum root_kind order[] = { ROOT_STATIC, ROOT_STACK, ROOT_FINALIZER,
						ROOT_DEPENDENT };
	struct graph *g = graph_new(5, 1);
	struct error err = { 0 };
	struct fixture f;
	struct paths *p;
	uint64_t visits = 0;

	graph_ref(g, 2, 1);
	graph_ref(g, 1, 0);
	graph_ref(g, 3, 0);
	graph_ref(g, 4, 3);
	graph_root(g, 0, ROOT_DEPENDENT, "");
	graph_root(g, 1, ROOT_FINALIZER, "");
	graph_root(g, 3, ROOT_STACK, "");
	graph_root(g, 2, ROOT_STATIC, "");
	f = fixture_of(g);
	p = paths_new(f.rev, f.reach, NULL, 0, &err);
	assert_non_null(p);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(next_path(p, &visits), PATHS_FOUND);
		assert_int_equal(f.h->roots[paths_get(p, i)->root].kind, order[i]);
	}
	assert_int_equal(next_path(p, &visits), PATHS_ALL);
	paths_free(p);
	fixture_free(&f);
}

/* --- a real program ------------------------------------------------------- */

/* The nth object of a type, in address order. */
static node_id
find_object(const struct heap *h, const char *type, uint32_t nth)
{
	for (node_id n = 0; n < h->nodes_count; n++)
		if (!strcmp(heap_type(h, n)->name, type) && !nth--)
			return n;
	fail_msg("no %s", type);
	return NODE_NONE;
}

/* "static Sessions > List<Session> > Session[] > Session" */
static void
write_path(const struct paths *p, const struct heap *h, uint32_t index, char *text, size_t size)
{
	const struct path *path = paths_get(p, index);
	const struct root *root = &h->roots[path->root];
	size_t len = (size_t)snprintf(text, size, "%s %s", root_kinds[root->kind].id, root->name);

	for (uint32_t i = path->length + 1; i-- > 0 && len < size;) {
		node_id n;

		paths_steps(p, index, i, 1, &n);
		len +=
		    (size_t)snprintf(text + len, size - len, " > %s", heap_type(h, n)->short_name);
	}
}

TEST(test_real)
{
	// clang-format off
	static const struct {
		const char *type;
		uint32_t nth;
		const char *way; /* one of the first five */
		uint32_t count;  /* ways */
	} rows[] = {
		{ "Leaky.Session", 30, "static Sessions > List<Session> > Session[] > Session", 24 },
		{ "Leaky.Subscriber", 100, "static publisher > Publisher > EventHandler > object[] > EventHandler > Subscriber", 1 },
		{ "Leaky.Child", 500, "static parent > Parent > List<Child> > Child[] > Child", 1 },
		{ "Leaky.Finalizable", 0, "stack  > Finalizable", 1 },
		{ "Leaky.Publisher", 0, "static publisher > Publisher", 1 },
	};
	// clang-format on
	struct error err = { 0 };
	struct fixture f = { .h = heap_of_file(LEAKY_10) };

	assert_non_null(f.h);
	f.rev = reverse_compute(f.h, NULL, &err);
	f.reach = reach_compute(f.h, true, NULL, &err);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		node_id n = find_object(f.h, rows[i].type, rows[i].nth);
		struct paths *p = paths_new(f.rev, f.reach, NULL, n, &err);
		uint64_t visits = 0;
		bool has = false;
		uint32_t count = 0;
		char text[1000];

		assert_non_null(p);
		while (count < 1000 && next_path(p, &visits) == PATHS_FOUND) {
			write_path(p, f.h, count++, text, sizeof(text));
			if (count <= 5 && !strcmp(text, rows[i].way))
				has = true;
		}
		if (!has || count != rows[i].count)
			fail_msg("%s: %u ways, the last %s", rows[i].type, count, text);
		paths_free(p);
	}
	reach_free(f.reach);
	reverse_free(f.rev);
	heap_free(f.h);
}
