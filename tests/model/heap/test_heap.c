#include "tests/drive/run_tests.h"
#include "model/heap/stream.h"
#include <stdlib.h>
#include <string.h>

static struct heap_stream *
stream_new(unsigned types_count)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	char name[32];

	assert_non_null(s);
	for (unsigned i = 0; i < types_count; i++) {
		snprintf(name, sizeof(name), "Test.Type%u", i);
		assert_int_equal(
		    heap_builder_type(heap_stream_builder(s), name, "/app/test.dll", &err), i);
	}
	return s;
}

static const struct heap *
finish(struct heap_stream *s)
{
	struct error err = { 0 };
	const struct heap *h = heap_stream_finish(s, NULL, &err);

	assert_ok(h, &err);
	assert_ok(heap_check(h, &err), &err);
	return h;
}

struct object {
	uint64_t address, size;
	uint32_t type, refs_count;
	uint64_t refs[12];
};

/* Objects at random places, referring to each other in random ways. */
static struct object *
random_objects(uint32_t count, uint32_t types_count, unsigned seed)
{
	struct object *objects = calloc(count + 1, sizeof(*objects));
	uint64_t at = 0x7f0000000000;

	srand(seed);
	for (uint32_t i = 0; i < count; i++) {
		struct object *o = &objects[i];

		o->address = at;
		o->type = (uint32_t)rand() % types_count;
		o->size = 24 + (uint64_t)(rand() % 50) * 8;
		if (rand() % 100 == 0)
			o->size = 5000000000 + (uint64_t)rand();
		at += 8 + (uint64_t)(rand() % 100) * 8;
		if (rand() % 1000 == 0)
			at += UINT64_C(1) << (20 + rand() % 15);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct object *o = &objects[i];

		if (o->type % 3 == 0)
			continue; /* types without references */
		o->refs_count = (uint32_t)rand() % 12;
		for (uint32_t k = 0; k < o->refs_count; k++)
			o->refs[k] = objects[(uint32_t)rand() % count].address;
		if (o->refs_count > 2 && rand() % 4 == 0)
			o->refs[1] = o->refs[0]; /* a duplicate */
		if (o->refs_count > 3 && rand() % 4 == 0)
			o->refs[2] = o->address; /* itself */
	}
	return objects;
}

static void
add_objects(struct heap_stream *s, const struct object *objects, const uint32_t *order,
	    uint32_t count)
{
	struct error err = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		const struct object *o = &objects[order[i]];

		assert_true(
		    heap_stream_object(s, o->address, o->type, o->size, o->refs_count, &err));
		for (uint32_t k = 0; k < o->refs_count; k++)
			assert_true(heap_stream_ref(s, o->refs[k], &err));
	}
}

static void
assert_same(const struct heap *h, const struct object *objects, uint32_t count)
{
	assert_int_equal(h->nodes_count, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct object *o = &objects[i];
		struct refs refs = heap_refs(h, i);
		node_id target;

		assert_int_equal(heap_address(h, i), o->address);
		assert_int_equal(heap_size(h, i), o->size);
		assert_int_equal(heap_type_of(h, i), o->type);
		assert_int_equal(refs.left, o->refs_count);
		for (uint32_t k = 0; refs_next(&refs, &target); k++)
			assert_int_equal(heap_address(h, target), o->refs[k]);
	}
}

enum order { IN_ORDER, REVERSED, TWO_HALVES, SHUFFLED, ORDERS_COUNT };

static uint32_t *
make_order(enum order order, uint32_t count)
{
	uint32_t *list = calloc(count + 1, sizeof(*list));

	for (uint32_t i = 0; i < count; i++) {
		list[i] = i;
		if (order == REVERSED)
			list[i] = count - 1 - i;
		if (order == TWO_HALVES)
			list[i] = (i + count / 2) % count;
	}
	for (uint32_t i = count; order == SHUFFLED && i > 1; i--) {
		uint32_t k = (uint32_t)rand() % i, swap = list[k];

		list[k] = list[i - 1];
		list[i - 1] = swap;
	}
	return list;
}

