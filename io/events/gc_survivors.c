#include "io/events/gc_survivors.h"
#include "io/events/gc_events.h"
#include "io/events/gc_stops.h"
#include "io/events/nettrace_order.h"
#include "model/base/arena.h"
#include "model/gc/log.h"
#include <string.h>

enum { WAITING_BYTES_MAX = 64 << 20, PAYLOAD_MAX = 1 << 17 };

/* A sample waits among the events under an id that the runtime does not use. */
enum { SAMPLE_EVENT = UINT16_MAX };

struct regions {
	struct survived_region *items;
	size_t count, room;
};

/* A collection that has begun. Its number, condemned generation and kind. */
struct collection {
	bool is_open;
	bool has_begun;  /* its first regions are complete and passed on */
	uint64_t thread; /* that reports its beginning, regions and end */
	struct survived_collection c;
};

struct gc_survivors {
	struct survived *into;
	struct nettrace_order order;
	uint64_t last_time; /* of events passed on */
	unsigned pointer_bytes;
	struct collection blocking, background;
	/* The program has stopped for the background collection: to report survivors, or to free
	   young objects. */
	bool is_stopped;
	uint64_t stopper;
	/* Survivors of the background collection are coming, from this thread.
	 */
	bool is_reporting;
	uint64_t reporter;
	struct regions regions;
	struct gc_stops stops;
	struct gc_survivors_facts facts;
};

struct gc_survivors *
gc_survivors_new(struct survived *into, struct error *err)
{
	struct gc_survivors *s = memory_new(1, sizeof(*s), err);

	if (!s)
		return NULL;
	s->into = into;
	nettrace_order_init(&s->order, WAITING_BYTES_MAX, PAYLOAD_MAX);
	return s;
}

void
gc_survivors_free(struct gc_survivors *s)
{
	if (!s)
		return;
	nettrace_order_clear(&s->order);
	memory_free(s->regions.items);
	memory_free(s);
}

static void
lose(struct gc_survivors *s)
{
	survived_lose(s->into);
	s->facts.losses++;
	s->blocking.is_open = s->background.is_open = false;
	s->is_reporting = s->is_stopped = false;
	s->regions.count = 0;
}

/* ---- collections ----------------------------------------------------------
 */

static bool
begin(struct gc_survivors *s, struct collection *open, struct error *err)
{
	if (open->has_begun)
		return true;
	open->has_begun = true;
	if (!survived_begin(s->into, s->regions.items, s->regions.count, err))
		return false;
	s->regions.count = 0;
	return true;
}

/*
 * Survivors follow, or the end: the regions so far were the first. A session without the keyword of
 * survivors has none.
 */
static bool
begin_blocking(struct gc_survivors *s, struct error *err)
{
	struct collection *open = &s->blocking;

	if (!open->has_begun && !s->regions.count) {
		lose(s);
		return true;
	}
	return open->has_begun || (begin(s, open, err) && survived_judge(s->into, &open->c, err));
}

static bool
begin_background_report(struct gc_survivors *s, uint64_t reporter, struct error *err)
{
	s->is_stopped = false;
	if (s->is_reporting)
		return true;
	s->is_reporting = true;
	s->reporter = reporter;
	return survived_judge(s->into, &s->background.c, err);
}

static bool
end_background_report(struct gc_survivors *s, struct error *err)
{
	if (!s->is_reporting)
		return true;
	s->is_reporting = s->background.is_open = false;
	return survived_end(s->into, NULL, 0, err);
}

/* The program goes on, and no survivors have come: young objects are freed. */
static void
end_background_stop(struct gc_survivors *s)
{
	if (s->is_stopped)
		survived_doubt(s->into);
	s->is_stopped = false;
}

