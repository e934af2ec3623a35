#ifndef IO_CLR_STATIC_VALUES_H
#define IO_CLR_STATIC_VALUES_H

/*
 * Static variables with their values, of one type or of all. What is in the
 * image of a module (the data of arrays that are written out in a program), of
 * classes that can be unloaded in .NET 8, and not there yet is listed, and
 * said to be unknown.
 */
#include "io/clr/contents_state.h"

/* As contents_ops.statics. Takes the lock for one type after another. */
bool clr_static_values_read(struct clr_contents *c, uint64_t table,
			    struct heap_statics *out, struct progress *progress,
			    struct arena *a, struct error *err) MUST_USE;

#endif
