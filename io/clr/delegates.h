#ifndef IO_CLR_DELEGATES_H
#define IO_CLR_DELEGATES_H

/*
 * What delegates call: a method with what is "this" to it, or several others,
 * one after another.
 *
 *   _methodPtr      the method's stub, and _target is "this"; of a static
 *   _methodPtrAux   method the stub is here, and _target is the delegate itself
 *   _invocationList, _invocationCount
 *                   of several an array and how many of it; else the list is
 *                   none, and the count may be the record of a method
 *
 * Some 10 µs each, most of it for the name.
 */
#include "io/clr/contents_state.h"

/* *is_one: it is a delegate, and `out` is about it; texts are in `a`. */
bool clr_delegate_read(struct clr_contents *c, const struct clr_object *o,
		       struct content_method *out, bool *is_one,
		       struct arena *a, struct error *err) MUST_USE;

#endif
