#ifndef IO_EVENTS_NETTRACE_THREADS_H
#define IO_EVENTS_NETTRACE_THREADS_H

/*
 * Counts lost events by their sequence numbers. Every thread numbers the events that it tries to
 * write, from 1, modulo 2^32; a gap means dropped events. Sequence points have the last number
 * used, so that a loss at the end shows as well.
 */
#include "model/base/u64_map.h"

struct nettrace_thread {
	uint64_t id;
	uint32_t last;
	bool is_named; /* by the last sequence point */
};

struct nettrace_threads {
	struct u64_map index;
	struct nettrace_thread *items;
	size_t count, room;
};

void nettrace_threads_clear(struct nettrace_threads *t);
/* An event with this number has arrived; `*lost` are missing before it. */
bool nettrace_threads_event(struct nettrace_threads *t, uint64_t thread, uint32_t sequence,
			    uint32_t *lost, struct error *err) MUST_USE;
/* The thread has used numbers up to this one; `*lost` have not arrived. */
bool nettrace_threads_point(struct nettrace_threads *t, uint64_t thread, uint32_t sequence,
			    uint32_t *lost, struct error *err) MUST_USE;
/*
 * Call it after a sequence point: if there are very many threads, those that the point did not name
 * are forgotten.
 */
bool nettrace_threads_forget(struct nettrace_threads *t, struct error *err) MUST_USE;

#endif
