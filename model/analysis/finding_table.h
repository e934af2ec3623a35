#ifndef MODEL_ANALYSIS_FINDING_TABLE_H
#define MODEL_ANALYSIS_FINDING_TABLE_H

/* Rows of findings_table, for views that open one. */
#include "model/analysis/findings.h"
#include "model/analysis/tables.h"

struct findings_made {
	struct findings *findings;
	struct findings *earlier;    /* of facts.before, or NULL */
	const struct finding *items; /* array of `findings`, or of its arena */
	uint32_t count;              /* with those that are gone, which come last */
	bool has_retained;           /* retained sizes were known */
	uint32_t hidden_count;       /* with `set mine`: not about my code */
};

/*
 * Returns the bytes that are freed if the subject alone is cut off. They are less than f->retained
 * where its objects are also held elsewhere. UINT64_MAX: no one object holds them, or dominators
 * are unknown.
 */
uint64_t finding_frees(const struct facts *facts, const struct finding *f);

#endif
