#ifndef IO_GCDUMP_SERIALIZER_H
#define IO_GCDUMP_SERIALIZER_H

/*
 * Writes the container that serialization.h reads, with labels of 4 bytes, and
 * knows at which offset it is. Without an output it only counts.
 */
#include "io/base/output.h"
#include <string.h>

enum { SERIALIZER_BYTES = 1 << 16, SERIALIZER_CI_BYTES = 5 };

struct serializer {
	struct output *to; /* NULL: counts */
	uint64_t at;       /* of the next byte, in the file */
	size_t len;        /* not given to the output yet */
	uint8_t buffer[SERIALIZER_BYTES];
};

/* Starts at the signature. */
void serializer_begin(struct serializer *s, struct output *to);
/* All that is still in the buffer. */
void serializer_flush(struct serializer *s);
void serializer_bytes(struct serializer *s, const void *bytes, size_t len);
void serializer_u8(struct serializer *s, uint8_t value);
void serializer_f32(struct serializer *s, float value);
/*
 * From UTF-8, in two parts; what is none becomes U+FFFD. Without text: null.
 */
void serializer_strings(struct serializer *s, const char *text,
			const char *more);
void serializer_string(struct serializer *s, const char *text);

/*
 * An object of this type: the first time the type is written (`*label` is 0 and
 * becomes where), later its label. serializer_end() after the body.
 */
void serializer_object(struct serializer *s, const char *type, int32_t version,
		       int32_t oldest_reader, uint32_t *label);
void serializer_end(struct serializer *s);
/* The end of all objects, and the labels there; one forward reference. */
void serializer_finish(struct serializer *s, uint32_t forward);

/* A compressed integer: io/base/bytes.h says what it is. */
static inline unsigned
serializer_ci_len(int32_t value)
{
	uint32_t bits = (uint32_t)(value < 0 ? ~value : value);

	return (39U - (unsigned)__builtin_clz(bits | 1)) / 7;
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

/* Room for `len` bytes, at most SERIALIZER_BYTES; serializer_took() follows. */
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

/* Millions of them are written. */
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
