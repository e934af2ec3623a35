#include "io/events/nettrace_threads.h"
#include "model/base/arena.h"

/* Sessions that last for days see many threads. */
enum { THREADS_KEPT = 1 << 14 };

void
nettrace_threads_clear(struct nettrace_threads *t)
{
	u64_map_clear(&t->index);
	memory_free(t->items);
	*t = (struct nettrace_threads){ 0 };
}

static struct nettrace_thread *
threads_find(struct nettrace_threads *t, uint64_t id, struct error *err)
{
	uint32_t i = u64_map_get(&t->index, id);

	if (i != U64_MAP_NONE)
		return &t->items[i];
	if (t->count >= U64_MAP_NONE) {
		error_set(err, ERROR_INPUT, "too many threads in the stream");
		return NULL;
	}
	if (!MAKE_ROOM(t->items, t->count + 1, t->room, err) ||
	    !u64_map_put(&t->index, id, (uint32_t)t->count, err))
		return NULL;
	t->items[t->count] = (struct nettrace_thread){ .id = id };
	return &t->items[t->count++];
}

/*
 * How far `sequence` is ahead of `last`, or 0. Numbers wrap, so half of their range counts as
 * ahead.
 */
static uint32_t
sequence_ahead(uint32_t sequence, uint32_t last)
{
	uint32_t ahead = sequence - last;

	return ahead <= INT32_MAX ? ahead : 0;
}

bool
nettrace_threads_event(struct nettrace_threads *t, uint64_t thread, uint32_t sequence,
		       uint32_t *lost, struct error *err)
{
	struct nettrace_thread *item = threads_find(t, thread, err);

	if (!item)
		return false;
	*lost = sequence_ahead(sequence, item->last);
	/* A lower number belongs to a new thread with a reused id. */
	if (*lost)
		--*lost;
	else if (sequence != item->last && sequence > 1)
		*lost = sequence_ahead(sequence, 1);
	item->last = sequence;
	return true;
}

bool
nettrace_threads_point(struct nettrace_threads *t, uint64_t thread, uint32_t sequence,
		       uint32_t *lost, struct error *err)
{
	struct nettrace_thread *item = threads_find(t, thread, err);

	if (!item)
		return false;
	*lost = sequence_ahead(sequence, item->last);
	if (*lost)
		item->last = sequence;
	item->is_named = true;
	return true;
}

bool
nettrace_threads_forget(struct nettrace_threads *t, struct error *err)
{
	bool is_full = t->count > THREADS_KEPT;
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		bool is_kept = !is_full || t->items[i].is_named;

		t->items[i].is_named = false;
		if (is_kept)
			t->items[kept++] = t->items[i];
	}
	if (kept == t->count)
		return true;
	t->count = kept;
	u64_map_clear(&t->index);
	for (size_t i = 0; i < t->count; i++)
		if (!u64_map_put(&t->index, t->items[i].id, (uint32_t)i, err))
			return false;
	return true;
}
