#ifndef IO_CLR_FRAMES_H
#define IO_CLR_FRAMES_H

/*
 * The calls on a thread's stack, with the names of their methods: walked (io/runtime/stack_walk.h)
 * on x64. On arm64 every word counts that points into a method's code (io/runtime/code.h), right
 * behind a call, so that the words of calls that have returned may remain among them.
 *
 * A call takes some 20 µs, or a thread on arm64 some milliseconds; that cannot be cancelled.
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

/* Implements contents_ops.frames. */
bool clr_frames_read(const struct clr_runtime *rt, const struct clr_names *n, uint64_t os_id,
		     uint32_t max, struct content_frames *out, struct arena *a,
		     struct error *err) MUST_USE;
/* Implements contents_ops.code. */
bool clr_frame_at(const struct clr_runtime *rt, const struct clr_names *n, uint64_t address,
		  struct content_frame *out, struct arena *a, struct error *err) MUST_USE;

#endif
