#ifndef CAPTURE_EVENTS_CODE_FILES_H
#define CAPTURE_EVENTS_CODE_FILES_H

/*
 * The files whose code a process has mapped, from /proc/PID/maps. They name
 * code for which the runtime has no method: precompiled code that was called
 * after the last list of methods, and native code.
 */
#include "io/events/methods.h"
#include <stdint.h>

/* Adds them to `m`; adds none if the mappings cannot be read, as after the end
   of the process. A millisecond. False: no memory. */
bool code_files_read(struct methods *m, const char *proc, int32_t pid,
		     struct error *err) MUST_USE;

#endif
