#ifndef MODEL_BASE_U64_MAP_H
#define MODEL_BASE_U64_MAP_H

/*
 * From any 64-bit numbers (addresses, pages, numbers that a stream uses for
 * things) to places in our arrays. Open addressing, at most two thirds full:
 * 24 to 48 bytes an entry; a look-up costs one cache miss and about 2 ns.
 * Whoever chose the keys cannot foresee which ones collide: see
 * model/base/seed.h.
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
	unsigned shift;      /* 64 - bits of a slot's index */
};

void u64_map_clear(struct u64_map *m);
/* `value` is not U64_MAP_NONE; replaces what the key had. Takes memory, as
   memory_new() does, when the map grows. */
bool u64_map_put(struct u64_map *m, uint64_t key, uint32_t value,
		 struct error *err) MUST_USE;

/* Where the key is or belongs, in a map that is not empty. */
static inline struct u64_map_slot *
u64_map_slot(const struct u64_map *m, uint64_t key)
{
	size_t at = (size_t)(key * m->multiplier >> m->shift);

	while (m->slots[at].value != U64_MAP_NONE && m->slots[at].key != key)
		at = (at + 1) & (m->room - 1);
	return &m->slots[at];
}

/* U64_MAP_NONE if it is not there. */
static inline uint32_t
u64_map_get(const struct u64_map *m, uint64_t key)
{
	return m->room ? u64_map_slot(m, key)->value : U64_MAP_NONE;
}

/*
 * Things by what they hold: `key` starts as a hash of that, which begins with
 * seed_random(). Sets `value` to the one that `is_same`, an expression of
 * `value`, or else to U64_MAP_NONE, and `key` to the key to put it with:
 *
 *	U64_MAP_FIND(t, &b->types_index, key, !strcmp(b->types[t].raw, raw));
 */
#define U64_MAP_FIND(value, m, key, is_same)                                   \
	while (((value) = u64_map_get(m, key)) != U64_MAP_NONE && !(is_same))  \
	(key)++

#endif
