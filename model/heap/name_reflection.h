#ifndef MODEL_HEAP_NAME_REFLECTION_H
#define MODEL_HEAP_NAME_REFLECTION_H

/*
 * Translates names of generic types from the spelling of reflection, which adds the assembly of
 * each argument, to that of all other sources (names.h):
 *   A.Map`2[[B.Key, Asm, Version=1.0.0.0],[C.Value[], Asm]]
 *     → A.Map<B.Key,C.Value[]>
 * In time linear in the length and without recursion.
 */
#include "model/base/error.h"

/* memory_free() the result; NULL: not spelled like this, or out of memory. */
char *name_from_reflection(const char *raw, struct error *err);

#endif
