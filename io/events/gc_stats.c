#include "io/events/gc_stats.h"
#include "io/events/gc_events.h"
#include "io/events/gc_history.h"
#include "io/events/gc_stops.h"
#include "io/events/nettrace_all.h"
#include "io/events/nettrace_order.h"
#include "io/events/recorded_events.h"
#include "io/base/input.h"
#include "model/base/arena.h"
#include <stdio.h>

enum { WAITING_MAX = 4, SUSPENDED_FOR_GC = 1, SUSPENDED_FOR_GC_PREP = 6 };

/* Bytes of objects in each generation after a collection. */
struct gc_level {
	uint64_t ns;
	uint64_t objects[GC_GENERATIONS];
};

struct gc_open {
	bool is_open, has_ended;
	struct gc_record r;
	uint64_t start, end;   /* timestamps */
	uint64_t suspension;   /* number of the one it began in; 0: none */
	struct gc_level level; /* before it began */
	bool has_committed;
};

struct gc_stats {
	struct gc_sink sink;
	const struct nettrace *trace; /* borrowed */
	struct nettrace_order order;
	struct gc_totals totals;
	uint64_t clock_start, clock_hz, newest; /* timestamps */
	unsigned pointer_bytes;
	bool has_clock;

	struct gc_open blocking, background;
	/* Blocking collections that ended in the current pause. */
	struct gc_open waiting[WAITING_MAX];
	uint32_t waiting_count;
	struct gc_open *history, *stats; /* owners of the next events; NULL */
	uint32_t triggered;
	struct gc_level level;

	bool is_suspended;
	uint64_t suspension;               /* its number, from 1 */
	struct gc_stop stop;               /* the present one, or the latest */
	struct gc_stops queue;             /* requests of other threads */
	uint64_t restart_begin, restarted; /* timestamps */
	bool has_late;                     /* `late` has still to write its RestartEnd */
	uint64_t late;                     /* a thread */
	uint64_t join_begin[GC_HEAPS_MAX]; /* timestamps; 0: does not wait */
};

enum { WAITING_BYTES_MAX = 64 << 20, PAYLOAD_MAX = 4096 };

struct gc_stats *
gc_stats_new(struct gc_sink sink, struct error *err)
{
	struct gc_stats *s = memory_new(1, sizeof(*s), err);

	if (!s)
		return NULL;
	s->sink = sink;
	nettrace_order_init(&s->order, WAITING_BYTES_MAX, PAYLOAD_MAX);
	s->triggered = GC_UNKNOWN32;
	s->level.ns = GC_UNKNOWN;
	return s;
}

void
gc_stats_free(struct gc_stats *s)
{
	if (!s)
		return;
	gc_record_clear(&s->blocking.r);
	gc_record_clear(&s->background.r);
	for (uint32_t i = 0; i < s->waiting_count; i++)
		gc_record_clear(&s->waiting[i].r);
	nettrace_order_clear(&s->order);
	memory_free(s);
}

/* ---- time ---------------------------------------------------------------- */

static uint64_t
ns_of(const struct gc_stats *s, uint64_t ticks)
{
	if (s->clock_hz == 1000000000 || !s->clock_hz)
		return ticks;
	return gc_from_double((double)ticks * 1e9 / (double)s->clock_hz);
}

/* Time between two events; 0 if they are out of order. */
static uint64_t
ns_between(const struct gc_stats *s, uint64_t from, uint64_t to)
{
	return to > from ? ns_of(s, to - from) : 0;
}

/* ---- complete records ---------------------------------------------------- */

/* Bytes of objects in a generation, without free space. */
static uint64_t
objects_in(const struct gc_generation *g, enum gc_size size, enum gc_size free_list,
	   enum gc_size free_objects)
{
	uint64_t in_lists = gc_minus(g->sizes[size], g->sizes[free_list]);

	return gc_minus(in_lists, g->sizes[free_objects]);
}

