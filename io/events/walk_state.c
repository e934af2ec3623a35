#include "io/events/walk_state.h"
#include "model/base/sorted.h"
#include <string.h>

enum { WAITING_BYTES_MAX = 32 << 20 };

struct walk *
walk_new(const struct walk_options *options, struct error *err)
{
	struct walk *w = memory_new(1, sizeof(*w), err);

	if (!w)
		return NULL;
	w->options = *options;
	nettrace_order_init(&w->order, WAITING_BYTES_MAX, UINT32_MAX);
	arena_init(&w->arena, 0);
	w->types = options->types;
	if (!w->types) {
		w->owns_types = true;
		w->types = walk_types_new(err);
	}
	if (w->types)
		return w;
	walk_free(w);
	return NULL;
}

/* Frees what was built, but not the counts. */
static void
drop_heap(struct walk *w)
{
	walk_pairs_clear(&w->pairs);
	heap_stream_free(w->stream);
	w->stream = NULL;
	walk_queue_clear(&w->outside);
	w->roots.count = 0;
	w->statics.count = 0;
	w->wrappers.count = 0;
}

static void
forget_kept(struct walk *w)
{
	drop_heap(w);
	u64_map_clear(&w->methods_wanted);
	w->ranges.count = 0;
	if (w->totals.count)
		memset(w->totals.items, 0, w->totals.count * sizeof(*w->totals.items));
}

void
walk_free(struct walk *w)
{
	if (!w)
		return;
	preview_withdraw(w->preview); /* it shows names that are about to go */
	forget_kept(w);
	if (w->owns_types)
		walk_types_free(w->types);
	memory_free(w->roots.items);
	memory_free(w->statics.items);
	memory_free(w->wrappers.items);
	memory_free(w->ranges.items);
	memory_free(w->ranges_before.items);
	memory_free(w->totals.items);
	memory_free(w->shown);
	walk_texts_clear(&w->modules);
	walk_texts_clear(&w->methods);
	memory_free(w->builds.items);
	nettrace_order_clear(&w->order);
	arena_clear(&w->arena);
	memory_free(w);
}

bool
walk_is_complete(const struct walk_report *r)
{
	return r->has_end && !r->missing_object_events && !r->missing_ref_events &&
	       !r->missing_root_events && !r->missing_dependent_events && !r->lost_events &&
	       !r->damaged_events_count && r->refs_count == r->refs_expected_count;
}

enum {
	BYTES_AN_OBJECT = 6,
	BYTES_A_REF = 4,
	BYTES_BESIDES = 64 << 20, /* tables, buffers, names */
};

uint64_t
walk_memory(uint64_t objects_count, uint64_t refs_count)
{
	uint64_t objects, refs, all;

	if (__builtin_mul_overflow(objects_count, BYTES_AN_OBJECT, &objects) ||
	    __builtin_mul_overflow(refs_count, BYTES_A_REF, &refs) ||
	    __builtin_add_overflow(objects, refs, &all) ||
	    __builtin_add_overflow(all, BYTES_BESIDES, &all))
		return UINT64_MAX;
	return all;
}

/* An error is better than being killed by the kernel. */
void
walk_check_memory(struct walk *w)
{
	const struct walk_report *r = &w->current;

	if (!w->options.memory_bytes || !walk_is_built(w) ||
	    walk_memory(r->objects_count, r->refs_count) <= w->options.memory_bytes)
		return;
	w->current.is_too_large = true;
	drop_heap(w);
}

static bool
is_wanted(const struct walk *w, uint32_t number)
{
	if (w->is_listing)
		return false;
	if (w->options.which)
		return number == w->options.which;
	return !w->has_report || !walk_is_complete(&w->report);
}

static bool
keep_walk(struct walk *w, struct error *err)
{
	forget_kept(w);
	w->has_report = false;
	w->last_range = 0;
	SORT_BY(w->ranges_before.items, w->ranges_before.count, start);
	w->stream = heap_stream_new(err);
	if (!w->stream)
		return false;
	heap_stream_defer_types(w->stream);
	w->pairs.stream = w->stream;
	return true;
}

static bool
begin_walk(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	w->current = (struct walk_report){ .began_at = event->timestamp };
	if (w->is_gc_open) {
		w->current.has_gc = true;
		w->current.gc_number = w->gc.number;
		w->current.gc_generation = w->gc.generation;
		w->current.gc_reason = w->gc.reason;
		w->current.gc_type = w->gc.type;
	}
	memset(w->next_index, 0, sizeof(w->next_index));
	memset(w->full_count, 0, sizeof(w->full_count));
	memset(w->is_last_full, 0, sizeof(w->is_last_full));
	w->thread = event->thread;
	w->has_thread = true;
	w->is_running = true;
	w->is_kept = is_wanted(w, ++w->walks_count);
	return !w->is_kept || keep_walk(w, err);
}

/* A walk a second for many hours; more is hostile. */
enum { WALKS_MAX = 1 << 16 };

static bool
list_add(struct walk_list *list, const struct walk_report *report, struct error *err)
{
	if (list->count == WALKS_MAX)
		return error_set(err, ERROR_INPUT, "the trace has more than %d heap walks",
				 WALKS_MAX);
	return APPEND(list->reports, list->count, list->room, err, *report);
}

/*
 * All events of a series but the last are full. If the last one that arrived is not full, none is
 * missing at the end.
 */
static bool
ends_surely(const struct walk *w)
{
	for (int i = 0; i < SERIES_COUNT; i++)
		if (!w->next_index[i] || w->is_last_full[i])
			return false;
	return w->current.refs_count == w->current.refs_expected_count;
}

/*
 * The end of the collection may arrive without the events before it, as small ones still fit where
 * large ones are dropped. Then references cannot be counted from the end.
 */
static bool
has_tail(const struct walk *w, bool has_end)
{
	return has_end && !w->is_last_full[SERIES_OBJECTS] && !w->is_last_full[SERIES_REFS];
}

bool
walk_end(struct walk *w, bool has_end, struct error *err)
{
	if (!w->is_running)
		return true;
	w->is_running = false;
	w->ended_is_sure = ends_surely(w);
	w->current.has_end = has_end;
	if (w->suspended_at && w->stopped_at > w->suspended_at)
		w->current.suspend_ns = w->stopped_at - w->suspended_at;
	w->is_pause_open = w->suspended_at != 0;
	if (w->is_listing)
		return list_add(w->list, &w->current, err);
	if (!w->is_kept)
		return true;
	if (walk_is_built(w) && !walk_pairs_finish(&w->pairs, has_tail(w, has_end), err))
		return false;
	w->current.unknown_refs_objects = w->pairs.unknown_count;
	w->report = w->current;
	w->has_report = true;
	return true;
}

bool
walk_enter(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	/* Walks of younger generations are partial, and not used. */
	if (w->is_gc_open && w->gc.generation < 2)
		return false;
	return w->is_running || begin_walk(w, event, err);
}
