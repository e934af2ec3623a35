/* The heap in groups: against the same counted object by object. */
#include "io/events/walk.h"
#include "io/gcdump/gcdump.h"
#include "model/analysis/groups.h"
#include "model/graph/reach_kinds.h"
#include "model/heap/bits.h"
#include "tests/drive/heaps.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"

#include <stdlib.h>
#include <string.h>

/* Objects of 16 bytes; ranges with gaps between them, and one that is empty. */
static const struct heap *
ranges_heap(void)
{
	static const struct {
		uint64_t start, end;
		enum generation gen;
		int32_t heap;
	} ranges[] = {
		{ 0x1100, 0x1200, GEN_0, 0 }, { 0x1200, 0x1280, GEN_1, 0 },
		{ 0x1400, 0x1480, GEN_0, 1 }, { 0x1500, 0x1500, GEN_2, 1 },
		{ 0x1600, 0x1700, GEN_2, 1 }, { 0x9000, 0xa000, GEN_LOH, 1 },
	};
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h;
	type_id type;

	assert_non_null(s);
	for (uint64_t at = 0x1000; at < 0x1800; at += 0x10) {
		type = heap_builder_type(heap_stream_builder(s), at % 0x40 ? "A.One" : "A.B.Two",
					 "", &err);
		assert_true(heap_stream_object(s, at, type, 16, 0, &err));
	}
	for (size_t i = 0; i < COUNT_OF(ranges); i++)
		assert_true(heap_stream_range(s, ranges[i].start, ranges[i].end, ranges[i].gen,
					      ranges[i].heap, &err));
	h = heap_stream_finish(s, NULL, &err);
	assert_non_null(h);
	return h;
}

static const struct heap *
trace_heap(void)
{
	return heap_of_file(LEAKY_TRACE);
}

static const struct heap *
mixed_heap(void)
{
	return heap_of_graph(graph_mixed(7, 5000));
}

static const struct heap *
empty_heap(void)
{
	struct error err = { 0 };
	const struct heap *h = heap_stream_finish(heap_stream_new(&err), NULL, &err);

	assert_non_null(h);
	return h;
}

static const struct heap *(*const heaps[])(void) = {
	leaky_heap, awkward_heap, ranges_heap, trace_heap, mixed_heap, empty_heap,
};

/* --- the same by the book ------------------------------------------------ */

static uint32_t
plain_range(const struct heap *h, node_id n)
{
	for (uint32_t i = 0; i < h->ranges_count; i++)
		if (heap_address(h, n) >= h->ranges[i].start &&
		    heap_address(h, n) < h->ranges[i].end)
			return i;
	return h->ranges_count;
}

/* Whether it belongs there, by what the documentation of the group says. */
static bool
plain_has(const struct heap *h, const struct reach *reach, struct group_id id, node_id n)
{
	char a[GROUP_NAME_BYTES], b[GROUP_NAME_BYTES];
	const struct root *root;
	struct group_id own = { id.by, heap_type_of(h, n) };

	switch (id.by) {
	case GROUP_GENERATION:
		return heap_generation(h, n) == (enum generation)id.which;
	case GROUP_ROOT:
		root = reach_root(reach, n);
		return id.which == (root ? root->kind : REACH_KIND_NONE);
	case GROUP_SEGMENT:
		return plain_range(h, n) == id.which;
	default:
		return !strcmp(group_name(h, id, a), group_name(h, own, b));
	}
}

static void
check_members(const struct heap *h, const struct reach *reach, const struct group_sum *group)
{
	struct type_sum *plain = calloc(h->types_count + 1, sizeof *plain);
	struct type_sum *sums = calloc(h->types_count + 1, sizeof *sums);
	struct group_members members;
	struct error err = { 0 };
	uint64_t count = 0, bytes = 0;

	assert_true(plain && sums);
	assert_true(group_members_init(&members, h, reach, group->id, NULL, &err));
	for (node_id n = 0; n < h->nodes_count; n++) {
		bool has = plain_has(h, reach, group->id, n);
		struct type_sum *sum = &plain[heap_type_of(h, n)];

		if (group_members_has(&members, n) != has)
			fail_msg("group %u of %s: object %u", group->id.which,
				 grouping_ids[group->id.by], n);
		if (!has)
			continue;
		count++;
		bytes += heap_size(h, n);
		sum->count++;
		sum->bytes += heap_size(h, n);
		if (heap_size(h, n) > sum->max_bytes)
			sum->max_bytes = heap_size(h, n);
	}
	assert_int_equal(group->count, count);
	assert_int_equal(group->bytes, bytes);
	assert_true(group_members_sum(&members, sums, NULL, &err));
	assert_memory_equal(sums, plain, h->types_count * sizeof *sums);
	group_members_clear(&members);
	free(plain);
	free(sums);
}

