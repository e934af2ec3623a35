#ifndef CAPTURE_PROCESS_PROCESS_H
#define CAPTURE_PROCESS_PROCESS_H

/*
 * From a pid to the socket on which a .NET runtime takes commands. The socket
 * lies in the temporary folder of the target, as the target sees it, and is
 * named after its pid, as the target sees it, and the time it was started.
 * Everything is looked up through /proc; nothing is sent to the target.
 * `proc` is PROC_FOLDER but for tests.
 */
#include "capture/process/cgroup.h"
#include "capture/process/proc.h"

enum process_dotnet { DOTNET_NO, DOTNET_YES, DOTNET_UNKNOWN };

struct process {
	int32_t pid;       /* as we see it */
	int32_t inner_pid; /* as the process sees itself */
	int32_t tracer_pid;
	uint32_t uid;
	char state;           /* proc_stat.state */
	uint8_t dotnet;       /* enum process_dotnet */
	bool is_elsewhere;    /* other pid or mount namespace */
	uint64_t start_ticks; /* since boot */
	uint64_t resident_bytes, private_bytes;
	char name[64]; /* the program's, that of the dll under dotnet */
	char user[33];
	char runtime[24]; /* "10.0.9" if its path tells; else "" */
	char container[CGROUP_CONTAINER_BYTES]; /* "" if none is known */
	char command[160];                      /* the command line, cut */
	/* Why no heap can be captured from it; ERROR_NONE if one can. */
	struct error trouble;
};

/*
 * Looks at one process. False with ERROR_ATTACH if there is none. Whether it
 * can be reached is in `trouble`.
 */
bool process_look(struct process *p, const char *proc, int32_t pid,
		  struct error *err) MUST_USE;
/* The same process as when it was looked at, and not another with its pid? */
bool process_is_alive(const struct process *p, const char *proc);

/*
 * How many event sessions are open in it, of whatever tool: each has a thread
 * that sends, and threads have names (.NET 8 and later; 0 before that). It can
 * be seen without asking the runtime, which could not tell.
 */
uint32_t process_sessions(const struct process *p, const char *proc);

struct process_list {
	struct process *processes; /* by name, then pid */
	size_t count;
};
/* All .NET processes, also those that cannot be reached. */
bool process_list(struct process_list *list, const char *proc,
		  struct error *err) MUST_USE;
void process_list_clear(struct process_list *list);
/*
 * Where the socket is: a name in an open folder, so that neither the length of
 * its path matters nor who moves what meanwhile.
 */
enum { ENDPOINT_NAME_BYTES = 80 };
struct endpoint {
	int folder;
	char name[ENDPOINT_NAME_BYTES];
};
/* Fails with p->trouble, or a reason found only now. Close it after. */
bool endpoint_open(struct endpoint *e, const struct process *p,
		   const char *proc, struct error *err) MUST_USE;
void endpoint_close(struct endpoint *e);

/* A file for reading, by its path as the target sees it; -1 if there is none.
 */
int process_open_file(const struct process *p, const char *proc,
		      const char *path);

#endif
