#ifndef MODEL_ANALYSIS_TYPE_SPELLING_H
#define MODEL_ANALYSIS_TYPE_SPELLING_H

/*
 * Two spellings of a type. Metadata gives the full name of a nested type. Runtime events, and
 * .gcdump files made from them, give only the innermost name with the type arguments of all parts,
 * and they replace "<>" and "[,]":
 *
 *   System.Collections.Generic.Dictionary<A,B>+Entry[]  →  Entry<A,B>[]
 *   Leaky.Program+<>c__DisplayClass1_0                  →  []c__DisplayClass1_0
 *   System.Int32[,]                                     →  System.Int32<,>
 */
#include "model/base/arena.h"

/*
 * Returns the raw name as events spell it, in `a`; a name that is already spelled so is returned as
 * it is. Different types may get the same spelling. NULL sets `err`. Linear time.
 */
char *type_event_name(const char *raw, struct arena *a, struct error *err) MUST_USE;

#endif
