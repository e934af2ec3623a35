#ifndef CAPTURE_PROCESS_FATE_H
#define CAPTURE_PROCESS_FATE_H

/*
 * Reports how a process ended during its capture: by itself, or killed for lack of memory, which
 * the kernel counts by cgroup and for the whole machine.
 */
#include "capture/process/process.h"

struct fate {
	char path[CGROUP_PATH_BYTES];        /* cgroup_kills_path() */
	uint64_t group_kills, machine_kills; /* counts when the capture began */
};

/* `folder` is CGROUP_FOLDER, except in tests. */
void fate_begin(struct fate *f, const struct process *p, const char *proc, const char *folder);
/* True while the process runs. Otherwise `err` reports that `who` was killed or has ended. */
bool fate_lives(const struct fate *f, const struct process *p, const char *proc, const char *who,
		struct error *err);

#endif
