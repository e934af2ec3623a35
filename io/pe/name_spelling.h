#ifndef IO_PE_NAME_SPELLING_H
#define IO_PE_NAME_SPELLING_H

/*
 * Names of types, from the runtime's spelling to that of heap_builder_type():
 * arguments in <>, each where its parameter was declared, without their number.
 *   System.Collections.Generic.List`1[System.Int32[,]]
 *     → System.Collections.Generic.List<System.Int32[,]>
 *   A.Dictionary`2+Entry[System.String,System.Int32][]
 *     → A.Dictionary<System.String,System.Int32>+Entry[]
 * In time linear in the length and without recursion.
 */
#include "model/base/arena.h"

/* In `a`; as it is if it is not put together like that. NULL sets `err`. */
const char *walk_name_spell(const char *name, struct arena *a,
			    struct error *err) MUST_USE;

/*
 * The runtime calls a nested type by its innermost name alone. Puts its full
 * name in place: "Entry[System.String][]" with "A.Table`1+Entry" becomes
 * "A.Table`1+Entry[System.String][]". As it is if the names do not fit.
 */
const char *walk_name_nest(const char *name, const char *definition,
			   struct arena *a, struct error *err) MUST_USE;

#endif
