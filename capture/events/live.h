#ifndef CAPTURE_EVENTS_LIVE_H
#define CAPTURE_EVENTS_LIVE_H

/*
 * Takes the heap of a running .NET process: makes the runtime collect and describe what is left,
 * reads that as fast as it comes, and leaves no event session behind, even if it is cancelled or
 * killed on the way.
 *
 * Two sessions lose the fewest events: the first one is already being emptied when the second, with
 * a single keyword, forces the collection. The command to stop the first is queued before that
 * begins, so that only the answer to the second remains to be read. Up to .NET 9 the end of a
 * session that collects forces another collection; small heaps there take one session, which saves
 * a collection. From 11 on a single session suffices, which makes the runtime block rather than
 * lose events.
 */
#include "capture/events/cost.h"
#include "capture/events/ipc.h"
#include "io/events/walk.h"
#include "model/heap/live.h"

struct capture_options {
	const char *keep_path;         /* copy of the raw events; NULL: none */
	const char *symbols;           /* see modules_new(); or NULL */
	const struct live_card *known; /* from the preflight; or NULL */
	bool is_elsewhere;             /* see struct live_options */
	int64_t opened_ns;             /* time of the preflight; 0: now */
	uint32_t buffer_mb;            /* in the target; 0: chosen */
	uint64_t memory_bytes;         /* what we may use; 0: not limited */
				       /*
					* Type descriptions from earlier
					* captures of this process: with them
					* types have names even if another tool
					* listens. NULL: not kept.
					*/
	struct walk_types *types;
};

/* False if no heap can be captured; `err` has the reason. */
bool capture_preflight(struct live_card *card, const struct live_target *target,
		       const struct capture_options *options, struct progress *progress,
		       struct error *err) MUST_USE;

/*
 * Asks the runtimes for their versions where the list does not have them. Each gets a short
 * time-out; one that does not answer keeps "".
 */
void capture_ask_versions(struct process_list *list, const char *proc, struct progress *progress);

/* Progress of a capture, for another thread to read. */
struct capture_watch {
	_Atomic uint64_t bytes;    /* read */
	_Atomic uint64_t objects;  /* decoded */
	_Atomic uint64_t resident; /* of the target */
};

/*
 * `watch`, `cost`, `progress` and `preview` may be NULL. NULL sets `err`: ERROR_ATTACH,
 * ERROR_CANCELLED and so on. An incomplete heap is returned with warnings: see cost->is_complete.
 */
const struct heap *capture_load(const struct live_target *target,
				const struct capture_options *options, struct capture_watch *watch,
				struct progress *progress, struct preview *preview,
				struct capture_cost *cost, struct error *err) MUST_USE;

#endif
