#ifndef MODEL_ANALYSIS_GARBAGE_H
#define MODEL_ANALYSIS_GARBAGE_H

/*
 * How much of each type is dead: no root reaches it, and it was not collected
 * yet. One pass over the objects, about 2 ns each.
 */
#include "model/analysis/groups.h"

/* One for each type of the heap; free with memory_free(). */
struct type_sum *garbage_by_type(const struct reach *reach,
				 struct progress *progress,
				 struct error *err) MUST_USE;

#endif
