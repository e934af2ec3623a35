#include "tui/session/earlier.h"
#include "model/analysis/resident.h"
#include "model/heap/memory.h"
#include "tui/session/snapshots.h"
#include <string.h>

/* Returns the address of the runtime's record of its finalizer thread, which
   lives as long as the process; 0: unknown. */
static uint64_t
finalizer_address(const struct heap *h)
{
	const struct heap_memory *m = h->memory;

	for (uint32_t i = 0; m && i < m->threads_count; i++)
		if (m->threads[i].is_finalizer)
			return m->threads[i].address;
	return 0;
}

/* In containers most processes have the same id: all else that is known of
   both must agree too. */
static bool
is_same_process(const struct heap *x, const struct heap *y)
{
	const struct heap_info *a = &x->info, *b = &y->info;
	uint64_t thread_a = finalizer_address(x);
	uint64_t thread_b = finalizer_address(y);
	bool are_live = !strncmp(a->source, "process ", 8) &&
			!strncmp(b->source, "process ", 8);

	if (a->pid <= 0 || a->pid != b->pid ||
	    (are_live && strcmp(a->source, b->source) != 0) ||
	    (*a->process && *b->process && strcmp(a->process, b->process) != 0))
		return false;
	return !thread_a || !thread_b || thread_a == thread_b;
}

/* Where a time is unknown, the order in which heaps were opened counts. */
static bool
is_not_later(const struct heap *a, const struct heap *b)
{
	return !a->info.time || !b->info.time || a->info.time <= b->info.time;
}

/* Copy it, as that heap may be closed. Sums and mappings do not compare. */
void
earlier_note(struct session *s)
{
	const struct snapshots *all = s->snapshots;
	const struct heap *best = NULL;

	for (size_t i = 0; all && i < all->count && all->sessions[i] != s;
	     i++) {
		const struct heap *h = all->sessions[i]->heap;

		if (h &&
		    h->info.resident.detail == s->heap->info.resident.detail &&
		    is_same_process(h, s->heap) && is_not_later(h, s->heap) &&
		    (!best || is_not_later(best, h)))
			best = h;
	}
	if (best)
		s->earlier = resident_of(best);
}
