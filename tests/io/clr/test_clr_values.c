/* What is in objects of a made-up runtime that is damaged. */
#include "tests/drive/run_tests.h"
#include "tests/made/made_fields.h"
#include "io/clr/graph.h"
#include "model/heap/memory.h"
#include <string.h>

enum { ROWS_MAX = 40, STRING = 4, ARRAY = 3 };

struct read {
	struct made_runtime *runtime;
	const struct heap *heap;
	struct arena arena;
	struct content rows[ROWS_MAX];
	size_t count;
	uint64_t total;
	struct error err;
};

static struct made_runtime *
begin(void)
{
	const struct made_setup setup = { .version = 10 };
	struct made_runtime *rt = made_runtime_new(&setup);

	made_types_put(rt, true);
	made_roots_put(rt);
	made_fields_put(rt);
	return rt;
}

static void
load(struct read *r, struct made_runtime *rt)
{
	const struct memory *m = made_memory_open(rt->memory);
	const struct clr_graph_options options = {
		.what = LOAD_ALL,
		.kept = (struct memory *)(uintptr_t)m,
	};

	*r = (struct read){ .runtime = rt };
	arena_init(&r->arena, 0);
	error_clear(&r->err);
	r->heap = clr_graph_load(m, "made up", &options, &r->err);
	if (!r->heap)
		fail_msg("%s", r->err.message);
}

static bool
read_rows(struct read *r, uint64_t address)
{
	const struct heap_memory *m = r->heap->memory;

	error_clear(&r->err);
	return m->contents->rows(m->source, heap_find(r->heap, address), 0, ROWS_MAX, r->rows,
				 &r->count, &r->total, &r->arena, &r->err);
}

static void
end(struct read *r)
{
	arena_clear(&r->arena);
	heap_free(r->heap);
	made_runtime_free(r->runtime);
}

static uint64_t
string_at(const struct made_runtime *rt)
{
	return made_pair_at(rt, STRING) - ((22 + 2 * (uint64_t)STRING + 7) & ~UINT64_C(7));
}

static uint64_t
array_at(const struct made_runtime *rt)
{
	return made_pair_at(rt, ARRAY) + 40;
}

