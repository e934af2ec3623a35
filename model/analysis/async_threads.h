#ifndef MODEL_ANALYSIS_ASYNC_THREADS_H
#define MODEL_ANALYSIS_ASYNC_THREADS_H

/*
 * The threads that wait for async calls in place of awaiting them ("sync over async"): a task's
 * last continuation is then an object that wakes a thread, and to which that thread's stack refers.
 * Only heaps with memory have stacks. A thread takes some 20 µs a call on its stack; no
 * more than 1,024 stacks are read for a group.
 */
#include "model/analysis/async.h"
#include "model/base/arena.h"

/* Returns the end of the chains of a group: " ← thread 5 (OS 4711) in Shop.Worker.Load",
   " ← 12 threads, 8 in Shop.Worker.Load", or "" if no thread waits; in `a`. `patterns` as in
   model/heap/my_code.h. NULL sets `err`. */
const char *async_threads(const struct heap *h, const struct async_calls *c,
			  const struct async_group *g, const char *patterns, struct arena *a,
			  struct progress *progress, struct error *err) MUST_USE;

#endif
