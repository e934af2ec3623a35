#include "tests/made/graphs.h"

#include "tests/drive/run_tests.h"
#include <string.h>

enum { NAME_ROOM = 32, FIRST_ADDRESS = 0x10000, SPACING = 24 };

static void
check_error(bool is_ok, const struct error *err)
{
	assert_ok(is_ok, err);
}

static void *
memory_or_fail(size_t count, size_t size)
{
	struct error err = { 0 };
	void *p = memory_new(count + 1, size, &err);

	check_error(p != NULL, &err);
	return p;
}

static void
release_graph(void *graph)
{
	graph_free(graph);
}

struct graph *
graph_new(uint32_t nodes_count, uint32_t types_count)
{
	struct graph *g = memory_or_fail(1, sizeof(*g));

	*g = (struct graph){ .nodes_count = nodes_count,
			     .types_count = types_count,
			     .random = 88172645463325252 };
	g->types = memory_or_fail(nodes_count, sizeof(*g->types));
	g->type_names = memory_or_fail(types_count, sizeof(*g->type_names));
	g->starts = memory_or_fail((size_t)nodes_count + 1, sizeof(*g->starts));
	test_owns(g, release_graph);
	return g;
}

void
graph_free(struct graph *g)
{
	test_disowns(g);
	memory_free(g->types);
	memory_free(g->type_names);
	memory_free(g->sources);
	memory_free(g->targets);
	memory_free(g->starts);
	memory_free(g->roots);
	memory_free(g);
}

void
graph_ref(struct graph *g, node_id source, node_id target)
{
	struct error err = { 0 };
	size_t count = (size_t)g->refs_count, room = g->refs_room;

	assert_true(source < g->nodes_count && target < g->nodes_count);
	check_error(MAKE_ROOM(g->sources, count + 1, room, &err) &&
			MAKE_ROOM(g->targets, count + 1, g->refs_room, &err),
		    &err);
	g->sources[count] = source;
	g->targets[count] = target;
	g->refs_count++;
}

void
graph_root(struct graph *g, node_id object, enum root_kind kind, const char *name)
{
	struct error err = { 0 };

	assert_true(object < g->nodes_count);
	check_error(MAKE_ROOM(g->roots, g->roots_count + 1, g->roots_room, &err), &err);
	g->roots[g->roots_count++] = (struct graph_root){ object, kind, name };
}

uint32_t
graph_random(struct graph *g, uint32_t limit)
{
	g->random ^= g->random << 13;
	g->random ^= g->random >> 7;
	g->random ^= g->random << 17;
	return (uint32_t)(((g->random >> 32) * limit) >> 32);
}

/* Sorts references by source, keeping the order of each source's. */
static void
graph_seal(struct graph *g)
{
	node_id *sorted;
	uint64_t sum = 0;

	if (!g->sources && g->refs_count)
		return;
	sorted = memory_or_fail((size_t)g->refs_count, sizeof(*sorted));
	for (uint64_t i = 0; i < g->refs_count; i++)
		g->starts[g->sources[i]]++;
	for (node_id n = 0; n < g->nodes_count; n++) {
		uint64_t count = g->starts[n];

		g->starts[n] = sum;
		sum += count;
	}
	for (uint64_t i = 0; i < g->refs_count; i++)
		sorted[g->starts[g->sources[i]]++] = g->targets[i];
	for (node_id n = g->nodes_count; n > 0; n--)
		g->starts[n] = g->starts[n - 1];
	g->starts[0] = 0;
	memory_free(g->sources);
	memory_free(g->targets);
	g->sources = NULL;
	g->targets = sorted;
}

static uint64_t
address_of(node_id n)
{
	return FIRST_ADDRESS + (uint64_t)n * SPACING;
}

uint64_t
graph_size(node_id n)
{
	/* Some frequent sizes, some rare ones. */
	return n % 97 ? 24 + n % 5 * 8 : 1000 + n;
}

static void
give_object(const struct graph *g, struct heap_stream *s, node_id n)
{
	uint64_t start = g->starts[n], end = g->starts[n + 1];
	struct error err = { 0 };
	bool is_ok =
	    heap_stream_object(s, address_of(n), g->types[n], graph_size(n), end - start, &err);

	for (uint64_t i = start; is_ok && i < end; i++)
		is_ok = heap_stream_ref(s, address_of(g->targets[i]), &err);
	check_error(is_ok, &err);
}

static void
give_types(const struct graph *g, struct heap_stream *s)
{
	struct error err = { 0 };
	char made_up[NAME_ROOM];

	for (type_id t = 0; t < g->types_count; t++) {
		const char *name = g->type_names[t];
		bool is_framework = name && !strncmp(name, FRAMEWORK_TYPE, strlen(FRAMEWORK_TYPE));

		snprintf(made_up, sizeof(made_up), "Test.Type%u", t);
		assert_int_equal(
		    heap_builder_type(heap_stream_builder(s), name ? name : made_up,
				      is_framework ? "System.Threading.dll" : "test.dll", &err),
		    t);
	}
}

