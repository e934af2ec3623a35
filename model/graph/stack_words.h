#ifndef MODEL_GRAPH_STACK_WORDS_H
#define MODEL_GRAPH_STACK_WORDS_H

/*
 * A word on a stack that may be a reference explains an object only where
 * nothing better does: distances and ways are to the better root, however far
 * that is. This finds the words that hold the object itself, or are nearer to
 * it than that root, so that they can be told beside it. One search against
 * the direction of references, breadth first: each object is met once, and no
 * more than STACK_WORDS_VISITS references are looked at, for 5 ms at most.
 * That is a number, not a time: every view that asks gets the same answer.
 */
#include "model/graph/reach.h"
#include "model/graph/reverse.h"

enum { STACK_WORDS_MAX = 20, STACK_WORDS_VISITS = 50000 };

struct stack_words {
	struct stack_word {
		uint32_t root;   /* index into heap->roots */
		uint32_t length; /* references from the object it names */
		/* Of the shortest way: outermost first, `length` + 1. */
		node_id *nodes;
	} words[STACK_WORDS_MAX]; /* the nearest first */
	uint32_t count;
	bool is_all; /* there are no others */
};

/*
 * None where words are the best that there is: those are ways as any other.
 * `reach` must have been computed without what is ignored (NULL: nothing).
 * Without `rev` those that hold the object itself.
 */
bool stack_words_find(struct stack_words *w, const struct reach *reach,
		      const struct reverse *rev, const struct ignored *ignored,
		      node_id object, struct error *err) MUST_USE;
void stack_words_clear(struct stack_words *w);

#endif
