#ifndef CAPTURE_MEMORY_PROBE_H
#define CAPTURE_MEMORY_PROBE_H

/*
 * What can be found in the memory of a process or in a core, as text: the
 * runtime, its version, the collector's heaps and their ranges, the managed
 * threads, and what was doubtful. No object is looked at.
 * Lines of a word and what it is, then tables; words of the target as they
 * are, so whoever prints them makes them harmless.
 */
#include "io/memory/memory.h"
#include "model/base/progress.h"
#include <stdio.h>

/* `sysroot` as in io/memory/core.h, `runtime` as memory.runtime_wanted. */
bool probe_core(const char *path, const char *sysroot, uint32_t runtime,
		FILE *to, struct progress *progress,
		struct error *err) MUST_USE;
/* It stands still for some milliseconds; the text says how long. `proc` as in
 * capture/process/proc.h. */
bool probe_process(const char *proc, int32_t pid, uint32_t runtime, FILE *to,
		   struct progress *progress, struct error *err) MUST_USE;

#endif