/* Of a set: one walk for each group, by marks. */
static void
check_retained(const struct groups *g, const struct retained *r, const struct reach *reach)
{
	const struct heap *h = r->heap;
	uint64_t *set = calloc(bits_words(h->nodes_count), sizeof *set);
	struct retained_sum sum;
	struct error err = { 0 };

	assert_non_null(set);
	for (uint32_t i = 0; i < g->count; i++) {
		struct group_members m;

		assert_true(group_members_init(&m, h, reach, g->items[i].id, NULL, &err));
		memset(set, 0, bits_words(h->nodes_count) * sizeof *set);
		for (node_id n = 0; n < h->nodes_count; n++)
			if (group_members_has(&m, n))
				bits_add(set, n);
		assert_true(retained_of_set(r, set, NULL, &sum, &err));
		assert_int_equal(g->items[i].retained.count, sum.count);
		assert_int_equal(g->items[i].retained.bytes, sum.bytes);
		group_members_clear(&m);
	}
	free(set);
}

static void
check_grouping(const struct heap *h, const struct reach *reach, const struct retained *r,
	       enum grouping by)
{
	uint64_t count = 0, bytes = 0;
	struct error err = { 0 };
	struct groups g;

	assert_ok(groups_compute(&g, h, reach, by, NULL, &err), &err);
	for (uint32_t i = 0; i < g.count; i++) {
		assert_true(g.items[i].count > 0);
		assert_int_equal(g.items[i].id.by, by);
		if (i)
			assert_true(g.items[i - 1].id.which < g.items[i].id.which);
		check_members(h, reach, &g.items[i]);
		count += g.items[i].count;
		bytes += g.items[i].bytes;
	}
	assert_int_equal(count, h->nodes_count);
	assert_int_equal(bytes, h->bytes_count);
	assert_true(groups_retain(&g, r, reach, NULL, &err));
	check_retained(&g, r, reach);
	groups_clear(&g);
}

TEST(test_sums)
{
	for (size_t i = 0; i < COUNT_OF(heaps); i++) {
		const struct heap *h = heaps[i]();
		struct error err = { 0 };
		const struct reach *reach = reach_compute(h, true, NULL, &err);
		const struct reverse *rev = reverse_compute(h, NULL, &err);
		const struct dominators *d = dominators_compute(h, rev, NULL, 0, NULL, &err);
		const struct retained *r = retained_compute(d, NULL, &err);

		assert_non_null(reach);
		assert_non_null(r);
		for (int by = GROUP_NONE + 1; by < GROUPING_COUNT; by++)
			check_grouping(h, reach, r, (enum grouping)by);
		retained_free(r);
		dominators_free(d);
		reverse_free(rev);
		reach_free(reach);
		heap_free(h);
	}
}

/* A list of millions is one way to a root: nothing may recurse or square. */
TEST(test_long_way)
{
	struct graph *graph = graph_list(graph_long_list());
	const struct heap *h = graph_heap(graph);
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	struct groups g;

	assert_non_null(reach);
	assert_true(groups_compute(&g, h, reach, GROUP_ROOT, NULL, &err));
	assert_int_equal(g.count, 1);
	assert_int_equal(g.items[0].count, h->nodes_count);
	groups_clear(&g);
	reach_free(reach);
	heap_free(h);
}

TEST(test_cancelled)
{
	static const enum grouping groupings[] = { GROUP_ROOT, GROUP_SEGMENT, GROUP_GENERATION };
	const struct heap *h = leaky_heap();
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	struct progress progress = { 0 };
	struct groups g;

	assert_non_null(reach);
	progress_cancel(&progress);
	for (size_t i = 0; i < COUNT_OF(groupings); i++) {
		error_clear(&err);
		assert_false(groups_compute(&g, h, reach, groupings[i], &progress, &err));
		assert_int_equal(err.kind, ERROR_CANCELLED);
		assert_null(g.items);
	}
	reach_free(reach);
	heap_free(h);
}