/* Programs allocate in these generations; others are filled by collections. */
static bool
is_allocated_into(int generation)
{
	return generation == 0 || generation >= GC_GENERATION_LARGE;
}

static void
count_allocated(struct gc_open *open)
{
	struct gc_record *r = &open->r;

	if (open->level.ns == GC_UNKNOWN)
		return;
	r->since_ns = gc_minus(r->start_ns, open->level.ns);
	for (int g = 0; g < GC_GENERATIONS; g++) {
		uint64_t before = objects_in(&r->generations[g], GC_SIZE_BEFORE,
					     GC_FREE_LIST_BEFORE, GC_FREE_OBJECTS_BEFORE);

		if (is_allocated_into(g))
			gc_add(&r->allocated, gc_minus(before, open->level.objects[g]));
	}
}

static void
keep_level(struct gc_stats *s, const struct gc_open *open, uint64_t ended)
{
	if (open->r.before == GC_UNKNOWN) {
		s->level.ns = GC_UNKNOWN;
		return;
	}
	s->level.ns = ns_of(s, ended);
	for (int g = 0; g < GC_GENERATIONS; g++)
		s->level.objects[g] = objects_in(&open->r.generations[g], GC_SIZE_AFTER,
						 GC_FREE_LIST_AFTER, GC_FREE_OBJECTS_AFTER);
}

/* Without lost events, missing values have other reasons. */
static void
judge(const struct gc_stats *s, struct gc_record *r)
{
	r->is_incomplete =
	    s->totals.lost_events > 0 && (r->before == GC_UNKNOWN || r->after == GC_UNKNOWN ||
					  (r->pause_ns == GC_UNKNOWN && !r->shares_pause));
}

/* Completes a record; `ended`: when the program resumed allocating. */
static void
hand_out(struct gc_stats *s, struct gc_open *open, uint64_t ended)
{
	struct gc_record *r = &open->r;

	gc_record_sum(r);
	count_allocated(open);
	keep_level(s, open, ended);
	if (r->pause_ns == GC_UNKNOWN && r->shares_pause)
		r->pause_ns = 0;
	judge(s, r);
	s->sink.take(s->sink.context, r);
	s->sink.totals(s->sink.context, &s->totals);
	gc_record_clear(r);
	open->is_open = false;
	if (s->history == open)
		s->history = NULL;
	if (s->stats == open)
		s->stats = NULL;
}

static void
add_pause(const struct gc_stats *s, struct gc_record *r, uint64_t from, uint64_t to)
{
	uint64_t length = ns_between(s, from, to);
	uint64_t stop = GC_UNKNOWN;

	/* The pause began for the first of its collections. */
	if (from == s->stop.begin && s->stop.end)
		stop = ns_between(s, from, s->stop.end);
	if (r->pauses_count < GC_PAUSES) {
		r->pauses[r->pauses_count].length_ns = length;
		r->pauses[r->pauses_count].stop_ns = stop;
		r->pauses_count++;
	}
	gc_add(&r->pause_ns, length);
	gc_add(&r->stop_ns, stop);
}

/*
 * Gives each waiting collection its part of the pause and hands it out. If `is_lost`, the end of
 * the pause was missed and stays unknown.
 */
static void
release_waiting(struct gc_stats *s, uint64_t now, bool is_lost)
{
	for (uint32_t i = 0; i < s->waiting_count; i++) {
		struct gc_open *open = &s->waiting[i];
		bool is_first = i == 0, is_last = i + 1 == s->waiting_count;
		uint64_t from = is_first ? s->stop.begin : open->start;
		uint64_t to = is_last ? now : s->waiting[i + 1].start;

		if (!is_lost && s->is_suspended) {
			add_pause(s, &open->r, from, to);
			if (is_first && s->stop.end)
				open->r.before_ns = ns_between(s, s->stop.end, open->start);
			if (is_last)
				open->r.after_ns = ns_between(s, open->end, now);
		}
		hand_out(s, open, is_lost ? open->end : now);
	}
	s->waiting_count = 0;
}

