#ifndef IO_CLR_FRAMES_H
#define IO_CLR_FRAMES_H

/*
 * Finds the methods on a thread's stack. Every word counts that points into a method's code
 * (io/runtime/code.h), right behind a call: the stack is not unwound. The words of calls that have
 * returned may remain among them.
 *
 * A look-up takes a few µs: some milliseconds a thread, and that cannot be cancelled.
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

/* Implements contents_ops.frames. */
bool clr_frames_read(const struct clr_runtime *rt, const struct clr_names *n, uint64_t os_id,
		     struct content_frame *out, uint32_t max, uint32_t *count, struct arena *a,
		     struct error *err) MUST_USE;

#endif