/* Whatever the order of arrival, the heap is the same. */
TEST(test_any_order)
{
	const uint32_t counts[] = { 1, 7, 8, 9, 1000, 65535, 65536, 140000 };

	for (size_t c = 0; c < COUNT_OF(counts); c++) {
		struct object *objects = random_objects(counts[c], 20, 3);

		for (enum order o = IN_ORDER; o < ORDERS_COUNT; o++) {
			uint32_t *order = make_order(o, counts[c]);
			struct heap_stream *s = stream_new(20);
			const struct heap *h;

			add_objects(s, objects, order, counts[c]);
			h = finish(s);
			assert_same(h, objects, counts[c]);
			heap_free(h);
			free(order);
		}
		free(objects);
	}
}

TEST(test_many_types)
{
	const uint32_t count = 80000;
	struct object *objects = random_objects(count, 70000, 4);
	uint32_t *order = make_order(IN_ORDER, count);
	struct heap_stream *s = stream_new(70000);
	const struct heap *h;

	add_objects(s, objects, order, count);
	h = finish(s);
	assert_null(h->types16);
	assert_same(h, objects, count);
	heap_free(h);
	free(order);
	free(objects);
}

TEST(test_empty)
{
	const struct heap *h = finish(stream_new(1));

	assert_int_equal(h->nodes_count, 0);
	assert_int_equal(heap_find(h, 0x1000), NODE_NONE);
	heap_free(h);
}

/* Null, unknown and doubled addresses are counted, not believed. */
TEST(test_losses)
{
	struct error err = { 0 };
	struct heap_stream *s = stream_new(1);
	const struct heap *h;
	struct refs refs;
	node_id target = NODE_NONE;

	assert_true(heap_stream_object(s, 0x2000, 0, 24, 4, &err));
	assert_true(heap_stream_ref(s, 0, &err));
	assert_true(heap_stream_ref(s, 0x9000, &err));
	assert_true(heap_stream_ref(s, 0x1000, &err));
	assert_true(heap_stream_ref(s, 0x9000, &err));
	assert_true(heap_stream_object(s, 0x1000, 0, 32, 0, &err));
	assert_true(heap_stream_object(s, 0x1000, 0, 40, 1, &err));
	assert_true(heap_stream_ref(s, 0x2000, &err));
	assert_true(heap_stream_root(s, 0x9000, ROOT_STACK, false, "", "", &err));
	assert_true(heap_stream_root(s, 0, ROOT_STACK, false, "", "", &err));
	h = finish(s);
	assert_int_equal(h->nodes_count, 3);
	assert_int_equal(h->bytes_count, 96);
	assert_int_equal(h->refs_count, 2);
	assert_int_equal(h->info.losses.undefined_refs, 2);
	assert_int_equal(h->info.losses.undefined_nodes, 1);
	assert_int_equal(h->info.losses.undefined_roots, 2);
	assert_int_equal(h->info.losses.made_up_addresses, 1);
	assert_true(address_is_made_up(heap_address(h, 2)));
	assert_int_equal(heap_size(h, 2), 40);
	refs = heap_refs(h, 2);
	assert_true(refs_next(&refs, &target));
	assert_int_equal(heap_address(h, target), 0x2000);
	heap_free(h);
}

/* Any order; those of one object add up; those of nothing are left out. */
TEST(test_weak_handles)
{
	static const uint64_t handles[] = { 0x3000, 0x1000, 0x9000, 0x3000, 0, 0x3000 };
	struct error err = { 0 };
	struct heap_stream *s = stream_new(1);
	const struct heap *h;

	for (size_t i = 0; i < COUNT_OF(handles); i++)
		assert_true(heap_stream_weak(s, handles[i], &err));
	for (uint64_t i = 1; i <= 3; i++)
		assert_true(heap_stream_object(s, 0x1000 * i, 0, 24, 0, &err));
	h = finish(s);
	assert_int_equal(h->weak_count, 2);
	assert_int_equal(heap_weak_of(h, 0), 1);
	assert_int_equal(heap_weak_of(h, 1), 0);
	assert_int_equal(heap_weak_of(h, 2), 3);
	assert_int_equal(h->roots_count, 0);
	heap_free(h);
}

