#ifndef TUI_SESSION_SHOWN_NAMES_H
#define TUI_SESSION_SHOWN_NAMES_H

/*
 * Names of types without namespaces, for screens. Where two would be equal, each keeps as much of
 * its namespace as tells it from the others. Sorts the types by name once: 0.2 s for a million.
 */
#include "model/heap/heap.h"

/* Returns a name for each type: type->short_name, or a piece of type->name that ends with it. In
   `a`; NULL sets `err`. */
const char *const *shown_names_make(const struct type *types, uint32_t count, struct arena *a,
				    struct error *err) MUST_USE;

#endif
