/* What was computed and is kept beside a heap: as it was, and not trusted. */
#include "tests/made/graphs.h"
#include "tests/drive/files.h"
#include "tests/drive/kept.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "io/gcdump/gcdump.h"
#include "io/heaptop/format.h"
#include "io/base/zstd.h"
#include "model/graph/retained.h"
#include <stdlib.h>
#include <string.h>

struct computed {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct ignored *tables;
	const struct dominators *dominators;
	const struct retained *retained;
	const struct retained_sum *types;
	struct arena arena; /* of `types` */
};

/* As a session computes it. */
static struct computed
compute(const struct heap *h)
{
	struct error err = { 0 };
	struct computed c = { .heap = h };
	struct ignored_entry all[16];
	uint32_t count;

	c.reverse = reverse_compute(h, NULL, &err);
	c.reach = reach_compute(h, true, NULL, &err);
	assert_non_null(c.reach);
	count = c.reach->static_tables_count;
	assert_true(count < 16);
	for (uint32_t i = 0; i < count; i++)
		all[i] =
		    (struct ignored_entry){ IGNORED_STATIC_TABLE, c.reach->static_tables[i], 0 };
	c.tables = ignored_new(h, all, count, NULL, &err);
	c.dominators = dominators_compute(h, c.reverse, c.tables, 0, NULL, &err);
	assert_non_null(c.dominators);
	c.retained = retained_compute(c.dominators, NULL, &err);
	arena_init(&c.arena, 0);
	c.types = retained_by_type(c.retained, false, &c.arena, NULL, &err);
	assert_non_null(c.types);
	return c;
}

static void
computed_free(struct computed *c)
{
	arena_clear(&c->arena);
	retained_free(c->retained);
	dominators_free(c->dominators);
	ignored_free(c->tables);
	reach_free(c->reach);
	reverse_free(c->reverse);
	heap_free(c->heap);
}

static struct bytes_kept
save_computed(const struct computed *c)
{
	const struct saved_how how = { .reach = c->reach,
				       .dominators = c->dominators,
				       .types = c->types,
				       .prefers_statics = true };

	return kept_save_as(c->heap, &how);
}

static void
expect_same_reach(const struct reach *a, const struct reach *b)
{
	uint32_t count = a->heap->nodes_count;

	assert_int_equal(a->reachable_count, b->reachable_count);
	assert_int_equal(a->reachable_bytes, b->reachable_bytes);
	assert_int_equal(a->static_tables_count, b->static_tables_count);
	assert_int_equal(a->static_refs_count, b->static_refs_count);
	for (uint32_t i = 0; i < a->static_tables_count; i++)
		assert_int_equal(a->static_tables[i], b->static_tables[i]);
	for (node_id n = 0; n < count; n++) {
		assert_int_equal(a->distance[n], b->distance[n]);
		if (a->distance[n] != DISTANCE_UNREACHABLE)
			assert_int_equal(a->next[n], b->next[n]);
	}
}

static void
expect_computed(const struct computed *c)
{
	struct bytes_kept kept = save_computed(c);
	struct error err = { 0 };
	const struct heap *h = kept_load_keeping(&kept, &err);
	size_t bytes = c->heap->nodes_count * sizeof(uint32_t);
	const struct reach *reach;
	const struct dominators *d;

	assert_ok(h, &err);
	for (type_id t = 0; t < h->types_count; t++)
		assert_int_equal(h->derived->retained_by_type[t], c->types[t].bytes);
	reach = derived_reach(h, true, NULL, &err);
	assert_non_null(reach);
	assert_true(reach->is_kept);
	expect_same_reach(c->reach, reach);
	d = derived_dominators(h, reach, NULL, &err);
	assert_non_null(d);
	assert_int_equal(d->reachable_count, c->dominators->reachable_count);
	assert_memory_equal(d->objects, c->dominators->objects, bytes);
	assert_memory_equal(d->parents, c->dominators->parents, bytes);
	assert_memory_equal(d->positions, c->dominators->positions, bytes);
	for (uint32_t p = 0; p < h->nodes_count; p += 1 + p / 7)
		assert_int_equal(dominators_end(d, p), dominators_end(c->dominators, p));
	dominators_free(d);
	reach_free(reach);
	/* Computed otherwise, it is of no use. */
	reach = derived_reach(h, false, NULL, &err);
	assert_non_null(reach);
	assert_false(reach->is_kept);
	reach_free(reach);
	heap_free(h);
	free(kept.data);
}

TEST(test_computed)
{
	struct computed c = compute(heap_of_file(LEAKY_10));

	assert_true(c.reach->static_tables_count > 0);
	expect_computed(&c);
	computed_free(&c);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct graph *g = graph_mixed(seed, (uint32_t)(seed * seed * 5));

		c = compute(graph_heap(g));
		expect_computed(&c);
		computed_free(&c);
		graph_free(g);
	}
	for (int i = 0; i < 2; i++) {
		struct graph *g = i ? graph_list(200000) : graph_hub(200000);

		c = compute(graph_heap(g));
		expect_computed(&c);
		computed_free(&c);
		graph_free(g);
	}
}

