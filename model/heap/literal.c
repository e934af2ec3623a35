#include "model/base/load.h"
#include "model/base/utf8.h"
#include "model/heap/literal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- bytes ---------------------------------------------------------------- */

/* Returns the `len` bytes as a two's complement number. */
static int64_t
load_signed(const uint8_t *bytes, size_t len)
{
	uint64_t value = load_bytes(bytes, len), sign = UINT64_C(1) << (8 * len - 1);

	return (int64_t)((value ^ sign) - sign);
}

/* 128 bits, for which ISO C has no type. */
__extension__ typedef unsigned __int128 wide;

/* --- numbers -------------------------------------------------------------- */

static bool
write_signed(const uint8_t *bytes, size_t len, char *out)
{
	snprintf(out, LITERAL_BYTES, "%" PRId64, load_signed(bytes, len));
	return true;
}

static bool
write_unsigned(const uint8_t *bytes, size_t len, char *out)
{
	snprintf(out, LITERAL_BYTES, "%" PRIu64, load_bytes(bytes, len));
	return true;
}

static bool
write_bool(const uint8_t *bytes, size_t len, char *out)
{
	(void)len;
	snprintf(out, LITERAL_BYTES, "%s", *bytes ? "true" : "false");
	return *bytes <= 1;
}

enum real { REAL_HALF, REAL_SINGLE, REAL_DOUBLE };

/* Returns true if `other` rounds to the half-precision `value`: it is less than half a step away,
   or exactly that and `value` is even. */
static bool
is_same_half(double value, double other)
{
	double size = value < 0 ? -value : value, step = 1.0 / (1 << 24);
	double difference = (other < 0 ? -other : other) - size;
	bool is_even;

	while (step * 2048 <= size)
		step *= 2;
	is_even = (uint64_t)(size / step) % 2 == 0;
	/* Below a power of two, steps are half as large. */
	if (difference < 0 && size == step * 1024 && step > 1.0 / (1 << 24))
		step /= 2;
	difference = difference < 0 ? -difference : difference;
	return is_even ? difference <= step / 2 : difference < step / 2;
}

static bool
is_same_real(enum real kind, double value, const char *text)
{
	if (kind == REAL_HALF)
		return is_same_half(value, strtod(text, NULL));
	return kind == REAL_SINGLE ? strtof(text, NULL) == (float)value
				   : strtod(text, NULL) == value;
}

/* "-1.25e+02" → "-125"; like C#, uses an exponent only for extreme values. */
static void
lay_out(enum real kind, const char *text, char out[LITERAL_BYTES])
{
	static const int plain[] = { 5, 9, 17 }; /* integer digits, at least */
	char digits[24];
	int count = 0, most, point;
	const char *sign = *text == '-' ? "-" : "", *at = text;

	for (; *at && *at != 'e'; at++)
		if (*at >= '0' && *at <= '9')
			digits[count++] = *at;
	digits[count] = '\0';
	point = 1 + (*at ? (int)strtol(at + 1, NULL, 10) : 0);
	most = count > plain[kind] ? count : plain[kind];
	if (point > most || point < -3)
		snprintf(out, LITERAL_BYTES, "%s%c%s%sE%c%02d", sign, *digits, count > 1 ? "." : "",
			 digits + 1, point < 1 ? '-' : '+', abs(point - 1));
	else if (point <= 0)
		snprintf(out, LITERAL_BYTES, "%s0.%.*s%s", sign, -point, "000", digits);
	else if (point >= count)
		snprintf(out, LITERAL_BYTES, "%s%s%.*s", sign, digits, point - count,
			 "0000000000000000");
	else
		snprintf(out, LITERAL_BYTES, "%s%.*s.%s", sign, point, digits, digits + point);
}

