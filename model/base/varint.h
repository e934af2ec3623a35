#ifndef MODEL_BASE_VARINT_H
#define MODEL_BASE_VARINT_H

/*
 * Little-endian groups of 7 bits, high bit = more follows: the encoding of references in memory.
 * Reading is unchecked: only for our own encodings.
 */
#include <stdint.h>
#include <string.h>

enum { VARINT_MAX_BYTES = 10 };

static inline uint64_t
varint_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t
varint_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static inline uint8_t *
varint_put(uint8_t *at, uint64_t v)
{
	while (v >= 0x80) {
		*at++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*at++ = (uint8_t)v;
	return at;
}

static inline const uint8_t *
varint_get(const uint8_t *at, uint64_t *v)
{
	uint64_t value = *at & 0x7f;

	for (unsigned shift = 7; *at++ & 0x80; shift += 7)
		value |= (uint64_t)(*at & 0x7f) << shift;
	*v = value;
	return at;
}

/* Skips `count` numbers. */
static inline const uint8_t *
varint_skip(const uint8_t *at, uint64_t count)
{
	const uint64_t high_bits = UINT64_C(0x8080808080808080);

	while (count >= sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		count -= (unsigned)__builtin_popcountll(~word & high_bits);
		at += sizeof(word);
	}
	while (count)
		count -= !(*at++ & 0x80);
	return at;
}

#endif
