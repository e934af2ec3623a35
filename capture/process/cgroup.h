#ifndef CAPTURE_PROCESS_CGROUP_H
#define CAPTURE_PROCESS_CGROUP_H

/*
 * How much memory a process may still take before the kernel ends it, whether
 * it gets the CPU, and the container it is in; from its cgroups, of both kinds
 * (v1 and v2).
 */
#include "model/base/error.h"
#include <stddef.h>

#define CGROUP_FOLDER "/sys/fs/cgroup"

struct cgroup_memory {
	uint64_t limit_bytes; /* the tightest one on the way up; 0: none */
	uint64_t used_bytes;  /* of that group, without what can be dropped */
	/* Until that limit, or what the machine has available. */
	uint64_t headroom_bytes;
	uint64_t available_bytes; /* on the machine; 0: unknown */
	const char *limit;        /* "memory.max", "memory.high"; NULL: none */
	bool is_shared; /* that limit, or the machine's, holds for us as well */
	/* Its group lies outside of what we see: another limit may hold. */
	bool is_hidden;
};

/* How much of a group's file cache counts as free. */
enum cgroup_cache {
	CGROUP_CACHE_FREE, /* what was not used of late: the kernel drops it */
	/*
	 * Half of what is clean and not mapped: dropping more of it makes the
	 * program wait for its files, and takes time that an allocation in a
	 * hurry may not get.
	 */
	CGROUP_CACHE_HALF,
};
/* `proc` is /proc, `folder` CGROUP_FOLDER, but for tests. */
void cgroup_memory(struct cgroup_memory *m, const char *proc,
		   const char *folder, int32_t pid, enum cgroup_cache cache);

/*
 * Where the kernel counts the processes that it has killed in the group of this
 * one for lack of memory. The path can be read when the process is gone; ""
 * where its group is not seen.
 */
enum { CGROUP_PATH_BYTES = 4096 };
void cgroup_kills_path(char path[CGROUP_PATH_BYTES], const char *proc,
		       const char *folder, int32_t pid);
/* 0 if there is no such file. */
uint64_t cgroup_kills(const char *path);

/*
 * In how many of 100 periods its groups, or the worst of them, had used up
 * their CPU time, since they were made; rounded up. 0: never, or not limited.
 */
uint32_t cgroup_throttled(const char *proc, const char *folder, int32_t pid);

/*
 * The container's id as docker and the like shorten it, 12 hexadecimal
 * digits; "" if the names of the cgroups tell none.
 */
enum { CGROUP_CONTAINER_BYTES = 13 };
void cgroup_container(char id[CGROUP_CONTAINER_BYTES], const char *proc,
		      int32_t pid);
/* Of Kubernetes. */
bool cgroup_is_pod(const char *proc, int32_t pid);

#endif
