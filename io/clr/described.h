#ifndef IO_CLR_DESCRIBED_H
#define IO_CLR_DESCRIBED_H

/*
 * Describes objects of the base library in one line, like their ToString():
 * Version, Uri, IP addresses, Lazy. Reads their fields by name; an object
 * without these fields gets no text.
 */
#include "io/clr/contents_state.h"

/* The text is in `a`. NULL without an error: no description, or absent fields.
 * Reads two to four fields of known types only. */
const char *clr_describe(struct clr_contents *c, node_id n,
			 const struct clr_object *o, struct arena *a,
			 struct error *err) MUST_USE;

/* A BigInteger whose bits are in an array of 32-bit words. Above 4096 bits only
 * the size is given. NULL: see clr_describe(). */
const char *clr_describe_big(struct clr_contents *c, node_id array,
			     bool is_negative, struct arena *a,
			     struct error *err) MUST_USE;

#endif
