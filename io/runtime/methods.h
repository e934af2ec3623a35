#ifndef IO_RUNTIME_METHODS_H
#define IO_RUNTIME_METHODS_H

/*
 * Finds the method that code belongs to: from the precode stub through which it is called, to the
 * method record (MethodDesc) that the stub loads.
 *
 *   stub x64   an optional jmp [rip+i32] (ff 25), then mov r10, [rip+i32]
 *              (4c 8b 15), which loads the record
 *   arm64      within four instructions ldr x12, literal
 *
 * The layout is the same in .NET 8 to 11. A result counts only if the type declares a method with
 * that token. Code without a stub (the runtime's
 * own) is not found from here, but by io/runtime/code.h. In .NET 11 an async method has two records
 * with one token: what its callers call, and its body.
 */
#include "io/runtime/names.h"
#include "model/heap/memory.h"

struct clr_method {
	uint64_t table;   /* of the declaring type */
	uint32_t row;     /* in the module's table MethodDef */
	const char *name; /* in the module's metadata */
};

/* Finds the method at an entry point. False: unknown, or `err` is set: no memory. */
bool clr_method_at(const struct clr_names *n, uint64_t code, struct clr_method *out,
		   struct error *err) MUST_USE;
/* Finds the method of a MethodDesc; fails like clr_method_at(). */
bool clr_method_of_record(const struct clr_names *n, uint64_t record, struct clr_method *out,
			  struct error *err) MUST_USE;
/* Returns the name of a dynamic method (a DynamicMethod, or a stub with IL for interop), which has
 * no token; "": it is none. NULL: no memory. */
const char *clr_method_dynamic_name(const struct clr_names *n, uint64_t record, struct arena *a,
				    struct error *err) MUST_USE;

/* Returns the type arguments of an instance of a generic method, "<A,B>" in the spelling of
 * clr_name_of(), or "". Code that several instances share has System.__Canon for each reference
 * type. NULL: no memory. */
const char *clr_method_arguments(const struct clr_names *n, uint64_t record, struct arena *a,
				 struct error *err) MUST_USE;

/* Returns the types of a method's parameters without namespaces, "(string, int)", or "" if they
 * cannot be named. Some 10 µs. NULL: no memory. */
const char *clr_method_parameters(const struct clr_names *n, uint64_t record,
				  const struct clr_method *method, struct arena *a,
				  struct error *err) MUST_USE;

/*
 * Lists the methods that the class of a canonical method table declares, chunk by chunk. Records
 * vary in length, so a record is recognised by its position and token. False sets `err`: no
 * metadata, or no memory.
 */
bool clr_methods_read(const struct clr_names *n, const struct content_table *table,
		      struct content_methods *out, struct arena *a, struct error *err) MUST_USE;

#endif
