#include "io/clr_presence.h"
#include <inttypes.h>

enum {
	PAGE = 4096,
	SAMPLES = 4096,
	ENOUGH = 4, /* one in so many */
};

/* One page in each stretch of the heap: how many of these there are. */
struct sample {
	uint64_t seen, present;
};

static void
sample_range(struct sample *s, const struct memory *m,
	     const struct clr_range *range, uint64_t step)
{
	for (uint64_t at = range->start; at < range->end;) {
		uint8_t byte;

		s->seen++;
		s->present += memory_copy(m, at, &byte, 1) == 1;
		if (range->end - at <= step)
			return;
		at += step;
	}
}

static bool
refuse(const struct memory *m, const struct sample *s, uint64_t heap_bytes,
       struct error *err)
{
	uint64_t percent = 100 * s->present / s->seen;

	if (m->cut_bytes)
		return error_set(err, ERROR_INPUT,
				 "%s is cut: %" PRIu64
				 " bytes of memory are missing, and only about "
				 "%" PRIu64 "%% of the heap is there; copy "
				 "the file again",
				 m->name, m->cut_bytes, percent);
	return error_set(
	    err, ERROR_INPUT,
	    "%s has about %" PRIu64 "%% of the heap's %" PRIu64
	    " bytes, as dumps of kind Mini and Triage do; make one of kind "
	    "Heap: createdump --withheap PID, or before a crash "
	    "DOTNET_DbgMiniDumpType=2",
	    m->name, percent, heap_bytes);
}

bool
clr_presence_check(const struct clr_heaps *heaps, struct error *err)
{
	const struct memory *m = heaps->runtime->memory;
	uint64_t bytes = clr_heaps_bytes(heaps);
	uint64_t step = bytes / SAMPLES;
	struct sample s = { 0, 0 };

	if (!m->is_dump)
		return true;
	step = step < PAGE ? PAGE : step;
	for (size_t i = 0; i < heaps->ranges_count; i++)
		sample_range(&s, m, &heaps->ranges[i], step);
	return s.present >= (s.seen + ENOUGH - 1) / ENOUGH ||
	       refuse(m, &s, bytes, err);
}
