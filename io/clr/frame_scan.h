#ifndef IO_CLR_FRAME_SCAN_H
#define IO_CLR_FRAME_SCAN_H

/*
 * Finds the methods on a thread's stack where it cannot be walked: every word counts that points
 * into a method's code (io/runtime/code.h), right behind a call. The words of calls that have
 * returned may remain among them.
 *
 * A look-up takes a few µs: some milliseconds a thread.
 */
#include "io/memory/memory.h"
#include "io/runtime/runtime.h"

/* Calls `found` for each; it returns false to stop. */
void clr_frame_scan(const struct clr_runtime *rt, const struct memory_thread *thread,
		    bool (*found)(void *context, uint64_t ip, uint64_t sp, uint64_t record),
		    void *context);

#endif
