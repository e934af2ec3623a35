#include "tests/speed/gen_graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGION_BYTES = 4 << 20, BATCHES_A_ROOT = 64 };

_Noreturn void
fail(const char *what)
{
	fprintf(stderr, "gen_gcdump: %s\n", what);
	exit(1);
}

void *
grow(void *old, uint64_t count, size_t size)
{
	void *p = realloc(old, (size_t)count * size);

	if (!p)
		fail("out of memory");
	return p;
}

/* xorshift64*: fast, and the same everywhere. */
static uint32_t
random_below(struct graph *g, uint32_t limit)
{
	uint64_t x = g->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	g->random = x;
	x = (x * UINT64_C(0x2545f4914f6cdd1d)) >> 32;
	return (uint32_t)((x * limit) >> 32);
}

static bool
chance(struct graph *g, uint32_t percent)
{
	return random_below(g, 100) < percent;
}

/* Mostly small: the product of three draws. */
static uint32_t
random_skewed(struct graph *g, uint32_t limit)
{
	uint64_t n = random_below(g, limit);

	n = n * random_below(g, 1 << 16) >> 16;
	return (uint32_t)(n * random_below(g, 1 << 16) >> 16);
}

/* The runtime's events give objects of more than 1000 bytes a type apart. */
static uint32_t
size_bucket(uint32_t size)
{
	uint32_t bucket = 0;

	for (uint64_t limit = 1000; bucket < BUCKETS - 1 && size > limit; limit *= 10)
		bucket++;
	return bucket;
}

static uint32_t
file_type(struct graph *g, uint32_t base, uint32_t size)
{
	uint32_t key = base * BUCKETS + size_bucket(size);

	if (!g->type_of[key]) {
		g->type_of[key] = g->types_count;
		g->keys[g->types_count++] = key;
	}
	return g->type_of[key];
}

/* Regions of 4 MiB, each entered after a hole; large objects get their own. */
static uint64_t
place(struct graph *g, uint32_t size)
{
	uint64_t bytes = ((uint64_t)size + 7) & ~UINT64_C(7);
	uint64_t region_left = REGION_BYTES - (g->next_address & (REGION_BYTES - 1));
	uint64_t address;

	if (bytes > region_left) {
		g->next_address += region_left;
		g->next_address += (uint64_t)random_below(g, 3) * REGION_BYTES;
		g->next_address += 0x28;
	}
	address = g->next_address;
	g->next_address += bytes;
	return address;
}

/* A new object with room for `slots_count` references; the last ones made. */
static uint32_t
object_add(struct graph *g, uint32_t base, uint32_t size, uint32_t slots_count)
{
	struct object *o;

	if (g->count == g->capacity) {
		g->capacity += g->capacity / 2 + 4096;
		g->objects = grow(g->objects, g->capacity, sizeof(*g->objects));
	}
	if (g->slots_count + slots_count > g->slots_capacity) {
		g->slots_capacity += g->slots_capacity / 2 + slots_count + 4096;
		g->slots = grow(g->slots, g->slots_capacity, sizeof(*g->slots));
	}
	for (uint32_t i = 0; i < slots_count; i++)
		g->slots[g->slots_count + i] = NONE;
	g->slots_count += slots_count;
	o = &g->objects[g->count];
	o->address = place(g, size);
	o->type = file_type(g, base, size);
	o->size = size;
	o->slots_count = slots_count;
	return g->count++;
}

/* Where the slots of the object just made begin. */
static uint64_t
first_slot(const struct graph *g)
{
	return g->slots_count - g->objects[g->count - 1].slots_count;
}

/* Not g->slots[slot] = …: making the value may move the slots. */
static void
slot_set(struct graph *g, uint64_t slot, uint32_t target)
{
	g->slots[slot] = target;
}

static void
root_add(struct graph *g, enum pseudo kind, uint32_t object)
{
	if (g->roots_count == g->roots_capacity) {
		g->roots_capacity = g->roots_capacity * 2 + 256;
		g->roots = grow(g->roots, g->roots_capacity, sizeof(*g->roots));
	}
	g->roots[g->roots_count++] = (struct root){ kind, object };
}

static uint32_t
add_string(struct graph *g)
{
	uint32_t length = random_skewed(g, 160);

	if (random_below(g, 20000) == 0)
		length = random_below(g, 60000);
	return object_add(g, BASE_STRING, 22 + 2 * length, 0);
}

static uint32_t
entity_base(uint32_t entity_type, uint32_t which)
{
	return BASE_FIXED_COUNT + 3 * entity_type + which;
}

/* Half of all go to the first: a hub with a million referrers in a large dump.
 */
static uint32_t
pick_hub(struct graph *g)
{
	return g->hubs[chance(g, 50) ? 0 : random_skewed(g, g->hubs_count)];
}

