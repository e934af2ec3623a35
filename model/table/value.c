#include "model/table/value.h"
#include "model/base/format.h"
#include "model/base/utf8.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void
value_start(struct value *v, enum value_kind kind, enum style style)
{
	/* The buffer is not cleared: a frame makes a thousand of these. */
	v->kind = kind;
	v->style = style;
	v->number = v->whole = v->largest = 0;
	v->is_negative = false;
	v->text = v->also = NULL;
	v->type = NULL;
	v->has_number = v->is_brief = v->is_exact = v->keeps_unit = false;
	v->bytes_shown = BYTES_SHORT;
	v->buffer[0] = '\0';
}

void
value_blank(struct value *v)
{
	value_start(v, VALUE_BLANK, STYLE_NORMAL);
}

void
value_pending(struct value *v)
{
	value_start(v, VALUE_PENDING, STYLE_DIM);
	v->text = "…";
}

void
value_count(struct value *v, uint64_t n)
{
	value_start(v, VALUE_COUNT, STYLE_NUMBER);
	v->number = n;
}

void
value_plain(struct value *v, uint64_t n)
{
	value_start(v, VALUE_PLAIN, STYLE_NUMBER);
	v->number = n;
}

void
value_bytes(struct value *v, uint64_t bytes)
{
	value_start(v, VALUE_BYTES, STYLE_NUMBER);
	v->number = bytes;
}

void
value_bytes_if(struct value *v, bool is_known, uint64_t bytes)
{
	if (is_known)
		value_bytes(v, bytes);
	else
		value_pending(v);
}

void
value_exact_bytes(struct value *v, uint64_t bytes)
{
	value_bytes(v, bytes);
	v->is_exact = true;
}

void
value_share(struct value *v, uint64_t part, uint64_t whole)
{
	value_start(v, VALUE_SHARE, STYLE_NUMBER);
	v->number = part;
	v->whole = whole;
}

void
value_to_share(struct value *v, uint64_t whole)
{
	if (v->kind == VALUE_BYTES)
		value_share(v, v->number, whole);
}

void
value_hundredths(struct value *v, uint64_t n)
{
	value_start(v, VALUE_HUNDREDTHS, STYLE_NUMBER);
	v->number = n;
}

/* Stores the bits so that larger numbers have larger bits. */
void
value_real(struct value *v, double n)
{
	const uint64_t sign = UINT64_C(1) << 63;
	uint64_t bits;

	value_start(v, VALUE_REAL, STYLE_NUMBER);
	memcpy(&bits, &n, sizeof bits);
	v->number = bits & sign ? ~bits : bits | sign;
}

double
value_real_number(const struct value *v)
{
	const uint64_t sign = UINT64_C(1) << 63;
	uint64_t bits = v->number & sign ? v->number & ~sign : ~v->number;
	double n;

	memcpy(&n, &bits, sizeof n);
	return n;
}

void
value_duration(struct value *v, uint64_t ns)
{
	value_start(v, VALUE_DURATION, STYLE_NUMBER);
	v->number = ns;
}

void
value_address(struct value *v, uint64_t address)
{
	value_start(v, VALUE_ADDRESS, STYLE_ADDRESS);
	v->number = address;
}

static void
start_change(struct value *v, enum value_kind kind, uint64_t before, uint64_t after)
{
	value_start(v, kind, STYLE_NUMBER);
	v->is_negative = after < before;
	v->number = v->is_negative ? before - after : after - before;
}

void
value_change(struct value *v, uint64_t before, uint64_t after)
{
	start_change(v, VALUE_CHANGE, before, after);
}

void
value_change_bytes(struct value *v, uint64_t before, uint64_t after)
{
	start_change(v, VALUE_CHANGE_BYTES, before, after);
}

void
value_text(struct value *v, enum style style, const char *text)
{
	value_start(v, VALUE_TEXT, style);
	v->text = text;
}

void
value_generation(struct value *v, enum generation gen)
{
	if (gen == GEN_UNKNOWN) {
		value_text(v, STYLE_DIM, "");
		return;
	}
	value_text(v, STYLE_DIM, generation_name(gen));
	v->number = gen;
	v->has_number = true;
}

struct text
value_begin_text(struct value *v, enum style style)
{
	value_start(v, VALUE_TEXT, style);
	v->text = v->buffer;
	return text_in(v->buffer, sizeof v->buffer);
}

