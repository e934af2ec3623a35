#ifndef IO_RUNTIME_BOUNDS_H
#define IO_RUNTIME_BOUNDS_H

/*
 * How long lists in memory that is damaged, or made to hurt, are followed: so
 * many entries in all, each structure once, and until the user stops it. A
 * step costs less than the read it allows; what is seen, 24 bytes.
 */
#include "model/base/u64_map.h"
#include "model/base/progress.h"

struct clr_bounds {
	uint64_t steps_left;
	struct progress *progress; /* or NULL */
	struct u64_map seen;
	bool is_used_up;
};

/* One more entry. False: none is left (is_used_up), or `err`: cancelled. */
bool clr_bounds_step(struct clr_bounds *b, struct error *err) MUST_USE;
/* *is_new: the address was not asked for before. False: no memory. */
bool clr_bounds_see(struct clr_bounds *b, uint64_t address, bool *is_new,
		    struct error *err) MUST_USE;
void clr_bounds_clear(struct clr_bounds *b);

#endif
