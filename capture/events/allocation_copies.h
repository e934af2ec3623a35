#ifndef CAPTURE_EVENTS_ALLOCATION_COPIES_H
#define CAPTURE_EVENTS_ALLOCATION_COPIES_H

/*
 * Copies of a recording of allocations that goes on, for its sink, if it wants
 * them. When new addresses have no name, the methods are listed again: after
 * ten intervals, and then at intervals that double. Precompiled methods that
 * are first called later send no event, so that only a list names them.
 */
#include "io/events/allocation_events.h"
#include "model/heap/live.h"

/* Set the first four and clear the others. */
struct allocation_copies {
	struct allocation_reader *reader;
	struct allocation_sink sink;
	/* Begins to list the methods; allocation_copies_listed() says when that
	   is done, and may be called meanwhile. False: not now. */
	bool (*list)(void *context);
	void *context;

	int64_t next_publish_ns; /* of clock_ns(), as all times here */
	int64_t counted_ns;      /* since then */
	uint64_t time_ns;        /* facts.time_ns of the newest copy */
	/* When methods may be listed again, and the time from then to the next
	   list. */
	int64_t next_list_ns, list_interval_ns;
	int64_t list_began_ns;
	bool is_listing, has_listed;
	/* Addresses without a name: in the newest copy, and in the first after
	   the last list. */
	uint32_t unknown_count, unknown_listed;
};

/* Publishes a copy if one is due; call it often. `begun_ns`: when the recording
   began. */
bool allocation_copies_publish(struct allocation_copies *c, int64_t begun_ns,
			       struct error *err) MUST_USE;
/* Before the last copy: the last event of an idle process may be long ago, but
   its time has gone on. */
void allocation_copies_end(const struct allocation_copies *c,
			   struct allocation_facts *facts);
/* The list has ended; false: it has named nothing. */
void allocation_copies_listed(struct allocation_copies *c, bool is_good);

#endif
