#ifndef CAPTURE_EVENTS_ALLOCATION_COPIES_H
#define CAPTURE_EVENTS_ALLOCATION_COPIES_H

/*
 * Reads a recording of allocations, and makes copies of it for its sink: the last one and, if the
 * sink wants them, others while it goes on. When new addresses have no name, the methods are listed
 * again: after ten intervals, and then at intervals that double. Precompiled methods that are first
 * called later send no event, so that only a list names them.
 */
#include "io/events/allocation_events.h"
#include "model/heap/live.h"

/* Set the first three and clear the others. */
struct allocation_copies {
	struct allocation_sink sink;
	/* Begins to list the methods; allocation_copies_listed() says when that is done, and may be
	   called meanwhile. False: not now. */
	bool (*list)(void *context);
	void *context;

	struct allocation_reader *reader;
	int64_t next_publish_ns; /* of clock_ns(), as all times here */
	int64_t counted_ns;      /* since then */
	uint64_t time_ns;        /* facts.time_ns of the newest copy */
	/* When methods may be listed again, and the time from then to the next list. */
	int64_t next_list_ns, list_interval_ns;
	int64_t list_began_ns;
	bool is_listing, has_listed;
	/* Addresses without a name: in the newest copy, and in the first after the last list. */
	uint32_t unknown_count, unknown_listed;
};

/* Makes the reader; `who` as in struct allocation_facts. False: no memory. Clear it even then. */
bool allocation_copies_begin(struct allocation_copies *c, const char *who,
			     const struct live_allocations *plan, struct error *err) MUST_USE;
/* Publishes a copy if one is due; call it often. `begun_ns`: when the recording began. */
bool allocation_copies_publish(struct allocation_copies *c, int64_t begun_ns,
			       struct error *err) MUST_USE;
/* Publishes the last copy. `end`: as in struct allocation_facts. */
bool allocation_copies_end(struct allocation_copies *c, const char *end,
			   struct error *err) MUST_USE;
void allocation_copies_clear(struct allocation_copies *c);
/* The list has ended; false: it has named nothing. */
void allocation_copies_listed(struct allocation_copies *c, bool is_good);

#endif
