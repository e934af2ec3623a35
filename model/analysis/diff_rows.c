/* The rows of a comparison, used by comparisons of every kind. */
#include "model/analysis/diff_paths.h"

bool
diff_needs_reach(enum diff_by by)
{
	return by == DIFF_KIND || by == DIFF_ROOT || by == DIFF_PATH;
}

bool
diff_needs_dominators(enum diff_by by)
{
	return by == DIFF_DOMINATOR;
}

bool
diff_make_rows(struct diff *d, uint32_t count, struct error *err)
{
	size_t cells = (size_t)count * d->heaps_count;

	d->rows = arena_array(&d->arena, struct diff_row, (size_t)count + 1, err);
	d->sums = arena_array(&d->arena, struct diff_sum, cells + 1, err);
	d->keys = arena_array(&d->arena, uint32_t, cells + 1, err);
	if (!d->rows || !d->sums || !d->keys)
		return false;
	for (size_t i = 0; i < cells; i++)
		d->keys[i] = DIFF_NONE;
	d->rows_count = count;
	return true;
}

struct diff_nodes *
diff_nodes_hold(struct diff_nodes *nodes)
{
	nodes->holders++;
	return nodes;
}

void
diff_nodes_free(struct diff_nodes *nodes)
{
	if (!nodes)
		return;
	if (nodes->holders) {
		nodes->holders--;
		return;
	}
	memory_free(nodes->rows);
	memory_free(nodes);
}

void
diff_clear(struct diff *d)
{
	diff_nodes_free(d->nodes);
	arena_clear(&d->arena);
	*d = (struct diff){ 0 };
}

enum diff_state
diff_state(const struct diff *d, uint32_t row)
{
	const struct diff_sum *sums = diff_sums(d, row);
	uint32_t last = d->heaps_count - 1, steps_up = 0, steps_down = 0;
	bool is_equal = true, is_seen = false;

	for (uint32_t h = 0; h < last; h++) {
		is_equal = is_equal && sums[h].count == sums[h + 1].count &&
			   sums[h].bytes == sums[h + 1].bytes;
		is_seen = is_seen || sums[h].count;
		steps_up += sums[h + 1].bytes > sums[h].bytes;
		steps_down += sums[h + 1].bytes < sums[h].bytes;
	}
	if (is_equal)
		return DIFF_EQUAL;
	if (!sums[0].count && sums[last].count)
		return DIFF_NEW;
	if (sums[0].count && !sums[last].count)
		return DIFF_GONE;
	if (!sums[0].count && is_seen)
		return DIFF_PASSING;
	if (steps_up && !steps_down)
		return DIFF_GROWS;
	return steps_down && !steps_up ? DIFF_SHRINKS : DIFF_VARIES;
}
