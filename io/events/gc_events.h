#ifndef IO_EVENTS_GC_EVENTS_H
#define IO_EVENTS_GC_EVENTS_H

/*
 * Ids of the runtime's events about collections, and payloads of those that say when one began and
 * ended. Newer versions append fields, which are ignored. A payload shorter than its version
 * requires is rejected (false).
 */
#include "io/base/bytes.h"
#include "io/events/nettrace.h"

enum gc_event { /* Microsoft-Windows-DotNETRuntime */
		GC_START = 1,
		GC_END = 2,
		GC_RESTART_END = 3,
		GC_HEAP_STATS = 4,
		GC_RESTART_BEGIN = 7,
		GC_SUSPEND_END = 8,
		GC_SUSPEND_BEGIN = 9,
		GC_FINALIZERS_END = 13,
		GC_BULK_TYPE = 15,
		GC_BULK_ROOT = 16,
		GC_BULK_DEPENDENT = 17,
		GC_BULK_OBJECT = 18,
		GC_BULK_REF = 19,
		GC_BULK_SURVIVING = 21,
		GC_BULK_MOVED = 22,
		GC_RANGE = 23,
		GC_TRIGGERED = 35,
		GC_BULK_CCW = 36,
		GC_BULK_RCW = 37,
		GC_BULK_STATIC = 38,
		GC_DYNAMIC = 39,
		GC_MARK = 202,
		GC_JOIN = 203,
		GC_HEAP_HISTORY = 204,
		GC_GLOBAL_HISTORY = 205,
};

enum { GC_REASON_INDUCED = 1 };

struct gc_start {
	uint32_t number, generation, reason, type;
};
struct gc_end {
	uint32_t number, generation;
};
struct gc_range {
	uint64_t start, used_bytes, reserved_bytes;
	uint8_t generation; /* enum generation, up to GEN_POH */
};

bool gc_start_read(struct gc_start *start, const struct nettrace_event *event);
bool gc_end_read(struct gc_end *end, const struct nettrace_event *event);
bool gc_range_read(struct gc_range *range, const struct nettrace_event *event,
		   unsigned pointer_bytes);

/* A cursor over the payload; its errors go to `ignored`. */
struct bytes gc_payload(const struct nettrace_event *event, struct error *ignored);

#endif
