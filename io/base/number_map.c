#include "io/base/number_map.h"
#include "model/base/arena.h"

enum { MAP_FIRST_ROOM = 64 };

void
nettrace_map_clear(struct nettrace_map *m)
{
	memory_free(m->slots);
	*m = (struct nettrace_map){ 0 };
}

/* The address of the table is the salt: the system chose it at random. */
static size_t
map_hash(const struct nettrace_map *m, uint64_t key)
{
	uint64_t x = key ^ (uint64_t)(uintptr_t)m->slots;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)(x ^ x >> 31) & (m->room - 1);
}

/* Where the key is or belongs. */
static struct nettrace_map_slot *
map_slot(const struct nettrace_map *m, uint64_t key)
{
	size_t at = map_hash(m, key);

	while (m->slots[at].value != NETTRACE_MAP_NONE &&
	       m->slots[at].key != key)
		at = (at + 1) & (m->room - 1);
	return &m->slots[at];
}

uint32_t
nettrace_map_get(const struct nettrace_map *m, uint64_t key)
{
	return m->room ? map_slot(m, key)->value : NETTRACE_MAP_NONE;
}

static bool
map_grow(struct nettrace_map *m, struct error *err)
{
	struct nettrace_map larger = {
		.room = m->room ? 2 * m->room : MAP_FIRST_ROOM,
		.count = m->count,
	};

	larger.slots = memory_new(larger.room, sizeof(*larger.slots), err);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < larger.room; i++)
		larger.slots[i].value = NETTRACE_MAP_NONE;
	for (size_t i = 0; i < m->room; i++)
		if (m->slots[i].value != NETTRACE_MAP_NONE)
			*map_slot(&larger, m->slots[i].key) = m->slots[i];
	memory_free(m->slots);
	*m = larger;
	return true;
}

bool
nettrace_map_put(struct nettrace_map *m, uint64_t key, uint32_t value,
		 struct error *err)
{
	struct nettrace_map_slot *slot;

	if (m->count >= m->room / 3 * 2 && !map_grow(m, err))
		return false;
	slot = map_slot(m, key);
	m->count += slot->value == NETTRACE_MAP_NONE;
	*slot = (struct nettrace_map_slot){ key, value };
	return true;
}
