#ifndef MODEL_ANALYSIS_SURVIVAL_H
#define MODEL_ANALYSIS_SURVIVAL_H

/*
 * Which objects of the later of two heaps of one process are new, and which of the earlier are
 * gone.
 *
 * Where the collector has moved nothing, an object has survived if type and size at its address are
 * the same: that is exact. To see whether it has, objects that look like no other, in either heap,
 * are looked for at their old addresses. If more than a few of them are elsewhere, addresses say
 * nothing, as another object of the same type may be there now; all objects are then paired by
 * type, size, values and texts (if both heaps have them), what they refer to and which types refer
 * to them; then, as these change, by less, down to type and size. Of those that look the same the
 * oldest survive. That is an estimate.
 *
 * A pass in address order, 20 ns an object; if any object is missing, 100 ns for each object and
 * reference, with values 500 ns; sorting if some have moved. Takes a bit an object, and up to 50
 * bytes an object while it runs. Run it on a worker.
 */
#include "model/analysis/type_match.h"
#include "model/base/progress.h"
#include "model/heap/bits.h"

struct survival_sum {
	uint64_t survived, new_count, gone_count;
};

struct survival {
	/* The heaps look like one process; else nothing else is set. */
	bool is_known;
	uint32_t rows_count;
	struct survival_sum *rows; /* by row of the type_match */
	struct survival_sum all;
	uint64_t *is_new;                /* bits by object of the later heap */
	uint64_t *is_gone;               /* bits by object of the earlier heap */
	bool is_estimate;                /* objects have moved, or may have */
	uint32_t moved_count;            /* survivors found at another address */
	const struct heap *first, *last; /* borrowed */
};

/* `match` is of these two heaps, or of several: `first_at` and `last_at` are their indexes in it.
   Both must have objects. False sets `err`. */
bool survival_compute(struct survival *s, const struct type_match *match,
		      const struct heap *const *heaps, uint32_t first_at, uint32_t last_at,
		      struct progress *progress, struct error *err) MUST_USE;
void survival_clear(struct survival *s);

#endif
