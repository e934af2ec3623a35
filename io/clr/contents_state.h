#ifndef IO_CLR_CONTENTS_STATE_H
#define IO_CLR_CONTENTS_STATE_H

/* Shared by the files that show the contents of objects: an opened object, its layout, and look-up
 * of its fields by name. The caller holds the lock. */
#include "io/clr/contents.h"
#include "io/clr/values.h"
#include <pthread.h>

struct clr_contents {
	struct memory *owned;
	struct clr_runtime *runtime;
	struct clr_types *types;
	struct clr_values *values;
	const struct heap *heap;
	uint64_t delegates;   /* System.MulticastDelegate's method table, or 0 */
	pthread_mutex_t lock; /* protects all but the heap */
};

enum {
	CLR_LENGTH_AT = 8, /* of array elements or string units */
	CLR_ARRAY_BASE_BYTES = 24,
	CLR_UNITS_AT = 12, /* offset of a string's text */
	CLR_RANK_MAX = 32,
};

struct clr_object {
	uint64_t address, table;
	uint64_t bytes;      /* full size */
	uint32_t flags;      /* of the method table */
	uint32_t base_bytes; /* of the method table */
	uint32_t count;      /* array elements or string units; else 0 */
};

struct clr_array {
	uint64_t elements; /* address of the first one */
	uint32_t rank;
	uint32_t lengths[CLR_RANK_MAX];
	int32_t lows[CLR_RANK_MAX];
};

/* Sets `err`: part of the object is absent. */
bool clr_object_missing(const struct clr_contents *c, const struct clr_object *o,
			struct error *err);
bool clr_object_open(const struct clr_contents *c, node_id n, struct clr_object *o,
		     struct error *err) MUST_USE;
/* False: the object is too small for its length, so it is damaged. */
bool clr_object_has_room(const struct clr_object *o);
/* Implements contents_ops.field. */
bool clr_object_field(struct clr_contents *c, const struct clr_object *o, const char *name,
		      struct content_field *out, struct error *err) MUST_USE;

/* The plan of a boxed value, laid out like an element. NULL sets `err`. */
const struct clr_plan *clr_object_boxed_plan(struct clr_contents *c, const struct clr_object *o,
					     struct error *err) MUST_USE;
/* The plan of an object that is not an array. NULL: no memory. */
const struct clr_plan *clr_object_plan(struct clr_contents *c, const struct clr_object *o,
				       struct error *err) MUST_USE;
/* The plan of an array's elements. NULL sets `err`. */
const struct clr_plan *clr_object_array(struct clr_contents *c, const struct clr_object *o,
					struct clr_array *array, struct error *err) MUST_USE;
/* True for a Nullable without a value; `base` is the plan's origin. */
bool clr_part_is_null(const struct clr_contents *c, const struct clr_part *part, uint64_t base);

/* The size of an element or string unit; 0: none. */
static inline uint32_t
clr_object_component_bytes(const struct clr_object *o)
{
	return o->flags & CLR_MT_HAS_COMPONENTS ? o->flags & 0xffff : 0;
}

static inline bool
clr_contents_is_string(const struct clr_contents *c, node_id n)
{
	return c->heap->types[heap_type_of(c->heap, n)].flags & TYPE_STRING;
}

static inline bool
clr_object_is_array(const struct clr_object *o)
{
	return (o->flags & CLR_MT_ARRAY_MASK) == CLR_MT_ARRAY;
}

static inline struct memory_reader *
clr_contents_reader(const struct clr_contents *c)
{
	return c->runtime->reader;
}

#endif