TEST(test_wrong_use)
{
	struct error err = { 0 };
	struct heap_stream *s = stream_new(1);

	assert_false(heap_stream_object(s, 0x1000, 1, 24, 0, &err));
	assert_string_equal(err.message, "object 1000 has type 1 of 1");
	error_clear(&err);
	assert_true(heap_stream_object(s, 0x1000, 0, 24, 0, &err));
	assert_false(heap_stream_ref(s, 0x1000, &err));
	error_clear(&err);
	assert_true(heap_stream_object(s, 0x1008, 0, 24, 1, &err));
	assert_null(heap_stream_finish(s, NULL, &err));
	assert_string_equal(err.message, "1 references of the last object are missing");
}

TEST(test_types_fold)
{
	struct error err = { 0 };
	struct heap_stream *s = stream_new(0);
	struct heap_builder *b = heap_stream_builder(s);
	type_id bytes = heap_builder_type(b, "System.Byte[]", "/a/b.dll", &err);

	assert_int_equal(heap_builder_type(b, "System.Byte[] (Bytes > 10K)", "/a/b.dll", &err),
			 bytes);
	assert_int_not_equal(heap_builder_type(b, "System.Byte[]", "/a/c.dll", &err), bytes);
	assert_string_equal(heap_builder_types(b)[bytes].raw, "System.Byte[]");
	assert_string_equal(type_module_file(&heap_builder_types(b)[bytes]), "b.dll");
	assert_int_equal(heap_builder_types(b)[bytes].flags, TYPE_ARRAY);
	heap_stream_free(s);
}

/* A file may lack the namespace of one, or the type around it. */
TEST(test_types_alike)
{
	static const char *const raws[] = { "System.Comparer", "Comparer", "System.Text.Encoder" };
	static const char *const names[] = { "System.Comparer", "Comparer", "Encoder" };
	struct error err = { 0 };
	struct heap_stream *s = stream_new(0);
	const struct heap *h;

	for (int i = 0; i < 3; i++)
		assert_int_equal(
		    heap_builder_type(heap_stream_builder(s), raws[i], "/a/b.dll", &err), i);
	assert_string_equal(heap_builder_types(heap_stream_builder(s))[0].name, "Comparer");
	h = heap_stream_finish(s, NULL, &err);
	assert_non_null(h);
	for (type_id t = 0; t < 3; t++)
		assert_string_equal(h->types[t].name, names[t]);
	heap_free(h);
}

TEST(test_ranges)
{
	struct error err = { 0 };
	struct heap_stream *s = stream_new(2);
	const struct heap *h;

	for (uint64_t a = 0x1000; a < 0x5000; a += 0x400)
		assert_true(heap_stream_object(s, a, a >= 0x3000, 16, 0, &err));
	assert_true(heap_stream_range(s, 0x3000, 0x4000, GEN_2, 0, &err));
	assert_true(heap_stream_range(s, 0x1000, 0x1800, GEN_0, 0, &err));
	assert_true(heap_stream_range(s, 0x1800, 0x1900, GEN_1, 0, &err));
	assert_true(heap_stream_range(s, 0x1900, 0x1a00, GEN_1, 0, &err));
	assert_true(heap_stream_range(s, 0x3800, 0x4800, GEN_LOH, 0, &err));
	h = finish(s);
	assert_int_equal(h->ranges_count, 4);
	assert_int_equal(h->info.warnings_count, 1); /* the overlap */
	assert_int_equal(heap_generation(h, heap_find(h, 0x1400)), GEN_0);
	assert_int_equal(heap_generation(h, heap_find(h, 0x1800)), GEN_1);
	assert_int_equal(heap_generation(h, heap_find(h, 0x1c00)), GEN_UNKNOWN);
	assert_int_equal(heap_generation(h, heap_find(h, 0x3c00)), GEN_2);
	assert_int_equal(heap_generation(h, heap_find(h, 0x4000)), GEN_UNKNOWN);
	assert_int_equal(h->generation_counts[GEN_0], 2);
	assert_int_equal(h->generation_bytes[GEN_COUNT + GEN_2], 64);
	heap_free(h);
}

