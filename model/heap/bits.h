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

/* Removes the lowest bit from `left`, a copy of bits[word]; returns its node.
 */
static inline node_id
bits_take(uint64_t *left, size_t word)
{
	node_id n = (node_id)(word * 64 + (unsigned)__builtin_ctzll(*left));

	*left &= *left - 1;
	return n;
}

/* Returns the number of members of a set of `count` objects. */
static inline uint32_t
bits_count(const uint64_t *bits, uint32_t count)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < bits_words(count); i++)
		sum += (uint32_t)__builtin_popcountll(bits[i]);
	return sum;
}

#endif
