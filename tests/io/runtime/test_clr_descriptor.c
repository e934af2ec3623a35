/* What a runtime tells of itself: taken where it makes sense, and only there.
 */
#include "tests/drive/run_tests.h"
#include "tests/made/made_runtime.h"
#include "io/runtime/descriptor.h"
#include "io/runtime/heaps.h"
#include "io/runtime/runtime.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct made_setup plain = { 10, false, false };

/* --- texts ---------------------------------------------------------------- */

struct text_row {
	const char *text;
	bool is_good;
	unsigned described; /* fields */
	uint32_t os_id;     /* Thread.OSId after that; built in: 296 */
	uint64_t store;     /* what ThreadStore holds; 0: it is not told */
};

/* clang-format off */
static const struct text_row text_rows[] = {
	{ "{}", true, 0, 296, 0 },
	{ "{\"types\":{\"Thread\":{\"OSId\":304}}}", true, 1, 304, 0 },
	{ "{\"types\":{\"Thread\":{\"OSId\":[304,\"uint64\"],\"!\":8,\"New\":1}}}", true, 1, 304, 0 },
	{ "{\"types\":{\"Thread\":{\"OSId\":-1}}}", true, 0, 296, 0 },
	{ "{\"types\":{\"Thread\":{\"OSId\":99999999999}}}", true, 0, 296, 0 },
	{ "{\"types\":{\"Thread\":{\"OSId\":\"304\"}}}", true, 0, 296, 0 },
	{ "{\"types\":{\"Thread\":{\"OSId\":[]}}}", true, 0, 296, 0 },
	{ "{\"types\":{\"Thread\":304}}", true, 0, 296, 0 },
	{ "{\"types\":[1,2]}", true, 0, 296, 0 },
	{ "{\"globals\":{\"ThreadStore\":[[1],\"pointer\"]}}", true, 0, 296, 42 },
	{ "{\"globals\":{\"ThreadStore\":[1]}}", true, 0, 296, 42 },
	{ "{\"globals\":{\"ThreadStore\":[0]}}", true, 0, 296, 0 },
	{ "{\"globals\":{\"ThreadStore\":[2]}}", true, 0, 296, 0 },
	{ "{\"globals\":{\"ThreadStore\":[-1]}}", true, 0, 296, 0 },
	{ "{\"globals\":{\"ThreadStore\":[1,\"uint64\"]}}", true, 0, 296, 0 },
	{ "{\"globals\":{\"ThreadStore\":1}}", true, 0, 296, 0 },
	{ "{\"globals\":7}", true, 0, 296, 0 },
	{ "[]", false, 0, 296, 0 },
	{ "{\"types\":", false, 0, 296, 0 },
	{ "\xff\xfe", false, 0, 296, 0 },
	{ "{} {}", false, 0, 296, 0 },
};
/* clang-format on */

static void
check_text(const struct text_row *row)
{
	static const uint64_t pointers[] = { 0, MADE_CELL };
	struct made_runtime *rt = made_runtime_new(&plain);
	struct clr_descriptor d;
	struct memory_reader *r;
	struct clr_layout layout;
	struct error err = { 0 };
	uint64_t store = 0;
	bool is_damaged, is_open;

	made_memory_u64(rt->memory, MADE_CELL, 42);
	made_runtime_describe(rt, row->text, pointers, 2);
	r = memory_reader_new(made_memory_open(rt->memory), &err);
	assert_true(clr_layout_init(&layout, 10, MEMORY_X64, &err));
	is_open = clr_descriptor_open(&d, r, MADE_DESCRIPTOR, &is_damaged);
	if (is_open != row->is_good || is_damaged == row->is_good)
		fail_msg("%s", row->text);
	clr_descriptor_describe(&d, &layout);
	(void)!clr_descriptor_global(&d, r, "ThreadStore", &store);
	if (layout.offset[CLR_THREAD_OS_ID] != row->os_id ||
	    layout.described_fields != row->described || store != row->store)
		fail_msg("%s: %u at %u, %u", row->text, layout.described_fields,
			 layout.offset[CLR_THREAD_OS_ID], (unsigned)store);
	clr_descriptor_close(&d);
	memory_reader_free(r);
	made_runtime_free(rt);
}

TEST(test_texts)
{
	for (size_t i = 0; i < COUNT_OF(text_rows); i++)
		check_text(&text_rows[i]);
}

/* --- heads ---------------------------------------------------------------- */

struct head_row {
	unsigned at;
	uint32_t value;
	bool is_damaged;
};

