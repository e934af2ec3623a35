#include "io/events/gc_stops.h"
#include "io/events/gc_history.h"
#include <string.h>

struct gc_stop
gc_stop_read(const struct nettrace_event *event)
{
	return (struct gc_stop){ .thread = event->thread,
				 .begin = event->timestamp,
				 .reason = gc_first_number(event) };
}

static void
remove_at(struct gc_stops *s, uint32_t at)
{
	s->count--;
	memmove(&s->items[at], &s->items[at + 1], (s->count - at) * sizeof(s->items[0]));
}

bool
gc_stops_take(struct gc_stops *s, uint64_t thread, struct gc_stop *stop)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->items[i].thread == thread) {
			*stop = s->items[i];
			remove_at(s, i);
			return true;
		}
	return false;
}

void
gc_stops_add(struct gc_stops *s, const struct gc_stop *stop)
{
	struct gc_stop former;

	if (!gc_stops_take(s, stop->thread, &former) && s->count == GC_STOPS_MAX)
		remove_at(s, 0);
	s->items[s->count++] = *stop;
}
