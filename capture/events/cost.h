#ifndef CAPTURE_EVENTS_COST_H
#define CAPTURE_EVENTS_COST_H

/* The time and memory that a capture took, of the target and of us. */
#include "io/events/walk.h"
#include "model/heap/live.h"

struct capture_cost {
	struct walk_report walk; /* pause_ns and what is missing, too */
	bool is_complete;        /* nothing is missing but perhaps names */
	unsigned attempts;       /* 2: something was lost the first time */
	unsigned collections;    /* forced, all attempts */
	enum live_plan plan;
	uint32_t buffer_mb;
	uint64_t bytes;         /* of events */
	uint64_t backlog_bytes; /* that waited for our decoder, at most */
	uint64_t resident_before, resident_peak; /* of the target */
	int64_t start_ns;  /* until the first session stood */
	int64_t stream_ns; /* until the last byte */
	int64_t total_ns;  /* until the heap stood */
	int keep_errnum;   /* why the raw events are not kept; 0 */
};
/* "0.98 s paused, 1 forced collection, …": one sentence; returns text. */
const char *capture_cost_text(const struct capture_cost *cost, char *text,
			      size_t text_size);

#endif
