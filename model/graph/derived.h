#ifndef MODEL_GRAPH_DERIVED_H
#define MODEL_GRAPH_DERIVED_H

/*
 * Results stored with a heap in its file: reading them takes a tenth of the time of computing them.
 * The file may be hostile, so everything that other code relies on is checked: paths lead along
 * references to roots, dominators are trees, and a type retains no less than its objects and no
 * more than the heap. That paths are the cheapest, or dominators and retained sizes the right ones,
 * is not checked; paths of another REACH_COSTS_VERSION are not used. `is_kept` marks such a result.
 */
#include "model/graph/dominators.h"
#include "model/graph/reach.h"

struct heap_derived { /* belongs to a heap; created by its reader */
	void *kept;   /* argument of the functions */
	/* Each may be NULL. False sets `err`: the data cannot be used. */
	bool (*read_ways)(void *kept, struct reach_restoring *r, struct progress *progress,
			  struct error *err);
	bool (*read_dominators)(void *kept, struct dominators_restoring *r,
				struct progress *progress, struct error *err);
	/* The circumstances of the computation. */
	bool prefers_statics;
	const node_id *static_tables;
	uint32_t static_tables_count, reachable_count;
	uint64_t static_refs_count;
	/* Bytes, as in struct retention; with `prefers_statics` as above and nothing ignored. NULL:
	   unknown. */
	const uint64_t *retained_by_type;
};

/* Returns distances and paths from the file, or computes them if the file has none or bad ones. */
const struct reach *derived_reach(const struct heap *h, bool prefer_statics,
				  struct progress *progress, struct error *err) MUST_USE;
/*
 * Returns the file's dominators, computed without the tables of static variables that `reach`
 * found. NULL without an error: the file has none, or bad ones.
 */
const struct dominators *derived_dominators(const struct heap *h, const struct reach *reach,
					    struct progress *progress, struct error *err) MUST_USE;

#endif
