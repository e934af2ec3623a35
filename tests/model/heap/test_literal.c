/* Values as C# writes them, against what .NET says of the same bytes. */
#include "model/heap/literal.h"
#include "tests/drive/run_tests.h"
#include <string.h>

struct row {
	enum literal_kind kind;
	const char *bytes;  /* hexadecimal, as in memory */
	const char *wanted; /* NULL: no such value */
};

/* clang-format off */
static const struct row rows[] = {
	{ LITERAL_BOOL,   "00", "false" },
	{ LITERAL_BOOL,   "01", "true" },
	{ LITERAL_BOOL,   "07", NULL },
	{ LITERAL_CHAR,   "7800", "'x'" },
	{ LITERAL_CHAR,   "0a00", "'\\n'" },
	{ LITERAL_CHAR,   "2700", "'\\''" },
	{ LITERAL_CHAR,   "2200", "'\"'" },
	{ LITERAL_CHAR,   "0000", "'\\0'" },
	{ LITERAL_CHAR,   "1b00", "'\\u001B'" },
	{ LITERAL_CHAR,   "00d8", "'\\uD800'" },
	{ LITERAL_CHAR,   "2e20", "'\\u202E'" },
	{ LITERAL_CHAR,   "e500", "'å'" },
	{ LITERAL_INT8,   "ff", "-1" },
	{ LITERAL_UINT8,  "ff", "255" },
	{ LITERAL_INT16,  "0080", "-32768" },
	{ LITERAL_UINT16, "0080", "32768" },
	{ LITERAL_INT32,  "d6ffffff", "-42" },
	{ LITERAL_UINT32, "ffffffff", "4294967295" },
	{ LITERAL_INT64,  "0000000000000080", "-9223372036854775808" },
	{ LITERAL_UINT64, "ffffffffffffffff", "18446744073709551615" },
	{ LITERAL_SINGLE, "cdcccc3d", "0.1" },
	{ LITERAL_SINGLE, "0000807f", "∞" },
	{ LITERAL_SINGLE, "0000c07f", "NaN" },
	{ LITERAL_SINGLE, "ffff7f7f", "3.4028235E+38" },
	{ LITERAL_DOUBLE, "9a9999999999b93f", "0.1" },
	{ LITERAL_DOUBLE, "182d4454fb210940", "3.141592653589793" },
	{ LITERAL_DOUBLE, "000000000000f0ff", "-∞" },
	{ LITERAL_DOUBLE, "0000000000000080", "-0" },
	{ LITERAL_DOUBLE, "343333333333d33f", "0.30000000000000004" },
	{ LITERAL_DOUBLE, "0100000000000000", "5E-324" },
	{ LITERAL_DOUBLE, "00000000000059c0", "-100" },
	{ LITERAL_DOUBLE, "0080e03779c34143", "10000000000000000" },
	{ LITERAL_DOUBLE, "00a0d88557347643", "1E+17" },
	{ LITERAL_DOUBLE, "2d431cebe2361a3f", "0.0001" },
	{ LITERAL_DOUBLE, "f168e388b5f8e43e", "1E-05" },
	{ LITERAL_HALF,   "003c", "1" },
	{ LITERAL_HALF,   "00c0", "-2" },
	{ LITERAL_HALF,   "0100", "6E-08" },
	{ LITERAL_HALF,   "ff7b", "65500" },
	{ LITERAL_HALF,   "00fc", "-∞" },
	{ LITERAL_HALF,   "017e", "NaN" },
	{ LITERAL_POINTER, "00f0debc9a785634", "0x3456789abcdef000" },
	{ LITERAL_INT128, "ffffffffffffffffffffffffffffffff", "-1" },
	{ LITERAL_INT128, "00000000000000000000000000000080", "-170141183460469231731687303715884105728" },
	{ LITERAL_UINT128, "ffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455" },
	{ LITERAL_RUNE,   "00f60100", "'😀'" },
	{ LITERAL_RUNE,   "00000e00", "'\\U000E0000'" },
	{ LITERAL_RUNE,   "00001100", NULL },
	{ LITERAL_RUNE,   "00d80000", NULL },
	/* flags, high, low 64 */
	{ LITERAL_DECIMAL, "00000200" "00000000" "3930000000000000", "123.45" },
	{ LITERAL_DECIMAL, "00000280" "00000000" "0500000000000000", "-0.05" },
	{ LITERAL_DECIMAL, "00000000" "ffffffff" "ffffffffffffffff", "79228162514264337593543950335" },
	{ LITERAL_DECIMAL, "00001c00" "00000000" "0100000000000000", "0.0000000000000000000000000001" },
	{ LITERAL_DECIMAL, "00000100" "00000000" "0a00000000000000", "1.0" },
	{ LITERAL_DECIMAL, "00001d00" "00000000" "0100000000000000", NULL },
	{ LITERAL_DECIMAL, "01000000" "00000000" "0100000000000000", NULL },
	{ LITERAL_GUID, "33221100554477668899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeeff" },
	{ LITERAL_DATE_ONLY, "00000000", "0001-01-01" },
	{ LITERAL_DATE_ONLY, "80460b00", "2024-02-29" },
	{ LITERAL_DATE_ONLY, "dab93700", "9999-12-31" },
	{ LITERAL_DATE_ONLY, "dbb93700", NULL },
	{ LITERAL_TIME_ONLY, "0000000000000000", "00:00:00" },
	{ LITERAL_TIME_ONLY, "ffbf692ac9000000", "23:59:59.9999999" },
	{ LITERAL_TIME_ONLY, "00c0692ac9000000", NULL },
	{ LITERAL_INDEX, "07000000", "7" },
	{ LITERAL_INDEX, "ffffffff", "^0" },
	{ LITERAL_INDEX, "00000080", "^2147483647" },
	{ LITERAL_RANGE, "01000000fdffffff", "1..^2" },
	{ LITERAL_TIME_SPAN, "80969800" "00000000", "00:00:01" },
	{ LITERAL_TIME_SPAN, "0100000000000080", "-10675199.02:48:05.4775807" },
	{ LITERAL_TIME_SPAN, "0000000000000080", "-10675199.02:48:05.4775808" },
	{ LITERAL_DATE_TIME, "0000000000000000", "0001-01-01 00:00:00" },
	{ LITERAL_DATE_TIME, "ffffffffffffff3f", NULL },
};
/* clang-format on */

