#ifndef CAPTURE_PROCESS_PROC_H
#define CAPTURE_PROCESS_PROC_H

/*
 * What the kernel tells about a process, as text in /proc/PID. `proc` is the
 * folder, "/proc" but for tests. A file that is not there, not readable or cut
 * short is an ordinary answer here: processes end while one looks at them.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <sys/stat.h>

#define PROC_FOLDER "/proc"

/* The first line of what /proc/PID/stat says. */
struct proc_stat {
	char state;           /* R S D: alive; T t: stopped; Z X: ended */
	uint64_t cpu_ticks;   /* in user and system mode, all threads */
	uint64_t start_ticks; /* since boot; tells apart who reuses a pid */
};
bool proc_stat(const char *proc, int32_t pid, struct proc_stat *s) MUST_USE;

struct proc_status {
	int32_t inner_pid;  /* as the process sees itself */
	int32_t tracer_pid; /* 0: nobody traces it */
	uint32_t uid;       /* effective */
	bool is_nested;     /* has a pid namespace below ours */
	uint64_t resident_bytes, peak_bytes;
	uint64_t private_bytes; /* of the resident: of no file */
	uint64_t swapped_bytes;
	uint64_t address_bytes, data_bytes; /* as its limits count them */
};
bool proc_status(const char *proc, int32_t pid, struct proc_status *s) MUST_USE;
/* The soft limit of /proc/PID/limits, as "Max data size"; false: none. */
bool proc_limit(const char *proc, int32_t pid, const char *name,
		uint64_t *bytes);
/* What the process itself calls this thread; `tid` if that is not told. */
int32_t proc_inner_tid(const char *proc, int32_t pid, int32_t tid);

/*
 * Reads at most `size` - 1 bytes and ends them with a NUL; returns their
 * number, 0 if there is nothing to read, with errno then set (0: empty).
 */
size_t proc_read(const char *proc, int32_t pid, const char *file, char *text,
		 size_t size);
/*
 * Does it run code of a file with this in its path? One who only reads such a
 * file, as we do of a core, does not. The line of it, as /proc/PID/maps has it.
 */
bool proc_maps_code(const char *proc, int32_t pid, const char *name, char *line,
		    size_t line_size);
/*
 * The environment that the process was started with. Empty if it may not be
 * read, or if the process is just starting. Clear it in any case.
 */
struct proc_environment {
	char *text; /* NAME=VALUE, each ended by NUL */
	size_t len;
	bool is_readable;
};
void proc_environment_read(struct proc_environment *e, const char *proc,
			   int32_t pid);
void proc_environment_clear(struct proc_environment *e);
/* NULL if it is not set. */
const char *proc_environment_get(const struct proc_environment *e,
				 const char *name);
/* DOTNET_`name`, or COMPlus_`name` of old, as the runtime looks them up. */
const char *proc_environment_setting(const struct proc_environment *e,
				     const char *name);
/* 0: not told. */
uint64_t proc_namespace(const char *proc, int32_t pid, const char *name);
/*
 * How many threads have a name that begins so; stops at `max`. Anybody may
 * read the names of anybody's threads; they have at most 15 bytes.
 */
uint32_t proc_threads_named(const char *proc, int32_t pid, const char *prefix,
			    uint32_t max);

/*
 * How many threads of the machine run or wait, for a CPU or a disk: now, or of
 * late if that is more. 0: not told.
 */
uint32_t proc_load(const char *proc);

/* Passes the pids in /proc; closes with false at the end. */
struct proc_walk {
	void *folder;
};
bool proc_walk_open(struct proc_walk *w, const char *proc,
		    struct error *err) MUST_USE;
bool proc_walk_next(struct proc_walk *w, int32_t *pid);
void proc_walk_close(struct proc_walk *w);

#endif
