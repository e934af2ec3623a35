#ifndef MODEL_GRAPH_REVERSE_H
#define MODEL_GRAPH_REVERSE_H

/*
 * Who refers to an object: all references turned round, once for the whole
 * heap. Result about 1.5 bytes an object and a reference; on top of that 3 to 4
 * bytes a reference while computing, or a part of that, in turns. Linear, about
 * 10 ns a reference on two threads, which share the work.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

struct reverse {
	const struct heap *heap;
	/*
	 * As those of the heap, but for each target: a varint that is 0 if
	 * nobody refers to it, else 1 + (zigzag(first source - target) << 1 |
	 * several). If several: varint(count - 2), from REVERSE_HUB references
	 * on the bytes that follow as a varint, then the gaps to the next
	 * source, ascending.
	 */
	const struct chunk *chunks;
	/* Bits by object: those with references to them, and with several. */
	const uint64_t *referred, *several;
	uint64_t bytes; /* resident */
	struct arena arena;
};
enum { REVERSE_HUB = 64 };

const struct reverse *reverse_compute(const struct heap *h,
				      struct progress *progress,
				      struct error *err) MUST_USE;
/*
 * The same with less memory on top: in so many turns, each of which reads all
 * references. The result does not depend on it.
 */
enum { REVERSE_TURNS_MAX = 8 };
const struct reverse *reverse_compute_in_turns(const struct heap *h,
					       unsigned turns,
					       struct progress *progress,
					       struct error *err) MUST_USE;
/* What that takes at its peak, result included: about, from counts alone. */
uint64_t reverse_bytes(const struct heap *h, unsigned turns);
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

/* How many references there are to `n`, without reading them. */
uint64_t reverse_count(const struct reverse *rev, node_id n);

/* All objects' referrers in id order, without looking for any. */
struct reverse_scan {
	const struct reverse *rev;
	const uint8_t *at;
	node_id node; /* the next one */
};
void reverse_scan_init(struct reverse_scan *s, const struct reverse *rev,
		       node_id first);
/* The referrers of s->node, which moves on. Use them or not. */
struct referrers reverse_scan_next(struct reverse_scan *s);

#endif
