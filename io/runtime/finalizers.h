#ifndef IO_RUNTIME_FINALIZERS_H
#define IO_RUNTIME_FINALIZERS_H

/*
 * Objects with finalizers. Each heap of the collector has one array of them in
 * seven parts, and pointers to where each ends. The first five, from the pinned
 * and the large objects to generation 0, are those whose finalizers have yet
 * to be wanted: nothing is kept alive by that. The last two are dead objects
 * that wait for the finalizer thread, which keeps them and all below them.
 *
 *     0  u64 × 7   ends of the parts
 *    56  u64       start of the array
 *    64  u64       its end
 *
 * Costs 16 bytes for each.
 */
#include "io/memory/memory.h"

enum clr_finalizer_part {
	CLR_FINALIZER_POH,
	CLR_FINALIZER_LOH,
	CLR_FINALIZER_GEN2,
	CLR_FINALIZER_GEN1,
	CLR_FINALIZER_GEN0,
	CLR_FINALIZER_CRITICAL, /* ready, after all others */
	CLR_FINALIZER_READY,
	CLR_FINALIZER_PARTS
};

struct clr_finalizer {
	uint64_t object;
	uint8_t part; /* enum clr_finalizer_part */
};
static inline bool
clr_finalizer_is_ready(const struct clr_finalizer *f)
{
	return f->part >= CLR_FINALIZER_CRITICAL;
}

struct clr_finalizers {
	struct clr_finalizer *items;
	size_t count, room;
	uint64_t counts[CLR_FINALIZER_PARTS];
	uint32_t missing_count; /* queues that are damaged or end too early */
};

/*
 * Adds those of one heap; `out` begins all zero. What is not there is counted
 * and left out; false only without memory for them.
 */
bool clr_finalizers_add(struct clr_finalizers *out, const struct memory *m,
			uint64_t queue, struct error *err) MUST_USE;
void clr_finalizers_clear(struct clr_finalizers *finalizers);

#endif
