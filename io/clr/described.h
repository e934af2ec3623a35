#ifndef IO_CLR_DESCRIBED_H
#define IO_CLR_DESCRIBED_H

/*
 * Describes objects of the base library in one line, like their ToString(): Version, Uri, IP
 * addresses, Lazy. Reads their fields by name; an object without these fields gets no text.
 */
#include "io/clr/contents_state.h"

/* Returns the text, allocated in `a`. NULL without an error: the type is not described, or fields
 * are absent. Reads two to four fields. */
const char *clr_describe(struct clr_contents *c, node_id n, const struct clr_object *o,
			 struct arena *a, struct error *err) MUST_USE;

/* Returns the decimal text of a BigInteger whose bits are in an array of words of 32 bits, or of 64
 * in .NET 11; above 4096 bits the text only says how many there are. NULL: see clr_describe(). */
const char *clr_describe_big(struct clr_contents *c, node_id array, bool is_negative,
			     struct arena *a, struct error *err) MUST_USE;

#endif