static size_t
read_hex(const char *hex, uint8_t *out)
{
	size_t len = 0;
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		out[len++] = (uint8_t)byte;
	return len;
}

TEST(writes_values)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];
		char out[LITERAL_BYTES];
		uint8_t bytes[16];
		size_t len = read_hex(r->bytes, bytes);
		bool is_value;

		if (len != literal_len(r->kind))
			fail_msg("row %zu has %zu bytes", i, len);
		is_value = literal_write(r->kind, bytes, out);
		if (is_value != (r->wanted != NULL) || (is_value && strcmp(out, r->wanted) != 0))
			fail_msg("row %zu: %s, not %s", i, is_value ? out : "no value",
				 r->wanted ? r->wanted : "no value");
	}
}

struct moment {
	int64_t ticks;
	unsigned kind;
	const char *wanted;
};

/* Leap years, centuries, the ends of what there is. */
static const struct moment moments[] = {
	{ 639308955651234000, 1, "2026-11-21 22:06:05.1234Z" },
	{ 638447616000000000, 0, "2024-02-29 00:00:00" },
	{ 630874656000000000, 2, "2000-03-01 00:00:00 local" },
	{ 599316192000000000, 3, "1900-02-28 00:00:00 local" },
	{ 3155378975990000000, 0, "9999-12-31 23:59:59" },
};

TEST(writes_moments)
{
	char out[LITERAL_BYTES];

	for (size_t i = 0; i < COUNT_OF(moments); i++) {
		const struct moment *m = &moments[i];
		uint64_t data = (uint64_t)m->ticks | (uint64_t)m->kind << 62;
		uint8_t bytes[8];

		for (int k = 0; k < 8; k++)
			bytes[k] = (uint8_t)(data >> 8 * k);
		assert_true(literal_write(LITERAL_DATE_TIME, bytes, out));
		assert_string_equal(out, m->wanted);
	}
	assert_true(literal_write_offset(638447616000000000, 90, out));
	assert_string_equal(out, "2024-02-29 01:30:00 +01:30");
	assert_true(literal_write_offset(638447616000000000, -480, out));
	assert_string_equal(out, "2024-02-28 16:00:00 -08:00");
	assert_false(literal_write_offset(0, -1, out));
	assert_false(literal_write_offset(638447616000000000, 841, out));
}

/* Every day there is, counted on from the one before. */
TEST(knows_the_calendar)
{
	static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year = 1, month = 1, day = 1;
	char out[LITERAL_BYTES], wanted[LITERAL_BYTES];

	for (uint32_t n = 0; year < 10000; n++) {
		bool is_leap = (year % 4 == 0 && year % 100) || year % 400 == 0;
		uint8_t bytes[4] = { (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), 0 };

		assert_true(literal_write(LITERAL_DATE_ONLY, bytes, out));
		snprintf(wanted, sizeof wanted, "%04d-%02d-%02d", year, month, day);
		assert_string_equal(out, wanted);
		if (++day <= lengths[month - 1] + (month == 2 && is_leap))
			continue;
		day = 1;
		if (++month == 13) {
			month = 1;
			year++;
		}
	}
}

struct literal_text {
	uint16_t units[16];
	size_t count, size;
	bool is_cut;
	const char *wanted;
};

static const struct literal_text texts[] = {
	{ { 0 }, 0, 64, false, "\"\"" },
	{ { 'a', '"', '\'', '\n', 0x1b }, 5, 64, false, "\"a\\\"'\\n\\u001B\"" },
	{ { 0xd83d, 0xde00, 0xd83d }, 3, 64, false, "\"😀\\uD83D\"" },
	{ { 0xde00, 0xd83d }, 2, 64, false, "\"\\uDE00\\uD83D\"" },
	{ { 'a', 'b' }, 2, 64, true, "\"ab\"…" },
	{ { 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' }, 8, 12, false, "\"abcdef\"…" },
	{ { 'a', 0xd83d, 0xde00, 'b' }, 4, 10, false, "\"a\"…" },
	{ { 'a' }, 1, 4, false, "" },
};

TEST(writes_texts)
{
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		const struct literal_text *t = &texts[i];
		char out[64] = "not written";
		size_t len = literal_write_text(t->units, t->count, t->is_cut, out, t->size);

		if (strcmp(out, t->wanted) != 0)
			fail_msg("text %zu: %s, not %s", i, out, t->wanted);
		assert_int_equal(len, strlen(out));
		assert_true(len < t->size);
	}
}

TEST(knows_the_types)
{
	assert_int_equal(literal_of_type("System.Guid"), LITERAL_GUID);
	assert_int_equal(literal_of_type("System.UIntPtr"), LITERAL_POINTER);
	assert_int_equal(literal_of_type("System.String"), LITERAL_KIND_COUNT);
}
