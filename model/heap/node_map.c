#include "model/heap/node_map.h"

#include "model/base/seed.h"
#include <string.h>

enum { ROOM_FIRST = 64, ROOM_KEPT = 1 << 14 };

void
node_map_clear(struct node_map *map)
{
	memory_free(map->entries);
	*map = (struct node_map){ 0 };
}

static void
entries_empty(struct node_map_entry *entries, size_t room)
{
	memset(entries, 0xff, room * sizeof(*entries));
}

void
node_map_empty(struct node_map *map)
{
	if (map->room > ROOM_KEPT)
		node_map_clear(map);
	else if (map->count)
		entries_empty(map->entries, map->room);
	map->count = 0;
}

static size_t
place_of(const struct node_map *map, node_id key)
{
	uint64_t hash = (key + UINT64_C(1)) * map->multiplier;
	size_t at = (size_t)((hash ^ hash >> 32) & (map->room - 1));

	while (map->entries[at].key != key && map->entries[at].key != NODE_NONE)
		at = (at + 1) & (map->room - 1);
	return at;
}

uint32_t *
node_map_find(const struct node_map *map, node_id key)
{
	size_t at;

	if (!map->count)
		return NULL;
	at = place_of(map, key);
	return map->entries[at].key == key ? &map->entries[at].value : NULL;
}

static bool
node_map_grow(struct node_map *map, struct error *err)
{
	struct node_map larger = {
		.room = map->room ? map->room * 2 : ROOM_FIRST,
		.multiplier = seed_random() | 1,
	};

	larger.entries = memory_resize(NULL, larger.room, sizeof(*larger.entries), err);
	if (!larger.entries)
		return false;
	entries_empty(larger.entries, larger.room);
	for (size_t i = 0; i < map->room; i++)
		if (map->entries[i].key != NODE_NONE)
			larger.entries[place_of(&larger, map->entries[i].key)] = map->entries[i];
	larger.count = map->count;
	memory_free(map->entries);
	*map = larger;
	return true;
}

bool
node_map_add(struct node_map *map, node_id key, uint32_t value, struct error *err)
{
	if (map->count >= map->room / 2 && !node_map_grow(map, err))
		return false;
	map->entries[place_of(map, key)] = (struct node_map_entry){ key, value };
	map->count++;
	return true;
}
