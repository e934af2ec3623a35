#include "model/table/samples.h"
#include "model/base/duration.h"
#include "model/base/format.h"
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
	return at < s->in_heap && s->items[at].object == n ? &s->items[at] : NULL;
}

const char *
sample_text(const struct sample *s, char text[SAMPLE_TEXT_BYTES])
{
	char age[DURATION_BYTES];

	snprintf(text, SAMPLE_TEXT_BYTES, "%.350s, %s ago", *s->by ? s->by : "unknown code",
		 duration_text((double)s->age_ns / 1e9, age));
	return text;
}

struct source {
	const char *by;
	uint32_t count;
};

bool
samples_source_text(const struct samples *s, const struct heap *h, type_id type,
		    char text[SAMPLE_TEXT_BYTES])
{
	enum { SOURCES_MAX = 64 };
	struct source found[SOURCES_MAX], most = { NULL, 0 };
	char count_text[FORMAT_BYTES], of_text[FORMAT_BYTES];
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
			found[count++] = (struct source){ sample->by, 0 };
		if (++found[at].count > most.count)
			most = found[at];
	}
	if (most.by)
		snprintf(text, SAMPLE_TEXT_BYTES, "%.320s (%s of %s sample%s)",
			 *most.by ? most.by : "unknown code", format_count(most.count, count_text),
			 format_count(of, of_text), plural(of));
	return most.by != NULL;
}
