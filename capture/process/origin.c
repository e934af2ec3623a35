#include "capture/process/origin.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Our own name of the machine is the target's only if both are in the same UTS namespace, as the
   containers of a pod are. */
static bool
shares_our_hostname(const struct process *p, const char *proc)
{
	uint64_t its = proc_namespace(proc, p->pid, "uts");

	return its && its == proc_namespace(proc, (int32_t)getpid(), "uts");
}

static bool
is_in_pod(const struct process *p, const char *proc, const struct proc_environment *e)
{
	return cgroup_is_pod(proc, p->pid) || proc_environment_get(e, "KUBERNETES_SERVICE_HOST");
}

static void
copy(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

void
process_origin_now(struct heap_origin *o)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return;
	o->time = (int64_t)now.tv_sec;
	o->time_ns = (uint32_t)now.tv_nsec;
}

void
process_origin(struct heap_origin *o, const struct process *p, const char *proc)
{
	struct proc_environment e;
	const char *hostname, *pod;

	*o = (struct heap_origin){ .time = (int64_t)time(NULL) };
	if (p->pid <= 0)
		return;
	proc_environment_read(&e, proc, p->pid);
	hostname = proc_environment_get(&e, "HOSTNAME");
	pod = proc_environment_get(&e, "POD_NAME");
	/* Kubernetes gives a container the name of its pod as HOSTNAME. */
	if (!pod && is_in_pod(p, proc, &e))
		pod = hostname;
	copy(o->program, sizeof o->program, p->name);
	copy(o->pod, sizeof o->pod, pod);
	copy(o->container, sizeof o->container, p->container);
	if (!shares_our_hostname(p, proc))
		copy(o->machine, sizeof o->machine, hostname);
	else if (gethostname(o->machine, sizeof o->machine - 1))
		o->machine[0] = '\0';
	proc_environment_clear(&e);
}
