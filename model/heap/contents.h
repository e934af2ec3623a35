#ifndef MODEL_HEAP_CONTENTS_H
#define MODEL_HEAP_CONTENTS_H

/*
 * Reads fields of objects by name, for code that knows the layout of base library types. Names may
 * lead into structures ("_state._value"). Any thread; each call costs about a microsecond.
 *
 * All return false without an error if the object has no such field, or one of another kind, or its
 * bytes are absent. Errors are lack of memory and damage.
 */
#include "model/heap/literal.h"
#include "model/heap/memory.h"

/* Returns true if objects of the heap have contents. */
bool contents_exist(const struct heap *h);
/* Returns true if their fields are known; otherwise, in Native AOT, only strings, arrays and boxed
   numbers have values. */
bool contents_have_fields(const struct heap *h);
/* Reads a number, enumeration, bool (0, 1) or pointer; unsigned 64-bit values keep their bits. */
bool contents_integer(const struct heap *h, node_id n, const char *name, int64_t *out,
		      struct error *err) MUST_USE;
/* Reads a reference; NODE_NONE: null, or no object starts there. */
bool contents_reference(const struct heap *h, node_id n, const char *name, node_id *out,
			struct error *err) MUST_USE;
/* Returns the address of the object's method table, or 0 if it is absent. */
uint64_t contents_table(const struct heap *h, node_id n);
/* The same for values at an address. */
bool contents_read_integer(const struct heap *h, uint64_t address, enum literal_kind kind,
			   int64_t *out) MUST_USE;
bool contents_read_reference(const struct heap *h, uint64_t address, node_id *out) MUST_USE;

#endif
