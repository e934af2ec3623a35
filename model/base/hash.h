#ifndef MODEL_BASE_HASH_H
#define MODEL_BASE_HASH_H

/*
 * FNV-1a with 64 bits, about 1 ns per byte. Begin with HASH_START, or with seed_random()
 * (model/base/seed.h) if the input must not be able to provoke collisions; continue with the
 * previous result.
 */
#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t
hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static inline uint64_t
hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
