#ifndef MODEL_TABLE_FILTER_KERNEL_H
#define MODEL_TABLE_FILTER_KERNEL_H

/*
 * How a condition of a filter is tested over a whole heap, for filter_scan.c: a
 * batch of objects at a time, in a tight loop over the heap's arrays, which
 * leaves two bits an object: yes and no; neither is unknown.
 */
#include "model/heap/sweep.h"
#include "model/table/filter_code.h"

enum {
	BATCH_OBJECTS = 4096, /* what is known of them stays in the cache */
	BATCH_WORDS = BATCH_OBJECTS / 64,
};

struct lanes {
	uint64_t yes[BATCH_WORDS], no[BATCH_WORDS];
};

struct batch {
	node_id first; /* the first of a block of the heap */
	node_id end;
	unsigned words, wanted_count;
	const uint64_t *wanted; /* bits of the objects that are undecided */
};

struct kernel;
/* Fills any truth for objects that are not wanted. */
typedef void kernel_test(const struct kernel *k, const struct batch *b,
			 struct lanes *out);
struct kernel {
	kernel_test *test;
	bool is_serial; /* remembers what it has seen: one thread only */
	struct condition *condition;
	const struct listing *listing;
	const struct facts *facts; /* the listing's */
	const struct heap *heap;
	struct interval interval;
	uint8_t by_code[SIZE_CODES + 1]; /* enum truth of each size code */
	enum truth by_gen[GEN_COUNT];
	const struct sweep *sweep;
	uint64_t *held; /* a bit an object */
};

/*
 * Found once for the whole scan; for CONDITION_HELD_BY that reads every
 * reference of the heap. Good while `c`, `l`, `sweep` and `a` are there. False
 * sets `err`.
 */
bool kernel_choose(struct kernel *k, struct condition *c,
		   const struct listing *l, const struct sweep *sweep,
		   struct arena *a, struct error *err) MUST_USE;

#endif
