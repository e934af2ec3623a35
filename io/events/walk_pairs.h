#ifndef IO_EVENTS_WALK_PAIRS_H
#define IO_EVENTS_WALK_PAIRS_H

/*
 * Pairs objects with references, which come as two sequences: object k owns as many references as
 * it announces, after those of the objects before it. Either sequence may run ahead; its records
 * wait in a queue, about 8 bytes an object and 3 a reference.
 *
 * The number of lost records is known, since all events but the last are full. After lost
 * references pairing continues behind the hole. After lost objects it is unknown how many
 * references were theirs; the references of objects behind the last hole are found from the end,
 * once both sequences are complete.
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

/* Lost references, by their place in the sequence. */
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
	uint64_t refs_put, refs_taken; /* places, including holes */
	struct walk_hole *holes;
	size_t holes_at, holes_count, holes_room;
	uint64_t unknown_count; /* objects with unknown references */
};

void walk_pairs_clear(struct walk_pairs *p);
/* All of these fail only for lack of memory. */
bool walk_pairs_object(struct walk_pairs *p, const struct walk_object *object,
		       struct error *err) MUST_USE;
/* `count` targets of 4 or 8 bytes, at the start of `each` bytes. */
bool walk_pairs_refs(struct walk_pairs *p, const uint8_t *records, uint32_t count,
		     unsigned pointer_bytes, size_t each, struct error *err) MUST_USE;
/* `count` references are missing at this place. */
bool walk_pairs_lost_refs(struct walk_pairs *p, uint64_t count, struct error *err) MUST_USE;
/* An unknown number of objects is missing at this place. */
bool walk_pairs_lost_objects(struct walk_pairs *p, struct error *err) MUST_USE;
/* No more records follow. `has_end`: none are missing at the end. */
bool walk_pairs_finish(struct walk_pairs *p, bool has_end, struct error *err) MUST_USE;

#endif
