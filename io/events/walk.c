#include "io/events/walk.h"
#include "io/events/walk_state.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- missing parts --- */

static void PRINTF_LIKE(3, 4) append(char *text, size_t text_size, const char *format, ...)
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
			append(text, text_size, "%" PRIu64 " %s %s lost", parts[i].count,
			       parts[i].count == 1 ? "event" : "events", parts[i].what);
	if (r->damaged_events_count)
		append(text, text_size, "%" PRIu64 " %s damaged", r->damaged_events_count,
		       r->damaged_events_count == 1 ? "event" : "events");
	if (!r->has_end)
		append(text, text_size, "the end of the collection not seen");
	if (r->refs_count != r->refs_expected_count)
		append(text, text_size, "%" PRIu64 " references instead of %" PRIu64, r->refs_count,
		       r->refs_expected_count);
	return text;
}

/* --- collections --- */

static bool
handle_range(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	struct walk_ranges *ranges = w->is_running ? &w->ranges : &w->ranges_before;
	struct gc_range range;

	if (!gc_range_read(&range, event, w->pointer_bytes) || range.generation > GEN_POH)
		return true;
	w->current.ranges_count += w->is_running;
	if (w->is_listing || (w->is_running && !w->is_kept))
		return true;
	return APPEND(ranges->items, ranges->count, ranges->room, err, range);
}

static bool
handle_gc_start(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	struct gc_start start;

	if (!gc_start_read(&start, event))
		return true;
	w->has_seen_gc = true;
	/* A collection that begins while a background one has not ended. */
	if (!walk_end(w, false, err))
		return false;
	w->gc = start;
	w->is_gc_open = true;
	w->ranges_before.count = 0;
	return true;
}

static bool
handle_gc_end(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	struct gc_end end;

	w->has_seen_gc = true;
	if (!gc_end_read(&end, event) || (w->is_gc_open && end.number != w->gc.number))
		return true;
	w->is_gc_open = false;
	return walk_end(w, true, err);
}

static bool
handle_suspend(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	(void)err;
	*(event->id == GC_SUSPEND_BEGIN ? &w->suspended_at : &w->stopped_at) = event->timestamp;
	return true;
}

static bool
handle_restart(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	(void)err;
	if (w->is_pause_open && event->timestamp > w->suspended_at) {
		uint64_t pause = event->timestamp - w->suspended_at;

		if (w->is_listing)
			w->list->reports[w->list->count - 1].pause_ns = pause;
		else if (w->is_kept)
			w->report.pause_ns = pause;
	}
	w->is_pause_open = false;
	w->suspended_at = w->stopped_at = 0;
	return true;
}

/* Events that begin, end or make up a walk; their order matters. */
static const struct walk_handler {
	enum gc_event id;
	bool (*take)(struct walk *w, const struct nettrace_event *event, struct error *err);
} handlers[] = {
	{ GC_BULK_REF, walk_take_refs },
	{ GC_BULK_OBJECT, walk_take_objects },
	{ GC_BULK_TYPE, walk_take_types },
	{ GC_BULK_ROOT, walk_take_roots },
	{ GC_BULK_DEPENDENT, walk_take_dependents },
	{ GC_BULK_STATIC, walk_take_statics },
	{ GC_BULK_CCW, walk_take_wrappers },
	{ GC_BULK_RCW, walk_take_wrappers },
	{ GC_RANGE, handle_range },
	{ GC_START, handle_gc_start },
	{ GC_END, handle_gc_end },
	{ GC_SUSPEND_BEGIN, handle_suspend },
	{ GC_SUSPEND_END, handle_suspend },
	{ GC_RESTART_END, handle_restart },
};

static const struct walk_handler *
find_handler(const struct nettrace_event *event)
{
	for (size_t i = 0; i < sizeof(handlers) / sizeof(*handlers); i++)
		if (handlers[i].id == event->id)
			return &handlers[i];
	return NULL;
}

static bool
handle_runtime(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	const struct walk_handler *handler = find_handler(event);

	if (handler)
		return handler->take(w, event, err);
	return w->is_listing || walk_take_loaded(w, event, err);
}

/* --- losses --- */

/* The walk before the current one, or the last one; NULL: none. */
static struct walk_report *
ended_report(struct walk *w)
{
	if (w->is_listing)
		return w->list->count ? &w->list->reports[w->list->count - 1] : NULL;
	return w->has_report ? &w->report : NULL;
}

/*
 * Sequence numbers show a loss late: while large events are dropped, small ones may still fit into
 * the last buffer, and the gap shows only before the first event of the next buffer. So a loss
 * counts for the current walk and, if it is the first in it, also for the walk before.
 */
static void
handle_loss(struct walk *w, const struct nettrace_event *event)
{
	struct walk_report *ended = ended_report(w);

	if (!w->has_thread || event->thread != w->thread)
		return;
	if (ended && !w->ended_is_sure && (!w->is_running || !w->current.lost_events))
		ended->lost_events += event->lost_count;
	if (w->is_running)
		w->current.lost_events += event->lost_count;
}

/* --- ordering --- */

static bool
handle_now(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	if (event->id == GC_END)
		w->has_seen_objects = w->end_waits = false;
	if (!event->lost_count)
		return handle_runtime(w, event, err);
	handle_loss(w, event);
	return true;
}

static bool
handle_waiting(struct walk *w, uint64_t until, struct error *err)
{
	struct nettrace_event e;

	while (nettrace_order_next(&w->order, until, &e))
		if (!handle_now(w, &e, err))
			return false;
	return true;
}

static bool
make_room(struct walk *w, struct error *err)
{
	struct nettrace_event e;

	while (nettrace_order_is_full(&w->order) && nettrace_order_next(&w->order, UINT64_MAX, &e))
		if (!handle_now(w, &e, err))
			return false;
	return true;
}

static bool
handle_or_wait(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	bool is_loss = event->lost_count > 0;

	w->has_seen_objects = w->has_seen_objects || (!is_loss && event->id == GC_BULK_OBJECT);
	if (event->is_sorted || (!is_loss && !find_handler(event)))
		return handle_now(w, event, err);
	w->end_waits = w->end_waits || (w->has_seen_objects && event->id == GC_END);
	return make_room(w, err) && nettrace_order_add(&w->order, event, err);
}

bool
walk_take(struct walk *w, const struct nettrace *t, enum nettrace_item item,
	  const struct nettrace_event *event, struct error *err)
{
	if (item == NETTRACE_END)
		return handle_waiting(w, UINT64_MAX, err);
	w->pointer_bytes = nettrace_header(t)->pointer_bytes;
	if (item == NETTRACE_EVENT)
		recorded_take(&w->recorded, event);
	if (event->is_sorted && !handle_waiting(w, event->timestamp, err))
		return false;
	if (item == NETTRACE_LOST)
		return handle_or_wait(w, event, err);
	switch (event->provider) {
	case NETTRACE_RUNTIME:
		return handle_or_wait(w, event, err);
	case NETTRACE_RUNDOWN: /* of modules in the walks before */
		return w->is_listing || (handle_waiting(w, event->timestamp, err) &&
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
