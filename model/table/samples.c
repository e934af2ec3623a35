#include "model/table/samples.h"
#include "model/base/duration.h"
#include "model/base/sorted.h"
#include <stdio.h>
#include <string.h>

void
samples_free(struct samples *s)
{
	if (!s)
		return;
	memory_free(s->items);
	arena_clear(&s->arena);
	memory_free(s);
}

const struct sample *
samples_of(const struct samples *s, node_id n)
{
	uint32_t at;

	if (!s)
		return NULL;
	LOWER_BOUND(at, 0, s->in_heap, s->items[at].object < n);
	return at < s->in_heap && s->items[at].object == n ? &s->items[at]
							   : NULL;
}

const char *
sample_text(const struct sample *s, char text[SAMPLE_TEXT_BYTES])
{
	char age[DURATION_BYTES];

	snprintf(text, SAMPLE_TEXT_BYTES, "%.350s, %s ago",
		 *s->by ? s->by : "unknown code",
		 duration_text((double)s->age_ns / 1e9, age));
	return text;
}

struct samples_source
samples_of_type(const struct samples *s, const struct heap *h, type_id type)
{
	enum { SOURCES_MAX = 64 };
	struct samples_source found[SOURCES_MAX], most = { 0 };
	uint32_t count = 0, of = 0, at;

	for (uint32_t i = 0; s && i < s->in_heap; i++) {
		const struct sample *sample = &s->items[i];

		if (heap_type_of(h, sample->object) != type)
			continue;
		of++;
		for (at = 0; at < count; at++)
			if (!strcmp(found[at].by, sample->by))
				break;
		if (at == SOURCES_MAX)
			continue;
		if (at == count)
			found[count++] =
			    (struct samples_source){ .by = sample->by };
		if (++found[at].count > most.count)
			most = found[at];
	}
	most.of = of;
	return most;
}
