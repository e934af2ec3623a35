#ifndef CAPTURE_PROCESS_TARGET_LOCK_H
#define CAPTURE_PROCESS_TARGET_LOCK_H

/*
 * One capture of a process at a time: two would force collections on each
 * other, as does any session that begins while one is made. The lock is a name
 * that the kernel keeps, not a file's, and is free again the moment its holder
 * ends, however that is.
 */
#include "capture/process/process.h"

/*
 * A descriptor to close; -1 with ERROR_NONE where there are no such names, and
 * then there is no lock. -1 with an error: somebody else has it.
 */
int target_lock(const struct process *p, const char *who, struct error *err);
/* Somebody has it at the moment. */
bool target_is_locked(const struct process *p);

#endif
