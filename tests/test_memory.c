/* Memory of another process: what is there, what is absent, across pages. */
#include "tests/run_tests.h"
#include "tests/made_memory.h"
#include <inttypes.h>

enum { BASE = 0x10000 };

struct read_row {
	const char *name;
	uint64_t address;
	size_t len, there; /* before the first missing byte */
};

/* clang-format off */
static const struct read_row read_rows[] = {
	{ "inside",                  BASE,          16, 16 },
	{ "across pages",            BASE + 0xff8,  16, 16 },
	{ "across stretches",        BASE + 0x1ff8, 16, 16 },
	{ "to the end",              BASE + 0x2ff0, 16, 16 },
	{ "past the end",            BASE + 0x2ff8, 16, 8 },
	{ "before the start",        BASE - 8,      16, 0 },
	{ "nothing at all",          0,             8,  0 },
	{ "into a hole in a page",   BASE + 0x80f8, 16, 8 },
	{ "inside the hole",         BASE + 0x8100, 16, 0 },
	{ "behind the hole",         BASE + 0x8200, 16, 16 },
	{ "a page that starts late", BASE + 0x9800, 16, 16 },
	{ "before it starts",        BASE + 0x97f8, 16, 0 },
	{ "the last addresses",      UINT64_MAX - 7, 8, 0 },
	{ "around the end of all",   UINT64_MAX - 3, 16, 0 },
};
/* clang-format on */

static struct made_memory *
some_memory(void)
{
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	uint8_t bytes[0x2000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 8));
	made_memory_put(mm, BASE, bytes, 0x2000);
	made_memory_put(mm, BASE + 0x2000, bytes, 0x1000);
	made_memory_put(mm, BASE + 0x8000, bytes, 0x1000);
	made_memory_lose(mm, BASE + 0x8100, 0x100);
	made_memory_put(mm, BASE + 0x9800, bytes, 0x800);
	return mm;
}

static void
test_reads(void **state)
{
	struct made_memory *mm = some_memory();
	const struct memory *m = made_memory_open(mm);
	struct error err;

	(void)state;
	error_clear(&err);
	for (int pass = 0; pass < 2; pass++) {
		struct memory_reader *r;

		made_memory_set_views(mm, pass == 0);
		r = memory_reader_new(m, &err);
		for (size_t i = 0; i < sizeof(read_rows) / sizeof(read_rows[0]);
		     i++) {
			const struct read_row *row = &read_rows[i];
			uint8_t direct[16] = { 0 }, cached[16] = { 0 };
			size_t there =
			    memory_copy(m, row->address, direct, row->len);
			bool is_all =
			    memory_read(r, row->address, cached, row->len);

			if (there != row->there ||
			    is_all != (there == row->len))
				fail_msg("%s: %zu bytes, all: %d", row->name,
					 there, is_all);
			if (is_all)
				assert_memory_equal(direct, cached, row->len);
		}
		memory_reader_free(r);
	}
	made_memory_free(mm);
}

static void
test_views(void **state)
{
	struct made_memory *mm = some_memory();
	const struct memory *m = made_memory_open(mm);
	uint8_t copy[32];

	(void)state;
	assert_non_null(memory_view(m, BASE, 0x2000));
	assert_int_equal(memory_copy(m, BASE + 0xff0, copy, 32), 32);
	assert_memory_equal(memory_view(m, BASE + 0xff0, 32), copy, 32);
	assert_null(memory_view(m, BASE, 0x2001)); /* two pieces */
	assert_null(memory_view(m, BASE + 0x80ff, 2));
	assert_null(memory_view(m, UINT64_MAX - 1, 8));
	made_memory_set_views(mm, false);
	assert_null(memory_view(m, BASE, 1));
	made_memory_free(mm);
}

static void
test_numbers(void **state)
{
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	struct memory_reader *r;
	struct error err;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	(void)state;
	error_clear(&err);
	made_memory_u64(mm, 0xffc, UINT64_C(0x8877665544332211));
	r = memory_reader_new(made_memory_open(mm), &err);
	assert_true(memory_u8(r, 0xffd, &u8) && u8 == 0x22);
	assert_true(memory_u16(r, 0xfff, &u16) && u16 == 0x5544);
	assert_true(memory_u32(r, 0xffe, &u32) && u32 == 0x66554433);
	assert_true(memory_u64(r, 0xffc, &u64) && u64 == 0x8877665544332211);
	/* Absent is not zero, but leaves nothing behind. */
	assert_false(memory_u8(r, 0x1004, &u8) || u8);
	assert_false(memory_u16(r, 0x1003, &u16) || u16);
	assert_false(memory_u32(r, 0x1001, &u32) || u32);
	assert_false(memory_u64(r, 0xffd, &u64) || u64);
	assert_false(memory_u64_or(r, 0xffd, "the heap", &u64, &err));
	assert_string_equal(err.message,
			    "the heap at 0xffd is not in the test");
	memory_reader_free(r);
	made_memory_free(mm);
}

static void
test_texts(void **state)
{
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	struct memory_reader *r;
	struct error err;
	char text[8];

	(void)state;
	error_clear(&err);
	made_memory_put(mm, 0xffd, "libclr", 7);
	made_memory_put(mm, 0x2000, "cut", 3);
	r = memory_reader_new(made_memory_open(mm), &err);
	assert_true(memory_text(r, 0xffd, text, 7));
	assert_string_equal(text, "libclr");
	assert_false(memory_text(r, 0xffd, text, 6));
	assert_string_equal(text, "libcl");
	assert_false(memory_text(r, 0x2000, text, sizeof(text)));
	assert_string_equal(text, "cut");
	assert_false(memory_text(r, UINT64_MAX, text, sizeof(text)));
	memory_reader_free(r);
	made_memory_free(mm);
}

static void
test_mappings(void **state)
{
	struct made_memory *mm = made_memory_new(MEMORY_ARM64);
	const struct memory *m = made_memory_open(mm);

	(void)state;
	assert_null(memory_mapping_at(m, 0));
	made_memory_map(mm, 0x1000, 0x3000, 0, MEMORY_READ | MEMORY_FILE, "a");
	made_memory_map(mm, 0x3000, 0x4000, 0x2000, MEMORY_READ, "b");
	made_memory_map(mm, 0x8000, 0x9000, 0, MEMORY_WRITE, "");
	assert_null(memory_mapping_at(m, 0xfff));
	assert_string_equal(memory_mapping_at(m, 0x1000)->name, "a");
	assert_string_equal(memory_mapping_at(m, 0x2fff)->name, "a");
	assert_string_equal(memory_mapping_at(m, 0x3000)->name, "b");
	assert_null(memory_mapping_at(m, 0x4000));
	assert_string_equal(memory_mapping_at(m, 0x8fff)->name, "");
	assert_null(memory_mapping_at(m, UINT64_MAX));
	made_memory_free(mm);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),    cmocka_unit_test(test_views),
		cmocka_unit_test(test_numbers),  cmocka_unit_test(test_texts),
		cmocka_unit_test(test_mappings),
	};

	return run_tests(tests);
}
