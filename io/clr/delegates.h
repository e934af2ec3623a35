#ifndef IO_CLR_DELEGATES_H
#define IO_CLR_DELEGATES_H

/*
 * A delegate calls a method with its target, or a list of delegates.
 *
 *   _methodPtr      the method's stub, with _target as "this"; for a static
 *   _methodPtrAux   method the stub is here, and _target the delegate itself
 *   _invocationList, _invocationCount; since .NET 11 _helperObject, _extraData
 *                   for several delegates, an array and the number in use (its
 *                   items are delegates, since .NET 11 structs of one);
 *                   otherwise the number may be the record of a method
 *
 * Costs some 10 µs each, mostly for the name.
 */
#include "io/clr/contents_state.h"

/* *is_delegate: the object is a delegate and `out` is set; texts are in `a`. */
bool clr_delegate_read(struct clr_contents *c, const struct clr_object *o,
		       struct content_method *out, bool *is_delegate, struct arena *a,
		       struct error *err) MUST_USE;

#endif
