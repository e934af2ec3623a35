#ifndef IO_CLR_CONTENTS_STATE_H
#define IO_CLR_CONTENTS_STATE_H

/*
 * What the files share that tell what is in objects: an object, opened, what
 * lies where in it, and its fields by name. The lock is held by who calls.
 */
#include "io/clr/contents.h"
#include "io/clr/values.h"
#include <pthread.h>

struct clr_contents {
	struct memory *owned;
	struct clr_runtime *runtime;
	struct clr_types *types;
	struct clr_values *values;
	const struct heap *heap;
	uint64_t delegates;   /* the table that theirs are derived from; or 0 */
	pthread_mutex_t lock; /* of all but the heap */
};

enum {
	CLR_DATA_BEHIND_TABLE = 8, /* where fields begin */
	CLR_COUNT_AT = 8,          /* of elements or units */
	CLR_ARRAY_BASE_BYTES = 24,
	CLR_UNITS_AT = 12, /* where the text of a string begins */
	CLR_RANK_MAX = 32,
};

struct clr_object {
	uint64_t address, table;
	uint64_t bytes;      /* of all of it */
	uint32_t flags;      /* of its method table */
	uint32_t base_bytes; /* likewise */
	uint32_t count;      /* of elements; 0: it has none */
};

struct clr_array {
	uint64_t elements; /* address of the first */
	uint32_t rank;
	uint32_t lengths[CLR_RANK_MAX];
	int32_t lows[CLR_RANK_MAX];
};

/* Sets `err`: bytes of the object are absent. */
bool clr_object_missing(const struct clr_contents *c,
			const struct clr_object *o, struct error *err);
bool clr_object_open(const struct clr_contents *c, node_id n,
		     struct clr_object *o, struct error *err) MUST_USE;
/* A length that the object's size has no room for is damage. */
bool clr_object_is_possible(const struct clr_object *o);
/* As contents_ops.field. */
bool clr_object_field(struct clr_contents *c, const struct clr_object *o,
		      const char *name, struct content_field *out,
		      struct error *err) MUST_USE;

/* The plan of a value in a box, as of an element. NULL sets `err`. */
const struct clr_plan *clr_object_boxed_plan(struct clr_contents *c,
					     const struct clr_object *o,
					     struct error *err) MUST_USE;
/* What lies where in what is no array. NULL: no memory. */
const struct clr_plan *clr_object_plan(struct clr_contents *c,
				       const struct clr_object *o,
				       struct error *err) MUST_USE;
/* The plan of the elements of an array. NULL sets `err`. */
const struct clr_plan *clr_object_array(struct clr_contents *c,
					const struct clr_object *o,
					struct clr_array *array,
					struct error *err) MUST_USE;
/* Is it a Nullable without a value? `base`: where what the plan is of begins.
 */
bool clr_part_is_null(const struct clr_contents *c, const struct clr_part *part,
		      uint64_t base);

/* Bytes of each element; 0: it has none. */
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
