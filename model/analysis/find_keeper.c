/* Sets what keeps the subject of a finding, as a programmer would name it: keeper.h. */
#include "model/analysis/finder.h"
#include "model/analysis/keeper.h"

/* Returns true if the root of the subject names no reason itself. */
static bool
needs_keeper(const struct keeper_search *s, const struct finding *finding)
{
	return finding->kind->held == held_by_root && keeper_is_needed(s, finding->subject);
}

bool
finder_set_keepers(struct finder *f, struct error *err)
{
	struct keeper_search s = keeper_search_of(f->heap, f->reverse, f->reach);

	for (uint32_t i = 0; i < f->out->count; i++) {
		struct finding *finding = &f->out->items[i];

		if (!needs_keeper(&s, finding))
			continue;
		finding->keeper = keeper_find(&s, finding->subject);
		if (!keeper_set_field(f->heap, &finding->keeper, &f->out->arena, err))
			return false;
	}
	return true;
}