/* Finds the shortest digits that read back as the same number. */
static bool
write_real(double value, enum real kind, char *out)
{
	enum { DIGITS_MAX = 17 };
	char text[32];

	if (value != value) {
		snprintf(out, LITERAL_BYTES, "NaN");
		return true;
	}
	if (value - value != 0) {
		snprintf(out, LITERAL_BYTES, value > 0 ? "∞" : "-∞");
		return true;
	}
	for (int digits = 1; digits <= DIGITS_MAX; digits++) {
		snprintf(text, sizeof text, "%.*e", digits - 1, value);
		if (is_same_real(kind, value, text))
			break;
	}
	lay_out(kind, text, out);
	return true;
}

static bool
write_single(const uint8_t *bytes, size_t len, char *out)
{
	uint32_t bits = (uint32_t)load_bytes(bytes, len);
	float value;

	memcpy(&value, &bits, sizeof value);
	return write_real((double)value, REAL_SINGLE, out);
}

static bool
write_double(const uint8_t *bytes, size_t len, char *out)
{
	uint64_t bits = load_bytes(bytes, len);
	double value;

	memcpy(&value, &bits, sizeof value);
	return write_real(value, REAL_DOUBLE, out);
}

/* Half precision has 1 sign bit, 5 bits of exponent and 10 of fraction. */
static bool
write_half(const uint8_t *bytes, size_t len, char *out)
{
	unsigned bits = (unsigned)load_bytes(bytes, len);
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	double value = fraction;

	if (exponent == 31)
		value = fraction ? (double)(0.0F / 0.0F) : 1e300 * 1e300;
	else if (exponent)
		value = (value + 1024) * (double)(1U << exponent) / (1 << 25);
	else
		value /= 1 << 24;
	return write_real(bits >> 15 ? -value : value, REAL_HALF, out);
}

static bool
write_pointer(const uint8_t *bytes, size_t len, char *out)
{
	snprintf(out, LITERAL_BYTES, "0x%" PRIx64, load_bytes(bytes, len));
	return true;
}

/* Writes backwards from the end of `digits`; returns the first digit. */
static char *
write_wide(wide value, char digits[LITERAL_BYTES])
{
	char *at = digits + LITERAL_BYTES - 1;

	*at = '\0';
	do
		*--at = (char)('0' + (unsigned)(value % 10));
	while (value /= 10);
	return at;
}

static wide
load_wide(const uint8_t *bytes)
{
	return (wide)load_bytes(bytes + 8, 8) << 64 | load_bytes(bytes, 8);
}

static bool
write_uint128(const uint8_t *bytes, size_t len, char *out)
{
	char digits[LITERAL_BYTES];

	(void)len;
	snprintf(out, LITERAL_BYTES, "%s", write_wide(load_wide(bytes), digits));
	return true;
}

static bool
write_int128(const uint8_t *bytes, size_t len, char *out)
{
	wide value = load_wide(bytes);
	bool is_negative = bytes[len - 1] >> 7;
	char digits[LITERAL_BYTES];

	snprintf(out, LITERAL_BYTES, "%s%s", is_negative ? "-" : "",
		 write_wide(is_negative ? -value : value, digits));
	return true;
}

/* Layout: flags (scale in bits 16–23, sign in 31), high 32, low 64 bits. */
static bool
write_decimal(const uint8_t *bytes, size_t len, char *out)
{
	enum { SCALE_MAX = 28 };
	uint32_t flags = (uint32_t)load_bytes(bytes, 4);
	unsigned scale = flags >> 16 & 0xff;
	wide value = (wide)load_bytes(bytes + 4, 4) << 64 | load_bytes(bytes + 8, 8);
	char digits[LITERAL_BYTES], *at = write_wide(value, digits);
	size_t count = strlen(at);

	(void)len;
	if (flags & 0x7f00ffff || scale > SCALE_MAX)
		return false;
	while (count <= scale) {
		*--at = '0';
		count++;
	}
	snprintf(out, LITERAL_BYTES, "%s%.*s%s%s", flags >> 31 ? "-" : "", (int)(count - scale), at,
		 scale ? "." : "", at + count - scale);
	return true;
}

/* --- text ----------------------------------------------------------------- */

