#ifndef CAPTURE_MEMORY_PROBE_H
#define CAPTURE_MEMORY_PROBE_H

/*
 * Describes as text what the memory of a process or a core contains: the runtime, its version, the
 * collector's heaps and ranges, the managed threads, and doubts. No object is looked at. Prints
 * lines of a keyword and a value, then tables. Text of the target is unfiltered: sanitize it before
 * printing.
 */
#include "io/memory/memory.h"
#include "model/base/progress.h"
#include <stdio.h>

/* `sysroot` as in io/memory/core.h, `runtime` as memory.runtime_wanted. */
bool probe_core(const char *path, const char *sysroot, uint32_t runtime, FILE *to,
		struct progress *progress, struct error *err) MUST_USE;
/* Stops the process for some milliseconds, which the text reports. `proc` as in
 * capture/process/proc.h. */
bool probe_process(const char *proc, int32_t pid, uint32_t runtime, FILE *to,
		   struct progress *progress, struct error *err) MUST_USE;

#endif
