#include "capture/events/cost.h"
#include "model/base/duration.h"
#include <inttypes.h>
#include <stdio.h>

const char *
capture_cost_text(const struct capture_cost *cost, char *text, size_t text_size)
{
	uint64_t growth = cost->resident_peak > cost->resident_before
			      ? cost->resident_peak - cost->resident_before
			      : 0;
	uint64_t pause_ns = cost->walk.pause_ns;
	char pause[DURATION_BYTES], stream[DURATION_BYTES], grown[64] = "";

	if (growth >> 20)
		snprintf(grown, sizeof(grown), ", meanwhile the process grew by %" PRIu64 " MiB",
			 growth >> 20);
	snprintf(text, text_size, "%s%s, %u collection%s forced, %.1f MiB read in %s%s",
		 pause_ns ? "paused " : "pause unknown",
		 pause_ns ? duration_text((double)pause_ns / 1e9, pause) : "", cost->collections,
		 cost->collections == 1 ? "" : "s", (double)cost->bytes / (1 << 20),
		 duration_text((double)cost->stream_ns / 1e9, stream), grown);
	return text;
}
