#ifndef MODEL_BASE_LOAD_H
#define MODEL_BASE_LOAD_H

/* A little-endian number of up to 8 bytes, unaligned. */
#include <stddef.h>
#include <stdint.h>

static inline uint64_t
load_bytes(const uint8_t *bytes, size_t len)
{
	uint64_t value = 0;

	for (size_t i = len; i-- > 0;)
		value = value << 8 | bytes[i];
	return value;
}

#endif