/* --- names --------------------------------------------------------------- */

TEST(test_namespaces)
{
	/* clang-format off */
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{ "Leaky.Session",                        "Leaky" },
		{ "Leaky.Session[]",                      "Leaky" },
		{ "Leaky.Web.Pages.Home",                 "Leaky.Web.Pages" },
		{ "Leaky.Program+Inner",                  "Leaky" },
		{ "System.Int32<,>",                      "System" },
		{ "System.Collections.Generic.List<Leaky.Session>", "System.Collections.Generic" },
		{ "System.Collections.Generic.List`1[[Leaky.Session, leaky]]", "System.Collections.Generic" },
		{ "Node<System.Int32,Leaky.Session>",     "(no namespace)" },
		{ "Global",                               "(no namespace)" },
		{ ".Odd",                                 "(no namespace)" },
		{ "[]c__DisplayClass1_0",                 "(no namespace)" },
		{ "<>f__AnonymousType0",                  "(no namespace)" },
		{ "AsyncStateMachineBox<System.Int32,Leaky.Program+<Run>d__5>", "Leaky" },
		{ "AsyncStateMachineBox<System.Collections.Generic.List<A.B>,Leaky.Jobs.Queue<A.B,C.D>+<Run>d__5>", "Leaky.Jobs" },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };
		struct heap_stream *s = heap_stream_new(&err);
		type_id type = heap_builder_type(heap_stream_builder(s), rows[i].raw, "", &err);
		char name[GROUP_NAME_BYTES];
		const struct heap *h;

		assert_true(heap_stream_object(s, 0x1000, type, 24, 0, &err));
		h = heap_stream_finish(s, NULL, &err);
		assert_non_null(h);
		assert_string_equal(
		    group_name(h, (struct group_id){ GROUP_NAMESPACE, heap_type_of(h, 0) }, name),
		    rows[i].want);
		heap_free(h);
	}
}

/* --- screens ------------------------------------------------------------- */

/* clang-format off */
static const struct screen_case cases[] = {
	{ "groups-80x24",          leaky_heap,  24, 80,  false, false, ":groups" },
	{ "groups-40x10",          leaky_heap,  10, 40,  false, false, ":groups" },
	{ "groups-200x60",         leaky_heap,  60, 200, false, false, ":groups_module" },
	{ "groups-root",           leaky_heap,  14, 80,  false, false, ":groups_root" },
	{ "groups-segment",        ranges_heap, 14, 80,  false, false, ":groups_segment" },
	{ "groups-generation",     ranges_heap, 14, 80,  false, false, ":groups_segment b b b b" },
	{ "groups-unknown",        leaky_heap,  10, 80,  false, false, ":groups_generation" },
	{ "groups-what",           leaky_heap,  10, 80,  false, false, ":groups_xyzzy" },
	{ "groups-by-what",        leaky_heap,  10, 80,  false, false, ":groups :by_xyzzy" },
	{ "groups-words",          leaky_heap,  10, 80,  false, false, ": g r o u p s Space Tab" },
	{ "groups-all-types",      leaky_heap,  10, 80,  false, false, ":groups j Enter 1 wait 1 wait" },
	{ "groups-filtered",       leaky_heap,  10, 80,  false, false, ":groups :filter_leaky" },
	{ "groups-types",          leaky_heap,  14, 80,  false, false, ":groups j Enter" },
	{ "groups-types-gen",      ranges_heap, 14, 120, false, false, ":groups_generation :1 Enter" },
	{ "groups-objects",        ranges_heap, 20, 80,  false, false, ":groups_generation :1 Enter :1 Enter" },
	{ "groups-no-statics",     leaky_heap,  14, 80,  false, false, ":groups_root Enter :set_nostatics" },
};
static const struct screen_case with_retention[] = {
	{ "groups-retained",       leaky_heap,  14, 80,  false, false, ":groups :sort_retained" },
	{ "groups-types-retained", leaky_heap,  14, 100, false, false, ":groups j Enter" },
};
/* clang-format on */

RUN_ROWS(test_screen_case, cases);
RUN_ROWS(test_retained_screen_case, with_retention);
