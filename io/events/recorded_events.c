#include "io/events/recorded_events.h"
#include "io/events/gc_events.h"

enum {
	ALLOCATION_TICK = 10,
	ALLOCATION_SAMPLED = 303,
	METHOD_LISTED = 144,
	REASON_SMALL = 0,
	REASON_LARGE = 4,
};

static const struct {
	enum nettrace_provider provider;
	uint32_t first, last; /* ids */
	enum recorded_kind kind;
} kinds[] = {
	{ NETTRACE_RUNTIME, GC_START, GC_START, RECORDED_COLLECTIONS },
	{ NETTRACE_RUNTIME, ALLOCATION_TICK, ALLOCATION_TICK, RECORDED_ALLOCATIONS },
	{ NETTRACE_RUNTIME, ALLOCATION_SAMPLED, ALLOCATION_SAMPLED, RECORDED_ALLOCATIONS },
	{ NETTRACE_RUNTIME, GC_BULK_OBJECT, GC_BULK_OBJECT, RECORDED_WALKS },
	{ NETTRACE_RUNTIME, GC_BULK_SURVIVING, GC_BULK_MOVED, RECORDED_SURVIVORS },
	{ NETTRACE_RUNTIME, GC_START, ALLOCATION_TICK, RECORDED_GC },
	{ NETTRACE_RUNTIME, GC_TRIGGERED, GC_TRIGGERED, RECORDED_GC },
	{ NETTRACE_RUNTIME, GC_DYNAMIC, GC_DYNAMIC, RECORDED_GC },
	{ NETTRACE_RUNTIME, GC_MARK, GC_GLOBAL_HISTORY, RECORDED_GC },
	{ NETTRACE_RUNDOWN, METHOD_LISTED, METHOD_LISTED, RECORDED_METHODS },
};

static bool
is_caused(const struct nettrace_event *event)
{
	struct gc_start start;

	return event->provider == NETTRACE_RUNTIME && event->id == GC_START &&
	       gc_start_read(&start, event) &&
	       (start.reason == REASON_SMALL || start.reason == REASON_LARGE);
}

void
recorded_take(struct recorded *r, const struct nettrace_event *event)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (event->provider == kinds[i].provider && event->id >= kinds[i].first &&
		    event->id <= kinds[i].last)
			r->counts[kinds[i].kind]++;
	r->counts[RECORDED_CAUSED] += is_caused(event);
}
