#ifndef MODEL_ANALYSIS_FINDING_TEXT_H
#define MODEL_ANALYSIS_FINDING_TEXT_H

/*
 * Each finding (model/analysis/findings.h) in words: as three parts, which are columns, and as the
 * sentence made of these. All functions add to `out` and require NEED_REACH. Long names are cut in
 * a buffer, and whole in an arena.
 */
#include "model/analysis/findings.h"
#include "model/base/text.h"
#include "model/table/facts.h"

enum { FINDING_TEXT_BYTES = 2048 }; /* of a sentence with cut names */

/* A part of the sentence, or all of it. */
typedef void finding_part(const struct facts *facts, const struct finding *f, struct text *out);
/* Adds the number and the name: "50 calls of async Foo.Run()". */
finding_part finding_what;
/* Adds what looks wrong, as the rest of a sentence that begins with finding_what(): "have not
   completed". */
finding_part finding_why;
/* Adds the root that keeps the subject alive, "static Sessions", or the type that holds most of the
   objects; nothing if neither is known. */
finding_part finding_held;
/* Adds the sentence: "all 9 Foo are in one List<Foo>, kept by static foos". */
finding_part finding_text;
/* The same for little room: without the last `dropped` clauses of finding_why(), in whose place
   there is "…", then without finding_held(). False: only the number and the name are left to
   drop. */
bool finding_text_without(const struct facts *facts, const struct finding *f, unsigned dropped,
			  struct text *out);

#endif
