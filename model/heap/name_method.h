#ifndef MODEL_HEAP_NAME_METHOD_H
#define MODEL_HEAP_NAME_METHOD_H

/*
 * Undoes the compiler's renaming of methods, in linear time:
 *
 *   Leaky.Cache, Evict                          → Leaky.Cache.Evict
 *   Foo.Bar+<>c__DisplayClass1_0, <Run>b__2     → Foo.Bar.Run lambda 2
 *   Foo.Bar+<>c, <Run>b__5_2                    → Foo.Bar.Run lambda 5_2
 *   Foo.Bar, <Run>g__Local|5_1                  → Foo.Bar.Run.Local
 *   Foo.Bar+<Run>d__5, MoveNext                 → Foo.Bar.Run
 */
#include "model/base/arena.h"

/* `type` as heaps spell it (names.h), `method` as in metadata. The result is in `a`; NULL sets
 * `err`. */
const char *name_method(const char *type, const char *method, struct arena *a,
			struct error *err) MUST_USE;

#endif
