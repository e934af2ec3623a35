#ifndef CAPTURE_MEMORY_SNAPSHOT_H
#define CAPTURE_MEMORY_SNAPSHOT_H

/*
 * Takes the heap of a process from its memory: stops it, copies what the collector owns, resumes
 * it, and builds the heap from the copy. Forces no collection and needs nothing of the runtime,
 * which may even hang. The heap includes unreachable objects and field values.
 *
 * If it is stopped while the collector moves objects, it is resumed and stopped again, for up to
 * two seconds; and up to twenty times while a thread is allocating. If objects are still
 * inconsistent, all is repeated up to twice, and then reported as losses of the heap. If heaptop
 * itself is stopped, the process is released (capture/memory/tracer.h) and the capture starts over.
 * If there is no memory for a copy, the heap is read in place while the process is stopped.
 */
#include "capture/events/live.h"

bool still_preflight(struct live_card *card, const struct live_target *target,
		     const struct live_options *options, const char *proc,
		     struct error *err) MUST_USE;

/*
 * Fills in what the memory of the running process card->pid shows, for a card: see
 * capture/memory/glance.h. False: its objects could not be read, or were being moved.
 */
bool still_look(struct live_card *card, uint32_t runtime, const char *proc);

struct still_cost {
	int64_t pause_ns; /* of the longest stop */
	int64_t total_ns; /* until the heap was built */
	unsigned stops;   /* 2: objects were being made or moved at the first */
	unsigned lost;    /* stops that ended early because we were stopped */
	uint64_t bytes;   /* copied; 0: read in place */
	bool is_complete;
};
const char *still_cost_text(const struct still_cost *cost, char *text, size_t text_size);

/* `watch` and `progress` may be NULL. NULL sets `err`. */
const struct heap *still_load(const struct live_card *card, const struct live_options *options,
			      struct capture_watch *watch, struct progress *progress,
			      struct still_cost *cost, struct error *err) MUST_USE;

#endif
