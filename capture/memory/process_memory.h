#ifndef CAPTURE_MEMORY_PROCESS_MEMORY_H
#define CAPTURE_MEMORY_PROCESS_MEMORY_H

/*
 * The memory of a process that stands still (capture/memory/freeze.h), read
 * through /proc/PID/mem: about 3 GB/s. Nothing is written to it, ever.
 *
 * To keep the pause short, the stretches that must not change are copied while
 * it stands; then it may go on, and those are read from the copy, all else
 * from the process as it is then. Method tables and metadata do not change;
 * what has ended meanwhile is absent.
 */
#include "capture/memory/freeze.h"
#include "io/memory/memory.h"

/*
 * The mappings, the threads with their registers and names, and the bytes.
 * Files are found through /proc/PID/root. Close it with memory_close(), before
 * or after the process goes on. NULL with ERROR_ATTACH if it may not be read.
 */
struct memory *process_memory_open(const char *proc, const struct freeze *f,
				   struct error *err) MUST_USE;

struct memory_stretch {
	uint64_t start, end;
};
/*
 * Copies these, in any order, overlapping or not; what is absent in them stays
 * absent. Once, and before other threads see `m`. Takes as many bytes as they
 * have, and on two CPUs 0.2 s per GB; the caller has asked for the room before.
 * Calls progress_add() with bytes.
 */
bool process_memory_keep(struct memory *m,
			 const struct memory_stretch *stretches, size_t count,
			 struct progress *progress, struct error *err) MUST_USE;
/* Of all kept stretches. */
uint64_t process_memory_kept_bytes(const struct memory *m);

#endif
