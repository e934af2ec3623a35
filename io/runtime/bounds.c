#include "io/runtime/bounds.h"

enum { CHECK_STEPS = 1 << 10 };

bool
clr_bounds_step(struct clr_bounds *b)
{
	if (!b->steps_left) {
		b->is_used_up = true;
		return false;
	}
	if (b->steps_left-- % CHECK_STEPS == 0 && progress_is_cancelled(b->progress))
		return error_cancelled(b->err);
	return true;
}

bool
clr_bounds_has_seen(const struct clr_bounds *b, uint64_t address)
{
	return u64_map_get(&b->seen, address) != U64_MAP_NONE;
}

bool
clr_bounds_visit(struct clr_bounds *b, uint64_t address, bool *is_new)
{
	*is_new = !clr_bounds_has_seen(b, address);
	*b->missing_count += !*is_new;
	return !*is_new || u64_map_put(&b->seen, address, 1, b->err);
}

void
clr_bounds_clear(struct clr_bounds *b)
{
	u64_map_clear(&b->seen);
}
