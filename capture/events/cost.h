#ifndef CAPTURE_EVENTS_COST_H
#define CAPTURE_EVENTS_COST_H

/* The cost of a capture in time and memory, in the target and in heaptop. */
#include "io/events/walk.h"
#include "model/heap/live.h"

struct capture_cost {
	struct walk_report walk;
	bool is_complete;     /* nothing is missing except perhaps names */
	unsigned attempts;    /* 2: events were lost the first time */
	unsigned collections; /* forced, in all attempts */
	enum live_plan plan;
	uint32_t buffer_mb;
	uint64_t bytes;                          /* of events */
	uint64_t backlog_bytes;                  /* peak of bytes that waited for our decoder */
	uint64_t resident_before, resident_peak; /* of the target */
	/* since the capture began */
	int64_t start_ns;  /* until the first session was ready */
	int64_t stream_ns; /* until the last byte */
	int64_t total_ns;  /* until the heap was built */
	int keep_errnum;   /* why the raw events could not be kept; 0 */
};
/* "0.98 s paused, 1 forced collection, …": one sentence; returns text. */
const char *capture_cost_text(const struct capture_cost *cost, char *text, size_t text_size);

#endif
