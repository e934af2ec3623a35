#ifndef MODEL_ANALYSIS_GARBAGE_H
#define MODEL_ANALYSIS_GARBAGE_H

/* Dead objects by type: no root reaches them, but they are not yet collected. One pass over the
   objects, about 2 ns each. */
#include "model/analysis/groups.h"

/* Returns a sum for each type of the heap, to be freed by memory_free(). NULL sets `err`. */
struct type_sum *garbage_by_type(const struct reach *reach, struct progress *progress,
				 struct error *err) MUST_USE;

#endif