static bool
on_start(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	struct collection *open;
	struct gc_start start;
	bool is_background;

	if (!gc_start_read(&start, e))
		return true;
	is_background = start.type == GC_BACKGROUND;
	open = is_background ? &s->background : &s->blocking;
	/* The end of the previous one is missing, and so is what it did. */
	if (s->blocking.is_open)
		lose(s);
	/* The program has run in between: RestartEE may be written late. */
	end_background_stop(s);
	if (!end_background_report(s, err))
		return false;
	/* A background collection has regions, too, which end here. */
	if (s->background.is_open && !begin(s, &s->background, err))
		return false;
	*open = (struct collection){
		.is_open = true,
		.thread = e->thread,
		.c = { .time = e->timestamp,
		       .number = start.number,
		       .generation = (uint8_t)(start.generation & 0xff),
		       .is_background = is_background },
	};
	s->regions.count = 0;
	return true;
}

static bool
on_range(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	struct collection *open = s->blocking.is_open ? &s->blocking : &s->background;
	struct gc_range range;

	/* Regions at the end of a background collection are of no use, as the program runs
	   meanwhile. */
	if (!open->is_open || e->thread != open->thread ||
	    (open->has_begun && open->c.is_background))
		return true;
	if (!gc_range_read(&range, e, s->pointer_bytes) || s->regions.count >= SURVIVED_REGIONS_MAX)
		return true;
	return APPEND(
	    s->regions.items, s->regions.count, s->regions.room, err,
	    (struct survived_region){ range.start, range.reserved_bytes, range.generation });
}

/* Comes between the regions before a blocking collection and those after it. */
static bool
on_mark(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	(void)e;
	return !s->blocking.is_open || begin_blocking(s, err);
}

static bool
on_end(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	struct gc_end end;

	if (!gc_end_read(&end, e) || !s->blocking.is_open || s->blocking.c.number != end.number)
		return true;
	if (!begin_blocking(s, err))
		return false;
	/* A Native AOT runtime reports regions and no survivors: it does not follow that everything
	   is dead. */
	if (s->blocking.is_open && !s->facts.ranges)
		lose(s);
	if (!s->blocking.is_open)
		return true;
	s->blocking.is_open = false;
	if (!survived_end(s->into, s->regions.items, s->regions.count, err))
		return false;
	s->regions.count = 0;
	return true;
}

static bool
on_suspend(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	struct gc_stop stop = gc_stop_read(e);

	(void)err;
	gc_stops_add(&s->stops, &stop);
	return true;
}

/* The program has stopped for the background collection. */
static bool
on_stopped(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	enum { FOR_BACKGROUND = 6 };
	struct gc_stop stop;

	(void)err;
	if (gc_stops_take(&s->stops, e->thread, &stop) && s->background.is_open &&
	    stop.reason == FOR_BACKGROUND) {
		s->is_stopped = true;
		s->stopper = e->thread;
	}
	return true;
}

static bool
on_restart(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	if (s->background.is_open && !s->blocking.is_open && !begin(s, &s->background, err))
		return false;
	/* Another thread may be late with its own. */
	if (e->thread == s->stopper)
		end_background_stop(s);
	return e->thread != s->reporter || end_background_report(s, err);
}

/* Reads ranges of either kind. */
static bool
on_survivors(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	enum { PLUGS_AT_ONCE = 64 };
	struct survived_plug plugs[PLUGS_AT_ONCE];
	bool are_moved = e->id == GC_BULK_MOVED;
	struct error ignored;
	struct bytes b = gc_payload(e, &ignored);
	uint32_t count, n = 0;

	if (s->blocking.is_open
		? !begin_blocking(s, err)
		: s->background.is_open && !begin_background_report(s, e->thread, err))
		return false;
	if (!s->blocking.is_open && !s->background.is_open)
		return true; /* it began before the stream did */
	bytes_skip(&b, 4, "the number of an event");
	count = bytes_u32(&b, "the number of ranges");
	bytes_skip(&b, 2, "the number of a runtime");
	for (uint32_t i = 0; i < count && bytes_ok(&b); i++) {
		plugs[n].from = plugs[n].to = bytes_pointer(&b, s->pointer_bytes, "an address");
		if (are_moved)
			plugs[n].to = bytes_pointer(&b, s->pointer_bytes, "an address");
		plugs[n].length = bytes_u64(&b, "a length");
		if (bytes_ok(&b) && ++n == PLUGS_AT_ONCE) {
			survived_plugs(s->into, plugs, n);
			s->facts.ranges += n;
			n = 0;
		}
	}
	survived_plugs(s->into, plugs, n);
	s->facts.ranges += n;
	if (!bytes_ok(&b)) {
		s->facts.damaged_events++;
		lose(s);
	}
	return true;
}