/*
 * An entity: its strings, now and then another entity, its tenant (a hub),
 * the collection it is in.
 */
static uint32_t
add_entity(struct graph *g, uint32_t entity_type, uint32_t owner)
{
	uint32_t fields = 3 + entity_type % 5;
	uint32_t id =
	    object_add(g, entity_base(entity_type, 0), 16 + 8 * (fields + entity_type % 3), fields);
	uint64_t slot = first_slot(g);

	if (chance(g, 60))
		slot_set(g, slot, add_string(g));
	if (g->hubs_count && chance(g, 65))
		slot_set(g, slot + 1, pick_hub(g));
	else if (chance(g, 40))
		slot_set(g, slot + 1, object_add(g, BASE_BOX, 24, 0));
	if (chance(g, 90))
		slot_set(g, slot + 2, owner);
	if (fields > 3 && chance(g, 25))
		slot_set(g, slot + 3, g->last_entity);
	if (fields > 4 && chance(g, 20))
		slot_set(g, slot + 4, random_below(g, g->count));
	if (fields > 5 && chance(g, 80))
		slot_set(g, slot + 5, add_string(g));
	if (fields > 6)
		slot_set(g, slot + 6, id); /* such as a list head */
	g->last_entity = id;
	return id;
}

static uint32_t
add_dictionary(struct graph *g)
{
	uint32_t pairs = 1 + random_skewed(g, 40);
	uint32_t id = object_add(g, BASE_DICTIONARY, 80, 2);
	uint64_t slot = first_slot(g), entry;

	slot_set(g, slot, object_add(g, BASE_INTS, 24 + 4 * pairs, 0));
	slot_set(g, slot + 1, object_add(g, BASE_ENTRIES, 24 + 24 * pairs, 2 * pairs));
	entry = first_slot(g);
	for (uint32_t i = 0; i < pairs; i++) {
		slot_set(g, entry + 2 * i, add_string(g));
		slot_set(g, entry + 2 * i + 1,
			 chance(g, 80) ? object_add(g, BASE_BOX, 24, 0) : g->last_entity);
	}
	return id;
}

static uint32_t
add_delegate(struct graph *g)
{
	uint32_t id = object_add(g, BASE_ACTION, 64, 1);
	uint64_t slot = first_slot(g);

	slot_set(g, slot, object_add(g, BASE_CLOSURE, 40, 2));
	slot = first_slot(g);
	slot_set(g, slot, g->last_entity);
	slot_set(g, slot + 1, add_string(g));
	return id;
}

static uint32_t
add_element(struct graph *g, uint32_t entity_type, uint32_t owner)
{
	uint32_t die = random_below(g, 100);

	if (die < 62)
		return add_entity(g, entity_type, owner);
	if (die < 78)
		return add_string(g);
	if (die < 81)
		return add_dictionary(g);
	if (die < 86)
		return add_delegate(g);
	if (die < 90)
		return object_add(g, BASE_BYTES, 24 + random_skewed(g, 9000), 0);
	return object_add(g, BASE_BOX, 24, 0);
}

/* The next link of the one long list, newest first as a stack would be. */
static void
add_link(struct graph *g)
{
	uint32_t before = g->last_link;

	g->last_link = object_add(g, BASE_LINK, 32, 1);
	slot_set(g, first_slot(g), before);
}

/* An array of these elements, in their order. */
static uint32_t
add_array(struct graph *g, uint32_t entity_type, uint32_t elements)
{
	return object_add(g, entity_base(entity_type, 2), 24 + 8 * elements, elements);
}

/* A second array of the same elements in another order, as an index has. */
static void
add_index(struct graph *g, uint32_t entity_type, uint32_t elements)
{
	uint64_t slot;

	for (uint32_t i = elements - 1; i > 0; i--) {
		uint32_t k = random_below(g, i + 1), swapped = g->made[i];

		g->made[i] = g->made[k];
		g->made[k] = swapped;
	}
	add_array(g, entity_type, elements);
	slot = first_slot(g);
	memcpy(&g->slots[slot], g->made, elements * sizeof(*g->made));
}

/*
 * A List<T>, its array (older than its elements, or younger if the list has grown) and the
 * elements; some have an index as well.
 */
static uint32_t
add_collection(struct graph *g, uint32_t elements)
{
	uint32_t entity_type = random_skewed(g, g->entity_types);
	uint32_t id = object_add(g, entity_base(entity_type, 1), 40, 2);
	uint64_t list_slot = first_slot(g), slot;
	bool is_grown = chance(g, 50);

	if (elements > g->made_capacity) {
		g->made_capacity = elements;
		g->made = grow(g->made, elements, sizeof(*g->made));
	}
	if (!is_grown)
		slot_set(g, list_slot, add_array(g, entity_type, elements));
	slot = first_slot(g);
	for (uint32_t i = 0; i < elements; i++) {
		g->made[i] = add_element(g, entity_type, id);
		if (chance(g, 10))
			add_link(g);
	}
	if (is_grown) {
		slot_set(g, list_slot, add_array(g, entity_type, elements));
		slot = first_slot(g);
	}
	memcpy(&g->slots[slot], g->made, elements * sizeof(*g->made));
	if (chance(g, 20)) {
		add_index(g, entity_type, elements);
		slot_set(g, list_slot + 1, g->count - 1);
	}
	return id;
}

