#ifndef MODEL_GRAPH_STATIC_TABLES_H
#define MODEL_GRAPH_STATIC_TABLES_H

/*
 * The Object[] in which the runtime keeps static variables; see reach.h. Their
 * handles would explain what the static variables explain better.
 * Finding them costs one look at every reference, if there are candidates.
 */
#include "model/heap/sweep.h"

struct static_tables {
	node_id *nodes; /* ascending */
	uint32_t count;
	uint64_t static_refs_count;         /* from tables to static objects */
	uint64_t *is_candidate, *is_static; /* bits; while looking */
};

/* Candidates; `nodes` is taken from `a`, all else from `scratch`. */
bool static_tables_init(struct static_tables *t, const struct heap *h,
			struct arena *a, struct arena *scratch,
			struct error *err) MUST_USE;
/* Leaves only those that are tables. */
bool static_tables_find(struct static_tables *t, const struct sweep *sweep,
			struct error *err) MUST_USE;

/* Both at once, with `nodes` from `a`; nothing else of it stays. */
bool static_tables_compute(struct static_tables *t, const struct heap *h,
			   struct arena *a, struct progress *progress,
			   struct error *err) MUST_USE;

/* Whether a static variable, of a thread or not, holds the object itself. */
bool static_root_names(const struct heap *h, node_id n);

#endif
