#ifndef CAPTURE_MEMORY_SNAPSHOT_H
#define CAPTURE_MEMORY_SNAPSHOT_H

/*
 * Takes the heap of a process from its memory: stops it, copies what the
 * collector owns, lets it go on, and makes the heap of the copy. No collection
 * is forced, nothing is asked of the runtime, which need not even answer: dead
 * objects are there, too, and so is what objects hold.
 *
 * Stopped while the collector moves objects, it goes on for a moment and is
 * stopped anew, for two seconds; and up to twenty times while one of its
 * threads is about to make an object. If all the same some objects make no
 * sense, all of it is done once more, and again; what makes none the third time
 * is a loss of the heap. Where heaptop is stopped meanwhile the process is let
 * go (capture/memory/tracer.h), and all is begun anew. Where there is no room
 * for a copy, it stands while its heap is read in place.
 */
#include "capture/events/live.h"

bool still_preflight(struct live_card *card, const struct live_target *target,
		     const struct live_options *options, const char *proc,
		     struct error *err) MUST_USE;

/*
 * What the memory of card->pid tells while it goes on, for a card: see
 * capture/memory/glance.h. False: its objects could not be seen, or were just
 * being moved.
 */
bool still_look(struct live_card *card, uint32_t runtime, const char *proc);

struct still_cost {
	int64_t pause_ns; /* of the longest stop */
	int64_t total_ns; /* until the heap stood */
	unsigned stops;   /* 2: objects were made or moved the first time */
	unsigned lost;  /* of them: it went on too early, as we were stopped */
	uint64_t bytes; /* copied; 0: read in place */
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