TEST(test_roots_sorted)
{
	struct error err = { 0 };
	struct heap_stream *s = stream_new(1);
	const struct root *roots;
	const struct heap *h;
	uint32_t count;

	for (uint64_t a = 0x1000; a < 0x1040; a += 0x10)
		assert_true(heap_stream_object(s, a, 0, 16, 0, &err));
	assert_true(heap_stream_root(s, 0x1020, ROOT_OTHER, false, "o", "", &err));
	assert_true(heap_stream_root(s, 0x1020, ROOT_STATIC, false, "S", "", &err));
	assert_true(heap_stream_root(s, 0x1000, ROOT_STACK, true, "", "", &err));
	h = finish(s);
	assert_int_equal(h->roots_count, 3);
	roots = heap_roots_of(h, 2, &count);
	assert_int_equal(count, 2);
	assert_int_equal(roots[0].kind, ROOT_STATIC);
	assert_null(heap_roots_of(h, 1, &count));
	assert_int_equal(count, 0);
	heap_free(h);
}

TEST(test_cancel)
{
	struct error err = { 0 };
	struct progress progress = { 0 };
	struct heap_stream *s = stream_new(1);

	for (uint64_t i = 0; i < 200000; i++)
		assert_true(heap_stream_object(s, 0x1000 + i * 8, 0, 8, 0, &err));
	progress_cancel(&progress);
	assert_null(heap_stream_finish(s, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
}

TEST(test_arena_limit)
{
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 1 << 20);
	assert_non_null(arena_take(&a, 1 << 19, 1, &err));
	assert_null(arena_take(&a, 1 << 19, 1, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_true(err.is_limit);
	error_clear(&err);
	assert_null(arena_take(&a, SIZE_MAX / 2, 4, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_false(err.is_limit);
	assert_null(arena_take(&a, 1 << 19, 1, &err)); /* the first error wins */
	assert_false(err.is_limit);
	arena_clear(&a);
	assert_int_equal(a.used_bytes, 0);
}

TEST(test_address_text)
{
	static const struct {
		const char *text;
		bool is_valid;
		uint64_t address;
	} rows[] = {
		{ "7fe01c001d70", true, 0x7fe01c001d70 },
		{ "0x7FE01C001D70", true, 0x7fe01c001d70 },
		{ "00007fe0`1c001d70", true, 0x7fe01c001d70 },
		{ "0x7fe0`1c001d70", true, 0x7fe01c001d70 },
		{ "7fe01c00`1d70", false, 0 },
		{ "7fe0`1c00`1d70", false, 0 },
		{ "`", false, 0 },
		{ "#3", true, MADE_UP_ADDRESS + 24 },
		{ "", false, 0 },
		{ "0x", false, 0 },
		{ " 1", false, 0 },
		{ "-1", false, 0 },
		{ "12g", false, 0 },
		{ "#9999999999999999", false, 0 },
		{ "11112222333344445", false, 0 },
	};
	uint64_t address;
	char text[24];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		address = 77;
		assert_int_equal(address_parse(rows[i].text, &address), rows[i].is_valid);
		assert_int_equal(address, rows[i].is_valid ? rows[i].address : 77);
	}
	assert_string_equal(address_format(0x1000, text), "000000001000");
	assert_string_equal(address_format(MADE_UP_ADDRESS + 24, text), "#3");
}
