#ifndef CAPTURE_PROCESS_PROC_H
#define CAPTURE_PROCESS_PROC_H

/*
 * Reads what the kernel reports of a process in /proc/PID. `proc` is "/proc" except in tests. A
 * missing, unreadable or truncated file is an ordinary result, since a process may end at any time.
 */
#include "io/memory/memory.h"
#include <stddef.h>
#include <sys/stat.h>

#define PROC_FOLDER "/proc"

/* Fields of /proc/PID/stat. */
struct proc_stat {
	char state;           /* R S D: alive; T t: stopped; Z X: ended */
	uint64_t cpu_ticks;   /* in user and system mode, all threads */
	bool is_of_kernel;    /* a thread of the kernel, without memory */
	uint64_t start_ticks; /* since boot; distinguishes reused pids */
};
bool proc_stat(const char *proc, int32_t pid, struct proc_stat *s) MUST_USE;
/* When it started, in seconds since 1970, on the clock of files; 0: unknown. */
int64_t proc_start_sec(const char *proc, int32_t pid);
/* Sets `err`: the process is a thread of the kernel. `name` may be NULL. */
bool proc_refuse_kernel(int32_t pid, const char *name, struct error *err);

struct proc_status {
	int32_t inner_pid;  /* in its own pid namespace */
	int32_t tracer_pid; /* 0: not traced */
	uint32_t uid;       /* effective */
	bool is_nested;     /* in a pid namespace below ours */
	uint64_t resident_bytes, peak_bytes;
	uint64_t private_bytes; /* anonymous part of resident_bytes */
	uint64_t swapped_bytes, threads_count;
	uint64_t address_bytes, data_bytes; /* as RLIMIT_AS, RLIMIT_DATA count */
};
bool proc_status(const char *proc, int32_t pid, struct proc_status *s) MUST_USE;
/* The number of file descriptors in use, counted up to `max`; false: it cannot be read. */
bool proc_files(const char *proc, int32_t pid, uint64_t max, uint64_t *count);
/* The soft limit called `name` in /proc/PID/limits; false if unlimited. */
bool proc_limit(const char *proc, int32_t pid, const char *name, uint64_t *bytes);
/* The thread's id in the target's own pid namespace; `tid` if unknown. */
int32_t proc_inner_tid(const char *proc, int32_t pid, int32_t tid);

/*
 * Reads at most `size` - 1 bytes and ends them with a NUL; returns their number. 0: nothing could
 * be read, and errno has the reason (0: empty file).
 */
size_t proc_read(const char *proc, int32_t pid, const char *file, char *text, size_t size);
/* All of a file, at most 1 MiB, and a NUL; free it with memory_free(). NULL: it could not be
 * opened, or there is no memory. `len` may be NULL. */
char *proc_text(const char *proc, int32_t pid, const char *file, size_t *len);
/* The text after `start` in the first line that begins so; or NULL. */
const char *proc_line(const char *text, const char *start);
/*
 * Parses a line of /proc/PID/maps, "7f00-7f10 r-xp 00000000 08:01 123   /path".
 * m->name is the rest of the line, in which the kernel writes a line feed as \012; `access` is
 * "r-xp". False: the line is damaged.
 */
bool proc_mapping(const char *line, struct memory_mapping *m, char access[5]) MUST_USE;
/*
 * Does the process have an executable mapping of a file with `name` in its path? A process that
 * only reads the file, as we do with cores, has none. `line` gets the mapping's line of
 * /proc/PID/maps.
 */
bool proc_maps_code(const char *proc, int32_t pid, const char *name, char *line, size_t line_size);
/*
 * The environment at the start of the process. Empty if it may not be read or the process is just
 * starting. Clear it in any case.
 */
struct proc_environment {
	char *text; /* NAME=VALUE, each ended by NUL */
	size_t len;
	bool is_readable;
};
void proc_environment_read(struct proc_environment *e, const char *proc, int32_t pid);
void proc_environment_clear(struct proc_environment *e);
/* NULL if the variable is not set. */
const char *proc_environment_get(const struct proc_environment *e, const char *name);
/* DOTNET_`name` or the older COMPlus_`name`, in the runtime's order. */
const char *proc_environment_setting(const struct proc_environment *e, const char *name);
/* The inode that identifies a namespace; 0: unknown. */
uint64_t proc_namespace(const char *proc, int32_t pid, const char *name);
/*
 * Number of threads with a name that begins with `prefix`, at most `max`. Thread names are readable
 * for any user; they have at most 15 bytes.
 */
uint32_t proc_threads_named(const char *proc, int32_t pid, const char *prefix, uint32_t max);

/*
 * Number of threads on the machine that run or wait for a CPU or disk: now or averaged over a
 * minute, whichever is more. 0: unknown.
 */
uint32_t proc_load(const char *proc);

/* Iterates over the pids in /proc; next() returns false at the end. */
struct proc_walk {
	void *folder;
};
bool proc_walk_open(struct proc_walk *w, const char *proc, struct error *err) MUST_USE;
bool proc_walk_next(struct proc_walk *w, int32_t *pid);
void proc_walk_close(struct proc_walk *w);

#endif
