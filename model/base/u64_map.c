#include "model/base/u64_map.h"
#include "model/base/arena.h"
#include "model/base/seed.h"
#include <string.h>

enum { FIRST_ROOM = 64 };

void
u64_map_clear(struct u64_map *m)
{
	memory_free(m->slots);
	*m = (struct u64_map){ 0 };
}

static bool
map_grow(struct u64_map *m, struct error *err)
{
	struct u64_map larger = {
		.room = m->room ? 2 * m->room : FIRST_ROOM,
		.count = m->count,
		.multiplier = seed_random() | 1,
	};

	larger.shift = 64 - (unsigned)__builtin_ctzll(larger.room);
	larger.slots = memory_resize(NULL, larger.room, sizeof(*larger.slots), err);
	if (!larger.slots)
		return false;
	memset(larger.slots, 0xff, larger.room * sizeof(*larger.slots));
	for (size_t i = 0; i < m->room; i++)
		if (m->slots[i].value != U64_MAP_NONE)
			*u64_map_slot(&larger, m->slots[i].key) = m->slots[i];
	memory_free(m->slots);
	*m = larger;
	return true;
}

bool
u64_map_put(struct u64_map *m, uint64_t key, uint32_t value, struct error *err)
{
	struct u64_map_slot *slot;

	if (m->count >= m->room / 3 * 2 && !map_grow(m, err))
		return false;
	slot = u64_map_slot(m, key);
	m->count += slot->value == U64_MAP_NONE;
	*slot = (struct u64_map_slot){ key, value };
	return true;
}
