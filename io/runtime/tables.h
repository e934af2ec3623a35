#ifndef IO_RUNTIME_TABLES_H
#define IO_RUNTIME_TABLES_H

/*
 * A cache of method tables, which the first word of every object points to. The first look-up reads
 * the process, later ones take about 4 ns. A method table is recognised by its place outside of the
 * heap, a plausible size, and a class that points back to it.
 *
 * Each thread needs its own struct clr_tables; it takes 32 bytes a table.
 */
#include "io/runtime/heaps.h"

struct clr_table {
	uint64_t address;
	uint32_t flags;     /* CLR_MT_… */
	uint32_t base_size; /* size of an object without components */
	uint32_t component_size;
	bool is_good;         /* false: no method table */
	bool is_free;         /* the free object's method table */
	bool is_continuation; /* made at run time for suspended calls */
};

struct clr_tables;

/* The heaps are borrowed; an address inside them is no method table. */
struct clr_tables *clr_tables_new(const struct clr_heaps *h, struct error *err) MUST_USE;
void clr_tables_free(struct clr_tables *t);

/* NULL: no method table is at `address`, from which the mark bits were removed. The result is valid
 * until the next call. */
const struct clr_table *clr_tables_get(struct clr_tables *t, uint64_t address);
/* Like clr_tables_get(), but only among the tables already looked up. */
const struct clr_table *clr_tables_known(const struct clr_tables *t, uint64_t address);

/* The size of an object, rounded up to 8 bytes. */
static inline uint64_t
clr_object_size(const struct clr_table *t, uint32_t components)
{
	return ((uint64_t)t->base_size + (uint64_t)t->component_size * components + 7) &
	       ~UINT64_C(7);
}

#endif
