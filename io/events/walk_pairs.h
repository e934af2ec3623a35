#ifndef IO_EVENTS_WALK_PAIRS_H
#define IO_EVENTS_WALK_PAIRS_H

/*
 * Objects and references come as two sequences; object k owns as many of the
 * references as it announces, behind those of the objects before it. Neither
 * waits for the other, so either may run ahead: what has no counterpart yet
 * stays in a queue, about 8 bytes an object and 3 a reference.
 *
 * Of what got lost, the length is known: all events but the last are full.
 * After lost references pairing goes on behind the hole. After lost objects it
 * is unknown how many references were theirs; those of the objects behind the
 * (last) hole are found from the end, once both sequences are complete.
 */
#include "io/events/walk_queue.h"
#include "model/heap/stream.h"

struct walk_object {
	uint64_t address, size, refs_count;
	uint32_t type;
};

struct walk_objects {
	struct walk_queue queue;
	uint64_t last_in, last_out; /* addresses */
	uint64_t refs_count;        /* of all in the queue */
};

/* References that were lost, by their place in the sequence. */
struct walk_hole {
	uint64_t at, count;
};

struct walk_pairs {
	struct heap_stream *stream; /* borrowed */
	struct walk_objects ahead;  /* waiting for their references */
	struct walk_objects behind; /* behind a hole in the objects */
	struct walk_object head;    /* the first of those ahead */
	bool has_head, has_object_hole;
	struct walk_queue refs;
	uint64_t last_ref_in, last_ref_out;
	uint64_t refs_put, refs_taken; /* places; holes count */
	struct walk_hole *holes;
	size_t holes_at, holes_count, holes_room;
	uint64_t unknown_count; /* objects whose references are not all known */
};

void walk_pairs_clear(struct walk_pairs *p);
/* All of these fail only for want of memory. */
bool walk_pairs_object(struct walk_pairs *p, const struct walk_object *object,
		       struct error *err) MUST_USE;
/* `count` targets, each at the start of `each` bytes; 4 or 8 bytes wide. */
bool walk_pairs_refs(struct walk_pairs *p, const uint8_t *records,
		     uint32_t count, unsigned pointer_bytes, size_t each,
		     struct error *err) MUST_USE;
/* So many references are missing here. */
bool walk_pairs_lost_refs(struct walk_pairs *p, uint64_t count,
			  struct error *err) MUST_USE;
/* An unknown number of objects is missing here. */
bool walk_pairs_lost_objects(struct walk_pairs *p, struct error *err) MUST_USE;
/* No more will come. `has_end`: nothing is missing at the end. */
bool walk_pairs_finish(struct walk_pairs *p, bool has_end,
		       struct error *err) MUST_USE;

#endif
