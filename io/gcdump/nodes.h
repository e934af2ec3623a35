#ifndef IO_GCDUMP_NODES_H
#define IO_GCDUMP_NODES_H

/*
 * The nodes of a .gcdump, by several threads: first their totals by type
 * (tally.c), then the objects with their references. Nodes are numbered
 * in the order of first mention there, and by address here: 8 bytes a node
 * meanwhile.
 */
#include "io/gcdump/graph.h"
#include "model/base/worker.h"

struct gcdump_nodes {
	const struct gcdump_graph *graph;
	struct heap_builder *builder;
	struct progress *progress;
	struct preview *preview;
	node_id *ids;     /* of each node, NODE_NONE if it is no object */
	uint32_t **order; /* the node of each id, in pieces of CHUNK_NODES */
	uint32_t *counts; /* nodes by type of the file; last: of none */

	uint32_t objects_count;
	uint64_t bytes_count, record_bytes, damaged_count, negative_count;
	uint64_t damaged_refs;  /* that lead nowhere */
	uint32_t damaged_first; /* the lowest damaged node */
};

/*
 * Totals by type, published as they grow. Reads no references, and addresses
 * only of nodes that may be pseudo-nodes. `wants_ids`: the rest will follow;
 * addresses are surveyed then.
 */
bool gcdump_nodes_tally(struct gcdump_nodes *n, bool wants_ids,
			struct error *err) MUST_USE;
/* Numbers the objects: `ids` are final. */
bool gcdump_nodes_number(struct gcdump_nodes *n, struct error *err) MUST_USE;
/* Fills the heap with objects and references; `order` is gone then. */
bool gcdump_nodes_encode(struct gcdump_nodes *n, struct error *err) MUST_USE;
void gcdump_nodes_clear(struct gcdump_nodes *n);

/* More than so many nodes, or references, of a hundred: the file is refused. */
enum { GCDUMP_DAMAGED_MAX_PERCENT = 1 };
/* Nodes between asking for a record and reading it. */
enum { GCDUMP_PREFETCH_NODES = 16 };

/* What a thread does between two looks for Esc. */
enum { GCDUMP_PART_NODES = 1 << 16 };
static inline uint64_t
gcdump_parts_of(uint32_t count)
{
	return ((uint64_t)count + GCDUMP_PART_NODES - 1) / GCDUMP_PART_NODES;
}

static inline uint32_t
gcdump_part_end(uint64_t part, uint32_t count)
{
	uint64_t end = (part + 1) * GCDUMP_PART_NODES;

	return end < count ? (uint32_t)end : count;
}

/* A thread costs as much as some thousand nodes. */
static inline unsigned
gcdump_threads_for(uint32_t count)
{
	uint64_t parts = gcdump_parts_of(count);
	unsigned threads = worker_threads();

	return parts < threads ? (unsigned)parts + !parts : threads;
}

#endif
