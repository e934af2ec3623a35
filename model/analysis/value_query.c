/* Parses a value to be found into the bytes that each kind of literal would have. */
#include "model/analysis/value_search.h"
#include "model/base/utf8.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
set(struct value_query *q, enum literal_kind kind, uint64_t value)
{
	q->has[kind] = true;
	for (size_t i = 0; i < 8; i++)
		q->bytes[kind][i] = (uint8_t)(value >> 8 * i);
}

/* --- numbers -------------------------------------------------------------- */

/* Kinds of integers, and their size. */
static const struct whole_kind {
	enum literal_kind kind;
	unsigned bits;
	bool is_signed;
} whole_kinds[] = {
	{ LITERAL_INT8, 8, true },      { LITERAL_UINT8, 8, false },
	{ LITERAL_INT16, 16, true },    { LITERAL_UINT16, 16, false },
	{ LITERAL_INT32, 32, true },    { LITERAL_UINT32, 32, false },
	{ LITERAL_INT64, 64, true },    { LITERAL_UINT64, 64, false },
	{ LITERAL_POINTER, 64, false },
};

static bool
fits(const struct whole_kind *k, uint64_t magnitude, bool is_negative)
{
	uint64_t half = UINT64_C(1) << (k->bits - 1);

	if (is_negative && magnitude)
		return k->is_signed && magnitude <= half;
	if (k->is_signed)
		return magnitude < half;
	return k->bits == 64 || magnitude < half * 2;
}

static void
set_reals(struct value_query *q, double value, bool is_whole)
{
	float single = (float)value;
	uint64_t bits;
	uint32_t single_bits;

	memcpy(&bits, &value, sizeof(bits));
	memcpy(&single_bits, &single, sizeof(single_bits));
	set(q, LITERAL_DOUBLE, bits);
	/* An integer such as 16777217 has no float; 0.1 stands for the nearest float. */
	if (!is_whole || fabs((double)single - value) < 0.5)
		set(q, LITERAL_SINGLE, single_bits);
}

static bool
parse_whole(const char *typed, struct value_query *q)
{
	bool is_negative = *typed == '-';
	const char *digits = typed + is_negative;
	bool is_hex = digits[0] == '0' && (digits[1] | 32) == 'x';
	uint64_t magnitude;
	char *end;

	digits += is_hex ? 2 : 0;
	if (!*digits || digits[strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return false;
	errno = 0;
	magnitude = strtoull(digits, &end, is_hex ? 16 : 10);
	if (errno)
		return false;
	for (size_t i = 0; i < sizeof(whole_kinds) / sizeof(whole_kinds[0]); i++)
		if (fits(&whole_kinds[i], magnitude, is_negative))
			set(q, whole_kinds[i].kind, is_negative ? 0 - magnitude : magnitude);
	if (magnitude <= UINT64_C(1) << 53)
		set_reals(q, is_negative ? -(double)magnitude : (double)magnitude, true);
	return true;
}

static bool
parse_real(const char *typed, struct value_query *q)
{
	const char *digits = typed + (*typed == '-');
	double value;
	char *end;

	if (!strpbrk(digits, "0123456789") || digits[strspn(digits, "0123456789.eE+-")])
		return false;
	value = strtod(typed, &end);
	if (*end)
		return false;
	set_reals(q, value, false);
	return true;
}

/* --- other values -------------------------------------------------------- */

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9'                 ? c - '0'
	       : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
						    : -1;
}

/* The first three groups are little-endian numbers; the rest is bytes. */
static bool
parse_guid(const char *typed, struct value_query *q)
{
	static const uint8_t places[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	size_t at = 0;

	if (strlen(typed) != 36)
		return false;
	for (size_t i = 0; i < 16; i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && typed[at++] != '-')
			return false;
		high = hex_digit(typed[at]);
		low = hex_digit(typed[at + 1]);
		if (high < 0 || low < 0)
			return false;
		q->bytes[LITERAL_GUID][places[i]] = (uint8_t)(high << 4 | low);
		at += 2;
	}
	q->has[LITERAL_GUID] = true;
	return true;
}

static bool
parse_bool(const char *typed, struct value_query *q)
{
	bool is_true = !strcmp(typed, "true");

	if (!is_true && strcmp(typed, "false") != 0)
		return false;
	set(q, LITERAL_BOOL, is_true);
	return true;
}

static bool
parse_text(const char *text, size_t len, struct value_query *q, struct error *err)
{
	q->is_text = true;
	for (size_t at = 0; at < len;) {
		size_t used;
		uint32_t c = utf8_decode(text + at, &used);

		if (c == UTF8_BROKEN)
			return error_set(err, ERROR_USAGE, "the text to find is not UTF-8");
		if (q->units_count + 2 > VALUE_UNITS_MAX)
			return error_set(err, ERROR_USAGE, "the text to find is too long");
		if (c >= 0x10000) {
			q->units[q->units_count++] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		q->units[q->units_count++] = (uint16_t)c;
		at += used;
	}
	return q->units_count ||
	       error_set(err, ERROR_USAGE,
			 "nothing to find: use \"text\", 42, 0x2a, -1.5, true, 'c' or a Guid");
}

static bool
parse_quoted(const char *typed, struct value_query *q, struct error *err)
{
	size_t len = strlen(typed);
	char quote = *typed;

	if (len < 2 || typed[len - 1] != quote)
		return error_set(
		    err, ERROR_USAGE,
		    "this %c is not closed, expected another %c at the end of the text", quote,
		    quote);
	if (!parse_text(typed + 1, len - 2, q, err))
		return false;
	if (quote == '\'' && q->units_count == 1) {
		q->is_text = false;
		set(q, LITERAL_CHAR, q->units[0]);
	}
	return true;
}

bool
value_query_parse(const char *typed, struct value_query *out, struct error *err)
{
	*out = (struct value_query){ 0 };
	if (*typed == '"' || *typed == '\'')
		return parse_quoted(typed, out, err);
	return parse_bool(typed, out) || parse_whole(typed, out) || parse_real(typed, out) ||
	       parse_guid(typed, out) || parse_text(typed, strlen(typed), out, err);
}
