#ifndef IO_RUNTIME_METHODS_H
#define IO_RUNTIME_METHODS_H

/*
 * Finds the method that code belongs to: from the precode stub through which it
 * is called, to the method record (MethodDesc) that the stub loads.
 *
 *   stub x64   an optional jmp [rip+i32] (ff 25), then mov r10, [rip+i32]
 *              (4c 8b 15), which loads the record
 *   arm64      within four instructions ldr x12, literal
 *
 * The layout is the same in .NET 8, 9 and 10. A result counts only if the type
 * declares a method with that token. Code without a stub (the runtime's own,
 * or dynamic methods) is not found.
 */
#include "io/runtime/names.h"
#include "model/heap/memory.h"

struct clr_method {
	uint64_t table;   /* of the declaring type */
	const char *name; /* in the module's metadata */
};

/* Finds the method at an entry point. False: unknown, or `err` is set: no
 * memory. */
bool clr_method_at(const struct clr_names *n, uint64_t code,
		   struct clr_method *out, struct error *err) MUST_USE;
/* Finds the method of a MethodDesc; fails like clr_method_at(). */
bool clr_method_of_record(const struct clr_names *n, uint64_t record,
			  struct clr_method *out, struct error *err) MUST_USE;

/*
 * Lists the methods that the class of a canonical method table declares, chunk
 * by chunk. Records vary in length, so a record is recognised by its position
 * and token. False sets `err`: no metadata, or no memory.
 */
bool clr_methods_read(const struct clr_names *n,
		      const struct content_table *table,
		      struct content_methods *out, struct arena *a,
		      struct error *err) MUST_USE;

#endif