/* clang-format off */
static const struct head_row head_rows[] = {
	{ 0,  0,          true },  /* no magic */
	{ 8,  3,          true },  /* of 32 bits */
	{ 12, 0,          true },  /* no text */
	{ 12, 2 << 20,    true },  /* a long one */
	{ 12, 300,        true },  /* beyond what is there */
	{ 16, 0x1234,     true },  /* elsewhere */
	{ 24, 1 << 20,    true },  /* many pointers */
	{ 32, 0x1234,     false }, /* none of them there */
};
/* clang-format on */

TEST(test_heads)
{
	for (size_t i = 0; i < COUNT_OF(head_rows); i++) {
		const struct head_row *row = &head_rows[i];
		struct made_runtime *rt = made_runtime_new(&plain);
		struct clr_descriptor d;
		struct memory_reader *r;
		struct error err = { 0 };
		bool is_damaged, is_open;

		made_runtime_describe(rt, "{}", NULL, 0);
		made_memory_u32(rt->memory, MADE_DESCRIPTOR + row->at, row->value);
		r = memory_reader_new(made_memory_open(rt->memory), &err);
		is_open = clr_descriptor_open(&d, r, MADE_DESCRIPTOR, &is_damaged);
		if (is_open == row->is_damaged || is_damaged == is_open)
			fail_msg("%u becomes %u", row->at, row->value);
		clr_descriptor_close(&d);
		assert_false(clr_descriptor_open(&d, r, 0x1234, &is_damaged));
		assert_false(is_damaged);
		memory_reader_free(r);
		made_runtime_free(rt);
	}
}

/* --- versions that nobody has measured ------------------------------------ */

static bool
is_of_type(size_t field, const char *type, size_t type_len)
{
	const char *name = clr_field_name((enum clr_field)field);

	return strncmp(name, type, type_len) == 0 && name[type_len] == '.';
}

/* The fields of one type; nothing if an earlier field has written it. */
static void
describe_type(FILE *to, const struct made_runtime *rt, size_t begin, size_t first,
	      enum clr_field without)
{
	const char *type = clr_field_name((enum clr_field)first);
	size_t type_len = strcspn(type, ".");
	const char *before = "";

	for (size_t i = begin; i < first; i++) {
		if (is_of_type(i, type, type_len))
			return;
	}
	fprintf(to, "%s\"%.*s\":{", first > begin ? "," : "", (int)type_len, type);
	for (size_t i = first; i < CLR_FIELDS_COUNT; i++) {
		if (!is_of_type(i, type, type_len) || i == without ||
		    !clr_has(&rt->layout, (enum clr_field)i))
			continue;
		fprintf(to, "%s\"%s\":%u", before, clr_field_name((enum clr_field)i) + type_len + 1,
			rt->layout.offset[i]);
		before = ",";
	}
	fprintf(to, "}");
}

/* The built-in table from `first` to below `end`, in the runtime's words, but for one field; to be
 * freed. */
static char *
write_types(const struct made_runtime *rt, enum clr_field first, enum clr_field end,
	    enum clr_field without, const char *more)
{
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	fprintf(to, "{\"types\":{");
	for (size_t i = first; i < end; i++)
		describe_type(to, rt, first, i, without);
	fprintf(to, "}%s}", more);
	fclose(to);
	return text;
}

static void
describe_all(struct made_runtime *rt, enum clr_field without)
{
	char *text = write_types(rt, 0, CLR_FIELDS_COUNT, without, "");

	made_runtime_describe(rt, text, NULL, 0);
	made_runtime_say(rt, "12.0.326.1");
	free(text);
}

TEST(test_unmeasured)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	struct clr_runtime *runtime;
	struct error err = { 0 };

	describe_all(rt, CLR_FIELDS_COUNT);
	runtime = clr_runtime_open(made_memory_open(rt->memory), &err);
	assert_ok(runtime, &err);
	assert_int_equal(runtime->version[0], 12);
	assert_int_equal(runtime->version[2], 3);
	assert_int_equal(runtime->threads_count, MADE_THREADS_COUNT);
	assert_int_equal(runtime->threads[0].alloc_pointer, rt->context_pointer);
	assert_int_equal(runtime->doubts.count, 1);
	assert_string_equal(
	    runtime->doubts.texts[0],
	    ".NET 12 is not supported yet: fields are where its contract descriptor says, "
	    "everything else is assumed to be as in .NET 11");
	clr_runtime_close(runtime);
	made_runtime_free(rt);
}

TEST(test_not_enough)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	struct error err = { 0 };

	describe_all(rt, CLR_MT_BASE_SIZE);
	assert_null(clr_runtime_open(made_memory_open(rt->memory), &err));
	assert_string_equal(err.message, "the contract descriptor of .NET 12 lacks "
					 "MethodTable.BaseSize; " CLR_OTHER_WAYS);
	made_runtime_free(rt);
}

