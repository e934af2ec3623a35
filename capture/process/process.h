#ifndef CAPTURE_PROCESS_PROCESS_H
#define CAPTURE_PROCESS_PROCESS_H

/*
 * Finds .NET processes and the socket on which their runtime takes diagnostic commands. The socket
 * lies in the target's temporary folder and is named after its pid, both as seen from its own
 * namespaces, and its start time. Everything is looked up through /proc; nothing is sent to the
 * target. `proc` is PROC_FOLDER except in tests.
 */
#include "capture/process/cgroup.h"
#include "capture/process/proc.h"

/* A runtime that waits at its start until a tool resumes it: on its default port, or on a port of
   DOTNET_DiagnosticPorts. */
enum process_waits { WAITS_NOT, WAITS_FOR_ANY, WAITS_AT_PORT };

enum process_dotnet { DOTNET_NO, DOTNET_YES, DOTNET_UNKNOWN };

struct process {
	int32_t pid;       /* as we see it */
	int32_t inner_pid; /* in its own pid namespace */
	int32_t tracer_pid;
	uint32_t uid;
	char state;           /* proc_stat.state */
	uint8_t dotnet;       /* enum process_dotnet */
	uint8_t waits;        /* enum process_waits */
	bool is_elsewhere;    /* in another pid or mount namespace */
	uint64_t start_ticks; /* since boot */
	uint64_t resident_bytes, private_bytes;
	char name[64]; /* program name; under `dotnet`, the name of its dll */
	char user[33];
	char runtime[24];                       /* version in the runtime's path, "10.0.9"; or "" */
	char container[CGROUP_CONTAINER_BYTES]; /* "" if none is known */
	char command[160];                      /* command line, truncated */
	/* Why no heap can be captured from it; ERROR_NONE if one can. */
	struct error trouble;
};

/*
 * Looks at one process. False with ERROR_ATTACH if it does not exist; `trouble` has the reason if
 * it exists but cannot be captured.
 */
bool process_look(struct process *p, const char *proc, int32_t pid, struct error *err) MUST_USE;
/* Is this still the same process, rather than another one with its pid? */
bool process_is_alive(const struct process *p, const char *proc);

/* Whether the runtime takes commands but has no collector yet. */
bool process_is_starting(int32_t pid, const char *proc);

/*
 * Number of EventPipe sessions open in the process, by any tool. Counts their named threads (.NET 8
 * and later; 0 before), since no diagnostic command reports them.
 */
uint32_t process_sessions(const struct process *p, const char *proc);

struct process_list {
	struct process *processes; /* by name, then pid */
	size_t count;
};
/* All .NET processes, including those that cannot be reached. */
bool process_list(struct process_list *list, const char *proc, struct error *err) MUST_USE;
void process_list_clear(struct process_list *list);
/*
 * Path of the socket as a name in an open folder, so that neither a long path nor a folder renamed
 * meanwhile matters.
 */
enum { ENDPOINT_NAME_BYTES = 80 };
struct endpoint {
	int folder;
	char name[ENDPOINT_NAME_BYTES];
};
/* Fails with p->trouble, or with a reason found only now; but not because the process waits at its
   start. */
bool endpoint_open(struct endpoint *e, const struct process *p, const char *proc,
		   struct error *err) MUST_USE;
void endpoint_close(struct endpoint *e);

#endif
