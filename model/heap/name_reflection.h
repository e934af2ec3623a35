#ifndef MODEL_HEAP_NAME_REFLECTION_H
#define MODEL_HEAP_NAME_REFLECTION_H

/*
 * Names of generic types as reflection writes them, with the assembly of each
 * argument, in the spelling of all other sources (names.h):
 *   A.Map`2[[B.Key, Asm, Version=1.0.0.0],[C.Value[], Asm]]
 *     → A.Map<B.Key,C.Value[]>
 * In time linear in the length and without recursion.
 */
#include "model/base/error.h"

/* To be freed; NULL: the name is not written so, or memory ran out. */
char *name_from_reflection(const char *raw, struct error *err);

#endif
