#include "model/graph/flood.h"

#include <string.h>

enum { BATCH = 1 << 16 }; /* objects and references between checks for Esc */

bool
flood_init(struct flood *f, const struct heap *h, struct progress *progress, struct error *err)
{
	struct sweep sweep;

	*f = (struct flood){ .heap = h, .progress = progress, .err = err };
	arena_init(&f->arena, 0);
	f->seen = arena_array(&f->arena, uint64_t, bits_words(h->nodes_count), err);
	if (!f->seen || !sweep_init(&sweep, h, &f->arena, progress, err))
		return false;
	f->finder = (struct refs_finder){ h, sweep.has_refs, 0, NULL };
	return true;
}

void
flood_clear(struct flood *f)
{
	memory_free(f->waiting);
	arena_clear(&f->arena);
	f->waiting = NULL;
	f->seen = NULL;
}

/* Returns false when cancelled. */
static bool
flood_report(struct flood *f)
{
	uint64_t more = f->count - f->reported;

	f->work = 0;
	f->reported = f->count;
	return progress_add(f->progress, more) || error_cancelled(f->err);
}

static bool
flood_reserve(struct flood *f, size_t more)
{
	return MAKE_ROOM(f->waiting, f->waiting_count + more, f->waiting_room, f->err);
}

/* There must be room for one more in `waiting`. */
static inline void
flood_meet(struct flood *f, node_id n)
{
	if (bits_has(f->seen, n) || (f->avoided && bits_has(f->avoided, n)))
		return;
	bits_add(f->seen, n);
	f->count++;
	f->waiting[f->waiting_count] = n;
	f->waiting_count += f->finder.has_refs[heap_type_of(f->heap, n)];
}

bool
flood_add(struct flood *f, node_id n)
{
	if (!flood_reserve(f, 1))
		return false;
	flood_meet(f, n);
	return true;
}

bool
flood_add_roots(struct flood *f)
{
	const struct heap *h = f->heap;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		if (ignored_root(f->ignored, i) || (f->cut_roots && bits_has(f->cut_roots, i)))
			continue;
		if (!flood_add(f, h->roots[i].object))
			return false;
		if (!(i & (BATCH - 1)) && !flood_report(f))
			return false;
	}
	return true;
}

/* Returns true if a reference of a partly ignored object is left out. */
static bool
flood_leaves_out(const struct flood *f, node_id source, node_id target)
{
	return ignored_ref(f->ignored, source, target) ||
	       (f->cut_sources && bits_has(f->cut_sources, source) &&
		bits_has(f->cut_targets, target));
}

static bool
flood_expand(struct flood *f, node_id n)
{
	struct refs r = refs_finder_begin(&f->finder, n);
	bool is_partial =
	    ignored_some_of(f->ignored, n) || (f->cut_sources && bits_has(f->cut_sources, n));
	uint64_t left = r.left;
	node_id target;

	f->work += left + 1;
	while (left) {
		uint64_t batch = left < BATCH ? left : BATCH;

		if (!flood_reserve(f, (size_t)batch + 1))
			return false;
		left -= batch;
		for (; batch && refs_next(&r, &target); batch--)
			if (!is_partial || !flood_leaves_out(f, n, target))
				flood_meet(f, target);
		if (left && !flood_report(f))
			return false;
	}
	refs_finder_end(&f->finder, &r, n);
	return f->work < BATCH || flood_report(f);
}

static bool
flood_sum_up(struct flood *f)
{
	const struct heap *h = f->heap;
	size_t words = bits_words(h->nodes_count);

	for (size_t w = 0; w < words; w++) {
		for (uint64_t left = f->seen[w]; left;)
			f->bytes += heap_size(h, bits_take(&left, w));
		if (!(w & (BATCH / 64 - 1)) && progress_is_cancelled(f->progress))
			return error_cancelled(f->err);
	}
	return flood_report(f);
}

/* Works in rounds, so that objects to come can be prefetched. */
bool
flood_run(struct flood *f)
{
	node_id *now = NULL;
	size_t now_room = 0, now_count = 0;
	bool is_ok = true;

	while (is_ok && f->waiting_count) {
		node_id *swap = now;
		size_t swap_room = now_room;

		now = f->waiting;
		now_room = f->waiting_room;
		now_count = f->waiting_count;
		f->waiting = swap;
		f->waiting_room = swap_room;
		f->waiting_count = 0;
		for (size_t i = 0; is_ok && i < now_count; i++) {
			refs_finder_prefetch(&f->finder, now, now_count, i);
			is_ok = flood_expand(f, now[i]);
		}
	}
	memory_free(now);
	return is_ok && flood_sum_up(f);
}