/* --- what its collector tells -------------------------------------------- */

enum { PART_AT = 0x4000, PART_TEXT_AT = 0x5000, MEM_AT = 200 };

/* Segments have their first object elsewhere, which only the part tells. */
static void
move_first_objects(struct made_runtime *rt)
{
	for (unsigned i = 0; i < rt->ranges_count; i++) {
		uint64_t segment = rt->ranges[i].segment;

		made_memory_u64(rt->memory, segment + rt->layout.offset[CLR_SEGMENT_MEM], 0);
		made_memory_u64(rt->memory, segment + MEM_AT, rt->ranges[i].start);
	}
	rt->layout.offset[CLR_SEGMENT_MEM] = MEM_AT;
}

static void
describe_in_parts(struct made_runtime *rt)
{
	static const uint64_t pointers[] = { 0, MADE_CELL + 0x700 };
	char *whole =
	    write_types(rt, 0, CLR_GENERATION_CONTEXT, CLR_FIELDS_COUNT,
			",\"subDescriptors\":{\"no\":7,\"none\":[9],\"GC\":[[1],\"pointer\"]}");
	char *part = write_types(rt, CLR_GENERATION_CONTEXT, CLR_FIELDS_COUNT, CLR_FIELDS_COUNT,
				 ",\"subDescriptors\":{\"GC\":[1]}");

	made_runtime_describe(rt, whole, pointers, 2);
	made_memory_u64(rt->memory, pointers[1], MADE_DESCRIPTOR + PART_AT);
	made_descriptor_put(rt, MADE_DESCRIPTOR + PART_AT, MADE_DESCRIPTOR + PART_TEXT_AT, part,
			    pointers, 2);
	made_runtime_say(rt, "12.0.26.1");
	free(whole);
	free(part);
}

TEST(test_part)
{
	struct made_runtime *rt = made_runtime_new(&plain);
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct error err = { 0 };

	move_first_objects(rt);
	describe_in_parts(rt);
	runtime = clr_runtime_open(made_memory_open(rt->memory), &err);
	assert_ok(runtime, &err);
	assert_int_equal(runtime->version[0], 12);
	assert_int_equal(runtime->doubts.count, 1);
	heaps = clr_heaps_open(runtime, &err);
	assert_ok(heaps, &err);
	assert_int_equal(heaps->doubts.count, 0);
	assert_int_equal(heaps->ranges_count, rt->ranges_count);
	for (unsigned i = 0; i < rt->ranges_count; i++)
		assert_non_null(clr_heaps_range_at(heaps, rt->ranges[i].start));
	clr_heaps_close(heaps);
	clr_runtime_close(runtime);
	made_runtime_free(rt);
}

/* Nothing of a version that nobody has measured is guessed. */
TEST(test_part_missing)
{
	static const struct {
		uint64_t at, value;
	} rows[] = {
		{ MADE_CELL + 0x700, 0 },
		{ MADE_CELL + 0x700, 0x1000 },
		{ MADE_DESCRIPTOR + PART_AT, 0 },
		{ MADE_DESCRIPTOR + PART_TEXT_AT, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = made_runtime_new(&plain);
		struct error err = { 0 };

		describe_in_parts(rt);
		made_memory_u64(rt->memory, rows[i].at, rows[i].value);
		assert_null(clr_runtime_open(made_memory_open(rt->memory), &err));
		assert_string_equal(err.message, "the contract descriptor of .NET 12 lacks "
						 "Generation.AllocationContext; " CLR_OTHER_WAYS);
		made_runtime_free(rt);
	}
}

/* Two ways to the same thing must lead to it. */
TEST(test_contradiction)
{
	static const uint64_t pointers[] = { 0, MADE_CELL + 0x700 };
	struct made_runtime *rt = made_runtime_new(&plain);
	struct clr_runtime *runtime;
	struct error err = { 0 };

	made_runtime_describe(rt, "{\"globals\":{\"FreeObjectMethodTable\":[1]}}", pointers, 2);
	made_memory_u64(rt->memory, MADE_CELL + 0x700, MADE_METHOD_TABLE(MADE_OBJECT));
	runtime = clr_runtime_open(made_memory_open(rt->memory), &err);
	assert_non_null(runtime);
	assert_int_equal(runtime->doubts.count, 1);
	assert_string_equal(
	    runtime->doubts.texts[0],
	    "FreeObjectMethodTable was found at 0x7d0000000040, but the contract descriptor says "
	    "0x7d0000000240");
	clr_runtime_close(runtime);
	made_runtime_free(rt);
}
