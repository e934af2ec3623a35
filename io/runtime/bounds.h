#ifndef IO_RUNTIME_BOUNDS_H
#define IO_RUNTIME_BOUNDS_H

/*
 * Limits how far lists in damaged or hostile memory are followed: a total number of steps, each
 * structure once, and until cancelled. A step costs less than the read it allows; an address seen
 * takes 24 bytes.
 */
#include "model/base/u64_map.h"
#include "model/base/progress.h"

struct clr_bounds {
	uint64_t steps_left;
	struct progress *progress; /* or NULL */
	uint32_t *missing_count;   /* counts repeated addresses */
	struct error *err;
	struct u64_map seen;
	bool is_used_up;
};

/* False: no step is left (is_used_up), or `err` is set: cancelled. */
bool clr_bounds_step(struct clr_bounds *b) MUST_USE;
/* *is_new: the first visit of this address. False sets `err`: no memory. */
bool clr_bounds_visit(struct clr_bounds *b, uint64_t address, bool *is_new) MUST_USE;
bool clr_bounds_has_seen(const struct clr_bounds *b, uint64_t address);
void clr_bounds_clear(struct clr_bounds *b);

#endif
