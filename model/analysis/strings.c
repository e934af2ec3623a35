#include "model/analysis/strings.h"
#include "model/base/keyed_hash.h"
#include "model/base/seed.h"

enum { LOOK_EVERY = 16384, FIRST_SLOTS = 1024 };

/* State while the groups are made. */
struct grouping {
	struct strings *out;
	struct object_bytes bytes;
	const struct reach *reach;
	uint64_t key[2];
	/*
	 * Group index plus 1; 0 if free. At most half are taken. A u64_map would take three times
	 * the memory, and there can be 10 million distinct strings.
	 */
	uint32_t *slots;
	size_t slots_count, room;
};

/* --- one string ----------------------------------------------------------- */

/* Returns false if the string is absent or its length is damaged. */
static bool
hash_string(struct grouping *g, node_id n, uint32_t *units, uint64_t hash[2])
{
	const struct content_layout *layout = object_bytes_layout(&g->bytes, n);
	uint64_t address = object_bytes_address(&g->bytes, n);
	struct keyed_hash h;
	const uint8_t *at;
	uint64_t left;

	if (!layout || layout->element_bytes != 2 ||
	    !object_bytes_count(&g->bytes, layout, n, units))
		return false;
	address += layout->elements_at;
	left = 2 * (uint64_t)*units;
	keyed_hash_begin(&h, g->key);
	for (;;) {
		size_t len = left < OBJECT_PIECE ? (size_t)left : OBJECT_PIECE;

		at = object_bytes_at(&g->bytes, address, len);
		if (!at)
			return false;
		keyed_hash_add(&h, at, len);
		left -= len;
		address += len;
		if (!left) {
			keyed_hash_end(&h, at + (len & ~(size_t)7), len & 7, hash);
			return true;
		}
	}
}

/* --- groups --------------------------------------------------------------- */

static size_t
slot_of(const struct grouping *g, const uint64_t hash[2])
{
	size_t at = hash[0] & (g->slots_count - 1);

	while (g->slots[at]) {
		const struct string_group *group = &g->out->groups[g->slots[at] - 1];

		if (group->hash[0] == hash[0] && group->hash[1] == hash[1])
			break;
		at = (at + 1) & (g->slots_count - 1);
	}
	return at;
}

static bool
grow_slots(struct grouping *g, struct error *err)
{
	size_t count = g->slots_count ? g->slots_count * 2 : FIRST_SLOTS;
	uint32_t *slots = memory_new(count, sizeof(*slots), err);

	if (!slots)
		return false;
	memory_free(g->slots);
	g->slots = slots;
	g->slots_count = count;
	for (uint32_t i = 0; i < g->out->groups_count; i++)
		slots[slot_of(g, g->out->groups[i].hash)] = i + 1;
	return true;
}

static bool
find_group(struct grouping *g, node_id n, uint32_t units, const uint64_t hash[2], uint32_t *group,
	   struct error *err)
{
	struct strings *s = g->out;
	size_t slot;

	if (s->groups_count >= g->slots_count / 2 && !grow_slots(g, err))
		return false;
	slot = slot_of(g, hash);
	if (!g->slots[slot]) {
		if (!APPEND(s->groups, s->groups_count, g->room, err,
			    (struct string_group){
				.hash = { hash[0], hash[1] },
				.subject = n,
				.units = units,
			    }))
			return false;
		g->slots[slot] = s->groups_count;
	}
	*group = g->slots[slot] - 1;
	return true;
}

static bool
is_dead(const struct grouping *g, node_id n)
{
	return g->reach && g->reach->distance[n] == DISTANCE_UNREACHABLE;
}

static bool
take_string(struct grouping *g, node_id n, struct error *err)
{
	struct strings *s = g->out;
	struct string_group *out;
	uint64_t hash[2];
	uint32_t units, group;

	if (!hash_string(g, n, &units, hash)) {
		s->unread_count++;
		return true;
	}
	if (!find_group(g, n, units, hash, &group, err))
		return false;
	out = &s->groups[group];
	if (is_dead(g, n))
		out->dead_count++;
	else if (out->dead_count == out->count)
		out->subject = n;
	out->count++;
	s->nodes[s->count] = n;
	s->group_of[s->count++] = group;
	return true;
}

/* --- all strings --------------------------------------------------------- */

static bool
take_strings(struct grouping *g, bool only_live, struct progress *progress, struct error *err)
{
	const struct heap *h = g->bytes.heap;

	progress_begin(progress, "reading strings", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (heap_type(h, n)->flags & TYPE_STRING && !(only_live && is_dead(g, n)) &&
		    !take_string(g, n, err))
			return false;
		if (n % LOOK_EVERY == 0)
			(void)progress_add(progress, LOOK_EVERY);
		/* One string may have millions of characters. */
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	return true;
}

static bool
grouping_init(struct grouping *g, const struct heap *h, const struct reach *reach,
	      struct error *err)
{
	uint64_t count = 0;

	*g = (struct grouping){ .reach = reach };
	g->key[0] = seed_random();
	g->key[1] = ~g->key[0] * UINT64_C(0x9e3779b97f4a7c15);
	if (!object_bytes_init(&g->bytes, h, err))
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		if (h->types[t].flags & TYPE_STRING)
			count += h->types[t].count;
	g->out = memory_new(1, sizeof(*g->out), err);
	if (!g->out)
		return false;
	g->out->nodes = memory_new(count + 1, sizeof(node_id), err);
	g->out->group_of = memory_new(count + 1, sizeof(uint32_t), err);
	return g->out->nodes && g->out->group_of;
}

struct strings *
strings_find(const struct heap *h, const struct reach *reach, bool only_live,
	     struct progress *progress, struct error *err)
{
	struct grouping g;
	bool ok = grouping_init(&g, h, reach, err) && take_strings(&g, only_live, progress, err);

	object_bytes_clear(&g.bytes);
	memory_free(g.slots);
	if (ok)
		return g.out;
	strings_free(g.out);
	return NULL;
}

void
strings_free(struct strings *s)
{
	if (!s)
		return;
	memory_free(s->groups);
	memory_free(s->nodes);
	memory_free(s->group_of);
	memory_free(s);
}

uint64_t
string_group_bytes(const struct heap *h, const struct string_group *g)
{
	return g->count * heap_size(h, g->subject);
}

uint64_t
string_group_wasted(const struct heap *h, const struct string_group *g)
{
	uint32_t live = g->count - g->dead_count;

	return live ? (live - 1) * heap_size(h, g->subject) : 0;
}

uint64_t
string_group_garbage(const struct heap *h, const struct string_group *g)
{
	return g->dead_count * heap_size(h, g->subject);
}

node_id *
strings_of_group(const struct strings *s, uint32_t group, struct error *err)
{
	node_id *nodes = memory_new(s->groups[group].count, sizeof(*nodes), err);
	uint32_t count = 0;

	for (uint32_t i = 0; nodes && i < s->count; i++)
		if (s->group_of[i] == group)
			nodes[count++] = s->nodes[i];
	return nodes;
}
