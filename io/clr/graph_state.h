#ifndef IO_CLR_GRAPH_STATE_H
#define IO_CLR_GRAPH_STATE_H

/* Shared by the two passes over a heap in memory: graph.c, graph_objects.c (first pass),
 * graph_refs.c (second pass) and graph_resident.c. */
#include "io/clr/graph.h"
#include "io/clr/roots.h"
#include "io/runtime/types.h"
#include "io/runtime/walk.h"
#include "model/base/worker.h"
#include "model/heap/memory.h"

/* Counts references that lead to no object, and keeps the first few. */
enum { BAD_REFS_SHOWN = 4, HOLES_SHOWN = 4 };
struct clr_bad_ref {
	uint64_t object, target;
	const struct clr_type *type;
};
struct clr_bad_refs {
	uint64_t count;
	struct clr_bad_ref first[BAD_REFS_SHOWN]; /* by object */
	unsigned shown;
};

/* One thread's totals for a method table. */
struct clr_table_totals {
	uint64_t method_table, count, bytes, min_bytes, max_bytes;
	uint64_t counts_in[GEN_COUNT], bytes_in[GEN_COUNT];
	uint32_t base_bytes, component_bytes;
	bool has_refs;
	/* Suspended calls have totals by the place where they wait, 0: unknown.
	 */
	bool is_continuation;
	uint64_t resume_info;
};

struct clr_graph_worker {
	/* first pass */
	struct clr_tables *tables;
	struct clr_walk *walk;
	struct clr_object *objects;
	struct u64_map index; /* from method table to index in `totals` */
	struct clr_table_totals *totals;
	size_t totals_count, totals_room;
	uint32_t *sizes; /* number of objects by size: TALLY_SIZES */
	struct heap_hole *holes;
	size_t holes_count, holes_room;
	struct heap_free_block *free_blocks;
	size_t free_count, free_room;
	uint64_t lost_count, lost_bytes; /* holes that had objects */
	/* second pass */
	struct chunk_builder *chunk;
	struct clr_types_near near;
	struct addresses_page page;
	const struct clr_range *range; /* around the last object */
	const uint8_t *view;           /* of the whole range, or NULL */
	uint8_t *block;                /* without a view: a copy of */
	uint64_t block_start, block_len;
	node_id *targets;
	size_t link;            /* first of g->links not before the object */
	uint64_t partial_count; /* objects that are partly absent */
	node_id node;           /* object whose references are followed */
	struct clr_bad_refs bad_refs;
	uint64_t stale_refs; /* bad references of `doubtful` objects */
};

struct clr_graph {
	const struct memory *memory;
	const struct clr_graph_options *options;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct heap_builder *builder;
	struct clr_types *types;
	struct clr_roots *roots; /* NULL: only types are loaded */
	bool lacks_heap;         /* the dump has only threads */
	const struct clr_link *links;
	size_t links_count;
	const struct addresses *addresses; /* the builder's, later its heap's */
	/*
	 * During a background sweep: a bit for each object with a reference that leads to no
	 * object, in ranges that may still hold dead objects.
	 */
	uint64_t *doubtful;
	uint64_t stale_refs;           /* after settling: of dead objects only */
	struct heap_segment *segments; /* one per range */
	struct clr_graph_worker workers[WORKER_MAX];
	unsigned workers_count;
	size_t walked;        /* ranges of earlier slices */
	struct tally *shown;  /* totals already published, or NULL */
	int64_t shown_ns;     /* time of publication */
	pthread_mutex_t lock; /* protects the addresses */
	uint64_t objects_count;
	struct clr_contents *contents; /* the heap's, or NULL */
};

/* The two passes; the second continues with the builder of the first. */
bool clr_graph_objects(struct clr_graph *g, struct error *err) MUST_USE;
bool clr_graph_refs(struct clr_graph *g, struct error *err) MUST_USE;
/* Called with the roots added: stale references of reachable objects become bad references. Costs a
 * flood of the heap if there are any. */
bool clr_graph_recheck_refs(struct clr_graph *g, struct error *err) MUST_USE;
/* Sums up the resident memory by use, from options->mappings. */
bool clr_graph_resident(struct clr_graph *g, struct error *err) MUST_USE;
/* The sum of all threads. */
uint64_t clr_graph_bad_refs(const struct clr_graph *g);

#endif