/* Returns false for characters that would move, hide or colour text on a screen. */
static bool
is_printable(uint32_t c)
{
	return c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) && c != 0xad &&
	       !(c >= 0x200b && c < 0x2010) && !(c >= 0x2028 && c < 0x2030) &&
	       !(c >= 0x2060 && c < 0x2070) && !(c >= 0xd800 && c < 0xe000) && c != 0xfeff &&
	       !(c >= 0xfff0 && c < 0xfffc) && c <= 0x10ffff && (c & 0xfffe) != 0xfffe &&
	       !(c >= 0xe0000 && c < 0xe1000);
}

/* Writes one character for use between `quote`s; returns its length, ≤ 10. */
static size_t
escape(uint32_t c, char quote, char out[12])
{
	static const char codes[] = "\0"
				    "0\a"
				    "a\b"
				    "b\t"
				    "t\n"
				    "n\v"
				    "v\f"
				    "f\r"
				    "r\\\\";
	size_t len = 2;

	out[0] = '\\';
	out[1] = '\0';
	for (size_t i = 0; i + 1 < sizeof codes - 1; i += 2)
		if ((unsigned char)codes[i] == c)
			out[1] = codes[i + 1];
	if (c == (unsigned char)quote)
		out[1] = quote;
	if (out[1])
		return len;
	if (is_printable(c))
		return utf8_put(c, out);
	return (size_t)snprintf(out, 12, c > 0xffff ? "\\U%08" PRIX32 : "\\u%04" PRIX32, c);
}

static bool
write_char(const uint8_t *bytes, size_t len, char *out)
{
	char text[12];
	size_t count = escape((uint32_t)load_bytes(bytes, len), '\'', text);

	snprintf(out, LITERAL_BYTES, "'%.*s'", (int)count, text);
	return true;
}

static bool
write_rune(const uint8_t *bytes, size_t len, char *out)
{
	uint32_t c = (uint32_t)load_bytes(bytes, len);

	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return false;
	return write_char(bytes, len, out);
}

/* Decodes a character of UTF-16 and counts its code units. */
static uint32_t
next_char(const uint16_t *units, size_t left, size_t *count)
{
	uint32_t c = units[0];

	*count = 1;
	if (c < 0xd800 || c >= 0xdc00 || left < 2 || units[1] < 0xdc00 || units[1] >= 0xe000)
		return c;
	*count = 2;
	return 0x10000 + ((c - 0xd800) << 10) + (units[1] - 0xdc00U);
}

size_t
literal_write_text(const uint16_t *units, size_t count, bool is_cut, char *out, size_t size)
{
	static const char cut[] = "\"…";
	size_t len = 0, used;
	char text[12];

	if (size < 8) {
		if (size)
			*out = '\0';
		return 0;
	}
	out[len++] = '"';
	for (size_t i = 0; i < count; i += used) {
		size_t text_len = escape(next_char(units + i, count - i, &used), '"', text);

		if (len + text_len + sizeof cut > size) {
			is_cut = true;
			break;
		}
		memcpy(out + len, text, text_len);
		len += text_len;
	}
	return len + (size_t)snprintf(out + len, size - len, "%s", is_cut ? cut : "\"");
}

/* --- identities and times ------------------------------------------------- */

#define TICKS_SECOND INT64_C(10000000)
#define TICKS_DAY    (86400 * TICKS_SECOND)
#define DAYS_MAX     3652059 /* days of the years 1 to 9999 */

static bool
write_guid(const uint8_t *b, size_t len, char *out)
{
	(void)len;
	snprintf(out, LITERAL_BYTES, "%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 (uint32_t)load_bytes(b, 4), (unsigned)load_bytes(b + 4, 2),
		 (unsigned)load_bytes(b + 6, 2), b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		 b[15]);
	return true;
}

