#ifndef CAPTURE_EVENTS_CODE_FILES_H
#define CAPTURE_EVENTS_CODE_FILES_H

/*
 * The files whose code a process has mapped, from /proc/PID/maps. They name code for which the
 * runtime has no method: precompiled code that was called after the last list of methods, and
 * native code.
 */
#include "io/events/methods.h"
#include <stdint.h>

/* Passes each file to `take`, which may return false to stop. A path is valid only during the
   call. */
typedef bool code_file_take(void *context, const struct method_image *image, struct error *err);
bool code_files_each(const char *proc, int32_t pid, code_file_take *take, void *context,
		     struct error *err) MUST_USE;
/* Adds them to `m`; adds none if the mappings cannot be read, as after the end of the process. A
   millisecond. False: no memory. */
bool code_files_read(struct methods *m, const char *proc, int32_t pid, struct error *err) MUST_USE;

#endif
