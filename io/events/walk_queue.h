#ifndef IO_EVENTS_WALK_QUEUE_H
#define IO_EVENTS_WALK_QUEUE_H

/*
 * A queue of numbers as varints, in pieces that are freed once they are read. 1 to 10 bytes a
 * number.
 */
#include "model/base/arena.h"
#include "model/base/varint.h"

enum { WALK_PIECE_BYTES = (1 << 16) - 64 };
struct walk_piece {
	struct walk_piece *next;
	size_t used;
	uint8_t bytes[WALK_PIECE_BYTES];
};

struct walk_queue { /* all zero: empty */
	struct walk_piece *first, *last;
	size_t at; /* of the next number in `first` */
	uint64_t count;
};

void walk_queue_clear(struct walk_queue *q);
/* Appends a piece. */
bool walk_queue_grow(struct walk_queue *q, struct error *err) MUST_USE;
/* Frees the first piece, which has been read. */
void walk_queue_shrink(struct walk_queue *q);

static inline bool MUST_USE
walk_queue_put(struct walk_queue *q, uint64_t value, struct error *err)
{
	struct walk_piece *p = q->last;

	if (!p || WALK_PIECE_BYTES - p->used < VARINT_MAX_BYTES) {
		if (!walk_queue_grow(q, err))
			return false;
		p = q->last;
	}
	p->used = (size_t)(varint_put(p->bytes + p->used, value) - p->bytes);
	q->count++;
	return true;
}

/* The queue must not be empty. */
static inline uint64_t
walk_queue_take(struct walk_queue *q)
{
	uint64_t value;

	if (q->at == q->first->used)
		walk_queue_shrink(q);
	q->at = (size_t)(varint_get(q->first->bytes + q->at, &value) - q->first->bytes);
	q->count--;
	return value;
}

#endif
