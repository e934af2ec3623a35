#ifndef MODEL_GRAPH_REVERSE_H
#define MODEL_GRAPH_REVERSE_H

/*
 * The referrers of every object: all references of a heap, reversed. The result takes about 1.5
 * bytes an object and a reference; computing takes 3 to 4 more bytes a reference, or a part of that
 * in several passes. Linear, about 10 ns a reference on two threads.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

struct reverse {
	const struct heap *heap;
	/*
	 * Chunks as in the heap, with a record for each target: a varint that is 0 without
	 * referrers, else 1 + (zigzag(first source - target) << 1
	 * | several). If several: varint(count - 2); from REVERSE_HUB
	 * references on, the length of the rest in bytes as a varint; then the differences of the
	 * sources, ascending.
	 */
	const struct chunk *chunks;
	/* Bits by object: it has referrers; it has several references to it. */
	const uint64_t *referred, *several;
	uint64_t bytes; /* resident bytes */
	struct arena arena;
};
enum { REVERSE_HUB = 64 };

const struct reverse *reverse_compute(const struct heap *h, struct progress *progress,
				      struct error *err) MUST_USE;
/* The same in several passes, with less memory: each pass reads all references. The result is the
   same. */
enum { REVERSE_TURNS_MAX = 8 };
const struct reverse *reverse_compute_in_turns(const struct heap *h, unsigned turns,
					       struct progress *progress,
					       struct error *err) MUST_USE;
/* Returns an estimate of the peak memory from counts alone, with the result. */
uint64_t reverse_bytes(const struct heap *h, unsigned turns);
void reverse_free(const struct reverse *rev); /* NULL is allowed */

/* Iterates over the objects that refer to `n`, in id order. An object with several references to it
   comes once for each. */
struct referrers {
	const uint8_t *at;
	uint64_t left; /* references not yet returned */
	node_id last;
	bool is_first;
};
struct referrers reverse_of(const struct reverse *rev, node_id n);

static inline bool
referrers_next(struct referrers *r, node_id *source)
{
	uint64_t gap = 0;

	if (!r->left)
		return false;
	r->left--;
	if (!r->is_first)
		r->at = varint_get(r->at, &gap);
	r->is_first = false;
	r->last += (node_id)gap;
	*source = r->last;
	return true;
}

/* Returns the number of references to `n`, without decoding them. */
uint64_t reverse_count(const struct reverse *rev, node_id n);

/* Iterates over all objects in id order, without look-ups. */
struct reverse_scan {
	const struct reverse *rev;
	const uint8_t *at;
	node_id node; /* the next object */
};
void reverse_scan_init(struct reverse_scan *s, const struct reverse *rev, node_id first);
/* Returns the referrers of s->node and advances to the next object. The referrers need not be
   read. */
struct referrers reverse_scan_next(struct reverse_scan *s);

#endif
