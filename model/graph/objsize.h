#ifndef MODEL_GRAPH_OBJSIZE_H
#define MODEL_GRAPH_OBJSIZE_H

/*
 * The size of all objects that can be reached from a set, and of those among them that only the set
 * keeps alive. Each object counts once. Two searches, from the set and from the roots around it:
 * about 20 ns for each object of the heap, and 2 bits. Needs no dominators.
 */
#include "model/graph/flood.h"

struct objsize {
	uint64_t set_count, set_bytes; /* the objects themselves, each once */
	uint64_t count, bytes;         /* reachable from them, themselves too */
	/*
	 * The part that no root reaches except through the set, and would be freed with it. For a
	 * set that no root reaches: everything that is unreachable.
	 */
	uint64_t exclusive_count, exclusive_bytes;
};

/* `ignored` applies to both searches; may be NULL. */
bool objsize_compute(struct objsize *size, const struct heap *h, const node_id *nodes,
		     uint32_t nodes_count, const struct ignored *ignored, struct progress *progress,
		     struct error *err) MUST_USE;

#endif
