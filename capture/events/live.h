#ifndef CAPTURE_EVENTS_LIVE_H
#define CAPTURE_EVENTS_LIVE_H

/*
 * Takes the heap of a running .NET process: makes the runtime collect and
 * describe what is left, reads that as fast as it comes, and leaves no event
 * session behind, also when it is cancelled or killed on the way.
 *
 * Two sessions lose nothing where one loses most: the first listens and is
 * being emptied already when the second, of one keyword, forces the
 * collection; the order to end the first is given before that even begins, so
 * that only the runtime's answer to the second is left to wait for. Up to .NET
 * 9 the end of such a session forces another collection; small heaps there
 * are taken with one session, which saves one. From 11 on one session is
 * enough, for which the runtime waits rather than to lose anything.
 */
#include "capture/events/cost.h"
#include "capture/events/ipc.h"
#include "io/events/walk.h"
#include "model/heap/live.h"

struct capture_options {
	const char *keep_path; /* the raw events go there too; NULL: not */
	const struct live_card *known; /* what was seen of it; or NULL */
	uint32_t buffer_mb;            /* in the target; 0: chosen */
	uint64_t memory_bytes;         /* what we may use; 0: not limited */
	/*
	 * What this process has told of its types before; a later capture has
	 * names then even if another tool listens. NULL: not kept.
	 */
	struct walk_types *types;
};

/* False: it cannot be captured from; the sentence says why. */
bool capture_preflight(struct live_card *card, const struct live_target *target,
		       const struct capture_options *options,
		       struct progress *progress, struct error *err) MUST_USE;

/*
 * Fills in what the list could not know without asking: the versions of the
 * runtimes. Each is given a moment; who does not answer keeps "".
 */
void capture_ask_versions(struct process_list *list, const char *proc,
			  struct progress *progress);

/* How far a capture is, for another thread to look at. */
struct capture_watch {
	_Atomic uint64_t bytes;    /* read */
	_Atomic uint64_t objects;  /* decoded */
	_Atomic uint64_t resident; /* of the target, in bytes */
};

/*
 * `watch`, `cost`, `progress` and `preview` may be NULL. NULL sets `err`:
 * ERROR_ATTACH, ERROR_CANCELLED and so on. A heap of which something is missing
 * is a heap with warnings: see cost->is_complete.
 */
const struct heap *
capture_load(const struct live_target *target,
	     const struct capture_options *options, struct capture_watch *watch,
	     struct progress *progress, struct preview *preview,
	     struct capture_cost *cost, struct error *err) MUST_USE;

#endif
