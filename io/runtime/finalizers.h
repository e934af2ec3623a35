#ifndef IO_RUNTIME_FINALIZERS_H
#define IO_RUNTIME_FINALIZERS_H

/*
 * Reads the finalization queues: objects with finalizers. Each heap has one array of them, divided
 * into seven parts. The first five, from the POH and LOH to gen0, hold objects whose finalizers are
 * not yet due, and keep nothing alive. The last two hold dead objects that wait for the finalizer
 * thread, which keeps them and everything below them alive.
 *
 *     0  u64 × 7   ends of the parts
 *    56  u64       start of the array
 *    64  u64       end of the array
 *
 * Costs 16 bytes an object.
 */
#include "io/runtime/heaps.h"

enum clr_finalizer_part {
	CLR_FINALIZER_POH,
	CLR_FINALIZER_LOH,
	CLR_FINALIZER_GEN2,
	CLR_FINALIZER_GEN1,
	CLR_FINALIZER_GEN0,
	CLR_FINALIZER_CRITICAL, /* ready, run after all others */
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
	uint32_t missing_count; /* damaged or truncated queues */
};

/* Reads the queues of all heaps. Absent parts are skipped and counted; false sets `err`: no
 * memory. */
bool clr_finalizers_read(struct clr_finalizers *out, const struct clr_heaps *heaps,
			 struct error *err) MUST_USE;
void clr_finalizers_clear(struct clr_finalizers *finalizers);

#endif
