#ifndef MODEL_GRAPH_MINE_H
#define MODEL_GRAPH_MINE_H

/*
 * The heap as the application sees it: each object of the framework counts with the application's
 * object that holds it, the nearest one that dominates it, so that strings, arrays and collections
 * appear where they are used. Arrays of the application's objects count with their holder, too, or
 * for themselves if they have none. Framework objects that no object of the application dominates
 * are left out and added up.
 *
 * One pass in the order of the dominator tree, about 10 ns an object; 4 bytes an object while it
 * runs. Run it on a worker.
 */
#include "model/graph/dominators.h"
#include "model/heap/my_code.h"

struct mine_sum {
	uint64_t count;      /* objects of the type that count for themselves */
	uint64_t bytes;      /* their bytes and all that is counted with them */
	uint64_t own_bytes;  /* their bytes alone */
	uint64_t max_bytes;  /* the largest of them alone */
	uint64_t dead_count; /* the part of `count` that no root reaches */
	uint64_t dead_bytes; /* the part of `bytes` that no root reaches */
};

struct mine {
	uint32_t types_count;
	uint8_t *owners;          /* by type: enum code_owner */
	struct mine_sum *types;   /* by type; zero where nothing is counted */
	struct mine_sum all;      /* all of these */
	struct mine_sum left_out; /* the framework's, which none of them holds */
	uint32_t mine_count;      /* types that have objects counted */
	uint32_t present_count;   /* types that have objects at all */
	/* Bits by object: it is counted. NULL without dominators: then objects of the framework are
	   all left out. */
	uint64_t *counted;
};

/*
 * `d` may be NULL: then only the types are read. `patterns` as in my_code.h. Bytes and counts are
 * scaled in sampled heaps. False sets `err`.
 */
bool mine_compute(struct mine *m, const struct type *types, uint32_t types_count,
		  const struct dominators *d, const char *patterns, struct progress *progress,
		  struct error *err) MUST_USE;
void mine_clear(struct mine *m);

/* Returns whether an object of the heap is counted. */
bool mine_has(const struct mine *m, const struct heap *h, node_id n);

#endif
