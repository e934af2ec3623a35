/* Compares what objects hold, by type, with sums made object by object. */
#include "model/analysis/collection_parts.h"
#include "model/analysis/held_types.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"

#include <stdlib.h>
#include <string.h>

/* --- which types are parts ------------------------------------------------ */

/* clang-format off */
static const struct {
	const char *raw, *module;
	enum part_kind kind;
} kinds[] = {
	{ "System.Collections.Generic.Dictionary<A.B,C>",              "System.Private.CoreLib.dll", PART_COLLECTION },
	{ "System.Collections.Generic.Dictionary<A.B,C>+Entry[]",      "System.Private.CoreLib.dll", PART_INNER },
	{ "System.Collections.Generic.Dictionary<A.B,C>[]",            "System.Private.CoreLib.dll", PART_ARRAY },
	{ "System.Collections.Generic.Dictionary<A.B+Node,C>",         "System.Private.CoreLib.dll", PART_COLLECTION },
	{ "System.Collections.Generic.SortedSet<byte[]>+Node",         "System.Collections.dll",     PART_NODE },
	{ "System.Collections.Generic.LinkedListNode<A>",              "System.Collections.dll",     PART_NODE },
	{ "System.Collections.Concurrent.ConcurrentDictionary<A,B>",   "System.Collections.Concurrent.dll", PART_COLLECTION },
	{ "System.Collections.Concurrent.ConcurrentDictionary<A,B>+Tables", "System.Collections.Concurrent.dll", PART_TABLES },
	{ "System.Collections.Concurrent.ConcurrentDictionary<A,B>+Node",   "System.Collections.Concurrent.dll", PART_NODE },
	{ "System.Collections.Concurrent.ConcurrentDictionary<A,B>+VolatileNode[]", "System.Collections.Concurrent.dll", PART_INNER },
	{ "System.Collections.Concurrent.ConcurrentQueueSegment<A>",   "System.Private.CoreLib.dll", PART_INNER },
	{ "System.Collections.Concurrent.ConcurrentQueueSegment<A>+Slot[]", "System.Private.CoreLib.dll", PART_INNER },
	{ "System.Runtime.CompilerServices.ConditionalWeakTable<A,B>", "System.Private.CoreLib.dll", PART_COLLECTION },
	{ "System.Runtime.CompilerServices.ConditionalWeakTable<A,B>+Container", "System.Private.CoreLib.dll", PART_INNER },
	{ "System.Text.StringBuilder",                                 "System.Private.CoreLib.dll", PART_COLLECTION },
	{ "System.Int32[]",                                            "System.Private.CoreLib.dll", PART_ARRAY },
	{ "System.Object",                                             "System.Private.CoreLib.dll", PART_LOCK },
	{ "System.Object[]",                                           "System.Private.CoreLib.dll", PART_ARRAY },
	{ "System.String",                                             "System.Private.CoreLib.dll", PART_NEVER },
	{ "System.Threading.Tasks.Task+ContingentProperties",          "System.Private.CoreLib.dll", PART_NEVER },
	{ "Node<A,B[]>",                                               "System.Collections.Concurrent.dll", PART_NODE },
	{ "VolatileNode<A,B>[]",                                       "System.Collections.Concurrent.dll", PART_INNER },
	{ "Tables<A,B>",                                               "System.Collections.Concurrent.dll", PART_TABLES },
	{ "Node<A,B>",                                                 "app.dll",                    PART_NEVER },
	{ "Nodes<A,B>",                                                "System.Collections.Concurrent.dll", PART_NEVER },
	{ "A.List<B>+Node",                                            "app.dll",                    PART_NEVER },
	{ "A.B[]",                                                     "app.dll",                    PART_ARRAY },
	{ "System.Collections.Mine",                                   "app.dll",                    PART_NEVER },
	{ "System.Collections.Mine+Node",                              "app.dll",                    PART_NEVER },
};
/* clang-format on */

