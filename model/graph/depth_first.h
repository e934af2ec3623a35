#ifndef MODEL_GRAPH_DEPTH_FIRST_H
#define MODEL_GRAPH_DEPTH_FIRST_H

/*
 * Numbers objects in the order of a depth-first search, as dominators need it
 * (dominators.h): first from the roots, then through what no root reaches.
 *
 * Pruned: an object that refers to nothing, and that one single reference and
 * no root holds, gets no number; that referrer dominates it, there is nothing
 * to compute. That is two in five objects of a heap.
 *
 * Unreachable objects are searched from one object of each of their source
 * components: one to which nobody refers, or of a cycle that nothing outside
 * refers to the one with the lowest id. Every unreachable object is reached
 * from these, and from none of fewer. (They are the starts of a search that
 * takes objects in the reverse order in which an earlier search left them; the
 * first half of Kosaraju's algorithm.)
 *
 * No recursion: a stack of 20 bytes for each object on the way to the present
 * one that has further references to follow.
 */
#include "model/graph/ignored.h"
#include "model/graph/reverse.h"
#include "model/heap/sweep.h"

struct depth_first {
	struct sweep sweep;
	const struct reverse *rev;
	const struct ignored *ig;
	/*
	 * By object: its number, from 1 on. Before it has one, where its
	 * references begin in its chunk: one place less to fetch.
	 */
	uint32_t *slots;
	uint64_t *pruned;  /* bits by object */
	uint32_t *parents; /* by number: that of the parent; 0: none */
	/*
	 * Objects with several referrers, or a root, that are no start, in the
	 * order of their numbers, which are bits; NODE_NONE: a root holds it.
	 */
	node_id *shared;
	uint64_t *is_shared;
	uint32_t shared_count;
	uint32_t numbers_count;     /* numbers 1 … numbers_count are taken */
	uint32_t reachable_numbers; /* up to this one: reachable */
	uint64_t stack_bytes;       /* the most it took */

	/* Only while numbering. */
	uint64_t *seen, *several, *rooted; /* bits by object */
	uint32_t numbers_wanted;           /* all that are not pruned */
	uint32_t shared_wanted;            /* at most so many are shared */
	struct arena arena;                /* until depth_first_clear() */
	struct arena numbers; /* by number: until depth_first_forget() */
	struct arena scratch; /* while numbering */
};

/*
 * Finds out what is pruned: numbers_wanted and shared_wanted say how much
 * memory all the rest takes. A pass over all references. `slots` come from the
 * arena `a`, all else is freed by depth_first_clear().
 */
bool depth_first_init(struct depth_first *df, const struct heap *h,
		      const struct reverse *rev, const struct ignored *ig,
		      struct arena *a, struct progress *progress,
		      struct error *err) MUST_USE;
void depth_first_clear(struct depth_first *df);
/* Frees what is known by number: parents, shared, is_shared. */
void depth_first_forget(struct depth_first *df);
/* Then numbers everything; refused if the stack outgrows `stack_limit`. */
bool depth_first_run(struct depth_first *df, uint64_t stack_limit,
		     struct error *err) MUST_USE;

#endif