/* Writes a day of the proleptic Gregorian calendar; day 0 is 0001-01-01. */
static void
write_day(uint64_t day, char out[LITERAL_BYTES])
{
	/* Count years from March: the leap day is then their last. */
	uint64_t days = day + 306, era = days / 146097, in_era = days % 146097;
	uint64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	uint64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	uint64_t month = (5 * in_year + 2) / 153;
	uint64_t day_of_month = in_year - (153 * month + 2) / 5 + 1;

	year += era * 400 + (month >= 10);
	month = month < 10 ? month + 3 : month - 9;
	snprintf(out, LITERAL_BYTES, "%04u-%02u-%02u", (unsigned)year, (unsigned)month,
		 (unsigned)day_of_month);
}

/* Writes "22:06:05", and a fraction without trailing zeros. */
static void
write_clock(uint64_t ticks, char out[LITERAL_BYTES])
{
	unsigned seconds = (unsigned)(ticks / (uint64_t)TICKS_SECOND);
	unsigned fraction = (unsigned)(ticks % (uint64_t)TICKS_SECOND);
	int digits = 7;

	for (; digits && fraction % 10 == 0; digits--)
		fraction /= 10;
	snprintf(out, LITERAL_BYTES, "%02u:%02u:%02u", seconds / 3600, seconds / 60 % 60,
		 seconds % 60);
	if (digits)
		snprintf(out + strlen(out), 16, ".%0*u", digits, fraction);
}

/* Writes ticks of 100 ns since 0001-01-01, and a suffix. */
static bool
write_moment(uint64_t ticks, const char *suffix, char out[LITERAL_BYTES])
{
	char day[LITERAL_BYTES], clock[LITERAL_BYTES];

	if (ticks / (uint64_t)TICKS_DAY >= DAYS_MAX)
		return false;
	write_day(ticks / (uint64_t)TICKS_DAY, day);
	write_clock(ticks % (uint64_t)TICKS_DAY, clock);
	snprintf(out, LITERAL_BYTES, "%.16s %.24s%.16s", day, clock, suffix);
	return true;
}

/* The two highest bits: unspecified, UTC, local, local in repeated hour. */
static bool
write_date_time(const uint8_t *bytes, size_t len, char *out)
{
	static const char *const kinds[] = { "", "Z", " local", " local" };
	uint64_t data = load_bytes(bytes, len);

	return write_moment(data & UINT64_MAX >> 2, kinds[data >> 62], out);
}

bool
literal_write_offset(uint64_t utc_data, int32_t offset_minutes, char out[LITERAL_BYTES])
{
	enum { OFFSET_MAX = 14 * 60 };
	int64_t ticks = (int64_t)(utc_data & UINT64_MAX >> 2);
	unsigned minutes = (unsigned)abs(offset_minutes);
	char suffix[24];

	if (minutes > OFFSET_MAX)
		return false;
	ticks += offset_minutes * 60 * TICKS_SECOND;
	snprintf(suffix, sizeof suffix, " %c%02u:%02u", offset_minutes < 0 ? '-' : '+',
		 minutes / 60, minutes % 60);
	return ticks >= 0 && write_moment((uint64_t)ticks, suffix, out);
}

/* Writes a time span: "-1.02:03:04.5". */
static bool
write_time_span(const uint8_t *bytes, size_t len, char *out)
{
	int64_t span = load_signed(bytes, len);
	uint64_t ticks = span < 0 ? -(uint64_t)span : (uint64_t)span;
	uint64_t days = ticks / (uint64_t)TICKS_DAY;
	char clock[LITERAL_BYTES], day[24] = "";

	write_clock(ticks % (uint64_t)TICKS_DAY, clock);
	if (days)
		snprintf(day, sizeof day, "%" PRIu64 ".", days);
	snprintf(out, LITERAL_BYTES, "%s%s%.24s", span < 0 ? "-" : "", day, clock);
	return true;
}

static bool
write_date_only(const uint8_t *bytes, size_t len, char *out)
{
	uint64_t day = load_bytes(bytes, len);

	if (day >= DAYS_MAX)
		return false;
	write_day(day, out);
	return true;
}

static bool
write_time_only(const uint8_t *bytes, size_t len, char *out)
{
	uint64_t ticks = load_bytes(bytes, len);

	if (ticks >= (uint64_t)TICKS_DAY)
		return false;
	write_clock(ticks, out);
	return true;
}

