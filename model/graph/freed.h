#ifndef MODEL_GRAPH_FREED_H
#define MODEL_GRAPH_FREED_H

/*
 * What would be freed: the objects that a root reached before and none does
 * now, because something is left out (ignored.h, or a cut). One pass, about a
 * nanosecond an object.
 */
#include "model/graph/reach.h"

struct freed_type {
	type_id type;
	uint64_t count, bytes;
};

struct freed {
	uint64_t count, bytes;
	struct freed_type *types; /* the most bytes first */
	uint32_t types_count;
};

/* A bit for each object that some root reaches. Free with memory_free(). */
uint64_t *reach_bits(const struct reach *reach, struct progress *progress,
		     struct error *err) MUST_USE;

/* `before` as reach_bits() made it. Clear it in any case. */
bool freed_compute(struct freed *freed, const uint64_t *before,
		   const struct reach *now, struct progress *progress,
		   struct error *err) MUST_USE;
void freed_clear(struct freed *freed);

/*
 * References from objects of one set to those of another, or roots: bits, as
 * in flood.h; those of another kind NULL.
 */
struct cut {
	const uint64_t *sources, *targets;
	const uint64_t *roots;
};
/*
 * What would be freed without these, besides what is ignored already: count
 * and bytes only. As long as a flood from the roots.
 */
bool freed_by_cut(struct freed *freed, const struct reach *reach,
		  const struct ignored *ignored, const struct cut *cut,
		  struct progress *progress, struct error *err) MUST_USE;

#endif
