#ifndef MODEL_HEAP_NAMES_H
#define MODEL_HEAP_NAMES_H

/*
 * Translates type names from the spelling of heap sources to that of C#:
 *   System.Collections.Generic.Dictionary<System.String,System.Int32>
 *     → Dictionary<string, int>; brief the same
 *   Leaky.Session → Leaky.Session, brief Session
 *   System.Int32<,> → int[,]
 *   []c__DisplayClass11_0 → closure (c__DisplayClass11_0)
 *   AsyncStateMachineBox<System.Int32,Foo.Bar+<Run>d__5>
 *     → async Foo.Bar.Run(), brief async Bar.Run()
 * Well-known namespaces of the base library are always dropped, others in brief names. Not one to
 * one: show the raw name where that matters. Linear in the name's length, without recursion.
 */
#include "model/base/arena.h"

/* Returns the length without a trailing " (Bytes > 10K…)" or "
   (…ElemSize=…)". */
size_t name_folded_len(const char *raw, size_t len);

struct display_name {
	const char *full, *brief; /* the same pointer if equal */
};
/* Both texts are in `a`. Names that are not understood are copied. */
bool name_display(const char *raw, struct arena *a, struct display_name *out,
		  struct error *err) MUST_USE;

/* Returns a field's name in the source code: "<Default>k__BackingField" → "Default", "<>9__2_0" →
   "lambda 2_0". In `a`; NULL sets `err`. */
const char *name_field(const char *raw, struct arena *a, struct error *err) MUST_USE;

/*
 * Returns where the field begins in "Namespace.Type.field" or "Type+field": after the last dot or
 * plus outside <>, as in "T.<I.P>k__BackingField". 0: no type.
 */
size_t name_field_start(const char *text, size_t len);

#endif