TEST(types_of_parts)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		size_t len = strlen(kinds[i].raw);
		const struct type t = {
			.name = "",
			.raw = kinds[i].raw,
			.module = kinds[i].module,
			.flags = kinds[i].raw[len - 1] == ']' ? TYPE_ARRAY : 0,
		};

		if (part_kind_of(&t) != kinds[i].kind)
			fail_msg("%s: %d", t.raw, (int)part_kind_of(&t));
	}
}

/* --- the same, object by object ------------------------------------------- */

struct slow {
	const struct retained *r;
	const struct heap *h;
	bool *is_holder;
	node_id *tops; /* the outermost holder of each object */
	type_id *counts_as;
	bool *is_part;
	enum part_above *above;
};

static node_id
slow_dominator(const struct slow *s, node_id n)
{
	return n == s->tops[n] ? NODE_NONE : dominators_of(s->r->dominators, n);
}

/* Objects come in preorder, so each comes after the one that dominates it. */
static void
slow_place(struct slow *s, node_id n, bool folds)
{
	node_id up = dominators_of(s->r->dominators, n);
	const struct type *t = heap_type(s->h, n);
	enum part_kind kind = folds ? part_kind_of(t) : PART_NEVER;
	enum part_above above;

	s->tops[n] = up != NODE_NONE ? s->tops[up] : NODE_NONE;
	if (s->tops[n] == NODE_NONE && s->is_holder[n])
		s->tops[n] = n;
	up = s->tops[n] == NODE_NONE ? NODE_NONE : slow_dominator(s, n);
	above = up == NODE_NONE ? ABOVE_NONE : s->above[up];
	s->counts_as[n] = heap_type_of(s->h, n);
	s->is_part[n] = part_is_below(kind, above);
	if (s->is_part[n])
		s->counts_as[n] = s->counts_as[up];
	s->above[n] =
	    s->is_part[n] || kind == PART_COLLECTION ? part_is_above(kind, above) : ABOVE_NONE;
}

static void
slow_begin(struct slow *s, const struct retained *r, const struct subject *holders, bool folds)
{
	const struct heap *h = r->heap;
	size_t count = (size_t)h->nodes_count + 1;

	*s = (struct slow){ .r = r, .h = h };
	s->is_holder = calloc(count, sizeof *s->is_holder);
	s->tops = calloc(count, sizeof *s->tops);
	s->counts_as = calloc(count, sizeof *s->counts_as);
	s->is_part = calloc(count, sizeof *s->is_part);
	s->above = calloc(count, sizeof *s->above);
	assert_true(s->is_holder && s->tops && s->counts_as && s->is_part && s->above);
	for (uint32_t i = 0; holders->nodes && i < holders->nodes_count; i++)
		s->is_holder[holders->nodes[i]] = true;
	for (node_id n = 0; !holders->nodes && n < h->nodes_count; n++)
		s->is_holder[n] = holders->node != NODE_NONE ? n == holders->node
							     : heap_type_of(h, n) == holders->type;
	for (uint32_t p = 0; p < h->nodes_count; p++)
		slow_place(s, r->dominators->objects[p], folds);
}

static void
slow_end(struct slow *s)
{
	free(s->is_holder);
	free(s->tops);
	free(s->counts_as);
	free(s->is_part);
	free(s->above);
}

/* Is the object below one of the type, or one itself? */
static bool
slow_is_retained(const struct slow *s, node_id n, type_id type)
{
	for (; n != NODE_NONE; n = slow_dominator(s, n))
		if (!s->is_part[n] && s->counts_as[n] == type)
			return true;
	return false;
}

