#include "io/gcdump/serializer.h"
#include "io/gcdump/serialization.h"
#include "model/base/utf8.h"

enum { REPLACEMENT = 0xfffd };

void
serializer_begin(struct serializer *s, struct output *to)
{
	s->to = to;
	s->at = 0;
	s->len = 0;
	serializer_bytes(s, "\x14\0\0\0!FastSerialization.1", 24);
}

static void
emit(struct serializer *s, const void *bytes, size_t len)
{
	if (s->to && (!s->may_write || s->may_write(s->context)))
		output_write(s->to, bytes, len);
}

void
serializer_flush(struct serializer *s)
{
	if (s->len)
		emit(s, s->buffer, s->len);
	s->len = 0;
}

void
serializer_bytes(struct serializer *s, const void *bytes, size_t len)
{
	s->at += len;
	if (SERIALIZER_BYTES - s->len < len)
		serializer_flush(s);
	if (len > SERIALIZER_BYTES) {
		emit(s, bytes, len);
	} else if (len) {
		memcpy(s->buffer + s->len, bytes, len);
		s->len += len;
	}
}

void
serializer_u8(struct serializer *s, uint8_t value)
{
	serializer_bytes(s, &value, 1);
}

void
serializer_f32(struct serializer *s, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	serializer_i32(s, (int32_t)bits);
}

/* --- strings --- */

/* Takes the character at *text; never moves past the end. */
static uint32_t
utf8_next(const char **text)
{
	size_t used;
	uint32_t c = utf8_decode(*text, &used);

	*text += used;
	return c == UTF8_BROKEN ? REPLACEMENT : c;
}

/* UTF-8 that allows surrogates, as in no other encoding. */
static void
put_unit(struct serializer *s, uint32_t unit)
{
	uint8_t bytes[3];
	size_t len = 0;

	if (unit < 0x80) {
		bytes[len++] = (uint8_t)unit;
	} else if (unit < 0x800) {
		bytes[len++] = (uint8_t)(0xc0 | unit >> 6);
		bytes[len++] = (uint8_t)(0x80 | (unit & 0x3f));
	} else {
		bytes[len++] = (uint8_t)(0xe0 | unit >> 12);
		bytes[len++] = (uint8_t)(0x80 | (unit >> 6 & 0x3f));
		bytes[len++] = (uint8_t)(0x80 | (unit & 0x3f));
	}
	serializer_bytes(s, bytes, len);
}

static int32_t
units_count(const char *text)
{
	int32_t units = 0;

	while (*text)
		units += utf8_next(&text) > 0xffff ? 2 : 1;
	return units;
}

static void
put_units(struct serializer *s, const char *text)
{
	while (*text) {
		uint32_t c = utf8_next(&text);

		if (c > 0xffff) {
			put_unit(s, 0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + (c & 0x3ff);
		}
		put_unit(s, c);
	}
}

void
serializer_strings(struct serializer *s, const char *text, const char *more)
{
	int32_t units = units_count(text) + units_count(more);

	serializer_i32(s, units ? units : -1);
	put_units(s, text);
	put_units(s, more);
}

void
serializer_string(struct serializer *s, const char *text)
{
	serializer_strings(s, text ? text : "", "");
}

/* --- objects --- */

void
serializer_object(struct serializer *s, const char *type, int32_t version, int32_t oldest_reader,
		  uint32_t *label)
{
	serializer_u8(s, TAG_BEGIN);
	if (*label) {
		serializer_u8(s, TAG_LABEL);
		serializer_i32(s, (int32_t)*label);
		return;
	}
	*label = (uint32_t)s->at;
	serializer_u8(s, TAG_BEGIN);
	serializer_u8(s, TAG_NULL);
	serializer_i32(s, version);
	serializer_i32(s, oldest_reader);
	serializer_string(s, type);
	serializer_u8(s, TAG_END);
}

void
serializer_end(struct serializer *s)
{
	serializer_u8(s, TAG_END);
}

void
serializer_finish(struct serializer *s, uint32_t forward)
{
	uint64_t table, trailer;

	serializer_u8(s, TAG_END);
	table = s->at;
	serializer_i32(s, 1);
	serializer_i32(s, (int32_t)forward);
	trailer = s->at;
	serializer_i32(s, (int32_t)table);
	serializer_i32(s, (int32_t)trailer);
	serializer_flush(s);
}
