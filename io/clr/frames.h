#ifndef IO_CLR_FRAMES_H
#define IO_CLR_FRAMES_H

/*
 * Finds the methods on a thread's stack. Unwinding needs data of the compiler,
 * so every word counts that points into compiled code, right behind a call. The
 * words of calls that have returned may remain among them.
 *
 *   code     compiled at run time: in executable memory of no library. The u64
 *            before its first byte, which is at a multiple of 16, is the
 *            address of its header
 *   header   u64 at 24 (.NET 8, 9) or 16 (.NET 10) the method's record
 *            (io/runtime/methods.h)
 *
 * Precompiled code has no header and is not found. A search for a header takes
 * up to 0.2 ms, and a stack has at most 1,024 of them: usually a millisecond a
 * thread, at most 0.2 s, and that cannot be cancelled.
 */
#include "io/runtime/names.h"
#include "io/runtime/runtime.h"
#include "model/heap/memory.h"

/* Implements contents_ops.frames. */
bool clr_frames_read(const struct clr_runtime *rt, const struct clr_names *n,
		     uint64_t os_id, struct content_frame *out, uint32_t max,
		     uint32_t *count, struct arena *a,
		     struct error *err) MUST_USE;

#endif