static void
slow_check(const struct slow *s, const struct held_type *t)
{
	struct held_type is = { .type = t->type };

	for (node_id n = 0; n < s->h->nodes_count; n++) {
		if (s->tops[n] == NODE_NONE)
			continue;
		if (s->counts_as[n] == t->type) {
			is.count += !s->is_part[n];
			is.parts_count += s->is_part[n];
			is.bytes += heap_size(s->h, n);
		}
		if (slow_is_retained(s, n, t->type)) {
			is.retained.count++;
			is.retained.bytes += heap_size(s->h, n);
		}
	}
	assert_int_equal(t->count, is.count);
	assert_int_equal(t->parts_count, is.parts_count);
	assert_int_equal(t->bytes, is.bytes);
	assert_int_equal(t->retained.count, is.retained.count);
	assert_int_equal(t->retained.bytes, is.retained.bytes);
}

static void
check_objects(const struct slow *s, const struct subject *holders, bool folds,
	      const struct held_type *t)
{
	struct error err = { 0 };
	node_id *nodes = held_type_objects(s->r, holders, folds, t, NULL, &err);

	assert_ok(nodes != NULL, &err);
	for (uint64_t i = 0; i < t->count; i++) {
		const uint32_t *positions = s->r->dominators->positions;

		assert_true(!i || positions[nodes[i - 1]] < positions[nodes[i]]);
		assert_true(s->tops[nodes[i]] != NODE_NONE);
		assert_int_equal(heap_type_of(s->h, nodes[i]), t->type);
		assert_false(s->is_part[nodes[i]]);
	}
	memory_free(nodes);
}

/* Compares all types, or some of many. */
static void
check(const struct retained *r, const struct subject *holders, bool folds)
{
	enum { CHECKED = 40 };
	struct held_types held;
	struct error err = { 0 };
	uint64_t count = 0, parts = 0, bytes = 0;
	struct slow s;

	assert_ok(held_types_compute(&held, r, holders, folds, NULL, &err), &err);
	slow_begin(&s, r, holders, folds);
	for (uint32_t i = 0; i < held.count; i++) {
		const struct held_type *t = &held.items[i];

		assert_true(t->count > 0);
		assert_true(!i || t[-1].retained.bytes >= t->retained.bytes);
		count += t->count;
		parts += t->parts_count;
		bytes += t->bytes;
		if (i < CHECKED || held.count < 2 * CHECKED) {
			slow_check(&s, t);
			check_objects(&s, holders, folds, t);
		}
	}
	assert_int_equal(parts, held.parts_count);
	assert_true(folds || !parts);
	assert_int_equal(count + parts, held.sum.count);
	assert_int_equal(bytes, held.sum.bytes);
	count = bytes = 0;
	for (node_id n = 0; n < r->heap->nodes_count; n++)
		if (s.tops[n] != NODE_NONE) {
			count++;
			bytes += heap_size(r->heap, n);
		}
	assert_int_equal(held.sum.count, count);
	assert_int_equal(held.sum.bytes, bytes);
	slow_end(&s);
	held_types_clear(&held);
}

/* --- heaps ---------------------------------------------------------------- */

struct world {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct dominators *dominators;
	const struct retained *retained;
};

static struct world
world_of(const struct heap *h)
{
	struct error err = { 0 };
	struct world w = { .heap = h };

	w.reverse = reverse_compute(h, NULL, &err);
	w.dominators = dominators_compute(h, w.reverse, NULL, 0, NULL, &err);
	w.retained = retained_compute(w.dominators, NULL, &err);
	assert_non_null(w.retained);
	return w;
}

static void
world_end(const struct world *w)
{
	retained_free(w->retained);
	dominators_free(w->dominators);
	reverse_free(w->reverse);
	heap_free(w->heap);
}

#define MADE_DICTIONARY "System.Collections.Generic.Dictionary<A,B>"
#define MADE_CONCURRENT "System.Collections.Concurrent.ConcurrentDictionary<A,B>"
static const char *const made_types[] = {
	"A.User",
	"A.User[]",
	"System.Int32[]",
	"System.Object",
	"System.Object[]",
	MADE_DICTIONARY,
	MADE_DICTIONARY "+Entry[]",
	MADE_CONCURRENT,
	MADE_CONCURRENT "+Tables",
	MADE_CONCURRENT "+Node",
	MADE_CONCURRENT "+VolatileNode[]",
};