/* Gives up a collection whose end, or events after it, are missing. */
static void
give_up(struct gc_stats *s, struct gc_open *open)
{
	if (!open->is_open)
		return;
	if (open->has_ended) {
		hand_out(s, open, open->end);
		return;
	}
	s->totals.partial++;
	gc_record_clear(&open->r);
	open->is_open = false;
	s->history = s->stats = NULL;
}

/* ---- pauses -------------------------------------------------------------- */

/* The program is stopped, or is being stopped if nothing else has stopped it.
 */
static void
hold(struct gc_stats *s, const struct gc_stop *stop)
{
	s->stop = *stop;
	/* Until then the program was stopped for another thread. */
	if (s->stop.begin < s->restarted)
		s->stop.begin = s->restarted;
	s->is_suspended = true;
	s->suspension++;
}

/* Ends the present stop at `now`: adds it to the collections in it. */
static void
finish_stop(struct gc_stats *s, uint64_t now)
{
	struct gc_open *b = &s->background;
	bool is_for_gc =
	    s->stop.reason == SUSPENDED_FOR_GC || s->stop.reason == SUSPENDED_FOR_GC_PREP;
	bool began_here = b->is_open && b->suspension == s->suspension;

	if (s->waiting_count) {
		if (began_here)
			b->r.shares_pause = true;
		release_waiting(s, now, false);
	} else if (b->is_open && !b->has_ended && is_for_gc) {
		add_pause(s, &b->r, s->stop.begin, now);
		if (began_here && s->stop.end)
			b->r.before_ns = ns_between(s, s->stop.end, b->start);
	} else {
		s->totals.other_pauses++;
		s->totals.other_ns += ns_between(s, s->stop.begin, now);
	}
	s->is_suspended = false;
	s->restarted = now;
}

/* The end of the present stop was missed. */
static void
lose_stop(struct gc_stats *s, uint64_t now)
{
	release_waiting(s, now, true);
	s->is_suspended = false;
}

static void
on_suspend_begin(struct gc_stats *s, const struct nettrace_event *e)
{
	struct gc_stop stop = gc_stop_read(e);

	if (s->has_late && s->late == e->thread)
		s->has_late = false;
	if (s->is_suspended && s->stop.thread != e->thread) {
		gc_stops_add(&s->queue, &stop);
		return;
	}
	lose_stop(s, e->timestamp);
	hold(s, &stop);
}

/*
 * Another thread than the one that seemed to stop the program has done so. The former waits then,
 * or has let the program go on and says so later.
 */
static void
give_way(struct gc_stats *s, uint64_t now)
{
	if (!s->stop.end && !s->waiting_count) {
		gc_stops_add(&s->queue, &s->stop);
	} else if (s->restart_begin > s->stop.end) {
		s->has_late = true;
		s->late = s->stop.thread;
		finish_stop(s, s->restart_begin);
	} else {
		lose_stop(s, now);
	}
}

static void
on_suspend_end(struct gc_stats *s, const struct nettrace_event *e)
{
	struct gc_stop stop;

	if (!gc_stops_take(&s->queue, e->thread, &stop)) {
		if (s->is_suspended && s->stop.thread == e->thread)
			s->stop.end = e->timestamp;
		return;
	}
	if (s->is_suspended)
		give_way(s, e->timestamp);
	stop.end = e->timestamp;
	hold(s, &stop);
}

static void
on_restart_begin(struct gc_stats *s, const struct nettrace_event *e)
{
	s->restart_begin = e->timestamp;
}

/* Server GC may restart the program from another thread than stopped it. */
static void
on_restart_end(struct gc_stats *s, const struct nettrace_event *e)
{
	if (s->has_late && s->late == e->thread)
		s->has_late = false;
	else if (s->is_suspended)
		finish_stop(s, e->timestamp);
}

/* ---- begin and end ------------------------------------------------------- */

