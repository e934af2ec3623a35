#ifndef MODEL_ANALYSIS_FINDING_TEXT_H
#define MODEL_ANALYSIS_FINDING_TEXT_H

/* Each finding (model/analysis/findings.h) as one sentence. */
#include "model/analysis/findings.h"
#include "model/table/facts.h"

enum { FINDING_TEXT_BYTES = 512 };
/* Write a sentence such as "50 calls of async Foo.Run() have not completed".
   Returns `out`. Requires NEED_REACH. */
const char *finding_text(const struct facts *facts, const struct finding *f,
			 char out[FINDING_TEXT_BYTES]);

#endif
