#ifndef MODEL_GRAPH_STATIC_TABLES_H
#define MODEL_GRAPH_STATIC_TABLES_H

/*
 * Finds the Object[] tables in which the runtime keeps static variables; see reach.h. Paths through
 * them would hide better ones from the static variables. Costs one pass over all references, if
 * there are candidates.
 */
#include "model/heap/sweep.h"

struct static_tables {
	node_id *nodes; /* ascending */
	uint32_t count;
	uint64_t static_refs_count;         /* from tables to static objects */
	uint64_t *is_candidate, *is_static; /* bits; temporary */
};

/* Finds candidates; `nodes` is in `a`, all else in `scratch`. */
bool static_tables_init(struct static_tables *t, const struct heap *h, struct arena *a,
			struct arena *scratch, struct error *err) MUST_USE;
/* Keeps only the tables among the candidates. */
bool static_tables_find(struct static_tables *t, const struct sweep *sweep,
			struct error *err) MUST_USE;

/* Does both, with `nodes` in `a`; nothing else remains. */
bool static_tables_compute(struct static_tables *t, const struct heap *h, struct arena *a,
			   struct progress *progress, struct error *err) MUST_USE;

/* Returns true if a static or thread-static root refers to the object. */
bool static_root_names(const struct heap *h, node_id n);

#endif
