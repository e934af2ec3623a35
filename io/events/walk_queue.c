#include "io/events/walk_queue.h"

void
walk_queue_clear(struct walk_queue *q)
{
	while (q->first) {
		struct walk_piece *next = q->first->next;

		memory_free(q->first);
		q->first = next;
	}
	*q = (struct walk_queue){ 0 };
}

bool
walk_queue_grow(struct walk_queue *q, struct error *err)
{
	struct walk_piece *p;

	/* Typically a queue fills a little and empties again. */
	if (!q->count && q->first) {
		q->at = q->first->used = 0;
		return true;
	}
	/* Not memory_new(): zeroing would cost more than the writes. */
	p = memory_resize(NULL, 1, sizeof(*p), err);
	if (!p)
		return false;
	p->next = NULL;
	p->used = 0;
	if (q->last)
		q->last->next = p;
	else
		q->first = p;
	q->last = p;
	return true;
}

void
walk_queue_shrink(struct walk_queue *q)
{
	struct walk_piece *next = q->first->next;

	memory_free(q->first);
	q->first = next;
	q->at = 0;
}
