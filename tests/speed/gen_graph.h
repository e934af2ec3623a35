#ifndef TESTS_SPEED_GEN_GRAPH_H
#define TESTS_SPEED_GEN_GRAPH_H

/*
 * Made-up heaps for gen_gcdump: objects in address order with their
 * references, and roots. About 24 bytes of memory an object and 4 a reference. What fails ends the
 * program. Stands alone, so that it shares no mistake with the reader: malloc() is used directly.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONE             UINT32_MAX
#define UNDEFINED_TARGET (UINT32_MAX - 1)

enum { BUCKETS = 7, HUBS = 400 };

/* Types before the size suffix is added; entity types follow in threes. */
enum base_type {
	BASE_STRING,
	BASE_BYTES,
	BASE_INTS,
	BASE_BOX,
	BASE_OBJECTS,
	BASE_LINK,
	BASE_HUB,
	BASE_ACTION,
	BASE_CLOSURE,
	BASE_DICTIONARY,
	BASE_ENTRIES,
	BASE_FIXED_COUNT
};
enum pseudo {
	PSEUDO_ROOT,
	PSEUDO_STATICS,
	PSEUDO_LOCALS,
	PSEUDO_OTHERS,
	PSEUDO_FINALIZER,
	PSEUDO_STRONG,
	PSEUDO_COM,
	PSEUDO_COUNT
};
struct root {
	enum pseudo kind;
	uint32_t object;
};

struct object {
	uint64_t address;
	uint32_t type, size, slots_count; /* slots: references and nulls */
};

struct graph {
	struct object *objects; /* in address order */
	uint32_t count, capacity, wanted;
	uint32_t *slots; /* all objects' references; NONE is null */
	uint64_t slots_count, slots_capacity;
	struct root *roots;
	uint32_t roots_count, roots_capacity;
	uint32_t *type_of; /* base type and bucket → type in the file, or 0 */
	uint32_t *keys;    /* type in the file → base type and bucket */
	uint32_t types_count, entity_types;
	uint64_t next_address, random;
	uint32_t hubs[HUBS], hubs_count, last_link, last_entity;
	uint32_t *made, made_capacity; /* elements of one collection */
};

_Noreturn void fail(const char *what);
void *grow(void *old, uint64_t count, size_t size); /* realloc() or fail() */
/* `shape` is mixed, list or hub; set wanted, random and entity_types first. */
void graph_make(struct graph *g, const char *shape);
void graph_clear(struct graph *g);

#endif
