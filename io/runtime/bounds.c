#include "io/runtime/bounds.h"

enum { CHECK_STEPS = 1 << 10 };

bool
clr_bounds_step(struct clr_bounds *b, struct error *err)
{
	if (!b->steps_left) {
		b->is_used_up = true;
		return false;
	}
	if (b->steps_left-- % CHECK_STEPS == 0 &&
	    progress_is_cancelled(b->progress))
		return error_cancelled(err);
	return true;
}

bool
clr_bounds_see(struct clr_bounds *b, uint64_t address, bool *is_new,
	       struct error *err)
{
	*is_new = u64_map_get(&b->seen, address) == U64_MAP_NONE;
	return !*is_new || u64_map_put(&b->seen, address, 1, err);
}

void
clr_bounds_clear(struct clr_bounds *b)
{
	u64_map_clear(&b->seen);
}
