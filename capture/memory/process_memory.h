#ifndef CAPTURE_MEMORY_PROCESS_MEMORY_H
#define CAPTURE_MEMORY_PROCESS_MEMORY_H

/*
 * Reads the memory of a stopped process (capture/memory/freeze.h) through /proc/PID/mem, at about 3
 * GB/s. Never writes to it.
 *
 * To keep the pause short, memory that must be consistent is copied while the process is stopped.
 * After it resumes, that is read from the copy and everything else from the running process: method
 * tables and metadata do not change, and pages that are gone are absent.
 */
#include "capture/memory/freeze.h"
#include "io/memory/memory.h"

/*
 * Reads mappings, threads with registers and names, and memory. Files are found below
 * /proc/PID/root. Close it with memory_close(), before or after the process resumes. NULL with
 * ERROR_ATTACH if it may not be read.
 */
struct memory *process_memory_open(const char *proc, const struct freeze *f,
				   struct error *err) MUST_USE;

struct memory_stretch {
	uint64_t start, end;
};
/*
 * Copies these stretches, in any order, overlapping or not; absent pages stay absent. Call it once,
 * and before other threads use `m`. Takes their size in memory, for which the caller has checked
 * the headroom, and 0.2 s per GB on two CPUs. Calls progress_add() with bytes.
 */
bool process_memory_keep(struct memory *m, const struct memory_stretch *stretches, size_t count,
			 struct progress *progress, struct error *err) MUST_USE;
/* Bytes present in all kept stretches. */
uint64_t process_memory_kept_bytes(const struct memory *m);

#endif
