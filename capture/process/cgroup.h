#ifndef CAPTURE_PROCESS_CGROUP_H
#define CAPTURE_PROCESS_CGROUP_H

/*
 * The cgroups of a process, v1 and v2: how much memory it may still take before the kernel kills
 * it, how often its CPU is throttled, and its container.
 */
#include "model/base/error.h"
#include <stddef.h>

#define CGROUP_FOLDER "/sys/fs/cgroup"

struct cgroup_memory {
	uint64_t limit_bytes;     /* the tightest of its group and parents; 0: none */
	uint64_t used_bytes;      /* in the group with that limit, less free cache */
	uint64_t headroom_bytes;  /* until that limit, or the machine's, is hit */
	uint64_t available_bytes; /* on the machine; 0: unknown */
	const char *limit;        /* "memory.max", "memory.high"; NULL: none */
	bool is_shared;           /* this process is under the same limit */
	/* The group lies outside our view: an unknown limit may apply. */
	bool is_hidden;
};

/* How much of a group's file cache counts as free memory. */
enum cgroup_cache {
	CGROUP_CACHE_FREE, /* inactive pages, which the kernel drops first */
	/*
	 * Half of the clean, unmapped cache: dropping more makes the program wait for its files,
	 * and may take longer than an urgent allocation
	 * can wait.
	 */
	CGROUP_CACHE_HALF,
};
/* `proc` is /proc and `folder` CGROUP_FOLDER, except in tests. */
void cgroup_memory(struct cgroup_memory *m, const char *proc, const char *folder, int32_t pid,
		   enum cgroup_cache cache);

/*
 * Path of the file that counts OOM kills in the group of this process. It stays readable after the
 * process has ended; "" if its group cannot be seen.
 */
enum { CGROUP_PATH_BYTES = 4096 };
void cgroup_kills_path(char path[CGROUP_PATH_BYTES], const char *proc, const char *folder,
		       int32_t pid);
/* The number of OOM kills recorded in that file; 0 if there is no such file. */
uint64_t cgroup_kills(const char *path);

/*
 * Percentage of CPU periods in which the most throttled of its groups used up its quota, since that
 * group was created; rounded up. 0: never, or no quota.
 */
uint32_t cgroup_throttled(const char *proc, const char *folder, int32_t pid);

/*
 * The container's id, shortened to 12 hexadecimal digits as docker does; "" if the cgroup names
 * contain none.
 */
enum { CGROUP_CONTAINER_BYTES = 13 };
void cgroup_container(char id[CGROUP_CONTAINER_BYTES], const char *proc, int32_t pid);
/* Is the process in a Kubernetes pod? */
bool cgroup_is_pod(const char *proc, int32_t pid);

#endif
