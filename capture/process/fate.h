#ifndef CAPTURE_PROCESS_FATE_H
#define CAPTURE_PROCESS_FATE_H

/*
 * Tells how a process ended that was being captured. The kernel counts those it
 * killed for lack of memory, by cgroup and for the whole machine.
 */
#include "capture/process/process.h"

struct fate {
	char path[CGROUP_PATH_BYTES]; /* where its group counts; "": unknown */
	uint64_t group_kills, machine_kills; /* before */
};

/* `folder` is CGROUP_FOLDER, but for tests. */
void fate_begin(struct fate *f, const struct process *p, const char *proc,
		const char *folder);
/*
 * True: it goes on. Else `err` says that `who` was killed, or has ended.
 */
bool fate_lives(const struct fate *f, const struct process *p, const char *proc,
		const char *who, struct error *err);

#endif
