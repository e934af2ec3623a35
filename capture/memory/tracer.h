#ifndef CAPTURE_MEMORY_TRACER_H
#define CAPTURE_MEMORY_TRACER_H

/*
 * A small process that stops another one for us. A tracer that is itself stopped, by ^Z, SIGSTOP, a
 * debugger or a frozen cgroup, keeps its tracee stopped, and no ptrace option prevents that. So
 * heaptop never traces: it forks a tracer into a session of its own, which no key of the terminal
 * reaches, with all signals blocked. The tracer releases the process
 *
 * - when asked to, and when heaptop has ended or was killed, at once;
 * - when heaptop is stopped, within TRACER_LOOK_MS;
 * - when heaptop has given no sign of life for TRACER_PATIENCE_MS, for any
 *   reason;
 * - when the tracer is killed: then the kernel does it.
 *
 * A SIGSTOP to the tracer itself cannot be prevented. heaptop notices it and kills the tracer; only
 * if both are stopped does the process stay stopped until one of them resumes or is killed.
 *
 * The fork copies heaptop's page tables before anything is stopped.
 */
#include "model/base/error.h"
#include "model/base/progress.h"
#include <stddef.h>

enum {
	TRACER_LOOK_MS = 10,
	TRACER_PATIENCE_MS = 5000,
	TRACER_STOP_LIMIT_MS = 2000,
	FREEZE_REGISTERS_MAX = 34, /* arm64: x0 to x30, sp, pc, pstate */
};

struct frozen_thread {
	int32_t tid; /* in our pid namespace */
	/* In the kernel's order of NT_PRSTATUS; x64: 27, arm64: 34. */
	uint32_t registers_count;
	uint64_t registers[FREEZE_REGISTERS_MAX];
	int deliver;     /* a signal to deliver on release; 0: none */
	bool is_stopped; /* used by the tracer */
};

struct tracer {
	int32_t pid; /* 0: there is none */
	int socket;
};

enum tracer_result {
	TRACER_STOPPED,   /* all threads are stopped, and follow */
	TRACER_REFUSED,   /* by the kernel, for the reason `errnum` */
	TRACER_STUBBORN,  /* thread `tid` did not stop in time */
	TRACER_NO_MEMORY, /* for the table of threads */
	TRACER_LET_GO,    /* heaptop was stopped: the process was released */
	TRACER_ENDED,     /* the process was released as requested */
};

struct tracer_answer {
	enum tracer_result result;
	int errnum;
	int32_t tid;
	uint32_t threads_count;
	int64_t at_ns; /* clock_ns() of the first stop, or of the release */
};

/*
 * Begins to stop process `pid`; `proc` as in capture/process/proc.h. False: the tracer could not be
 * started.
 */
bool tracer_start(struct tracer *t, const char *proc, int32_t pid, struct error *err) MUST_USE;
/*
 * Waits for the answer. TRACER_STOPPED comes with `threads` by ascending tid, for memory_free();
 * with any other result it is NULL, and nothing is stopped any longer. False with `err`: cancelled,
 * or no memory for the threads; then call tracer_end().
 */
bool tracer_wait(struct tracer *t, struct tracer_answer *a, struct frozen_thread **threads,
		 struct progress *progress, struct error *err) MUST_USE;
/*
 * Releases the process and ends the tracer. False: it had been released earlier, at *ended_ns. May
 * be called twice.
 */
bool tracer_end(struct tracer *t, int64_t *ended_ns);

/* Gives a sign of life. Cheap enough to call with every read. */
void tracer_sign(void);

#endif
