#include "capture/process/room.h"
#include "capture/process/cgroup.h"
#include "capture/process/proc.h"
#include <stdio.h>
#include <unistd.h>

/*
 * A walk takes more address space than memory: the stacks of two threads, 8 MiB each, and an arena
 * that malloc reserves for each new thread.
 */
#define WALK_ADDRESS_BYTES (UINT64_C(144) << 20)

static void
look_at_group(struct live_room *room, const char *proc, const char *folder, int32_t pid,
	      enum cgroup_cache cache)
{
	struct cgroup_memory m;

	cgroup_memory(&m, proc, folder, pid, cache);
	*room = (struct live_room){ .limit_bytes = m.limit_bytes,
				    .headroom_bytes = m.headroom_bytes,
				    .is_shared = m.is_shared,
				    .is_hidden = m.is_hidden };
	/* If the headroom equals what the machine has available, the machine is the limit. */
	if (m.limit && (!m.available_bytes || m.headroom_bytes != m.available_bytes))
		snprintf(room->limit, sizeof(room->limit), "%s of its cgroup", m.limit);
}

static void
look_at_limit(struct live_room *room, const char *name, uint64_t limit, uint64_t used)
{
	uint64_t headroom = used < limit ? limit - used : 0;

	bool is_known = room->limit_bytes || room->headroom_bytes;

	if (is_known && headroom >= room->headroom_bytes)
		return;
	room->limit_bytes = limit;
	room->headroom_bytes = headroom;
	room->is_shared = false;
	snprintf(room->limit, sizeof(room->limit), "%s", name);
}

void
room_of_target(struct live_room *room, const char *proc, const char *folder, int32_t pid)
{
	struct proc_status s;
	uint64_t limit;

	look_at_group(room, proc, folder, pid, CGROUP_CACHE_HALF);
	if (!proc_status(proc, pid, &s))
		return;
	if (proc_limit(proc, pid, "Max data size", &limit))
		look_at_limit(room, "RLIMIT_DATA", limit, s.data_bytes);
	if (proc_limit(proc, pid, "Max address space", &limit))
		look_at_limit(room, "RLIMIT_AS", limit, s.address_bytes + WALK_ADDRESS_BYTES);
}

void
room_of_us(struct live_room *room, const char *proc, const char *folder)
{
	look_at_group(room, proc, folder, getpid(), CGROUP_CACHE_FREE);
}
