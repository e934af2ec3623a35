#ifndef MODEL_BASE_U64_MAP_H
#define MODEL_BASE_U64_MAP_H

/*
 * A hash map from 64-bit numbers (addresses, pages, ids in a stream) to indexes. Open addressing,
 * at most two thirds full: 24 to 48 bytes an entry; a look-up takes one cache miss and about 2 ns.
 * Collisions are unpredictable for the authors of input: see model/base/seed.h.
 */
#include "model/base/error.h"
#include <stddef.h>

#define U64_MAP_NONE UINT32_MAX

struct u64_map_slot {
	uint64_t key;
	uint32_t value; /* U64_MAP_NONE: the slot is free */
};

struct u64_map { /* all zero: empty */
	struct u64_map_slot *slots;
	size_t count, room;  /* room: a power of two, or 0 */
	uint64_t multiplier; /* odd */
	unsigned shift;      /* 64 - log2(room) */
};

void u64_map_clear(struct u64_map *m);
/* `value` must not be U64_MAP_NONE; replaces the old one of the key. Allocates when the map
   grows. */
bool u64_map_put(struct u64_map *m, uint64_t key, uint32_t value, struct error *err) MUST_USE;

/* The slot of the key, used or free; the map must not be empty. */
static inline struct u64_map_slot *
u64_map_slot(const struct u64_map *m, uint64_t key)
{
	size_t at = (size_t)(key * m->multiplier >> m->shift);

	while (m->slots[at].value != U64_MAP_NONE && m->slots[at].key != key)
		at = (at + 1) & (m->room - 1);
	return &m->slots[at];
}

/* The key of a pair of indexes. */
static inline uint64_t
u64_map_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}

/* U64_MAP_NONE if the key is not in the map. */
static inline uint32_t
u64_map_get(const struct u64_map *m, uint64_t key)
{
	return m->room ? u64_map_slot(m, key)->value : U64_MAP_NONE;
}

/*
 * Look-up by contents: `key` is a hash of the contents that begins with
 * seed_random(). Sets `value` to the entry for which `is_same`, an expression
 *of `value`, holds, or to U64_MAP_NONE, and `key` to the key to insert it with:
 *	U64_MAP_FIND(t, &b->types_index, key, !strcmp(b->types[t].raw, raw));
 */
#define U64_MAP_FIND(value, m, key, is_same)                                                       \
	while (((value) = u64_map_get(m, key)) != U64_MAP_NONE && !(is_same))                      \
	(key)++

#endif
