#ifndef MODEL_HEAP_NAMES_H
#define MODEL_HEAP_NAMES_H

/*
 * Type names: from the spelling of heap sources to that of C#.
 *   System.Collections.Generic.Dictionary<System.String,System.Int32>
 *     → Dictionary<string, int>; brief the same
 *   Leaky.Session → Leaky.Session, brief Session
 *   System.Int32<,> → int[,]
 *   []c__DisplayClass11_0 → closure (c__DisplayClass11_0)
 *   AsyncStateMachineBox<System.Int32,Foo.Bar+<Run>d__5>
 *     → async Foo.Bar.Run(), brief async Bar.Run()
 * The best known namespaces of the base library are dropped everywhere, others
 * in brief names. Not one to one: show the raw name where it matters.
 * Linear in the name's length, no recursion on nesting.
 */
#include "model/base/arena.h"

/* Bytes of `raw` without a trailing " (Bytes > 10K…)" or " (…ElemSize=…)". */
size_t name_folded_len(const char *raw, size_t len);

struct display_name {
	const char *full, *brief; /* the same pointer if the same text */
};
/* Both in `a`. Names it does not understand come back as they are. */
bool name_display(const char *raw, struct arena *a, struct display_name *out,
		  struct error *err) MUST_USE;

/*
 * A field as the program calls it: "<Default>k__BackingField" → "Default",
 * "<>9__2_0" → "lambda 2_0". In `a`; NULL sets `err`.
 */
const char *name_field(const char *raw, struct arena *a,
		       struct error *err) MUST_USE;

/*
 * The field in "Namespace.Type.field" or "Type+field": what follows the last
 * dot or plus that is not inside <>, as in "T.<I.P>k__BackingField". 0: none.
 */
size_t name_field_start(const char *text, size_t len);

#endif
