#include "tui/session/earlier.h"
#include "model/analysis/resident.h"
#include "model/heap/memory.h"
#include "tui/session/snapshots.h"
#include <string.h>

/* Returns the address of the runtime's record of its finalizer thread, which lives as long as the
   process; 0: unknown. */
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
	bool are_live = !strncmp(a->source, "process ", 8) && !strncmp(b->source, "process ", 8);

	if (a->pid <= 0 || a->pid != b->pid || (are_live && strcmp(a->source, b->source) != 0) ||
	    (*a->process && *b->process && strcmp(a->process, b->process) != 0))
		return false;
	return !thread_a || !thread_b || thread_a == thread_b;
}

/* Returns whether `a` was opened before `b`. */
static bool
is_opened_before(const struct session *a, const struct session *b)
{
	const struct snapshots *all = a->snapshots;
	size_t i = 0;

	while (i < all->count && all->sessions[i] != a && all->sessions[i] != b)
		i++;
	return i < all->count && all->sessions[i] == a;
}

/* Returns whether `a` was captured before `b`. If a time is unknown or both
   are equal, the order in which heaps were opened counts. */
static bool
is_before(const struct session *a, const struct session *b)
{
	int64_t time_a = a->heap->info.time, time_b = b->heap->info.time;

	if (time_a && time_b && time_a != time_b)
		return time_a < time_b;
	return is_opened_before(a, b);
}

static bool
are_of_one_process(const struct session *a, const struct session *b)
{
	return a->heap && b->heap && is_same_process(a->heap, b->heap);
}

/* Returns whether both are captures of one process. Sums and mappings do not compare. */
static bool
is_comparable(const struct session *a, const struct session *b)
{
	return are_of_one_process(a, b) &&
	       a->heap->info.resident.detail == b->heap->info.resident.detail;
}

/* Returns the last capture before `s` that is like it, or NULL. */
static struct session *
last_before(const struct session *s,
	    bool (*is_like)(const struct session *a, const struct session *b))
{
	const struct snapshots *all = s->snapshots;
	struct session *best = NULL;

	for (size_t i = 0; all && i < all->count; i++) {
		struct session *other = all->sessions[i];

		if (other != s && is_like(other, s) && is_before(other, s) &&
		    (!best || is_before(best, other)))
			best = other;
	}
	return best;
}

/* Copies it, as that heap may be closed. */
static void
note_of(struct session *s)
{
	const struct session *best = last_before(s, is_comparable);

	if (best)
		s->earlier = resident_of(best->heap);
}

void
earlier_note(struct session *s)
{
	const struct snapshots *all = s->snapshots;

	if (!all)
		return;
	note_of(s);
	for (size_t i = 0; i < all->count; i++)
		if (all->sessions[i] != s && is_comparable(all->sessions[i], s))
			note_of(all->sessions[i]);
}

/* Returns the open heap in front of `s`, or behind it if it is the first, or NULL. */
static struct session *
beside(const struct session *s)
{
	const struct snapshots *all = s->snapshots;
	struct session *found = NULL;
	bool is_behind = false;

	for (size_t i = 0; all && i < all->count; i++) {
		struct session *other = all->sessions[i];

		is_behind = is_behind || other == s;
		if (other != s && other->heap && (!is_behind || !found))
			found = other;
	}
	return found;
}

struct session *
earlier_before(const struct session *s)
{
	struct session *before = last_before(s, are_of_one_process);

	return before ? before : beside(s);
}

struct session *
earlier_latest(struct session *s)
{
	const struct snapshots *all = s->snapshots;

	for (size_t i = 0; all && s->heap && i < all->count; i++)
		if (all->sessions[i] != s && is_comparable(all->sessions[i], s) &&
		    is_before(s, all->sessions[i]))
			s = all->sessions[i];
	return s;
}
