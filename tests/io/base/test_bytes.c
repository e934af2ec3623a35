/* The cursor that every reader of foreign bytes stands on. */
#include "tests/drive/run_tests.h"
#include "io/base/bytes.h"

struct ci_row {
	int32_t value;
	uint8_t bytes[5];
	size_t len;
};

/* clang-format off */
static const struct ci_row ci_rows[] = {
	{ 0,           { 0x00 }, 1 },
	{ 1,           { 0x01 }, 1 },
	{ 63,          { 0x3f }, 1 },
	{ 64,          { 0x80, 0x40 }, 2 },
	{ 127,         { 0x80, 0x7f }, 2 },
	{ 128,         { 0x81, 0x00 }, 2 },
	{ 300,         { 0x82, 0x2c }, 2 },
	{ 8191,        { 0xbf, 0x7f }, 2 },
	{ 8192,        { 0x80, 0xc0, 0x00 }, 3 },
	{ 1048575,     { 0xbf, 0xff, 0x7f }, 3 },
	{ 1048576,     { 0x80, 0xc0, 0x80, 0x00 }, 4 },
	{ 134217727,   { 0xbf, 0xff, 0xff, 0x7f }, 4 },
	{ 134217728,   { 0x80, 0xc0, 0x80, 0x80, 0x00 }, 5 },
	{ INT32_MAX,   { 0x87, 0xff, 0xff, 0xff, 0x7f }, 5 },
	{ -1,          { 0x7f }, 1 },
	{ -64,         { 0x40 }, 1 },
	{ -65,         { 0xff, 0x3f }, 2 },
	{ -8192,       { 0xc0, 0x00 }, 2 },
	{ -8193,       { 0xff, 0xbf, 0x7f }, 3 },
	{ -1048577,    { 0xff, 0xbf, 0xff, 0x7f }, 4 },
	{ -134217729,  { 0xff, 0xbf, 0xff, 0xff, 0x7f }, 5 },
	{ INT32_MIN,   { 0xf8, 0x80, 0x80, 0x80, 0x00 }, 5 },
	/* longer than needed, but allowed */
	{ 1,           { 0x80, 0x01 }, 2 },
	{ -1,          { 0xff, 0x7f }, 2 },
	{ 5,           { 0x80, 0x80, 0x80, 0x80, 0x05 }, 5 },
};
/* clang-format on */

TEST(test_compressed_integers)
{
	for (size_t i = 0; i < COUNT_OF(ci_rows); i++) {
		const struct ci_row *row = &ci_rows[i];
		struct bytes_run run = { row->bytes, row->bytes + row->len };
		int32_t value = 12345;

		assert_true(bytes_run_next(&run, &value));
		assert_int_equal(value, row->value);
		assert_int_equal(bytes_run_left(&run), 0);
		assert_false(bytes_run_next(&run, &value));
		for (size_t cut = 0; cut < row->len; cut++) {
			run = (struct bytes_run){ row->bytes, row->bytes + cut };
			assert_false(bytes_run_next(&run, &value));
		}
	}
}

/* The same rows with something behind them, where eight bytes are looked at. */
TEST(test_compressed_integers_in_a_row)
{
	for (size_t i = 0; i < COUNT_OF(ci_rows); i++) {
		const struct ci_row *row = &ci_rows[i];
		uint8_t data[16];
		struct bytes_run run = { data, data + sizeof(data) };
		int32_t value = 12345;

		memset(data, 0xff, sizeof(data));
		memcpy(data, row->bytes, row->len);
		assert_true(bytes_run_next_wide(&run, &value));
		assert_int_equal(value, row->value);
		assert_ptr_equal(run.at, data + row->len);
		run.at = data;
		assert_true(bytes_run_next(&run, &value));
		assert_int_equal(value, row->value);
		/* The last of all bytes. */
		run = (struct bytes_run){ row->bytes, row->bytes + row->len };
		assert_true(bytes_run_next_wide(&run, &value));
		assert_int_equal(value, row->value);
	}
}

TEST(test_a_sixth_group_is_damage)
{
	static const uint8_t data[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00, 0x00 };
	struct bytes_run run = { data, data + sizeof(data) };
	int32_t value;

	assert_false(bytes_run_next(&run, &value));
	assert_false(bytes_run_next_wide(&run, &value));
}

