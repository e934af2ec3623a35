#ifndef IO_GCDUMP_NODES_H
#define IO_GCDUMP_NODES_H

/*
 * Reads the nodes of a .gcdump with several threads: first the totals by type (tally.c), then
 * objects and references. The file numbers nodes by first mention; the heap numbers them by
 * address, for which 8 bytes a node are needed meanwhile.
 */
#include "io/gcdump/graph.h"
#include "model/base/worker.h"

struct gcdump_nodes {
	const struct gcdump_graph *graph;
	struct heap_builder *builder;
	struct progress *progress;
	struct preview *preview;
	node_id *ids;     /* by node; NODE_NONE if it is no object */
	uint32_t **order; /* node by id, in pieces of CHUNK_NODES */

	uint32_t objects_count;
	uint64_t bytes_count, record_bytes, damaged_count, negative_count;
	uint64_t damaged_refs;  /* with invalid targets */
	uint32_t damaged_first; /* the lowest damaged node */
};

/*
 * Counts totals by type and publishes them as they grow. Reads no references, and addresses only of
 * nodes that may be pseudo-nodes. `wants_ids`: also surveys addresses, for the functions below.
 */
bool gcdump_nodes_tally(struct gcdump_nodes *n, bool wants_ids, struct error *err) MUST_USE;
/* Numbers the objects: `ids` are final after it. */
bool gcdump_nodes_number(struct gcdump_nodes *n, struct error *err) MUST_USE;
/* Fills the heap with objects and references; frees `order`. */
bool gcdump_nodes_encode(struct gcdump_nodes *n, struct error *err) MUST_USE;
void gcdump_nodes_clear(struct gcdump_nodes *n);

/* Files with a larger percentage of damaged nodes or references are refused. */
enum { GCDUMP_DAMAGED_MAX_PERCENT = 1 };
/* Distance in nodes between prefetching a record and reading it. */
enum { GCDUMP_PREFETCH_NODES = 16 };

/* Nodes that a thread handles between two checks for cancelling. */
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

/* Starting a thread costs as much as some thousand nodes. */
static inline unsigned
gcdump_threads_for(uint32_t count)
{
	uint64_t parts = gcdump_parts_of(count);
	unsigned threads = worker_threads();

	return parts < threads ? (unsigned)parts + !parts : threads;
}

#endif
