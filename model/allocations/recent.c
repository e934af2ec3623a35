#include "model/allocations/recent.h"
#include "model/base/arena.h"

struct recent *
recent_new(struct error *err)
{
	struct recent *r = memory_new(1, sizeof *r, err);

	if (!r)
		return NULL;
	r->items = memory_new(RECENT_SAMPLES_MAX, sizeof *r->items, err);
	if (r->items)
		return r;
	recent_free(r);
	return NULL;
}

void
recent_free(struct recent *r)
{
	if (!r)
		return;
	memory_free(r->items);
	memory_free(r);
}

void
recent_add(struct recent *r, const struct recent_sample *s)
{
	struct recent_sample *to = &r->items[r->end % RECENT_SAMPLES_MAX];

	if (r->end - r->first == RECENT_SAMPLES_MAX) {
		/* Threads write their samples in turn, not in order. */
		if (to->time > r->given_way)
			r->given_way = to->time;
		r->first++;
	}
	*to = *s;
	r->end++;
}

void
recent_restart(struct recent *r)
{
	r->first = r->end;
	r->given_way = 0;
}

const struct recent_sample *
recent_at(const struct recent *r, uint64_t number)
{
	return &r->items[number % RECENT_SAMPLES_MAX];
}

void
recent_sum_add(struct allocation_sum *sum, const struct recent_sample *s)
{
	if (s->tick_bytes)
		allocation_sum_add_tick(sum, s->size, s->tick_bytes);
	else
		allocation_sum_add(sum, s->size);
}
