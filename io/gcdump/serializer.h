#ifndef IO_GCDUMP_SERIALIZER_H
#define IO_GCDUMP_SERIALIZER_H

/*
 * Writes the container that serialization.h reads, with labels of 4 bytes, and tracks the offset.
 * Without an output it only counts.
 */
#include "io/base/output.h"
#include <string.h>

enum { SERIALIZER_BYTES = 1 << 16, SERIALIZER_CI_BYTES = 5 };

struct serializer {
	struct output *to; /* NULL: only counts */
	/* Called before the buffer is written; false: drop it. NULL: write it.
	 */
	bool (*may_write)(void *context);
	void *context;
	uint64_t at; /* offset of the next byte in the file */
	size_t len;  /* bytes in the buffer */
	uint8_t buffer[SERIALIZER_BYTES];
};

/* Writes the signature. */
void serializer_begin(struct serializer *s, struct output *to);
/* Writes what is in the buffer. */
void serializer_flush(struct serializer *s);
void serializer_bytes(struct serializer *s, const void *bytes, size_t len);
void serializer_u8(struct serializer *s, uint8_t value);
void serializer_f32(struct serializer *s, float value);
/* A string in two parts of UTF-8; invalid bytes become U+FFFD. Empty: null. */
void serializer_strings(struct serializer *s, const char *text, const char *more);
void serializer_string(struct serializer *s, const char *text);

/*
 * Begins an object; serializer_end() follows its body. The first time (`*label` is 0) the type is
 * written and `*label` set to its offset; later, its label.
 */
void serializer_object(struct serializer *s, const char *type, int32_t version,
		       int32_t oldest_reader, uint32_t *label);
void serializer_end(struct serializer *s);
/* Ends all objects and writes the labels, with one forward reference. */
void serializer_finish(struct serializer *s, uint32_t forward);

/* A compressed integer, as io/base/bytes.h describes it. */
static inline unsigned
serializer_ci_len(int32_t value)
{
	uint32_t bits = (uint32_t)(value ^ value >> 31);

	/* The division by 7, of 8 to 39, as half as many instructions. */
	return (39U - (unsigned)__builtin_clz(bits | 1)) * 37 >> 8;
}

static inline uint8_t *
serializer_ci_put(uint8_t *at, int32_t value)
{
	unsigned len = serializer_ci_len(value);

	for (unsigned shift = 7 * (len - 1); shift; shift -= 7)
		*at++ = (uint8_t)(value >> shift | 0x80);
	*at++ = (uint8_t)(value & 0x7f);
	return at;
}

/* Space for `len` bytes, at most SERIALIZER_BYTES; serializer_took() follows.
 */
static inline uint8_t *
serializer_room(struct serializer *s, size_t len)
{
	if (SERIALIZER_BYTES - s->len < len)
		serializer_flush(s);
	return s->buffer + s->len;
}

static inline void
serializer_took(struct serializer *s, const uint8_t *end)
{
	size_t len = (size_t)(end - s->buffer) - s->len;

	s->len += len;
	s->at += len;
}

/* Inline because millions are written. */
static inline void
serializer_i32(struct serializer *s, int32_t value)
{
	uint8_t *at = serializer_room(s, 4);

	for (int i = 0; i < 4; i++)
		*at++ = (uint8_t)((uint32_t)value >> 8 * i);
	serializer_took(s, at);
}

static inline void
serializer_i64(struct serializer *s, int64_t value)
{
	uint8_t *at = serializer_room(s, 8);

	for (int i = 0; i < 8; i++)
		*at++ = (uint8_t)((uint64_t)value >> 8 * i);
	serializer_took(s, at);
}

#endif
