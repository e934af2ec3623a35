#ifndef IO_PE_NAME_SPELLING_H
#define IO_PE_NAME_SPELLING_H

/*
 * Converts names of types from reflection spelling to that of heap_builder_type(): arguments in <>,
 * each after the type that declares its parameter, and without their number.
 *   System.Collections.Generic.List`1[System.Int32[,]]
 *     → System.Collections.Generic.List<System.Int32[,]>
 *   A.Dictionary`2+Entry[System.String,System.Int32][]
 *     → A.Dictionary<System.String,System.Int32>+Entry[]
 * Takes time linear in the length, without recursion.
 */
#include "model/base/arena.h"

/* The result is in `a`; a malformed name is copied unchanged. NULL sets `err`. */
const char *name_spell(const char *name, struct arena *a, struct error *err) MUST_USE;

/*
 * Events name a nested type by its innermost name alone. Replaces that by the full name:
 * "Entry[System.String][]" with "A.Table`1+Entry" becomes "A.Table`1+Entry[System.String][]". Names
 * that do not match are left alone.
 */
const char *name_nest(const char *name, const char *definition, struct arena *a,
		      struct error *err) MUST_USE;

#endif
