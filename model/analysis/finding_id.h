#ifndef MODEL_ANALYSIS_FINDING_ID_H
#define MODEL_ANALYSIS_FINDING_ID_H

/*
 * Names for findings that stay the same between captures of a program:
 * "collection:Leaky.Session:List<Leaky.Session>:static Sessions". An id has the kind, the full
 * names of types, and the static variable that keeps the subject alive; never an address or an
 * amount. Other roots are left out, since they vary between captures, and so is the class of the
 * variable, which captures by events do not have. Findings that differ only in their objects share
 * an id.
 */
#include "model/analysis/findings.h"
#include "model/table/facts.h"

enum { FINDING_ID_BYTES = 512 };
/* Returns `out`. Requires NEED_REACH. A longer id is cut in its middle. */
const char *finding_id(const struct facts *facts, const struct finding *f,
		       char out[FINDING_ID_BYTES]);

#endif