/* A tree of objects of these types, and some references across it. */
static const struct heap *
random_heap(uint64_t seed, uint32_t count)
{
	struct graph *g = graph_new(1, 1);
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	uint32_t *above;
	const struct heap *h;

	g->random = seed;
	above = calloc((size_t)count + 1, sizeof *above);
	assert_true(s && above);
	for (size_t i = 0; i < COUNT_OF(made_types); i++)
		assert_int_equal(
		    heap_builder_type(
			heap_stream_builder(s), made_types[i],
			*made_types[i] == 'A' ? "app.dll" : "System.Private.CoreLib.dll", &err),
		    i);
	for (uint32_t i = 1; i < count; i++) /* mostly deep, sometimes wide */
		above[i] = i - 1 - graph_random(g, i < 8 ? i : 8);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t refs = 0;

		for (uint32_t k = i + 1; k < count; k++)
			refs += above[k] == i;
		assert_true(heap_stream_object(s, 0x1000 + i * 0x100,
					       graph_random(g, COUNT_OF(made_types)),
					       16 + i % 7 * 8, refs + !(i % 97), &err));
		for (uint32_t k = i + 1; k < count; k++)
			if (above[k] == i)
				assert_true(heap_stream_ref(s, 0x1000 + k * 0x100, &err));
		if (!(i % 97))
			assert_true(
			    heap_stream_ref(s, 0x1000 + graph_random(g, count) * 0x100, &err));
	}
	for (uint32_t i = 0; i < count; i += 300)
		assert_true(
		    heap_stream_root(s, 0x1000 + i * 0x100, ROOT_STATIC, false, "", "", &err));
	h = heap_stream_finish(s, NULL, &err);
	assert_non_null(h);
	free(above);
	graph_free(g);
	return h;
}

TEST(random_heaps)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct world w = world_of(random_heap(seed * 7919, 600));
		node_id nodes[20];
		struct subject about = { .node = NODE_NONE, .type = TYPE_NONE, .text = "" };

		for (node_id n = 0; n < w.heap->nodes_count; n += 13) {
			about.node = n;
			check(w.retained, &about, true);
			check(w.retained, &about, false);
		}
		about.node = NODE_NONE;
		for (type_id t = 0; t < w.heap->types_count; t++) {
			about.type = t;
			check(w.retained, &about, true);
		}
		/* One below the other, and not in order. */
		for (uint32_t i = 0; i < COUNT_OF(nodes); i++)
			nodes[i] = (node_id)((i * 7 + seed) % COUNT_OF(nodes) * 29);
		about.type = TYPE_NONE;
		about.nodes = nodes;
		about.nodes_count = COUNT_OF(nodes);
		check(w.retained, &about, true);
		check(w.retained, &about, false);
		world_end(&w);
	}
}

/* Returns the reachable object of a type that retains most; TYPE_NONE: of
   any. */
static node_id
largest(const struct world *w, type_id type)
{
	node_id best = NODE_NONE;

	for (node_id n = 0; n < w->heap->nodes_count; n++)
		if ((type == TYPE_NONE || heap_type_of(w->heap, n) == type) &&
		    (best == NODE_NONE ||
		     retained_of(w->retained, n).bytes > retained_of(w->retained, best).bytes))
			best = n;
	return best;
}

TEST(real_heaps)
{
	for (size_t i = 0; i < REAL_DUMPS; i++) {
		struct world w = world_of(heap_of_file(real_dumps[i]));
		struct subject about = { .node = largest(&w, TYPE_NONE),
					 .type = TYPE_NONE,
					 .text = "" };

		check(w.retained, &about, true);
		check(w.retained, &about, false);
		about.node = NODE_NONE;
		about.type = type_named(w.heap, "Leaky.Session");
		check(w.retained, &about, true);
		world_end(&w);
	}
}

