#ifndef MODEL_GRAPH_DERIVED_H
#define MODEL_GRAPH_DERIVED_H

/*
 * What was computed about a heap before, and came with it from a file: taken
 * from there it costs a tenth of the time. Whoever wrote the file may have
 * written anything: it is checked as far as others rely on it – ways lead along
 * references to roots, dominators are trees – but not that it is the best way,
 * or the right dominator. `is_kept` of a result tells where it is from.
 */
#include "model/graph/dominators.h"
#include "model/graph/reach.h"

struct heap_derived { /* a heap's; made by who read it */
	void *kept;   /* for the functions */
	/* Either may be NULL. False, with `err` set, if it is worth nothing. */
	bool (*read_ways)(void *kept, struct reach_restoring *r,
			  struct progress *progress, struct error *err);
	bool (*read_dominators)(void *kept, struct dominators_restoring *r,
				struct progress *progress, struct error *err);
	/* How they were computed. */
	bool prefers_statics;
	const node_id *static_tables;
	uint32_t static_tables_count, reachable_count;
	uint64_t static_refs_count;
};

/* From the file, or computed where that has none or bad ones. */
const struct reach *derived_reach(const struct heap *h, bool prefer_statics,
				  struct progress *progress,
				  struct error *err) MUST_USE;
/*
 * Those without the tables of static variables that `reach` found. NULL without
 * an error: there are none, or bad ones.
 */
const struct dominators *derived_dominators(const struct heap *h,
					    const struct reach *reach,
					    struct progress *progress,
					    struct error *err) MUST_USE;

#endif
