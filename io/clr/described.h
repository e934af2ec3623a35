#ifndef IO_CLR_DESCRIBED_H
#define IO_CLR_DESCRIBED_H

/*
 * Objects of the base library in one line, as their ToString() says it: a
 * Version, a Uri, an address, a Lazy. By the names of their fields; what does
 * not look like one has no text.
 */
#include "io/clr/contents_state.h"

/* NULL without an error: there is nothing to say, or it is not there. The text
 * is in `a`. Reads two to four fields, and nothing of other types. */
const char *clr_describe(struct clr_contents *c, node_id n,
			 const struct clr_object *o, struct arena *a,
			 struct error *err) MUST_USE;

/*
 * A BigInteger whose bits are in an array, 32 of them in each element; larger
 * ones than 4096 bits by how many words they have. NULL as above.
 */
const char *clr_describe_big(struct clr_contents *c, node_id array,
			     bool is_negative, struct arena *a,
			     struct error *err) MUST_USE;

#endif
