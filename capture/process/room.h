#ifndef CAPTURE_PROCESS_ROOM_H
#define CAPTURE_PROCESS_ROOM_H

/*
 * How much memory a process may still take, by the tightest of all limits that
 * hold for it: those of its cgroups, its own (setrlimit), and what the machine
 * has. `proc` is /proc, `folder` CGROUP_FOLDER, but for tests.
 */
#include "model/heap/live.h"

/* For who must not be harmed: only half of its file cache counts as free. */
void room_of_target(struct live_room *room, const char *proc,
		    const char *folder, int32_t pid);
void room_of_us(struct live_room *room, const char *proc, const char *folder);

#endif
