#ifndef MODEL_GRAPH_OBJSIZE_H
#define MODEL_GRAPH_OBJSIZE_H

/*
 * How much hangs on an object, or on a set of objects: everything that can be
 * reached from it, and which part of that only it keeps alive. What is
 * reached twice counts once. Two searches, one from the objects and one from
 * the roots around them: about 20 ns for each object of the heap, 2 bits an
 * object meanwhile. No dominators are needed.
 */
#include "model/graph/flood.h"

struct objsize {
	uint64_t set_count, set_bytes; /* the objects themselves, each once */
	uint64_t count, bytes;         /* reached from them; they, too */
	/*
	 * Of these: what no root reaches but through them, that is what would
	 * be freed with them. The rest is shared with others. Of objects that
	 * no root reaches at all everything is their own that is not in use.
	 */
	uint64_t exclusive_count, exclusive_bytes;
};

/* `ignored` is left out everywhere; NULL: nothing. */
bool objsize_compute(struct objsize *size, const struct heap *h,
		     const node_id *nodes, uint32_t nodes_count,
		     const struct ignored *ignored, struct progress *progress,
		     struct error *err) MUST_USE;

#endif