static uint32_t
collection_size(struct graph *g)
{
	uint32_t left = g->wanted - g->count, elements;

	elements = 1 + random_skewed(g, 300);
	if (random_below(g, 2000) == 0)
		elements = 1000 + random_below(g, 276000);
	if (elements > g->wanted / 40)
		elements = g->wanted / 40 + 1;
	if (elements > left / 3 + 1)
		elements = left / 3 + 1;
	return elements;
}

static void
make_mixed(struct graph *g)
{
	uint32_t held[BATCHES_A_ROOT];
	uint64_t slot;

	g->hubs_count = g->wanted < 40000 ? 4 : HUBS;
	object_add(g, BASE_OBJECTS, 24 + 8 * g->hubs_count, g->hubs_count);
	root_add(g, PSEUDO_STRONG, 0);
	slot = first_slot(g);
	for (uint32_t i = 0; i < g->hubs_count; i++) {
		g->hubs[i] = object_add(g, BASE_HUB, 48, 0);
		slot_set(g, slot + i, g->hubs[i]);
	}
	g->last_entity = g->hubs[0];
	while (g->count < g->wanted) {
		uint32_t held_count = 0;

		while (held_count < BATCHES_A_ROOT && g->count < g->wanted) {
			held[held_count++] = add_collection(g, collection_size(g));
			if (random_below(g, 300) == 0)
				held_count--; /* garbage */
		}
		root_add(g, chance(g, 80) ? PSEUDO_STATICS : PSEUDO_STRONG,
			 object_add(g, BASE_OBJECTS, 24 + 8 * held_count, held_count));
		memcpy(&g->slots[first_slot(g)], held, held_count * sizeof(*held));
		if (chance(g, 20))
			root_add(g, PSEUDO_LOCALS, g->last_entity);
		if (chance(g, 10))
			root_add(g, PSEUDO_FINALIZER, g->last_entity);
	}
	if (g->last_link != NONE)
		root_add(g, PSEUDO_STATICS, g->last_link);
	root_add(g, PSEUDO_LOCALS, UNDEFINED_TARGET);
}

static void
make_list(struct graph *g)
{
	uint32_t links = g->wanted / 2;

	root_add(g, PSEUDO_STATICS, 0);
	for (uint32_t i = 0; i < links; i++) {
		uint32_t id = object_add(g, BASE_LINK, 32, 2);
		uint64_t slot = first_slot(g);

		slot_set(g, slot, i + 1 < links ? id + 2 : NONE);
		slot_set(g, slot + 1, add_string(g));
	}
}

static void
make_hub(struct graph *g)
{
	uint32_t elements = g->wanted > 2 ? g->wanted - 2 : 1;
	uint64_t slot;

	root_add(g, PSEUDO_STATICS, object_add(g, BASE_OBJECTS, 24 + 8 * elements, elements));
	slot = first_slot(g);
	object_add(g, BASE_HUB, 48, 0);
	for (uint32_t i = 0; i < elements; i++) {
		slot_set(g, slot + i, object_add(g, entity_base(i % g->entity_types, 0), 24, 1));
		slot_set(g, first_slot(g), 1);
	}
}

void
graph_make(struct graph *g, const char *shape)
{
	uint32_t keys;

	g->types_count = 1; /* 0 is UNDEFINED */
	g->next_address = UINT64_C(0x7f3c00000028);
	g->last_link = NONE;
	if (!g->entity_types)
		g->entity_types = g->wanted / 1800 < 80     ? 80
				  : g->wanted / 1800 > 3800 ? 3800
							    : g->wanted / 1800;
	keys = entity_base(g->entity_types, 0) * BUCKETS;
	g->type_of = grow(NULL, keys, sizeof(*g->type_of));
	g->keys = grow(NULL, keys + 1, sizeof(*g->keys));
	memset(g->type_of, 0, keys * sizeof(*g->type_of));
	if (strcmp(shape, "mixed") == 0)
		make_mixed(g);
	else if (strcmp(shape, "list") == 0)
		make_list(g);
	else if (strcmp(shape, "hub") == 0)
		make_hub(g);
	else
		fail("shapes are mixed, list and hub");
}

void
graph_clear(struct graph *g)
{
	free(g->objects);
	free(g->slots);
	free(g->roots);
	free(g->made);
	free(g->type_of);
	free(g->keys);
}
