#ifndef IO_RUNTIME_THREADS_H
#define IO_RUNTIME_THREADS_H

/*
 * The runtime's list of threads, and what each has taken from the heap but not
 * filled yet. The list checks itself: as many as the runtime counts, and each
 * one alive must be a thread of the process.
 */
#include "io/runtime/runtime.h"

/*
 * Fills rt->threads. What makes no sense becomes a doubt, and the list is then
 * empty; only missing memory for it sets `err`.
 */
bool clr_threads_read(struct clr_runtime *rt, struct error *err) MUST_USE;

/*
 * The first of those with this number or address, by a binary search; NULL:
 * there is none. 0 is nobody's.
 */
const struct clr_thread *clr_thread_find(const struct clr_runtime *rt,
					 enum clr_thread_key key,
					 uint64_t value);

/*
 * How many stand in the runtime's own code, and no collection may begin before
 * they have left it: most of them make an object, and may have taken room for
 * it that no context tells of yet. There lies then what was there before.
 */
size_t clr_threads_at_work(const struct clr_runtime *rt);

#endif
