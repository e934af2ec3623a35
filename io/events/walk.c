#include "io/events/walk.h"
#include "io/events/walk_state.h"
#include "model/base/sorted.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- life --- */

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

/* Forgets the walk kept so far. */
static void
forget_kept(struct walk *w)
{
	walk_pairs_clear(&w->pairs);
	heap_stream_free(w->stream);
	w->stream = NULL;
	walk_queue_clear(&w->outside);
	u64_map_clear(&w->methods_wanted);
	w->roots.count = 0;
	w->statics.count = 0;
	w->wrappers.count = 0;
	w->ranges.count = 0;
	if (w->totals.count)
		memset(w->totals.items, 0,
		       w->totals.count * sizeof(*w->totals.items));
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

/* --- what is missing --- */

bool
walk_is_complete(const struct walk_report *r)
{
	return r->has_end && !r->missing_object_events &&
	       !r->missing_ref_events && !r->missing_root_events &&
	       !r->missing_dependent_events && !r->lost_events &&
	       !r->damaged_events_count &&
	       r->refs_count == r->refs_expected_count;
}

static void PRINTF_LIKE(3, 4)
    append(char *text, size_t text_size, const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	if (len && len + 3 < text_size) {
		memcpy(text + len, ", ", 3);
		len += 2;
	}
	va_start(args, format);
	vsnprintf(text + len, text_size - len, format, args);
	va_end(args);
}

const char *
walk_missing(const struct walk_report *r, char *text, size_t text_size)
{
	const struct {
		uint64_t count;
		const char *what;
	} parts[] = {
		{ r->missing_object_events, "with objects" },
		{ r->missing_ref_events, "with references" },
		{ r->missing_root_events, "with roots" },
		{ r->missing_dependent_events, "with dependent handles" },
		{ r->lost_events, "of the collecting thread" },
	};

	*text = '\0';
	if (walk_is_complete(r))
		return text;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].count)
			append(text, text_size, "%" PRIu64 " %s %s lost",
			       parts[i].count,
			       parts[i].count == 1 ? "event" : "events",
			       parts[i].what);
	if (r->damaged_events_count)
		append(text, text_size, "%" PRIu64 " %s damaged",
		       r->damaged_events_count,
		       r->damaged_events_count == 1 ? "event" : "events");
	if (!r->has_end)
		append(text, text_size, "the end of the collection not seen");
	if (r->refs_count != r->refs_expected_count)
		append(text, text_size,
		       "%" PRIu64 " references of %" PRIu64 " there",
		       r->refs_count, r->refs_expected_count);
	return text;
}

/* --- what it takes --- */

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

/* Better no heap, and a sentence, than the kernel ending us. */
void
walk_check_memory(struct walk *w)
{
	const struct walk_report *r = &w->current;

	if (!w->options.memory_bytes || !walk_is_built(w) ||
	    walk_memory(r->objects_count, r->refs_count) <=
		w->options.memory_bytes)
		return;
	w->current.is_too_large = true;
	walk_pairs_clear(&w->pairs);
	heap_stream_free(w->stream);
	w->stream = NULL;
	walk_queue_clear(&w->outside);
	w->roots.count = 0;
	w->statics.count = 0;
	w->wrappers.count = 0;
}