static void
on_start(struct gc_stats *s, const struct nettrace_event *e)
{
	struct gc_record r;
	struct gc_open *open;

	gc_record_init(&r);
	gc_history_start(&r, e);
	if (r.number == GC_UNKNOWN32)
		return;
	open = r.kind == GC_BACKGROUND ? &s->background : &s->blocking;
	give_up(s, open);
	if (!s->is_suspended)
		release_waiting(s, e->timestamp, true);
	r.triggered = s->triggered;
	r.time = nettrace_time(s->trace, e->timestamp);
	r.start_ns = ns_of(s, e->timestamp);
	s->triggered = GC_UNKNOWN32;
	*open = (struct gc_open){
		.is_open = true,
		.r = r,
		.start = e->timestamp,
		.suspension = s->is_suspended ? s->suspension : 0,
		.level = s->level,
	};
}

/* The collection ended within the pause; it waits for the pause's end. */
static void
begin_waiting(struct gc_stats *s, struct gc_open *open)
{
	if (s->waiting_count == WAITING_MAX)
		release_waiting(s, open->start, true);
	s->waiting[s->waiting_count] = *open;
	s->stats = &s->waiting[s->waiting_count++];
	open->is_open = false;
	open->r.heaps = NULL;
	open->r.heaps_count = 0;
	if (s->history == open)
		s->history = NULL;
}

static void
on_end(struct gc_stats *s, const struct nettrace_event *e)
{
	struct gc_open *open = NULL;
	struct gc_end end;

	if (!gc_end_read(&end, e))
		return;
	if (s->blocking.is_open && s->blocking.r.number == end.number)
		open = &s->blocking;
	else if (s->background.is_open && s->background.r.number == end.number)
		open = &s->background;
	s->stats = open;
	if (!open) { /* it began before the stream did */
		s->totals.partial++;
		return;
	}
	open->has_ended = true;
	open->end = e->timestamp;
	open->r.duration_ns = ns_between(s, open->start, open->end);
	if (open == &s->blocking || (s->is_suspended && open->suspension == s->suspension))
		begin_waiting(s, open);
}

static void
on_stats(struct gc_stats *s, const struct nettrace_event *e)
{
	struct gc_open *open = s->stats;

	if (!open)
		return;
	gc_history_stats(&open->r, e);
	s->stats = NULL;
	/* A background collection ends while the program runs. */
	if (open == &s->background)
		hand_out(s, open, open->end);
}

/* ---- events within a collection ------------------------------------------ */

static struct gc_open *
running_collection(struct gc_stats *s)
{
	if (s->blocking.is_open)
		return &s->blocking;
	return s->background.is_open ? &s->background : NULL;
}

static void
on_global(struct gc_stats *s, const struct nettrace_event *e)
{
	bool is_concurrent = gc_history_is_concurrent(e);

	s->history =
	    is_concurrent && s->background.is_open ? &s->background : running_collection(s);
	if (s->history)
		gc_history_global(&s->history->r, e);
}

static bool
on_heap(struct gc_stats *s, const struct nettrace_event *e, struct error *err)
{
	struct gc_open *open = s->history ? s->history : running_collection(s);

	return !open || gc_history_heap(&open->r, e, s->pointer_bytes, err);
}

static bool
on_mark(struct gc_stats *s, const struct nettrace_event *e, struct error *err)
{
	struct gc_open *open = running_collection(s);

	return !open || gc_history_mark(&open->r, e, err);
}

static void
on_dynamic(struct gc_stats *s, const struct nettrace_event *e)
{
	struct gc_open *open = running_collection(s);
	struct gc_committed committed;

	if (!open || !gc_committed_read(&committed, e))
		return;
	if (open->has_committed)
		open->r.committed_after = committed.bytes;
	else
		open->r.committed_before = committed.bytes;
	open->r.bookkeeping = committed.bookkeeping;
	open->has_committed = true;
}

