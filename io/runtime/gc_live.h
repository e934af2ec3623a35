#ifndef IO_RUNTIME_GC_LIVE_H
#define IO_RUNTIME_GC_LIVE_H

/*
 * Tells which slots of a method (gc_info.h) hold references at a place in its code. Behind the
 * slots, if some of them are tracked:
 *
 *   vectors   of each safe point: one bit for each tracked slot. After a bit that is set and
 *             U(3) + 1 follows a table of places of that many bits, and vectors may have runs
 *   chunks    U(3) bits of a place, or 0: no slot is live; a place for each 64 bytes of ranges,
 *             plus 1, or 0: nothing has changed since the chunk before. A chunk is a vector of
 *             the slots that it speaks of, one bit for each of these: live at its end; then for
 *             each: { bit 1, 6 bits offset at which that changes }, bit 0
 *   runs      1 bit: runs follow. Then: what the first run is, U(2) if that bit is set, else U(4)
 *             slots that are not live; then by turns the other: U + 1 slots that are live, not
 *             live…
 *
 * Tables of places end at a whole byte.
 */
#include "io/runtime/gc_info.h"

/* A frame at the moment when its references are asked for. */
struct gc_moment {
	uint32_t offset;     /* of the instruction in the method */
	bool is_leaf;        /* has called nothing: its registers are the thread's */
	bool is_interrupted; /* by a fault, or it has thrown: it does not go on there */
};

enum gc_state {
	GC_UNKNOWN, /* nothing is known, and no slot is marked: info->why has the reason */
	/* A call returns to it. For a leaf it is not known whether rax and rdx hold references up
	 * to version 3. */
	GC_SAFE_POINT,
	GC_INTERRUPTIBLE, /* in a range */
	/* Neither, and the method has no ranges: only untracked slots are live if a collection can
	 * begin there, as behind most calls. */
	GC_ELSEWHERE,
	GC_ABANDONED, /* interrupted outside all ranges: what it holds is not used there again */
};

/* Marks the slots that hold references. */
enum gc_state gc_live_find(struct gc_info *info, const struct gc_moment *moment);

#endif
