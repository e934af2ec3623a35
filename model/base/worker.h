#ifndef MODEL_BASE_WORKER_H
#define MODEL_BASE_WORKER_H

/*
 * Runs a function on several threads and waits for all. Threads take parts 0 …
 * parts_count-1 from a common counter, so that parts may differ in cost. If
 * `run` returns false, all threads stop; the first error is kept.
 */
#include "model/base/error.h"

typedef bool worker_run(void *context, uint64_t part, unsigned thread,
			struct error *err);

/* Threads worth starting: the CPUs of the process, at most `WORKER_MAX`. */
enum { WORKER_MAX = 8 };
unsigned worker_threads(void);
bool worker_run_all(unsigned threads_count, uint64_t parts_count,
		    worker_run *run, void *context, struct error *err) MUST_USE;

#endif
