#ifndef IO_RUNTIME_TABLES_H
#define IO_RUNTIME_TABLES_H

/*
 * Method tables: what the first word of every object leads to. One look into
 * the process for each, then a hash table: about 4 ns.
 * What is no method table is told apart by what one must be: outside of the
 * heap, of a sensible size, with a class that leads back to it.
 *
 * One `struct clr_tables` per thread; it grows by 32 bytes a table.
 */
#include "io/runtime/heaps.h"

struct clr_table {
	uint64_t address;
	uint32_t flags;     /* CLR_MT_… */
	uint32_t base_size; /* bytes of an object without components */
	uint32_t component_size;
	bool is_good; /* false: no method table */
	bool is_free; /* free space, no object of the program */
};

struct clr_tables;

/* The heaps are borrowed: where objects are is no method table. */
struct clr_tables *clr_tables_new(const struct clr_heaps *h,
				  struct error *err) MUST_USE;
void clr_tables_free(struct clr_tables *t);

/*
 * NULL: there is no method table. Good until the next call. `address` without
 * the collector's marks.
 */
const struct clr_table *clr_tables_get(struct clr_tables *t, uint64_t address);
/* The same of those that were asked for before; never looks anew. */
const struct clr_table *clr_tables_known(const struct clr_tables *t,
					 uint64_t address);

/* Bytes of an object, filled up to 8. */
static inline uint64_t
clr_object_size(const struct clr_table *t, uint32_t components)
{
	return ((uint64_t)t->base_size +
		(uint64_t)t->component_size * components + 7) &
	       ~UINT64_C(7);
}

#endif