static bool
on_join(struct gc_stats *s, const struct nettrace_event *e, struct error *err)
{
	struct gc_open *open = running_collection(s);
	struct gc_heap *heap;
	struct gc_join join;

	if (!gc_join_read(&join, e) || join.kind != GC_JOIN_WAIT || join.heap >= GC_HEAPS_MAX)
		return true;
	if (!join.is_end) {
		s->join_begin[join.heap] = e->timestamp;
		return true;
	}
	if (!open || !s->join_begin[join.heap])
		return true;
	heap = gc_record_heap(&open->r, join.heap, err);
	if (heap)
		gc_add(&heap->join_wait_ns, ns_between(s, s->join_begin[join.heap], e->timestamp));
	s->join_begin[join.heap] = 0;
	return heap || err->kind == ERROR_NONE;
}

static void
on_finalizers(struct gc_stats *s, const struct nettrace_event *e)
{
	uint32_t count = gc_first_number(e);

	if (count != GC_UNKNOWN32)
		s->totals.finalizers += count;
}

/* ---- events -------------------------------------------------------------- */

static void
on_triggered(struct gc_stats *s, const struct nettrace_event *e)
{
	s->triggered = gc_first_number(e);
}

/* All events that are used, with a handler that may lack memory or cannot. */
static const struct handler {
	enum gc_event id;
	void (*take)(struct gc_stats *s, const struct nettrace_event *e);
	bool (*try)(struct gc_stats *s, const struct nettrace_event *e, struct error *err);
} handlers[] = {
	{ GC_SUSPEND_BEGIN, on_suspend_begin, NULL },
	{ GC_SUSPEND_END, on_suspend_end, NULL },
	{ GC_RESTART_BEGIN, on_restart_begin, NULL },
	{ GC_RESTART_END, on_restart_end, NULL },
	{ GC_TRIGGERED, on_triggered, NULL },
	{ GC_START, on_start, NULL },
	{ GC_END, on_end, NULL },
	{ GC_HEAP_STATS, on_stats, NULL },
	{ GC_GLOBAL_HISTORY, on_global, NULL },
	{ GC_DYNAMIC, on_dynamic, NULL },
	{ GC_FINALIZERS_END, on_finalizers, NULL },
	{ GC_HEAP_HISTORY, NULL, on_heap },
	{ GC_MARK, NULL, on_mark },
	{ GC_JOIN, NULL, on_join },
};

static const struct handler *
find_handler(const struct nettrace_event *e)
{
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		if (e->provider == NETTRACE_RUNTIME && e->id == handlers[i].id)
			return &handlers[i];
	return NULL;
}

/* Handles the oldest event up to `until`; *is_taken is false if there is none. */
static bool
handle_next(struct gc_stats *s, uint64_t until, bool *is_taken, struct error *err)
{
	const struct handler *handler;
	struct nettrace_event e;

	*is_taken = nettrace_order_next(&s->order, until, &e);
	if (!*is_taken)
		return true;
	handler = find_handler(&e);
	if (handler && handler->try)
		return handler->try(s, &e, err);
	if (handler)
		handler->take(s, &e);
	return true;
}

static bool
pass_on(struct gc_stats *s, uint64_t until, struct error *err)
{
	bool is_taken = true;

	while (is_taken)
		if (!handle_next(s, until, &is_taken, err))
			return false;
	return true;
}

static void
set_clock(struct gc_stats *s, const struct nettrace *t)
{
	const struct nettrace_header *h = nettrace_header(t);

	s->clock_start = h->clock_start;
	s->clock_hz = h->clock_hz;
	s->pointer_bytes = h->pointer_bytes;
	s->totals.first_ns = s->totals.last_ns = ns_of(s, h->clock_start);
	s->has_clock = true;
}

static bool
make_room(struct gc_stats *s, struct error *err)
{
	bool is_taken = true;

	while (is_taken && nettrace_order_is_full(&s->order))
		if (!handle_next(s, UINT64_MAX, &is_taken, err))
			return false;
	return true;
}

