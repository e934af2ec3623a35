#include "capture/process/fate.h"
#include <stdio.h>
#include <unistd.h>

static uint64_t
machine_kills(const char *proc)
{
	char path[CGROUP_PATH_BYTES];

	snprintf(path, sizeof(path), "%s/vmstat", proc);
	return cgroup_kills(path);
}

void
fate_begin(struct fate *f, const struct process *p, const char *proc, const char *folder)
{
	cgroup_kills_path(f->path, proc, folder, p->pid);
	f->group_kills = cgroup_kills(f->path);
	f->machine_kills = machine_kills(proc);
}

/* An ending process frees its memory before it closes its connections: it may still look alive, but
   has no memory. */
static bool
has_ended(const struct process *p, const char *proc)
{
	struct proc_status status;

	return !process_is_alive(p, proc) || !proc_status(proc, p->pid, &status) ||
	       !status.resident_bytes;
}

/* A container's group and its count disappear with its last process. */
static const char *
what_happened(const struct fate *f, const char *proc)
{
	if (*f->path && !access(f->path, R_OK))
		return cgroup_kills(f->path) > f->group_kills
			   ? "was killed (out of memory in its cgroup)"
			   : "has ended";
	return machine_kills(proc) > f->machine_kills
		   ? "seems to have been killed (the kernel just killed a process for lack of "
		     "memory)"
		   : "has ended";
}

bool
fate_lives(const struct fate *f, const struct process *p, const char *proc, const char *who,
	   struct error *err)
{
	if (!has_ended(p, proc))
		return true;
	error_clear(err);
	return error_set(err, ERROR_ATTACH, "%s %s before its heap was described", who,
			 what_happened(f, proc));
}
