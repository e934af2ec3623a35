#ifndef IO_CLR_STATIC_VALUES_H
#define IO_CLR_STATIC_VALUES_H

/*
 * Static variables with their values, of one type or of all. Variables without an accessible value
 * are listed as unknown: those in a module's image (the data of array initialisers), those of
 * collectible classes in .NET 8, and those not yet created.
 */
#include "io/clr/contents_state.h"

/* Implements contents_ops.statics. Holds the lock for one type at a time. */
bool clr_static_values_read(struct clr_contents *c, uint64_t table, struct heap_statics *out,
			    struct progress *progress, struct arena *a, struct error *err) MUST_USE;

#endif
