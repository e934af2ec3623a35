#ifndef CAPTURE_STILL_H
#define CAPTURE_STILL_H

/*
 * Takes the heap of a process from its memory: stops it, copies what the
 * collector owns, lets it go on, and makes the heap of the copy. No collection
 * is forced, nothing is asked of the runtime, which need not even answer: dead
 * objects are there, too, and so is what objects hold.
 *
 * Stopped while the collector moves objects, it goes on for a moment and is
 * stopped anew, for two seconds. Where there is no room for a copy, it stands
 * while its heap is read in place.
 */
#include "capture/live.h"

bool still_preflight(struct live_card *card, const struct live_target *target,
		     const struct live_options *options, const char *proc,
		     struct error *err) MUST_USE;

struct still_cost {
	int64_t pause_ns; /* of the last stop, which was the longest */
	int64_t total_ns; /* until the heap stood */
	unsigned stops;   /* 2: the collector was at work the first time */
	uint64_t bytes;   /* copied; 0: read in place */
	uint64_t objects;
	bool is_complete;
};
const char *still_cost_text(const struct still_cost *cost, char *text,
			    size_t text_size);

/* `watch` and `progress` may be NULL. NULL sets `err`. */
const struct heap *
still_load(const struct live_card *card, const struct live_options *options,
	   struct capture_watch *watch, struct progress *progress,
	   struct still_cost *cost, struct error *err) MUST_USE;

#endif