/* Its holder has all other rows, and says what is absent in this one. */
TEST(test_string_absent)
{
	static const struct {
		uint64_t lost_from, lost_bytes;
		const char *text;
	} rows[] = {
		{ 12 + 4, 4, "\"ab\"\u2026 (the rest is not in memory)" },
		{ 12, 8, "(not in memory)" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = begin();
		uint64_t string = string_at(rt);
		struct read r;

		made_pair_refs(rt, 1, string, made_pair_at(rt, 2));
		made_memory_u32(rt->memory, string + 12, 'a' | 'b' << 16);
		load(&r, rt);
		made_memory_lose(rt->memory, string + rows[i].lost_from, rows[i].lost_bytes);
		assert_true(read_rows(&r, made_pair_at(rt, 1)));
		assert_true(r.count >= 3);
		assert_string_equal(r.rows[0].text, rows[i].text);
		assert_int_equal(r.rows[1].pointer, made_pair_at(rt, 2));
		assert_true(read_rows(&r, string));
		assert_string_equal(r.rows[0].text, rows[i].text);
		end(&r);
	}
}

/* Thousands of records of one field: no more than the class has rows. */
TEST(test_field_again)
{
	enum { RECORDS = 4096, ROWS = 8 };
	struct made_runtime *rt = begin();
	uint64_t records = MADE_FIELDS + 0x10000;
	uint64_t table = MADE_METHOD_TABLE(MADE_PAIR);
	struct read r;

	made_memory_zeros(rt->memory, records, 16 * (RECORDS + 1));
	for (unsigned i = 0; i < RECORDS; i++)
		made_field_put(rt, records, i, table, 7, 16, MADE_VALUE);
	made_memory_u64(rt->memory, table + 0x60 + rt->layout.offset[CLR_CLASS_FIELDS], records);
	load(&r, rt);
	assert_true(read_rows(&r, made_pair_at(rt, 1)));
	assert_int_equal(r.total, ROWS);
	end(&r);
}

/* Where a time has its minutes: inside of it, or it is none. */
TEST(test_time_offset)
{
	static const struct {
		uint32_t at;
		bool is_time;
	} rows[] = { { 6, true }, { 7, false }, { 8, false }, { 4000, false } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = begin();
		struct made_memory *m = rt->memory;
		uint64_t array = array_at(rt);
		struct read r;

		made_type_token(rt, MADE_STRUCT, MADE_TIME);
		made_field_put(rt, MADE_FIELDS + 0x200, 0, MADE_STRUCT, MADE_TIME_ROW, 0, 0x0a);
		made_field_put(rt, MADE_FIELDS + 0x200, 1, MADE_STRUCT, MADE_TIME_ROW + 1,
			       rows[i].at, 0x06);
		made_memory_u64(m,
				MADE_METHOD_TABLE(MADE_ARRAY) + rt->layout.offset[CLR_MT_PER_INST],
				MADE_STRUCT);
		made_memory_u64(m, array + 16, 0x1234567890);
		made_memory_u64(m, array + 24, 60);
		load(&r, rt);
		assert_true(read_rows(&r, array));
		assert_int_equal(r.rows[0].kind, rows[i].is_time ? CONTENT_VALUE : CONTENT_RAW);
		end(&r);
	}
}

/* In a process that runs on: a length that there was no room for. */
TEST(test_length_grown)
{
	struct made_runtime *rt = begin();
	uint64_t string = string_at(rt), array = array_at(rt);
	struct read r;

	made_pair_refs(rt, 1, string, made_pair_at(rt, 2));
	load(&r, rt);
	made_memory_u32(rt->memory, string + 8, 1000);
	made_memory_u32(rt->memory, array + 8, 1000);
	assert_true(read_rows(&r, made_pair_at(rt, 1)));
	assert_string_equal(r.rows[0].text, "");
	assert_false(read_rows(&r, array));
	assert_non_null(strstr(r.err.message, "is damaged"));
	end(&r);
}

/* That its class is absent is told, not that it has no fields. */
TEST(test_class_absent)
{
	struct made_runtime *rt = begin();
	uint64_t table = MADE_METHOD_TABLE(MADE_PAIR);
	const struct heap_memory *m;
	struct heap_statics found = { 0 };
	struct read r;

	made_memory_lose(rt->memory, table + 0x60, 0x40);
	load(&r, rt);
	assert_false(read_rows(&r, made_pair_at(rt, 1)));
	assert_int_equal(r.err.kind, ERROR_INPUT);
	assert_non_null(strstr(r.err.message, "the class of the object at "));
	m = r.heap->memory;
	error_clear(&r.err);
	assert_false(m->contents->statics(m->source, table, &found, NULL, &r.arena, &r.err));
	assert_int_equal(r.err.kind, ERROR_INPUT);
	assert_non_null(strstr(r.err.message, "the class of the method table"));
	end(&r);
}

/* The fields of one class are absent, those of another are there. */
TEST(test_base_absent)
{
	struct made_runtime *rt = begin();
	uint64_t table = MADE_METHOD_TABLE(MADE_PAIR);
	uint64_t base = MADE_METHOD_TABLE(MADE_OBJECT);
	uint32_t parent = rt->layout.offset[CLR_MT_PARENT];
	struct read r;

	made_memory_u64(rt->memory, table + parent, base);
	made_memory_u64(rt->memory, base + parent, MADE_METHOD_TABLE(MADE_FREE));
	made_pair_refs(rt, 1, made_pair_at(rt, 2), made_pair_at(rt, 2));
	made_memory_lose(rt->memory, base + 0x60, 0x40);
	load(&r, rt);
	assert_true(read_rows(&r, made_pair_at(rt, 1)));
	assert_true(r.count > 1);
	assert_int_equal(strncmp(r.rows[0].name, "(fields of ", 11), 0);
	assert_string_equal(r.rows[0].text, "(not in memory)");
	assert_int_equal(r.rows[1].pointer, made_pair_at(rt, 2));
	end(&r);
}
