#ifndef IO_CLR_GRAPH_STATE_H
#define IO_CLR_GRAPH_STATE_H

/*
 * What the two passes over a heap in memory share: graph.c,
 * graph_objects.c (the first) and graph_refs.c (the second).
 */
#include "io/clr/graph.h"
#include "io/clr/roots.h"
#include "io/runtime/types.h"
#include "io/runtime/walk.h"
#include "model/base/worker.h"
#include "model/heap/memory.h"

/* References that lead nowhere, and the first few of them. */
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

/* What one thread has seen of a method table. */
struct clr_seen {
	uint64_t method_table, count, bytes, min_bytes, max_bytes;
	uint64_t counts_in[GEN_COUNT], bytes_in[GEN_COUNT];
	uint32_t base_bytes, component_bytes;
	bool has_refs;
};

struct clr_graph_worker {
	/* of the first pass */
	struct clr_tables *tables;
	struct clr_walk *walk;
	struct clr_object *objects;
	struct u64_map index; /* method table → place in `seen` */
	struct clr_seen *seen;
	size_t seen_count, seen_room;
	uint32_t *sizes; /* how many objects have this size: TALLY_SIZES */
	struct heap_hole *holes;
	size_t holes_count, holes_room;
	struct heap_free_block *free_blocks;
	size_t free_count, free_room;
	uint64_t lost_count, lost_bytes; /* of holes with objects in them */
	/* of the second */
	struct chunk_builder *chunk;
	struct clr_types_near near;
	struct addresses_page page;
	const struct clr_range *range; /* around the last object */
	const uint8_t *view;           /* of all of it; or NULL */
	uint8_t *block;                /* in place of a view: */
	uint64_t block_start, block_len;
	node_id *targets;
	size_t link; /* the first of g->links that is not of objects before */
	uint64_t partial_count; /* objects of which something is absent */
	node_id node;           /* the object whose references are followed */
	struct clr_bad_refs bad_refs;
	uint64_t stale_refs; /* the same of `doubtful` objects */
};

struct clr_graph {
	const struct memory *memory;
	const struct clr_graph_options *options;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct heap_builder *builder;
	struct clr_types *types;
	struct clr_roots *roots; /* NULL: of types alone nobody asks for them */
	const struct clr_link *links;
	size_t links_count;
	const struct addresses *addresses; /* of the builder, or its heap */
	/*
	 * While a background collection sweeps: objects of which some reference
	 * leads nowhere, where what is dead may still lie. Bits.
	 */
	uint64_t *doubtful;
	uint64_t stale_refs;           /* once settled: those of dead objects */
	struct heap_segment *segments; /* one a range */
	struct clr_graph_worker workers[WORKER_MAX];
	unsigned workers_count;
	size_t walked;        /* ranges, by slices before this one */
	struct tally *shown;  /* what was seen until then; or NULL */
	int64_t shown_ns;     /* when */
	pthread_mutex_t lock; /* of the addresses */
	uint64_t objects_count;
	struct clr_contents *contents; /* of the heap; or NULL */
};

/* Each leaves the builder where the next one goes on. */
bool clr_graph_objects(struct clr_graph *g, struct error *err) MUST_USE;
bool clr_graph_refs(struct clr_graph *g, struct error *err) MUST_USE;
/*
 * With the roots: stale references of what one of them reaches are bad ones.
 * Costs nothing if there are none, else a flood of the heap.
 */
bool clr_graph_settle_refs(struct clr_graph *g, struct error *err) MUST_USE;
/* Of all threads. */
uint64_t clr_graph_bad_refs(const struct clr_graph *g);

#endif
