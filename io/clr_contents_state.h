#ifndef IO_CLR_CONTENTS_STATE_H
#define IO_CLR_CONTENTS_STATE_H

/*
 * What clr_contents.c and clr_delegates.c share: an object, opened, and its
 * fields by name. The lock is held by who calls.
 */
#include "io/clr_contents.h"
#include "io/clr_values.h"
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

struct clr_object {
	uint64_t address, table;
	uint64_t bytes;      /* of all of it */
	uint32_t flags;      /* of its method table */
	uint32_t base_bytes; /* likewise */
	uint32_t count;      /* of elements; 0: it has none */
};

bool clr_object_open(const struct clr_contents *c, node_id n,
		     struct clr_object *o, struct error *err) MUST_USE;
/* A length that the object's size has no room for is damage. */
bool clr_object_is_possible(const struct clr_object *o);
/* As contents_ops.field. */
bool clr_object_field(struct clr_contents *c, const struct clr_object *o,
		      const char *name, struct content_field *out,
		      struct error *err) MUST_USE;

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
