#ifndef MODEL_ANALYSIS_TYPE_SPELLING_H
#define MODEL_ANALYSIS_TYPE_SPELLING_H

/*
 * Two ways of writing one type. Metadata tell all of a nested type's name; the
 * runtime's events, and .gcdump files made of them, only the innermost part,
 * with the type arguments of all parts, and make of "<>" and "[,]" something
 * else:
 *
 *   System.Collections.Generic.Dictionary<A,B>+Entry[]  →  Entry<A,B>[]
 *   Leaky.Program+<>c__DisplayClass1_0                  →  []c__DisplayClass1_0
 *   System.Int32[,]                                     →  System.Int32<,>
 */
#include "model/base/arena.h"

/*
 * The raw name as events spell it; one that is spelled so comes back as it is.
 * Different types may get the same. In `a`; linear.
 */
char *type_event_name(const char *raw, struct arena *a,
		      struct error *err) MUST_USE;

#endif