/* --- places in an array --------------------------------------------------- */

/* An index from the end, "^3", is stored as the bitwise complement. */
static bool
write_index(const uint8_t *bytes, size_t len, char *out)
{
	int64_t value = load_signed(bytes, len);

	snprintf(out, LITERAL_BYTES, "%s%" PRId64, value < 0 ? "^" : "",
		 value < 0 ? ~value : value);
	return true;
}

static bool
write_range(const uint8_t *bytes, size_t len, char *out)
{
	enum { INDEX_BYTES = 4 };
	char first[LITERAL_BYTES], end[LITERAL_BYTES];

	(void)len;
	write_index(bytes, INDEX_BYTES, first);
	write_index(bytes + INDEX_BYTES, INDEX_BYTES, end);
	snprintf(out, LITERAL_BYTES, "%.24s..%.24s", first, end);
	return true;
}

/* --- the table ------------------------------------------------------------ */

/* clang-format off */
static const struct {
	const char *type;
	size_t len;
	bool (*write)(const uint8_t *bytes, size_t len, char *out);
} kinds[LITERAL_KIND_COUNT] = {
	[LITERAL_BOOL] =      { "System.Boolean",   1, write_bool },
	[LITERAL_CHAR] =      { "System.Char",      2, write_char },
	[LITERAL_INT8] =      { "System.SByte",     1, write_signed },
	[LITERAL_UINT8] =     { "System.Byte",      1, write_unsigned },
	[LITERAL_INT16] =     { "System.Int16",     2, write_signed },
	[LITERAL_UINT16] =    { "System.UInt16",    2, write_unsigned },
	[LITERAL_INT32] =     { "System.Int32",     4, write_signed },
	[LITERAL_UINT32] =    { "System.UInt32",    4, write_unsigned },
	[LITERAL_INT64] =     { "System.Int64",     8, write_signed },
	[LITERAL_UINT64] =    { "System.UInt64",    8, write_unsigned },
	[LITERAL_SINGLE] =    { "System.Single",    4, write_single },
	[LITERAL_DOUBLE] =    { "System.Double",    8, write_double },
	[LITERAL_HALF] =      { "System.Half",      2, write_half },
	[LITERAL_POINTER] =   { "System.IntPtr",    8, write_pointer },
	[LITERAL_INT128] =    { "System.Int128",   16, write_int128 },
	[LITERAL_UINT128] =   { "System.UInt128",  16, write_uint128 },
	[LITERAL_RUNE] =      { "System.Text.Rune", 4, write_rune },
	[LITERAL_DECIMAL] =   { "System.Decimal",  16, write_decimal },
	[LITERAL_GUID] =      { "System.Guid",     16, write_guid },
	[LITERAL_DATE_TIME] = { "System.DateTime",  8, write_date_time },
	[LITERAL_TIME_SPAN] = { "System.TimeSpan",  8, write_time_span },
	[LITERAL_DATE_ONLY] = { "System.DateOnly",  4, write_date_only },
	[LITERAL_TIME_ONLY] = { "System.TimeOnly",  8, write_time_only },
	[LITERAL_INDEX] =     { "System.Index",     4, write_index },
	[LITERAL_RANGE] =     { "System.Range",     8, write_range },
};
/* clang-format on */

size_t
literal_len(enum literal_kind kind)
{
	return kinds[kind].len;
}

bool
literal_write(enum literal_kind kind, const uint8_t *bytes, char out[LITERAL_BYTES])
{
	return kinds[kind].write(bytes, kinds[kind].len, out);
}

enum literal_kind
literal_of_type(const char *full_name)
{
	if (!strcmp(full_name, "System.UIntPtr"))
		return LITERAL_POINTER;
	for (int i = 0; i < LITERAL_KIND_COUNT; i++)
		if (!strcmp(full_name, kinds[i].type))
			return (enum literal_kind)i;
	return LITERAL_KIND_COUNT;
}
