#ifndef MODEL_GRAPH_FREED_H
#define MODEL_GRAPH_FREED_H

/*
 * The objects that would be freed: they were reachable and are not any more, because of exclusions
 * (ignored.h) or a cut. One pass, about a nanosecond an object.
 */
#include "model/graph/reach.h"

struct freed_type {
	type_id type;
	uint64_t count, bytes;
};

struct freed {
	uint64_t count, bytes;
	struct freed_type *types; /* most bytes first */
	uint32_t types_count;
};

/* Returns a bit for each reachable object, to be freed by memory_free(). */
uint64_t *reach_bits(const struct reach *reach, struct progress *progress,
		     struct error *err) MUST_USE;

/* `before` is from reach_bits(). Call freed_clear() in any case. */
bool freed_compute(struct freed *freed, const uint64_t *before, const struct reach *now,
		   struct progress *progress, struct error *err) MUST_USE;
void freed_clear(struct freed *freed);

/* References from one set of objects to another, or roots: bits, as in flood.h. Unused ones are
   NULL. */
struct cut {
	const uint64_t *sources, *targets;
	const uint64_t *roots;
};
/* Finds the count and bytes freed by a cut in addition to `ignored`. Costs a flood from the
   roots. */
bool freed_by_cut(struct freed *freed, const struct reach *reach, const struct ignored *ignored,
		  const struct cut *cut, struct progress *progress, struct error *err) MUST_USE;

#endif