/* A list of millions of nodes takes no recursion. */
TEST(a_long_list)
{
	struct world w = world_of(heap_of_graph(graph_list(graph_long_list())));
	struct subject about = { .node = w.heap->nodes_count - 1, .type = TYPE_NONE, .text = "" };
	struct held_types held;
	struct error err = { 0 };

	assert_ok(held_types_compute(&held, w.retained, &about, true, NULL, &err), &err);
	assert_int_equal(held.sum.count, w.heap->nodes_count);
	assert_int_equal(held.items[0].retained.bytes, w.heap->bytes_count);
	held_types_clear(&held);
	world_end(&w);
}

TEST(it_can_be_cancelled)
{
	struct world w = world_of(heap_of_graph(graph_list(200000)));
	struct subject about = { .node = w.heap->nodes_count - 1, .type = TYPE_NONE, .text = "" };
	struct progress progress = { 0 };
	struct held_types held;
	struct error err = { 0 };

	progress_cancel(&progress);
	assert_false(held_types_compute(&held, w.retained, &about, true, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	held_types_clear(&held);
	world_end(&w);
}

/* Without contents, only nodes tell how many elements there are. */
TEST(entries_of_nodes)
{
	enum { ENTRIES = 5 };
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct subject about = { .node = 0, .type = TYPE_NONE, .text = "" };
	struct held_types held;
	struct world w;

	assert_non_null(s);
	for (size_t i = 0; i < COUNT_OF(made_types); i++)
		assert_int_equal(heap_builder_type(heap_stream_builder(s), made_types[i],
						   "System.Private.CoreLib.dll", &err),
				 i);
	/* The dictionary, its tables, their buckets, and nodes in one row. */
	assert_true(heap_stream_object(s, 0x1000, 7, 40, 1, &err) &&
		    heap_stream_ref(s, 0x1100, &err));
	assert_true(heap_stream_object(s, 0x1100, 8, 32, 1, &err) &&
		    heap_stream_ref(s, 0x1200, &err));
	assert_true(heap_stream_object(s, 0x1200, 10, 48, 1, &err) &&
		    heap_stream_ref(s, 0x1300, &err));
	for (uint64_t i = 0; i < ENTRIES; i++) {
		uint64_t at = 0x1300 + i * 0x200;

		/* A node, its value, and the next node. */
		assert_true(heap_stream_object(s, at, 9, 48, 1 + (i + 1 < ENTRIES), &err) &&
			    heap_stream_ref(s, at + 0x100, &err));
		assert_true(i + 1 == ENTRIES || heap_stream_ref(s, at + 0x200, &err));
		assert_true(heap_stream_object(s, at + 0x100, 1, 24, 0, &err));
	}
	assert_true(heap_stream_root(s, 0x1000, ROOT_STATIC, false, "", "", &err));
	w = world_of(heap_stream_finish(s, NULL, &err));
	assert_ok(held_types_compute(&held, w.retained, &about, true, NULL, &err), &err);
	assert_int_equal(held.count, 2);
	assert_int_equal(held.items[0].type, 7);
	assert_int_equal(held.items[0].count, 1);
	assert_int_equal(held.items[0].parts_count, 2 + ENTRIES);
	assert_int_equal(held.items[0].bytes, 40 + 32 + 48 + ENTRIES * 48);
	assert_int_equal(held.items[0].entries, ENTRIES);
	/* The values are arrays, but no parts. */
	assert_int_equal(held.items[1].type, 1);
	assert_int_equal(held.items[1].count, ENTRIES);
	assert_true(held.items[1].entries == UINT64_MAX);
	held_types_clear(&held);
	world_end(&w);
}
