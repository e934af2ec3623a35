#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

/*
 * Type names: from the spelling of heap sources to that of C#.
 *   System.Collections.Generic.Dictionary<System.String,System.Int32>
 *     → Dictionary<string, int>; short the same
 *   Leaky.Session → Leaky.Session, short Session
 *   []c__DisplayClass11_0 → "closure (c__DisplayClass11_0)"
 * Namespaces of the base library are dropped everywhere, others in short names.
 * Linear in the name's length, no recursion on nesting.
 */
#include "model/arena.h"

/* Bytes of `raw` without a trailing "(Bytes > 10K…)" or "(…ElemSize=…)". */
size_t name_folded_len(const char *raw, size_t len);

struct display_name {
	const char *full, *brief;
};
/* Both in `a`. Names it does not understand come back as they are. */
bool name_display(const char *raw, struct arena *a, struct display_name *out,
		  struct error *err) MUST_USE;

#endif
