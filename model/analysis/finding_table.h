#ifndef MODEL_ANALYSIS_FINDING_TABLE_H
#define MODEL_ANALYSIS_FINDING_TABLE_H

/* Rows of findings_table, for views that open one. */
#include "model/analysis/findings.h"
#include "model/analysis/tables.h"

struct findings_made {
	struct findings *findings;
	const struct finding *items; /* array of `findings` */
	uint32_t count;
	bool has_retained;     /* retained sizes were known */
	uint32_t hidden_count; /* with `set mine`: not about my code */
};

/* Returns what findings_find() takes, of which `facts` lends the parts. */
struct findings_input findings_input_of(const struct facts *facts);
/*
 * Returns the bytes that are freed if the subject alone is cut off. They are less than f->retained
 * where its objects are also held elsewhere. UINT64_MAX: no one object holds them, or dominators
 * are unknown.
 */
uint64_t finding_frees(const struct facts *facts, const struct finding *f);

#endif
