#ifndef MODEL_ANALYSIS_FINDING_PAST_H
#define MODEL_ANALYSIS_FINDING_PAST_H

/* Compares the findings of a heap with those of an earlier one, by their ids. */
#include "model/analysis/findings.h"
#include "model/table/facts.h"

/*
 * Sets `past` and `before` of each finding in `all`. Those of one id are paired in the order of
 * `all`; where the earlier heap has fewer of them, the others are known with 0 bytes before. Limits
 * depend on the size of the heap and on the number of other objects: where another leak was fixed,
 * the same objects may exceed them now. So an id that the earlier heap has not is looked for again
 * by the limits of now, then whatever its share, and is known if it has not grown since. Requires
 * NEED_REACH and NEED_RETAINED of both. Looks for findings in `before` up to three times. False
 * sets `err`.
 */
bool findings_compare(const struct facts *facts, struct findings *all, const struct facts *before,
		      struct progress *progress, struct error *err);

#endif
