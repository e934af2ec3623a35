#ifndef MODEL_FILTER_FILTER_KERNEL_H
#define MODEL_FILTER_FILTER_KERNEL_H

/*
 * Tests a condition over a whole heap, for filter_scan.c: one batch of objects at a time, in a
 * tight loop over the heap's arrays. The result is two bits an object, yes and no; neither means
 * unknown.
 */
#include "model/heap/sweep.h"
#include "model/filter/filter_code.h"

enum {
	BATCH_OBJECTS = 4096, /* a batch's data fits the cache */
	BATCH_WORDS = BATCH_OBJECTS / 64,
};

struct lanes {
	uint64_t yes[BATCH_WORDS], no[BATCH_WORDS];
};

struct batch {
	node_id first; /* the first object of a block */
	node_id end;
	unsigned words, wanted_count;
	const uint64_t *wanted; /* bits of the undecided objects */
};

struct kernel;
/* Tests a batch; the result for objects that are not wanted is arbitrary. */
typedef void kernel_test(const struct kernel *k, const struct batch *b, struct lanes *out);
struct kernel {
	kernel_test *test;
	bool is_serial; /* has a cache: one thread only */
	struct condition *condition;
	const struct listing *listing;
	const struct facts *facts; /* the listing's */
	const struct heap *heap;
	struct interval interval;
	uint8_t by_code[SIZE_CODES + 1]; /* enum truth of each size code */
	enum truth by_gen[GEN_COUNT];
	const struct sweep *sweep;
	uint64_t *held; /* one bit an object */
};

/*
 * Chooses the kernel for a scan; for CONDITION_HELD_BY this reads every reference of the heap. `c`,
 * `l`, `sweep` and `a` must outlive it. False sets `err`.
 */
bool kernel_choose(struct kernel *k, struct condition *c, const struct listing *l,
		   const struct sweep *sweep, struct arena *a, struct error *err) MUST_USE;

#endif
