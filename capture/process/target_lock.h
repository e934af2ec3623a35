#ifndef CAPTURE_PROCESS_TARGET_LOCK_H
#define CAPTURE_PROCESS_TARGET_LOCK_H

/*
 * Allows one capture of a process at a time: two would force collections on each other, as does any
 * event session that begins during a capture. The lock is an abstract socket name, which the kernel
 * frees when its owner ends, however that happens.
 */
#include "capture/process/process.h"

/*
 * Returns a descriptor to close. -1 with ERROR_NONE where abstract names are not supported, so that
 * there is no lock; -1 with an error if another capture has the lock for half a second: one whose
 * heap already stands may keep it for a tenth.
 */
int target_lock(const struct process *p, const char *who, struct error *err);
/* Is the lock taken at the moment? */
bool target_is_locked(const struct process *p);

#endif
