#ifndef MODEL_GRAPH_RETENTION_H
#define MODEL_GRAPH_RETENTION_H

/* Dominators and retained sizes of objects and types, as one result that is computed and replaced
   together (session.h). */
#include "model/graph/reach.h"
#include "model/graph/retained.h"

struct retention {
	const struct dominators *dominators;
	const struct retained *retained;
	/* Indexed by type; never less than the sizes of its objects, unreachable ones included. */
	const struct retained_sum *types;
	uint64_t bytes; /* resident bytes */
	struct arena arena;
};

/*
 * Leaves out what `ignored` lists; if it is NULL, leaves out the tables of static variables: those
 * that `reach` found, or, if that is NULL, all. Neither is needed afterwards. `limit_bytes` as in
 * dominators_compute().
 */
const struct retention *retention_compute(const struct heap *h, const struct reverse *rev,
					  const struct reach *reach, const struct ignored *ignored,
					  uint64_t limit_bytes, struct progress *progress,
					  struct error *err) MUST_USE;
void retention_free(const struct retention *retention); /* NULL is allowed */

/* Returns an estimate of the peak memory from counts alone, without heap, referrers and
   distances. */
uint64_t retention_bytes(const struct heap *h);

#endif
