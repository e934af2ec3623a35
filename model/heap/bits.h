#ifndef MODEL_HEAP_BITS_H
#define MODEL_HEAP_BITS_H

/* A set of objects: one bit each, in an array of bits_words(count) words. */
#include "model/heap/addresses.h"
#include <stddef.h>

static inline size_t
bits_words(uint32_t count)
{
	return (size_t)count / 64 + 1;
}

static inline bool
bits_has(const uint64_t *bits, node_id n)
{
	return bits[n >> 6] >> (n & 63) & 1;
}

static inline void
bits_add(uint64_t *bits, node_id n)
{
	bits[n >> 6] |= UINT64_C(1) << (n & 63);
}

static inline void
bits_remove(uint64_t *bits, node_id n)
{
	bits[n >> 6] &= ~(UINT64_C(1) << (n & 63));
}

#endif