bool
gc_stats_take(struct gc_stats *s, const struct nettrace *t, enum nettrace_item item,
	      const struct nettrace_event *event, struct error *err)
{
	s->trace = t;
	if (!s->has_clock)
		set_clock(s, t);
	if (item == NETTRACE_LOST)
		s->totals.lost_events += event->lost_count;
	if (item != NETTRACE_EVENT)
		return true;
	recorded_take(&s->totals.recorded, event);
	if (event->timestamp > s->newest) {
		s->newest = event->timestamp;
		gc_stats_watched(s, ns_between(s, s->clock_start, s->newest));
	}
	if (event->is_sorted && !pass_on(s, event->timestamp, err))
		return false;
	return !find_handler(event) ||
	       (make_room(s, err) && nettrace_order_add(&s->order, event, err));
}

bool
gc_stats_settle(struct gc_stats *s, struct error *err)
{
	return pass_on(s, UINT64_MAX, err);
}

void
gc_stats_watched(struct gc_stats *s, uint64_t ns)
{
	uint64_t last = s->totals.first_ns + ns;

	if (last > s->totals.last_ns)
		s->totals.last_ns = last;
	s->sink.totals(s->sink.context, &s->totals);
}

bool
gc_stats_end(struct gc_stats *s, struct error *err)
{
	if (!gc_stats_settle(s, err))
		return false;
	release_waiting(s, s->newest, true);
	give_up(s, &s->background);
	give_up(s, &s->blocking);
	s->sink.totals(s->sink.context, &s->totals);
	return true;
}

/* ---- whole streams ------------------------------------------------------- */

static bool
take(void *context, const struct nettrace *t, enum nettrace_item item,
     const struct nettrace_event *event, struct error *err)
{
	return gc_stats_take(context, t, item, event, err);
}

bool
gc_stats_take_all(struct gc_stats *s, struct nettrace *t, struct progress *progress,
		  struct error *err)
{
	return nettrace_take_all(t, take, s, progress, err) && gc_stats_end(s, err);
}

bool
gc_stats_read(struct nettrace_input input, struct gc_sink sink, struct progress *progress,
	      struct nettrace_status *status, struct error *err)
{
	struct gc_stats *s = gc_stats_new(sink, err);
	struct nettrace *t = s ? nettrace_new(input, err) : NULL;
	bool ok;

	if (s)
		s->totals.recorded.is_trace = true;
	ok = t && gc_stats_take_all(s, t, progress, err);
	if (t)
		*status = *nettrace_status(t);
	nettrace_free(t);
	gc_stats_free(s);
	return ok;
}

static bool
read_bytes(const struct input *in, struct gc_sink sink, struct gc_source_facts *facts,
	   struct progress *progress, struct error *err)
{
	struct nettrace_status status = { 0 };
	struct nettrace_memory memory;

	if (!nettrace_accepts(in->data, in->len))
		return error_set(err, ERROR_INPUT,
				 "not a .nettrace file: only event traces have collections; to "
				 "watch a process: heaptop -g PID");
	progress_begin_bytes(progress, "reading events", in->len);
	if (!gc_stats_read(nettrace_memory_input(&memory, in->data, in->len), sink, progress,
			   &status, err))
		return false;
	facts->is_cut = status.damage.kind != ERROR_NONE;
	if (facts->is_cut)
		snprintf(facts->end, sizeof(facts->end), "%.190s", status.damage.message);
	return true;
}

bool
gc_stats_load(const char *path, struct gc_sink sink, struct gc_source_facts *facts,
	      struct progress *progress, struct error *err)
{
	struct input in;
	bool ok;

	snprintf(facts->who, sizeof(facts->who), "%.95s", path);
	if (!input_open(&in, path, progress, err))
		return false;
	ok = read_bytes(&in, sink, facts, progress, err) && input_is_intact(&in, err);
	input_close(&in);
	return ok;
}
