#ifndef IO_RUNTIME_THREADS_H
#define IO_RUNTIME_THREADS_H

/*
 * The runtime's list of threads, with their allocation contexts. The list is checked: its length
 * must be the runtime's count, and every live thread must be a thread of the process.
 */
#include "io/runtime/runtime.h"

/* Fills rt->threads. An inconsistent list is left empty and reported as a doubt; only a failed
 * allocation sets `err`. */
bool clr_threads_read(struct clr_runtime *rt, struct error *err) MUST_USE;

/* Sets rt->threads to a copy of these. False: no memory. */
bool clr_threads_set(struct clr_runtime *rt, const struct clr_thread *threads, size_t count,
		     struct error *err) MUST_USE;

/* The first thread with this id or address, by binary search; NULL: none. No thread has the id
 * 0. */
const struct clr_thread *clr_thread_find(const struct clr_runtime *rt, enum clr_thread_key key,
					 uint64_t value);

/*
 * Counts the threads in native code of the runtime that block a collection (cooperative mode). Most
 * of them are allocating and may have taken memory that no allocation context shows yet; it still
 * holds its old bytes.
 */
size_t clr_threads_allocating(const struct clr_runtime *rt);

#endif
