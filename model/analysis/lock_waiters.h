#ifndef MODEL_ANALYSIS_LOCK_WAITERS_H
#define MODEL_ANALYSIS_LOCK_WAITERS_H

/*
 * Which threads wait for each lock, and in which methods of the application. Stacks are read only
 * if a thread waits for any lock: some 20 µs a call.
 */
#include "model/base/arena.h"
#include "model/heap/memory.h"

struct lock_waiters {
	const char *methods; /* "30 in Ingest.Ledger.Post, 2 in other methods"; or NULL */
	const char *ids;     /* managed ids of these threads: "5, 7, 12 …", or NULL; "OS 4711"
				 of the system, for a thread without one */
};

/* Fills `out`, which has one zeroed element for each lock; texts are in `a`. `patterns` as in
   model/heap/my_code.h. False sets `err`. */
bool lock_waiters_name(struct lock_waiters *out, const struct heap *h,
		       const struct heap_locks *locks, const char *patterns, struct arena *a,
		       struct progress *progress, struct error *err) MUST_USE;

#endif
