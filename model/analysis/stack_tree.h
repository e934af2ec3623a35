#ifndef MODEL_ANALYSIS_STACK_TREE_H
#define MODEL_ANALYSIS_STACK_TREE_H

/*
 * The stacks of all threads merged into a tree: below each call the calls that it led to, those of
 * most threads first. Only calls of methods count. Takes time and memory in proportion to the
 * calls, and at a call to the number of different ones that it led to.
 */
#include "model/analysis/stacks.h"

struct stack_node {
	const struct content_frame *frame; /* of one of its threads */
	uint32_t threads_count;
	uint32_t ends_count; /* threads whose innermost call it is */
	uint32_t depth;      /* grows where threads part, and once more below that */
	const char *ids;     /* managed ids, or those of the system: "5, 7, 12 …" */
	/* For building. */
	uint32_t first, next; /* nodes; 0: none */
	uint32_t ids_count;
	bool is_branch; /* threads part above it */
};

struct stack_tree {
	struct stack_node *nodes; /* in the order of the tree; in the arena of the stacks */
	uint32_t count;
	uint32_t threads_count; /* threads that have calls */
};

/* The rows of pstacks_table. */
struct stack_tree_rows {
	struct stacks stacks;
	struct stack_tree tree;
};

/* Keeps the texts and frames of `s`, which must outlive the tree. */
bool stack_tree_make(struct stack_tree *out, struct stacks *s, const struct heap_memory *m,
		     struct error *err) MUST_USE;

#endif
