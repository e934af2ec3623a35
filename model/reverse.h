#ifndef MODEL_REVERSE_H
#define MODEL_REVERSE_H

/*
 * Who refers to an object: all references turned round, once for the whole
 * heap. Result about 0.5 bytes an object and 1.5 a reference; on top of that,
 * while computing, about half of 4 bytes an object and a reference.
 * Linear; the threads share the targets between them.
 */
#include "model/heap.h"
#include "model/progress.h"

struct reverse {
	const struct heap *heap;
	const struct chunk *chunks;
	uint64_t bytes; /* resident */
	struct arena arena;
};

const struct reverse *reverse_compute(const struct heap *h,
				      struct progress *progress,
				      struct error *err) MUST_USE;
void reverse_free(const struct reverse *rev); /* NULL is allowed */

/*
 * The objects that refer to `n`, in id order. An object that refers to it
 * several times comes several times, as often as it does.
 */
struct referrers {
	const uint8_t *at;
	uint64_t left; /* references still to come */
	node_id last;
	bool is_first;
};
struct referrers reverse_of(const struct reverse *rev, node_id n);
bool referrers_next(struct referrers *r, node_id *source);

#endif