void
value_printf(struct value *v, enum style style, const char *format, ...)
{
	struct text t = value_begin_text(v, style);
	va_list args;

	va_start(args, format);
	text_vaddf(&t, format, args);
	va_end(args);
}

void
value_time(struct value *v, int64_t seconds)
{
	time_t at = (time_t)seconds;
	char text[32];
	struct tm tm;

	value_blank(v);
	if (at > 0 && gmtime_r(&at, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		value_printf(v, STYLE_NORMAL, "%s", text);
}

bool
value_is_number(const struct value *v)
{
	return v->kind >= VALUE_COUNT && v->kind <= VALUE_ADDRESS;
}

uint64_t
value_order(const struct value *v)
{
	const uint64_t zero = UINT64_C(1) << 63;

	if (v->kind != VALUE_CHANGE && v->kind != VALUE_CHANGE_BYTES)
		return v->number;
	if (v->number >= zero) /* more than any memory */
		return v->is_negative ? 0 : UINT64_MAX;
	return v->is_negative ? zero - v->number : zero + v->number;
}

static const char *
bytes_text(const struct value *v, char *out)
{
	if (v->bytes_shown == BYTES_SHARE && v->whole)
		return format_share(v->number, v->whole, out);
	if (v->bytes_shown == BYTES_EXACT || v->is_exact)
		return format_bytes(v->number, out);
	if (!v->largest)
		return format_size(v->number, out);
	return v->keeps_unit ? format_size_in_unit(v->number, v->largest, out)
			     : format_size_among(v->number, v->largest, out);
}

/* Writes "+1,024", "-3", and 0 without a sign. */
static const char *
change_text(const struct value *v, char *out)
{
	char text[FORMAT_BYTES];

	if (v->kind == VALUE_CHANGE)
		format_count(v->number, text);
	else
		bytes_text(v, text);
	snprintf(out, VALUE_TEXT_BYTES, "%s%s", v->is_negative ? "-" : v->number ? "+" : "", text);
	return out;
}

const char *
value_for_people(const struct value *v, char *out)
{
	switch (v->kind) {
	case VALUE_BLANK:
		return "";
	case VALUE_PENDING:
		return v->text;
	case VALUE_COUNT:
		return format_count(v->number, out);
	case VALUE_PLAIN:
		return format_plain(v->number, out);
	case VALUE_BYTES:
		return bytes_text(v, out);
	case VALUE_SHARE:
		return format_share(v->number, v->whole, out);
	case VALUE_CHANGE:
	case VALUE_CHANGE_BYTES:
		return change_text(v, out);
	case VALUE_HUNDREDTHS:
		snprintf(out, VALUE_TEXT_BYTES, "%" PRIu64 ".%02u", v->number / 100,
			 (unsigned)(v->number % 100));
		return out;
	case VALUE_REAL:
		snprintf(out, VALUE_TEXT_BYTES, "%.6g", value_real_number(v));
		return out;
	case VALUE_DURATION:
		return format_ms(v->number, out);
	case VALUE_ADDRESS:
		return address_format(v->number, out);
	case VALUE_TEXT:
		return v->text;
	}
	return "";
}

const char *
value_for_machines(const struct value *v, char *out)
{
	switch (v->kind) {
	case VALUE_COUNT:
	case VALUE_PLAIN:
	case VALUE_BYTES:
		return format_plain(v->number, out);
	case VALUE_SHARE:
		snprintf(out, VALUE_TEXT_BYTES, "%.6f",
			 v->whole ? (double)v->number / (double)v->whole : 0.0);
		return out;
	case VALUE_CHANGE:
	case VALUE_CHANGE_BYTES:
		if (v->is_negative)
			*out++ = '-';
		return v->is_negative ? format_plain(v->number, out) - 1
				      : format_plain(v->number, out);
	case VALUE_DURATION:
		return format_plain(v->number / 1000, out);
	case VALUE_REAL:
		snprintf(out, VALUE_TEXT_BYTES, "%.15g", value_real_number(v));
		return out;
	case VALUE_BLANK:
	case VALUE_PENDING:
		return "";
	case VALUE_HUNDREDTHS:
	case VALUE_ADDRESS:
	case VALUE_TEXT:
		break;
	}
	return value_for_people(v, out);
}
