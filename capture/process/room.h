#ifndef CAPTURE_PROCESS_ROOM_H
#define CAPTURE_PROCESS_ROOM_H

/*
 * How much memory a process may still take by the tightest limit: of its cgroups, its own
 * (setrlimit), or the machine's. `proc` is /proc and `folder` CGROUP_FOLDER, except in tests.
 */
#include "model/heap/live.h"

/* Counts only half of the target's file cache as free, to be on the safe side.
 */
void room_of_target(struct live_room *room, const char *proc, const char *folder, int32_t pid);
void room_of_us(struct live_room *room, const char *proc, const char *folder);

#endif