static bool
on_sample(struct gc_survivors *s, const struct nettrace_event *e, struct error *err)
{
	struct survived_sample sample;

	memcpy(&sample, e->payload, sizeof(sample));
	sample.time = e->timestamp;
	return survived_add(s->into, &sample, err);
}

/* ---- events ---------------------------------------------------------------
 */

static const struct handler {
	uint32_t id;
	bool (*take)(struct gc_survivors *s, const struct nettrace_event *e, struct error *err);
} handlers[] = {
	{ GC_START, on_start },
	{ GC_END, on_end },
	{ GC_SUSPEND_BEGIN, on_suspend },
	{ GC_SUSPEND_END, on_stopped },
	{ GC_RESTART_END, on_restart },
	{ GC_BULK_SURVIVING, on_survivors },
	{ GC_BULK_MOVED, on_survivors },
	{ GC_RANGE, on_range },
	{ GC_MARK, on_mark },
	{ SAMPLE_EVENT, on_sample },
};

static const struct handler *
find_handler(uint32_t id)
{
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		if (handlers[i].id == id)
			return &handlers[i];
	return NULL;
}

/* Handles the oldest event up to `until`; *is_taken is false if there is none. */
static bool
handle_next(struct gc_survivors *s, uint64_t until, bool *is_taken, struct error *err)
{
	const struct handler *handler;
	struct nettrace_event e;

	*is_taken = nettrace_order_next(&s->order, until, &e);
	if (!*is_taken)
		return true;
	if (e.timestamp < s->last_time) {
		s->facts.late_events++;
		lose(s);
	}
	s->last_time = e.timestamp;
	handler = find_handler(e.id);
	return !handler || handler->take(s, &e, err);
}

static bool
pass_on(struct gc_survivors *s, uint64_t until, struct error *err)
{
	bool is_taken = true;

	while (is_taken)
		if (!handle_next(s, until, &is_taken, err))
			return false;
	return true;
}

static bool
add_event(struct gc_survivors *s, const struct nettrace_event *event, struct error *err)
{
	bool is_taken = true;

	while (is_taken && nettrace_order_is_full(&s->order))
		if (!handle_next(s, UINT64_MAX, &is_taken, err))
			return false;
	return nettrace_order_add(&s->order, event, err);
}

bool
gc_survivors_add(struct gc_survivors *s, const struct nettrace_event *event,
		 const struct survived_sample *sample, struct error *err)
{
	struct nettrace_event waiting = *event;

	waiting.id = SAMPLE_EVENT;
	waiting.payload = (const uint8_t *)sample;
	waiting.payload_len = sizeof(*sample);
	return add_event(s, &waiting, err);
}

bool
gc_survivors_take(struct gc_survivors *s, const struct nettrace *t, enum nettrace_item item,
		  const struct nettrace_event *event, struct error *err)
{
	s->pointer_bytes = nettrace_header(t)->pointer_bytes;
	if (item == NETTRACE_LOST) {
		if (!pass_on(s, UINT64_MAX, err))
			return false;
		lose(s);
	}
	if (item != NETTRACE_EVENT)
		return true;
	if (event->is_sorted && !pass_on(s, event->timestamp, err))
		return false;
	if (event->provider != NETTRACE_RUNTIME || event->id == SAMPLE_EVENT ||
	    !find_handler(event->id))
		return true;
	return add_event(s, event, err);
}

bool
gc_survivors_settle(struct gc_survivors *s, struct error *err)
{
	return pass_on(s, UINT64_MAX, err);
}

const struct gc_survivors_facts *
gc_survivors_facts(const struct gc_survivors *s)
{
	return &s->facts;
}
