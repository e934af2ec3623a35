#ifndef MODEL_GRAPH_DEPTH_FIRST_H
#define MODEL_GRAPH_DEPTH_FIRST_H

/*
 * Numbers objects in depth-first order, as dominators need it (dominators.h): first from the roots,
 * then through unreachable objects.
 *
 * Pruning: an object without references that has exactly one reference to it and no root gets no
 * number, as that referrer dominates it. These are two in five objects of a typical heap.
 *
 * Unreachable objects are searched from one object of each of their source components: an object
 * without referrers, or of a cycle without referrers from outside the object with the lowest id.
 * Every unreachable object is reached from these, and from no smaller set. (They are found as in
 * the first half of Kosaraju's algorithm: by starting in the reverse postorder of a first search.)
 *
 * No recursion: the stack takes 20 bytes for each object on the current path that has more
 * references to follow.
 */
#include "model/graph/ignored.h"
#include "model/graph/reverse.h"
#include "model/heap/sweep.h"

struct depth_first {
	struct sweep sweep;
	const struct reverse *rev;
	const struct ignored *ig;
	/*
	 * Numbers by object, from 1 on. An object without a number yet has the offset of its
	 * references in its chunk instead, which saves a cache miss.
	 */
	uint32_t *slots;
	uint64_t *pruned;  /* bits by object */
	uint32_t *parents; /* parent's number, by number; 0 if there is none */
	/* Objects with several referrers, or a root, that are no start, in order of their numbers,
	   which are bits; NODE_NONE: rooted. */
	node_id *shared;
	uint64_t *is_shared;
	uint32_t shared_count;
	uint32_t numbers_count;     /* numbers 1 … numbers_count are taken */
	uint32_t reachable_numbers; /* numbers up to this one are reachable */
	uint64_t stack_bytes;       /* peak */

	/* Used only while numbering. */
	uint64_t *seen, *several, *rooted; /* bits by object */
	uint32_t numbers_wanted;           /* objects not pruned */
	uint32_t shared_wanted;            /* upper limit of shared_count */
	struct arena arena;                /* until depth_first_clear() */
	struct arena numbers;              /* arrays by number, until depth_first_forget() */
	struct arena scratch;              /* while numbering */
};

/*
 * Decides what is pruned, in a pass over all references. numbers_wanted and shared_wanted then
 * determine the memory of all further steps. `slots` are in the arena `a`; depth_first_clear()
 * frees the rest.
 */
bool depth_first_init(struct depth_first *df, const struct heap *h, const struct reverse *rev,
		      const struct ignored *ig, struct arena *a, struct progress *progress,
		      struct error *err) MUST_USE;
void depth_first_clear(struct depth_first *df);
/* Frees the arrays by number: parents, shared, is_shared. */
void depth_first_forget(struct depth_first *df);
/* Numbers everything; fails if the stack outgrows `stack_limit`. */
bool depth_first_run(struct depth_first *df, uint64_t stack_limit, struct error *err) MUST_USE;

#endif
