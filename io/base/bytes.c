#include "io/base/bytes.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void
bytes_init(struct bytes *b, const uint8_t *data, size_t len, struct error *err)
{
	*b = (struct bytes){ .data = data, .len = len, .err = err };
}

bool
bytes_fail(struct bytes *b, size_t at, const char *format, ...)
{
	char text[sizeof(b->err->message)];
	va_list args;

	if (b->has_failed)
		return false;
	b->has_failed = true;
	if (!b->err)
		return false;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error_at(b->err, at, "%s", text);
}

const uint8_t *
bytes_take(struct bytes *b, uint64_t len, const char *what)
{
	const uint8_t *data = b->data + b->at;
	size_t left = bytes_left(b);

	if (b->has_failed)
		return NULL;
	if (len > left) {
		b->missing_bytes = len - left;
		bytes_fail(b, b->at,
			   "the input ends inside %s: %" PRIu64
			   " bytes were expected, %zu are left",
			   what, len, left);
		return NULL;
	}
	b->at += (size_t)len;
	return data;
}

void
bytes_skip(struct bytes *b, uint64_t len, const char *what)
{
	(void)bytes_take(b, len, what);
}

void
bytes_seek(struct bytes *b, uint64_t at, const char *what)
{
	if (b->has_failed)
		return;
	if (at > b->len)
		bytes_fail(b, b->at,
			   "%s points to offset 0x%" PRIx64 ", past the end of the input (0x%zx)",
			   what, at, b->len);
	else
		b->at = (size_t)at;
}

uint8_t
bytes_u8(struct bytes *b, const char *what)
{
	const uint8_t *at = bytes_take(b, 1, what);

	return at ? *at : 0;
}

uint16_t
bytes_u16(struct bytes *b, const char *what)
{
	const uint8_t *at = bytes_take(b, 2, what);

	return at ? (uint16_t)(at[0] | at[1] << 8) : 0;
}

uint32_t
bytes_u32(struct bytes *b, const char *what)
{
	const uint8_t *at = bytes_take(b, 4, what);

	return at ? bytes_load_u32(at) : 0;
}

uint64_t
bytes_u64(struct bytes *b, const char *what)
{
	const uint8_t *at = bytes_take(b, 8, what);

	return at ? bytes_load_u64(at) : 0;
}

uint64_t
bytes_pointer(struct bytes *b, unsigned pointer_bytes, const char *what)
{
	return pointer_bytes == 4 ? bytes_u32(b, what) : bytes_u64(b, what);
}

int32_t
bytes_i32(struct bytes *b, const char *what)
{
	return (int32_t)bytes_u32(b, what);
}

int64_t
bytes_i64(struct bytes *b, const char *what)
{
	return (int64_t)bytes_u64(b, what);
}

float
bytes_f32(struct bytes *b, const char *what)
{
	uint32_t bits = bytes_u32(b, what);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* `start` is the offset of the count, for messages. */
static uint64_t
bytes_count_check(struct bytes *b, size_t start, int64_t count, size_t each, const char *what)
{
	size_t left = bytes_left(b);

	if (b->has_failed)
		return 0;
	if (count >= 0 && (uint64_t)count <= left / each)
		return (uint64_t)count;
	if (count < 0) {
		bytes_fail(b, start, "%s is %" PRId64 ", which is negative", what, count);
		return 0;
	}
	if (__builtin_mul_overflow((uint64_t)count, each, &b->missing_bytes))
		b->missing_bytes = UINT64_MAX;
	b->missing_bytes -= left;
	bytes_fail(b, start,
		   "%s is %" PRId64 ", but only %zu bytes follow and each takes at least %zu: the "
		   "input is cut short or damaged",
		   what, count, left, each);
	return 0;
}

uint32_t
bytes_count(struct bytes *b, size_t each, const char *what)
{
	size_t start = b->at;
	int32_t count = bytes_i32(b, what);

	return (uint32_t)bytes_count_check(b, start, count, each, what);
}

uint64_t
bytes_count64(struct bytes *b, size_t each, const char *what)
{
	size_t start = b->at;
	int64_t count = bytes_i64(b, what);

	return bytes_count_check(b, start, count, each, what);
}

struct bytes_array
bytes_array_take(struct bytes *b, uint64_t count, size_t each, const char *what)
{
	uint64_t len;
	const uint8_t *data;

	if (__builtin_mul_overflow(count, each, &len))
		len = UINT64_MAX;
	data = bytes_take(b, len, what);
	return (struct bytes_array){ data, data ? count : 0 };
}

bool
bytes_run_next_long(struct bytes_run *r, int32_t *value)
{
	const uint8_t *at = r->at;
	uint32_t bits;

	if (at == r->end)
		return false;
	/* Bit 6 of the first group is the sign. */
	bits = ((uint32_t)(*at & 0x7f) ^ 0x40U) - 0x40U;
	for (unsigned groups = 1; *at++ & 0x80; groups++) {
		if (at == r->end || groups == 5)
			return false;
		bits = bits << 7 | (*at & 0x7fU);
	}
	r->at = at;
	*value = (int32_t)bits;
	return true;
}
