#ifndef MODEL_HEAP_CONTENTS_H
#define MODEL_HEAP_CONTENTS_H

/*
 * Reads fields of objects by name, for code that knows what the base library's
 * objects are made of: contents_ops.field, and what is there. Names may lead
 * into structures ("_state._value"). Any thread; each call costs about a
 * microsecond.
 *
 * All are false without an error where the object has no such field, or one of
 * another kind, or its bytes are absent; an error is no memory, or damage.
 */
#include "model/heap/literal.h"
#include "model/heap/memory.h"

/* Can anybody tell what is in the objects of the heap? */
bool contents_exist(const struct heap *h);
/* A number, an enumeration, a bool (0, 1), a pointer; unsigned ones of 64 bits
 * keep their bits. */
bool contents_integer(const struct heap *h, node_id n, const char *name,
		      int64_t *out, struct error *err) MUST_USE;
/* NODE_NONE: null, or no object is there. */
bool contents_reference(const struct heap *h, node_id n, const char *name,
			node_id *out, struct error *err) MUST_USE;
/* The method table that an object refers to; 0: it is absent. */
uint64_t contents_table(const struct heap *h, node_id n);
/* The same of what lies at an address. */
bool contents_read_integer(const struct heap *h, uint64_t address,
			   enum literal_kind kind, int64_t *out) MUST_USE;
bool contents_read_reference(const struct heap *h, uint64_t address,
			     node_id *out) MUST_USE;

#endif
