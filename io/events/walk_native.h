#ifndef IO_EVENTS_WALK_NATIVE_H
#define IO_EVENTS_WALK_NATIVE_H

/*
 * Types of Native AOT. Its events give a type's method table and the distance of that from the
 * program's start, but no name; names are in the program's symbols (io/memory/native_types.h). A
 * type that was not described has a name, too, since the distance of another type tells where the
 * program starts.
 *
 * With server GC there are no such walks: a request for one crashes the program (measured with
 * 10.0.12), so none is asked for.
 */
#include "io/events/walk_state.h"

struct walk_native {
	bool is_native;                   /* it is a Native AOT program */
	uint64_t base;                    /* where the program starts */
	const struct native_types *types; /* NULL: there are no symbols */
	char why[NATIVE_WHY_BYTES];       /* if there are none */
};

/* Asks for the symbols if the walk's types are of Native AOT. False: no
 * memory. */
bool walk_native_open(struct walk_native *n, struct walk *w, struct error *err) MUST_USE;
/*
 * The name of type number `i`: from the symbols, else its place and, if all its objects have the
 * same size, that. out->name NULL: it is of another runtime or was not described. False: no memory.
 */
bool walk_native_name(const struct walk_native *n, const struct walk *w, size_t i, struct arena *a,
		      struct native_name *out, struct error *err) MUST_USE;

#endif
