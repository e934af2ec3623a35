#ifndef IO_EVENTS_WALK_TYPES_H
#define IO_EVENTS_WALK_TYPES_H

/*
 * The types of a process, numbered when first mentioned by an object or by their own description,
 * in any order.
 */
#include "model/base/u64_map.h"
#include "io/events/walk.h"

enum walk_type_flag {
	WALK_TYPE_RCW = 0x4,
	WALK_TYPE_ARRAY = 0x8,
	WALK_TYPE_NATIVE = 0x10, /* of Native AOT: the token is an offset */
	WALK_TYPE_RANK = 0x3f00, /* of multidimensional arrays */
};

struct walk_type {
	uint64_t id;            /* the runtime's: its method table */
	uint64_t module;        /* the runtime's id of the module */
	uint64_t element;       /* of arrays: the id of the element's type */
	uint64_t last_argument; /* of generic types: the id of its type */
	const char *name;       /* as the runtime spells it; NULL: not described */
	uint32_t token;         /* of its definition in the module */
	uint32_t flags;         /* enum walk_type_flag */
};

struct walk_types {
	struct arena arena; /* of names */
	struct u64_map index;
	struct walk_type *items;
	size_t count, room;
	uint64_t last_id; /* of the last lookup */
	uint32_t last_number;
};

/* The number of a type; new types are added. False: no memory. */
bool walk_types_number_slow(struct walk_types *t, uint64_t id, uint32_t *number,
			    struct error *err) MUST_USE;
static inline bool
walk_types_number(struct walk_types *t, uint64_t id, uint32_t *number, struct error *err)
{
	/* Neighbouring objects often have the same type. */
	*number = t->last_number;
	return (t->count && id == t->last_id) || walk_types_number_slow(t, id, number, err);
}

/*
 * Reads a GCBulkType event. *is_damaged: it is shorter than it announces, and the types before the
 * damage are kept. False: no memory.
 */
bool walk_types_read(struct walk_types *t, const struct nettrace_event *event, bool *is_damaged,
		     struct error *err) MUST_USE;

#endif
