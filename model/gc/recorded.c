#include "model/gc/recorded.h"
#include "model/base/format.h"
#include <stdio.h>

/* The kinds that commands show, which come first. */
static const struct shown {
	const char *none;   /* after "the trace has" */
	const char *how;    /* after "it was recorded without" */
	const char *unless; /* nothing happened */
	const char *one, *option;
} shown[] = {
	[RECORDED_COLLECTIONS] = { "no collections", "the keyword GC (0x1) at level 4",
				   "none ended meanwhile", "collection", "-g" },
	[RECORDED_ALLOCATIONS] = { "no allocation samples",
				   "the keyword GC (0x1) at level 5, or from .NET 10 on "
				   "AllocationSampling (0x80000000000) at level 4",
				   "less than about 100 KB was allocated", "allocation sample",
				   "-b allocations" },
	[RECORDED_WALKS] = { "no heap walk", "the GCHeapSnapshot keywords (0x1980001)", "", "",
			     "" },
};

bool
recorded_lacks(const struct recorded *r, enum recorded_kind kind)
{
	return r->is_trace && !r->counts[kind] &&
	       (kind != RECORDED_COLLECTIONS || !r->counts[RECORDED_GC]);
}

/* Two collections: the first may be due to allocations before the trace. */
static bool
is_certain(const struct recorded *r, enum recorded_kind kind)
{
	return kind == RECORDED_ALLOCATIONS && r->counts[RECORDED_CAUSED] > 1;
}

const char *
recorded_lack_text(const struct recorded *r, enum recorded_kind kind, const char *extra,
		   char out[RECORDED_TEXT_BYTES])
{
	const struct shown *s = &shown[kind];
	const char *unless = is_certain(r, kind) ? "" : s->unless;
	size_t len = (size_t)snprintf(out, RECORDED_TEXT_BYTES,
				      "the trace has %s: it was recorded without %s%s%s%s", s->none,
				      s->how, *unless ? ", or " : "", unless, extra);
	const char *before = "; it has";
	char count[FORMAT_BYTES];

	for (int i = RECORDED_COLLECTIONS; i <= RECORDED_ALLOCATIONS; i++) {
		if (!r->counts[i] || len >= RECORDED_TEXT_BYTES)
			continue;
		len += (size_t)snprintf(out + len, RECORDED_TEXT_BYTES - len, "%s %s %s%s (%s)",
					before, format_count(r->counts[i], count), shown[i].one,
					plural(r->counts[i]), shown[i].option);
		before = " and";
	}
	return out;
}
