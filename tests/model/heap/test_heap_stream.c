/* Heaps from streams: many chunks, runs that interleave, late types, links. */
#include "tests/drive/run_tests.h"
#include "model/heap/stream.h"
#include <string.h>

enum { OBJECTS_COUNT = 4 * CHUNK_NODES + 777, LINKS_COUNT = 1000 };
#define BASE UINT64_C(0x7f0000000000)

/* On 8 bytes, or on 4 as in a process of 32 bits: then they come twice. */
static uint64_t alignment;

static uint64_t
address_of(uint64_t k)
{
	return BASE + alignment + 24 * k;
}

/* Of seven neighbours all but the first are stored as "like the one before". */
static uint64_t
refs_of(uint64_t k)
{
	return k % 1000 == 999 ? 50 : k / 7 % 3;
}

static uint64_t
target_of(uint64_t k, uint64_t j)
{
	return (k * 31 + j * 77) % OBJECTS_COUNT;
}

/* Every thousandth reference names no object. */
static bool
is_undefined(uint64_t k, uint64_t j)
{
	return j == 0 && k % 1000 == 1;
}

static void
put_object(struct heap_stream *s, uint64_t k)
{
	struct error err = { 0 };

	assert_true(heap_stream_object(s, address_of(k), (type_id)(k / 7 % 5), 24 + k / 7 % 300,
				       refs_of(k), &err));
	for (uint64_t j = 0; j < refs_of(k); j++)
		assert_true(heap_stream_ref(
		    s, is_undefined(k, j) ? BASE - 8 : address_of(target_of(k, j)), &err));
}

/* So many runs, each with every so-manieth object, the last run first. */
static void
put_objects(struct heap_stream *s, uint64_t runs_count)
{
	for (uint64_t run = runs_count; run-- > 0;)
		for (uint64_t k = run; k < OBJECTS_COUNT; k += runs_count)
			put_object(s, k);
}

static void
put_links(struct heap_stream *s)
{
	struct error err = { 0 };

	for (uint64_t i = LINKS_COUNT; i-- > 0;) {
		uint64_t k = i * 262;

		assert_true(heap_stream_link(s, address_of(k), address_of(k + 1), &err));
		if (i % 2)
			assert_true(heap_stream_link(s, address_of(k), address_of(k + 2), &err));
	}
	/* From no object: its target is a root. */
	assert_true(heap_stream_link(s, BASE - 8, address_of(5), &err));
}

static uint64_t
links_of(uint64_t k)
{
	return k % 262 || k >= 262 * LINKS_COUNT ? 0 : 1 + k / 262 % 2;
}

static void
check_object(const struct heap *h, node_id k)
{
	struct refs refs = heap_refs(h, k);
	node_id target;

	assert_int_equal(heap_address(h, k), address_of(k));
	assert_int_equal(heap_size(h, k), 24 + k / 7 % 300);
	assert_int_equal(heap_type(h, k)->raw[0], "ABCDA"[k / 7 % 5]);
	for (uint64_t j = 0; j < refs_of(k); j++) {
		if (is_undefined(k, j))
			continue;
		assert_true(refs_next(&refs, &target));
		assert_int_equal(target, target_of(k, j));
	}
	for (uint64_t i = 0; i < links_of(k); i++) {
		assert_true(refs_next(&refs, &target));
		assert_int_equal(target, k + 1 + i);
	}
	assert_false(refs_next(&refs, &target));
}

/* Types come last; the numbers 0 and 4 turn out to be the same. */
static const struct heap *
finish(struct heap_stream *s)
{
	static const char *const names[] = { "A", "B", "C", "D", "A" };
	type_id map[5];
	const struct heap *h;
	struct error err = { 0 };

	for (int i = 0; i < 5; i++)
		map[i] = heap_builder_type(heap_stream_builder(s), names[i], "m.dll", &err);
	heap_stream_map_types(s, map, 5);
	h = heap_stream_finish(s, NULL, &err);
	assert_ok(h, &err);
	assert_ok(heap_check(h, &err), &err);
	return h;
}

static void
check_runs_aligned(uint64_t runs_count)
{
	struct heap_stream *s;
	const struct heap *h;
	struct error err = { 0 };
	uint64_t undefined = 0;

	s = heap_stream_new(&err);
	heap_stream_defer_types(s);
	put_links(s);
	put_objects(s, runs_count);
	h = finish(s);
	assert_int_equal(h->nodes_count, OBJECTS_COUNT);
	assert_int_equal(h->types_count, 4);
	for (node_id k = 0; k < OBJECTS_COUNT; k++) {
		check_object(h, k);
		undefined += refs_of(k) && is_undefined(k, 0);
	}
	assert_int_equal(h->info.losses.undefined_refs, undefined);
	assert_int_equal(h->info.losses.undefined_nodes, 1);
	assert_int_equal(h->info.losses.made_up_addresses, 0);
	assert_int_equal(h->roots_count, 1);
	assert_int_equal(h->roots[0].kind, ROOT_DEPENDENT);
	assert_int_equal(h->roots[0].object, 5);
	heap_free(h);
}

static void
check_runs(uint64_t runs_count)
{
	for (alignment = 0; alignment <= 4; alignment += 4)
		check_runs_aligned(runs_count);
	alignment = 0;
}

TEST(test_one_run)
{
	check_runs(1);
}

TEST(test_runs_interleaved)
{
	check_runs(3);
	check_runs(40);
}

/* Too many for threads. */
TEST(test_many_runs)
{
	check_runs(1000);
}

/* Links are those of the object that has the address, not of its doubles. */
TEST(test_doubles_have_no_links)
{
	enum { DOUBLES = 3000 };
	struct heap_stream *s;
	const struct heap *h;
	struct error err = { 0 };

	s = heap_stream_new(&err);
	heap_stream_defer_types(s);
	for (int i = 0; i < DOUBLES; i++) {
		assert_true(heap_stream_object(s, address_of(1), 0, 24, 0, &err));
		assert_true(heap_stream_link(s, address_of(1), address_of(1), &err));
	}
	h = finish(s);
	assert_int_equal(h->nodes_count, DOUBLES);
	assert_int_equal(h->refs_count, DOUBLES);
	assert_int_equal(h->info.losses.made_up_addresses, DOUBLES - 1);
	heap_free(h);
}

TEST(test_number_without_a_type)
{
	struct heap_stream *s;
	struct error err = { 0 };
	type_id map[1];

	s = heap_stream_new(&err);
	heap_stream_defer_types(s);
	assert_true(heap_stream_object(s, address_of(1), 1, 24, 0, &err));
	map[0] = heap_builder_type(heap_stream_builder(s), "A", "", &err);
	heap_stream_map_types(s, map, 1);
	assert_null(heap_stream_finish(s, NULL, &err));
	assert_string_equal(err.message, "an object has type number 1 of 1");
}