/* --- a walk begins and ends --- */

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
begin_walk(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
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

/* Many hours of them, one a second: what has more was made to hurt. */
enum { WALKS_MAX = 1 << 16 };

static bool
list_add(struct walk_list *list, const struct walk_report *report,
	 struct error *err)
{
	if (list->count == WALKS_MAX)
		return error_set(err, ERROR_INPUT,
				 "the trace holds more than %d walks of the "
				 "heap",
				 WALKS_MAX);
	return APPEND(list->reports, list->count, list->room, err, *report);
}

/*
 * All events of a series but the last are full. Where each ended with one that
 * is not, nothing is missing at the end.
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
 * The end of the collection may arrive though events before it did not: small
 * ones still fit where large ones are dropped. Then nothing can be told from
 * behind.
 */
static bool
has_tail(const struct walk *w, bool has_end)
{
	return has_end && !w->is_last_full[SERIES_OBJECTS] &&
	       !w->is_last_full[SERIES_REFS];
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
	if (walk_is_built(w) &&
	    !walk_pairs_finish(&w->pairs, has_tail(w, has_end), err))
		return false;
	w->current.unknown_refs_objects = w->pairs.unknown_count;
	w->report = w->current;
	w->has_report = true;
	return true;
}

bool
walk_enter(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
{
	/* Collections of young objects may be walked too: only in part. */
	if (w->is_gc_open && w->gc.generation < 2)
		return false;
	return w->is_running || begin_walk(w, event, err);
}

/* --- collections --- */

static bool
take_range(struct walk *w, const struct nettrace_event *event,
	   struct error *err)
{
	struct walk_ranges *ranges =
	    w->is_running ? &w->ranges : &w->ranges_before;
	struct gc_range range;

	if (!gc_range_read(&range, event, w->pointer_bytes) ||
	    range.generation > GEN_POH)
		return true;
	w->current.ranges_count += w->is_running;
	if (w->is_listing || (w->is_running && !w->is_kept))
		return true;
	return APPEND(ranges->items, ranges->count, ranges->room, err, range);
}

static bool
take_gc_start(struct walk *w, const struct nettrace_event *event,
	      struct error *err)
{
	struct gc_start start;

	if (!gc_start_read(&start, event))
		return true;
	w->has_seen_gc = true;
	/* One that runs while others go on in the background. */
	if (!walk_end(w, false, err))
		return false;
	w->gc = start;
	w->is_gc_open = true;
	w->ranges_before.count = 0;
	return true;
}

static bool
take_gc_end(struct walk *w, const struct nettrace_event *event,
	    struct error *err)
{
	struct gc_end end;

	w->has_seen_gc = true;
	if (!gc_end_read(&end, event) ||
	    (w->is_gc_open && end.number != w->gc.number))
		return true;
	w->is_gc_open = false;
	return walk_end(w, true, err);
}

static void
take_restart(struct walk *w, const struct nettrace_event *event)
{
	if (w->is_pause_open && event->timestamp > w->suspended_at) {
		uint64_t pause = event->timestamp - w->suspended_at;

		if (w->is_listing)
			w->list->reports[w->list->count - 1].pause_ns = pause;
		else if (w->is_kept)
			w->report.pause_ns = pause;
	}
	w->is_pause_open = false;
	w->suspended_at = w->stopped_at = 0;
}

static bool
take_runtime(struct walk *w, const struct nettrace_event *event,
	     struct error *err)
{
	switch (event->id) {
	case GC_BULK_OBJECT:
		return walk_take_objects(w, event, err);
	case GC_BULK_REF:
		return walk_take_refs(w, event, err);
	case GC_BULK_TYPE:
		return walk_take_types(w, event, err);
	case GC_BULK_ROOT:
		return walk_take_roots(w, event, err);
	case GC_BULK_DEPENDENT:
		return walk_take_dependents(w, event, err);
	case GC_BULK_STATIC:
		return walk_take_statics(w, event, err);
	case GC_BULK_CCW:
	case GC_BULK_RCW:
		return walk_take_wrappers(w, event, err);
	case GC_RANGE:
		return take_range(w, event, err);
	case GC_START:
		return take_gc_start(w, event, err);
	case GC_END:
		return take_gc_end(w, event, err);
	case GC_SUSPEND_BEGIN:
		w->suspended_at = event->timestamp;
		return true;
	case GC_SUSPEND_END:
		w->stopped_at = event->timestamp;
		return true;
	case GC_RESTART_END:
		take_restart(w, event);
		return true;
	default:
		return w->is_listing || walk_take_loaded(w, event, err);
	}
}

/* --- what comes --- */

/* The walk before the one that runs, or the last one; NULL: none. */
static struct walk_report *
ended_report(struct walk *w)
{
	if (w->is_listing)
		return w->list->count ? &w->list->reports[w->list->count - 1]
				      : NULL;
	return w->has_report ? &w->report : NULL;
}

/*
 * The runtime numbers its events by the buffer: while large events are dropped,
 * small ones may still fit into the last buffer, one after another, and the gap
 * shows only before the first event of the next buffer. So a loss counts for
 * the walk that runs and, if it is the first one there, also for that before.
 */
static void
take_loss(struct walk *w, const struct nettrace_event *event)
{
	struct walk_report *ended = ended_report(w);

	if (!w->has_thread || event->thread != w->thread)
		return;
	if (ended && !w->ended_is_sure &&
	    (!w->is_running || !w->current.lost_events))
		ended->lost_events += event->lost_count;
	if (w->is_running)
		w->current.lost_events += event->lost_count;
}

/* --- in the order of time --- */

static bool
take_now(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	if (event->id == GC_END)
		w->has_seen_objects = w->end_waits = false;
	if (!event->lost_count)
		return take_runtime(w, event, err);
	take_loss(w, event);
	return true;
}

static bool
take_waiting(struct walk *w, uint64_t until, struct error *err)
{
	struct nettrace_event e;

	while (nettrace_order_next(&w->order, until, &e))
		if (!take_now(w, &e, err))
			return false;
	return true;
}

static bool
make_room(struct walk *w, struct error *err)
{
	struct nettrace_event e;

	while (nettrace_order_is_full(&w->order) &&
	       nettrace_order_next(&w->order, UINT64_MAX, &e))
		if (!take_now(w, &e, err))
			return false;
	return true;
}

/* Those that begin, end or make up a walk. */
static bool
has_order(const struct nettrace_event *event)
{
	switch (event->id) {
	case GC_BULK_OBJECT:
	case GC_BULK_REF:
	case GC_BULK_TYPE:
	case GC_BULK_ROOT:
	case GC_BULK_DEPENDENT:
	case GC_BULK_STATIC:
	case GC_BULK_CCW:
	case GC_BULK_RCW:
	case GC_RANGE:
	case GC_START:
	case GC_END:
	case GC_SUSPEND_BEGIN:
	case GC_SUSPEND_END:
	case GC_RESTART_END:
		return true;
	default:
		return false;
	}
}

static bool
take_or_wait(struct walk *w, const struct nettrace_event *event,
	     struct error *err)
{
	bool is_loss = event->lost_count > 0;

	w->has_seen_objects =
	    w->has_seen_objects || (!is_loss && event->id == GC_BULK_OBJECT);
	if (event->is_sorted || (!is_loss && !has_order(event)))
		return take_now(w, event, err);
	w->end_waits =
	    w->end_waits || (w->has_seen_objects && event->id == GC_END);
	return make_room(w, err) && nettrace_order_add(&w->order, event, err);
}

bool
walk_take(struct walk *w, const struct nettrace *t, enum nettrace_item item,
	  const struct nettrace_event *event, struct error *err)
{
	if (item == NETTRACE_END)
		return take_waiting(w, UINT64_MAX, err);
	w->pointer_bytes = nettrace_header(t)->pointer_bytes;
	if (event->is_sorted && !take_waiting(w, event->timestamp, err))
		return false;
	if (item == NETTRACE_LOST)
		return take_or_wait(w, event, err);
	switch (event->provider) {
	case NETTRACE_RUNTIME:
		return take_or_wait(w, event, err);
	case NETTRACE_RUNDOWN: /* of what the walks before had */
		return w->is_listing ||
		       (take_waiting(w, event->timestamp, err) &&
			walk_take_loaded(w, event, err));
	case NETTRACE_EVENTPIPE:
		return w->is_listing || walk_take_process(w, event, err);
	default:
		return true;
	}
}

enum walk_state
walk_state(const struct walk *w)
{
	if (w->is_running && w->is_kept && !w->end_waits)
		return WALK_RUNNING;
	return w->has_report || w->end_waits ? WALK_DONE : WALK_NONE;
}

const struct walk_report *
walk_report(const struct walk *w)
{
	return w->is_running && w->is_kept ? &w->current : &w->report;
}
