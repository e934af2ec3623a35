#ifndef MODEL_ANALYSIS_FINDING_TEXT_H
#define MODEL_ANALYSIS_FINDING_TEXT_H

/*
 * Each finding (model/analysis/findings.h) in words: as three parts, which are columns, and as the
 * sentence made of these. All functions return `out` and require NEED_REACH.
 */
#include "model/analysis/findings.h"
#include "model/table/facts.h"

enum { FINDING_PART_BYTES = 512, FINDING_TEXT_BYTES = 3 * FINDING_PART_BYTES + 32 };
/* Writes the number and the name: "50 calls of async Foo.Run()". */
const char *finding_what(const struct facts *facts, const struct finding *f,
			 char out[FINDING_PART_BYTES]);
/* Writes what looks wrong, as the rest of a sentence that begins with finding_what(): "have not
   completed". */
const char *finding_why(const struct facts *facts, const struct finding *f,
			char out[FINDING_PART_BYTES]);
/* Writes the root that keeps the subject alive, "static Sessions", or the type that holds most of
   the objects; "" if neither is known. */
const char *finding_held(const struct facts *facts, const struct finding *f,
			 char out[FINDING_PART_BYTES]);
/* Writes the sentence: "all 9 Foo are in one List<Foo>, kept by static foos".
 */
const char *finding_text(const struct facts *facts, const struct finding *f,
			 char out[FINDING_TEXT_BYTES]);
/* The same for little room: without the last `dropped` clauses of finding_why(), in whose place
   there is "…", then without finding_held(). False: only the number and the name are left to
   drop. */
bool finding_text_without(const struct facts *facts, const struct finding *f, unsigned dropped,
			  char out[FINDING_TEXT_BYTES]);

#endif