/* Types retain no less than their objects. */
static void
check_types(const struct heap *h)
{
	const struct heap_derived *d = h->derived;

	uint64_t all = 0;

	for (type_id t = 0; t < h->types_count; t++)
		all += h->types[t].bytes;
	for (type_id t = 0; d && d->retained_by_type && t < h->types_count; t++)
		assert_in_range(d->retained_by_type[t], h->types[t].bytes, all);
}

/* Whatever it says, ways end at roots and trees are trees. */
static bool
is_taken(const struct bytes_kept *kept)
{
	struct error err = { 0 };
	const struct heap *h = kept_load_keeping(kept, &err);
	const struct reach *reach;
	const struct dominators *d;
	const struct retained *r = NULL;
	bool is;

	assert_ok(h, &err);
	check_types(h);
	reach = derived_reach(h, true, NULL, &err);
	assert_non_null(reach);
	for (node_id n = 0; n < h->nodes_count; n++)
		if (reach->distance[n] != DISTANCE_UNREACHABLE)
			assert_non_null(reach_root(reach, n));
	d = derived_dominators(h, reach, NULL, &err);
	if (d)
		r = retained_compute(d, NULL, &err);
	for (uint32_t p = 0; d && p < h->nodes_count; p++) {
		assert_true(dominators_end(d, p) > p);
		assert_true(retained_of(r, d->objects[p]).bytes >= heap_size(h, d->objects[p]));
	}
	is = reach->is_kept && d;
	retained_free(r);
	dominators_free(d);
	reach_free(reach);
	heap_free(h);
	return is;
}

TEST(test_wrong_computed)
{
	static const uint32_t kinds[] = { SAVED_DERI, SAVED_DWAY, SAVED_DDOM };
	struct error err = { 0 };
	struct zstd_packer *packer = zstd_packer_new(&err);
	struct computed c = compute(heap_of_graph(graph_mixed(5, 90)));
	struct bytes_kept kept = save_computed(&c);
	struct saved_sections s = kept_sections(&kept);
	size_t flips = 0, taken = 0;

	assert_true(is_taken(&kept));
	for (size_t i = 0; i < s.count; i++) {
		uint8_t raw[4096];
		struct bytes b;

		if (s.items[i].kind != kinds[0] && s.items[i].kind != kinds[1] &&
		    s.items[i].kind != kinds[2])
			continue;
		assert_true(saved_unpack(&s, 0, &s.items[i], &b, &err));
		assert_true(b.len <= sizeof(raw));
		memcpy(raw, b.data, b.len);
		for (uint64_t bit = 0; bit < b.len * 8; bit++) {
			struct bytes_kept lie;

			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
			lie = kept_assemble(&s, i, raw, packer);
			raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
			taken += is_taken(&lie);
			free(lie.data);
			flips++;
		}
	}
	assert_true(flips > 1000 && taken < flips / 2);
	saved_sections_clear(&s);
	zstd_packer_free(packer);
	computed_free(&c);
	free(kept.data);
}

/* Paths that were chosen by other costs are computed again. */
TEST(test_other_costs)
{
	enum { VERSION_AT = 28 };
	struct error err = { 0 };
	struct zstd_packer *packer = zstd_packer_new(&err);
	struct computed c = compute(heap_of_graph(graph_mixed(5, 90)));
	struct bytes_kept kept = save_computed(&c);
	struct saved_sections s = kept_sections(&kept);

	for (size_t i = 0; i < s.count; i++) {
		uint8_t raw[4096];
		const struct reach *reach;
		const struct heap *h;
		struct bytes_kept old;
		struct bytes b;

		if (s.items[i].kind != SAVED_DERI)
			continue;
		assert_true(saved_unpack(&s, 0, &s.items[i], &b, &err));
		assert_true(b.len > VERSION_AT && b.len <= sizeof(raw));
		memcpy(raw, b.data, b.len);
		assert_int_equal(raw[VERSION_AT], REACH_COSTS_VERSION);
		raw[VERSION_AT] = 0;
		old = kept_assemble(&s, i, raw, packer);
		h = kept_load_keeping(&old, &err);
		assert_ok(h, &err);
		reach = derived_reach(h, true, NULL, &err);
		assert_non_null(reach);
		assert_false(reach->is_kept);
		expect_same_reach(c.reach, reach);
		assert_non_null(h->derived->read_dominators);
		reach_free(reach);
		heap_free(h);
		free(old.data);
	}
	saved_sections_clear(&s);
	zstd_packer_free(packer);
	computed_free(&c);
	free(kept.data);
}

/* Parts behind the end, or twice, are not taken. */
TEST(test_wrong_parts)
{
	struct computed c = compute(heap_of_graph(graph_mixed(5, 90)));
	struct bytes_kept kept = save_computed(&c);
	struct saved_sections s = kept_sections(&kept);
	size_t lies = 0;

	for (size_t i = 0; i < s.count; i++) {
		struct bytes_kept lie;

		if (s.items[i].kind != SAVED_DWAY && s.items[i].kind != SAVED_DDOM)
			continue;
		s.items[i].index++; /* there is one part of 90 objects */
		lie = kept_assemble(&s, 0, NULL, NULL);
		s.items[i].index--;
		assert_false(is_taken(&lie));
		free(lie.data);
		lies++;
	}
	assert_int_equal(lies, 2);
	saved_sections_clear(&s);
	computed_free(&c);
	free(kept.data);
}

TESTS_BETWEEN(folder_make, folder_remove);