TEST(test_numbers)
{
	static const uint8_t data[] = {
		0xfe, 0x34, 0x12, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0x01,
		0,    0,    0,    0,    0,    0,    0x80, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0x00, 0x00, 0x60, 0x40, 'e',  'n',  'd',
	};
	struct error err = { 0 };
	struct bytes b;

	bytes_init(&b, data, sizeof(data), &err);
	assert_int_equal(bytes_u8(&b, "a byte"), 0xfe);
	assert_int_equal(bytes_u16(&b, "a word"), 0x1234);
	assert_int_equal(bytes_u32(&b, "a number"), UINT32_MAX);
	assert_int_equal(bytes_i32(&b, "a number"), -2);
	assert_true(bytes_u64(&b, "a number") == UINT64_C(0x8000000000000001));
	assert_true(bytes_i64(&b, "a number") == -1);
	assert_true(bytes_f32(&b, "a number") == 3.5F);
	assert_memory_equal(bytes_take(&b, 3, "the end"), "end", 3);
	assert_int_equal(bytes_left(&b), 0);
	assert_true(bytes_ok(&b));
	assert_int_equal(err.kind, ERROR_NONE);
}

TEST(test_the_first_failure_stays)
{
	static const uint8_t data[] = { 1, 2, 3, 4, 5, 6 };
	struct error err = { 0 };
	struct bytes b;

	bytes_init(&b, data, sizeof(data), &err);
	bytes_u32(&b, "the first");
	assert_int_equal(bytes_u32(&b, "the second"), 0);
	assert_false(bytes_ok(&b));
	assert_int_equal(b.missing_bytes, 2);
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_int_equal(err.offset, 4);
	assert_string_equal(err.message,
			    "the input ends inside the second: 4 bytes were expected, 2 are left "
			    "(at offset 0x4)");
	/* What would still fit is not read either. */
	assert_int_equal(bytes_u8(&b, "the third"), 0);
	assert_null(bytes_take(&b, 1, "the third"));
	bytes_seek(&b, 0, "a label");
	assert_int_equal(b.at, 4);
	assert_non_null(strstr(err.message, "the second"));
}

struct count_row {
	const char *title;
	uint8_t data[8];
	size_t each;
	uint32_t want;
	uint64_t missing;
	const char *message; /* NULL: no failure */
};

/* clang-format off */
static const struct count_row count_rows[] = {
	{ "none",      { 0 },                      1, 0, 0, NULL },
	{ "just fits", { 2 },                      2, 2, 0, NULL },
	{ "too many",  { 3 },                      2, 0, 2, "the count is 3, but only 4 bytes follow and each takes at least 2: the input is cut short or damaged (at offset 0x0)" },
	{ "negative",  { 0xff, 0xff, 0xff, 0xff }, 1, 0, 0, "the count is -1, which is negative (at offset 0x0)" },
	{ "huge",      { 0xff, 0xff, 0xff, 0x7f }, 8, 0, 17179869172, "the count is 2147483647, but only 4 bytes follow and each takes at least 8: the input is cut short or damaged (at offset 0x0)" },
};
/* clang-format on */

TEST(test_counts)
{
	for (size_t i = 0; i < COUNT_OF(count_rows); i++) {
		const struct count_row *row = &count_rows[i];
		struct error err = { 0 };
		struct bytes b;

		bytes_init(&b, row->data, sizeof(row->data), &err);
		assert_int_equal(bytes_count(&b, row->each, "the count"), row->want);
		assert_true(b.missing_bytes == row->missing);
		assert_int_equal(bytes_ok(&b), row->message == NULL);
		if (row->message)
			assert_string_equal(err.message, row->message);
	}
}

TEST(test_a_count_that_overflows)
{
	static const uint8_t data[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 2,
	};
	struct error err = { 0 };
	struct bytes b;

	bytes_init(&b, data, sizeof(data), &err);
	assert_true(bytes_count64(&b, 16, "the count") == 0);
	assert_false(bytes_ok(&b));
	assert_true(b.missing_bytes > UINT64_MAX / 2);
}

TEST(test_seek)
{
	static const uint8_t data[] = { 1, 2, 3 };
	struct error err = { 0 };
	struct bytes b;

	bytes_init(&b, data, sizeof(data), &err);
	bytes_seek(&b, 2, "a label");
	assert_int_equal(bytes_u8(&b, "a byte"), 3);
	bytes_seek(&b, 3, "a label");
	assert_int_equal(bytes_left(&b), 0);
	assert_true(bytes_ok(&b));
	bytes_seek(&b, UINT64_MAX, "a label");
	assert_false(bytes_ok(&b));
	assert_non_null(strstr(err.message, "past the end"));
}