const struct heap *
graph_heap(struct graph *g)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	uint32_t step = g->nodes_count / 3 | 1;
	const struct heap *h;
	bool is_ok = true;

	check_error(s != NULL, &err);
	graph_seal(g);
	give_types(g, s);
	/* Large ones are given in order: shuffling is heap_stream's test. */
	if (g->nodes_count > 1000000)
		step = 1;
	for (node_id first = 0; first < step; first++)
		for (uint64_t n = first; n < g->nodes_count; n += step)
			give_object(g, s, (node_id)n);
	for (uint32_t i = 0; is_ok && i < g->roots_count; i++)
		is_ok = heap_stream_root(s, address_of(g->roots[i].object), g->roots[i].kind, false,
					 g->roots[i].name, "", &err);
	check_error(is_ok, &err);
	h = heap_stream_finish(s, NULL, &err);
	check_error(h != NULL, &err);
	if (!h)
		return NULL;
	check_error(heap_check(h, &err), &err);
	assert_int_equal(h->nodes_count, g->nodes_count);
	assert_int_equal(h->refs_count, g->refs_count);
	return h;
}

/* One of the next objects, or far away. */
static node_id
some_target(struct graph *g, node_id source)
{
	uint32_t near = graph_random(g, 40);

	if (near && source + near < g->nodes_count)
		return source + near;
	return graph_random(g, g->nodes_count);
}

static void
mixed_refs(struct graph *g, node_id n, node_id islands_start)
{
	uint32_t count = graph_random(g, 16);

	/* Most have few, some are arrays. */
	count = count == 15 ? graph_random(g, 60) : count / 4;
	for (uint32_t i = 0; i < count; i++) {
		node_id target = some_target(g, n);

		/* Nothing refers from outside into the islands. */
		if (n < islands_start && target >= islands_start)
			continue;
		graph_ref(g, n, target);
		if (!graph_random(g, 20))
			graph_ref(g, n, target);
	}
	if (!graph_random(g, 50))
		graph_ref(g, n, n);
	if (!graph_random(g, 3))
		graph_ref(g, n, g->nodes_count / 7);
}

struct graph *
graph_mixed(uint64_t seed, uint32_t nodes_count)
{
	enum { TYPES = 11, LEAF_TYPES = 4 };
	struct graph *g = graph_new(nodes_count, TYPES);
	node_id islands_start = nodes_count - nodes_count / 8;

	g->random += seed * UINT64_C(0x9e3779b97f4a7c15);
	g->random |= 1;
	for (node_id n = 0; n < nodes_count; n++) {
		g->types[n] = graph_random(g, TYPES);
		if (g->types[n] >= LEAF_TYPES)
			mixed_refs(g, n, islands_start);
	}
	for (uint32_t i = 0; i < 10 + nodes_count / 400; i++) {
		node_id object = graph_random(g, islands_start);
		uint32_t kind = graph_random(g, ROOT_KIND_COUNT);

		graph_root(g, object, (enum root_kind)kind, "field");
		if (!graph_random(g, 4))
			graph_root(g, object, (enum root_kind)graph_random(g, ROOT_KIND_COUNT),
				   "other");
	}
	return g;
}

struct graph *
graph_list(uint32_t nodes_count)
{
	struct graph *g = graph_new(nodes_count, 1);

	for (node_id n = nodes_count - 1; n > 0; n--)
		graph_ref(g, n, n - 1);
	graph_root(g, nodes_count - 1, ROOT_STATIC, "list");
	return g;
}

struct graph *
graph_hub(uint32_t nodes_count)
{
	struct graph *g = graph_new(nodes_count, 2);
	node_id hub = nodes_count / 2;

	g->types[hub] = 1;
	for (node_id n = 0; n < hub; n++)
		graph_ref(g, n, hub);
	for (node_id n = hub; n < nodes_count; n++)
		graph_ref(g, hub, n);
	graph_root(g, 0, ROOT_STACK, "Main");
	return g;
}

uint32_t
graph_long_list(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return 1000000;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	return 1000000;
#else
	return 5000000;
#endif
#else
	return 5000000;
#endif
}

const struct heap *
made_heap(const struct made_type *all, size_t all_count, unsigned heap)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	/* Nothing is where it was in another heap. */
	uint64_t at = 0x10000 * (8 - (uint64_t)heap);
	const struct heap *h;

	assert_non_null(s);
	for (size_t i = 0; i < all_count; i++) {
		type_id type;

		if (all[i].heap != heap)
			continue;
		type = heap_builder_type(heap_stream_builder(s), all[i].raw, all[i].module, &err);
		for (unsigned k = 0; k < all[i].count; k++, at += 16)
			assert_true(heap_stream_object(s, at, type, 16, 0, &err));
	}
	h = heap_stream_finish(s, NULL, &err);
	assert_ok(h, &err);
	return h;
}
