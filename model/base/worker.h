#ifndef MODEL_BASE_WORKER_H
#define MODEL_BASE_WORKER_H

/*
 * Runs a function on several threads and waits for all. Threads take parts 0 … parts_count-1 from a
 * common counter, so that parts may differ in cost. If `run` returns false, all threads stop; the
 * first error is kept.
 */
#include "model/base/error.h"
#include <pthread.h>

typedef bool worker_run(void *context, uint64_t part, unsigned thread, struct error *err);

/* Threads worth starting: the CPUs of the process, at most `WORKER_MAX`. */
enum { WORKER_MAX = 8 };
unsigned worker_threads(void);
bool worker_run_all(unsigned threads_count, uint64_t parts_count, worker_run *run, void *context,
		    struct error *err) MUST_USE;

/*
 * Parts that write to one place, in their order: each waits for its turn before it writes, and
 * passes it on in any case. `ok` false: no further part gets a turn.
 */
struct worker_turns {
	pthread_mutex_t lock;
	pthread_cond_t passed;
	uint64_t next; /* part */
	bool is_stopped;
};
void worker_turns_init(struct worker_turns *t);
void worker_turns_clear(struct worker_turns *t);
/* False: a part before it has failed. */
bool worker_turn_wait(struct worker_turns *t, uint64_t part) MUST_USE;
void worker_turn_pass(struct worker_turns *t, bool ok);

#endif
