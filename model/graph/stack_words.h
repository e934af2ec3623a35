#ifndef MODEL_GRAPH_STACK_WORDS_H
#define MODEL_GRAPH_STACK_WORDS_H

/*
 * A stack word that may be a reference explains an object only if no better root does: distances
 * and paths lead to the better root, however far it is. (Words of threads that wait are references:
 * reach_costs.h.)
 * This finds the words that refer to the object itself or are nearer than that root, to be shown
 * beside it. A breadth-first search against the direction of references visits each object once and
 * at most STACK_WORDS_VISITS references, which takes up to 5 ms. The limit is a count rather than a
 * time, so that every caller gets the same answer.
 */
#include "model/graph/reach.h"
#include "model/graph/reverse.h"

enum { STACK_WORDS_MAX = 20, STACK_WORDS_VISITS = 50000 };

struct stack_words {
	struct stack_word {
		uint32_t root;   /* index into heap->roots */
		uint32_t length; /* references from the object it refers to */
		/* The shortest path from there: `length` + 1 objects. */
		node_id *nodes;
	} words[STACK_WORDS_MAX]; /* the nearest first */
	uint32_t count;
	bool is_all; /* there are no more */
};

/*
 * Finds none if the object's best root is a stack word itself: paths show those. `reach` must have
 * been computed with the same `ignored` (or NULL). `rev` NULL: only words that refer to the object
 * itself.
 */
bool stack_words_find(struct stack_words *w, const struct reach *reach, const struct reverse *rev,
		      const struct ignored *ignored, node_id object, struct error *err) MUST_USE;
void stack_words_clear(struct stack_words *w);

#endif
