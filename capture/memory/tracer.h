#ifndef CAPTURE_MEMORY_TRACER_H
#define CAPTURE_MEMORY_TRACER_H

/*
 * A small process that stops another one for us. A tracer that is stopped
 * itself, by ^Z, SIGSTOP, a debugger or a frozen cgroup, holds what it traces
 * for as long, and no option of ptrace prevents that. So heaptop never traces:
 * it forks a tracer into a session of its own, where no key of the terminal
 * reaches it, with all signals blocked. The tracer lets the process go
 *
 * - when told to, and when heaptop has ended or was killed, at once;
 * - when heaptop is stopped, within TRACER_LOOK_MS;
 * - when heaptop has shown no sign of life for TRACER_PATIENCE_MS, whatever
 *   keeps it;
 * - when the tracer is killed: then the kernel does it.
 *
 * SIGSTOP to the tracer itself cannot be prevented. heaptop sees that and kills
 * it; only where both are stopped does the process stand until one goes on or
 * is killed.
 *
 * A fork costs as many page tables as heaptop has, before anything is stopped.
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
	int32_t tid; /* as we see it */
	/* As the kernel orders them in NT_PRSTATUS; x64: 27, arm64: 34. */
	uint32_t registers_count;
	uint64_t registers[FREEZE_REGISTERS_MAX];
	int deliver;     /* a signal that we were told of first */
	bool is_stopped; /* of the tracer */
};

struct tracer {
	int32_t pid; /* 0: there is none */
	int socket;
};

enum tracer_result {
	TRACER_STOPPED,   /* all threads, which follow */
	TRACER_REFUSED,   /* by the kernel: `errnum` says why */
	TRACER_STUBBORN,  /* thread `tid` did not stop in time */
	TRACER_NO_MEMORY, /* for the table of threads */
	TRACER_LET_GO,    /* heaptop was stopped: nothing is held any more */
	TRACER_ENDED,     /* told to end, it has let the process go */
};

struct tracer_answer {
	enum tracer_result result;
	int errnum;
	int32_t tid;
	uint32_t threads_count;
	int64_t at_ns; /* clock_ns() of the beginning, or of the end */
};

/*
 * Starts to stop process `pid`; `proc` as in capture/process/proc.h. False: no
 * process could be started.
 */
bool tracer_start(struct tracer *t, const char *proc, int32_t pid,
		  struct error *err) MUST_USE;
/*
 * Waits for the answer. TRACER_STOPPED: with `threads` in order of their ids,
 * for memory_free(); else NULL, and nothing is stopped any more. False with
 * `err`: cancelled, or no memory for the threads; then call tracer_end().
 */
bool tracer_wait(struct tracer *t, struct tracer_answer *a,
		 struct frozen_thread **threads, struct progress *progress,
		 struct error *err) MUST_USE;
/*
 * Has it let go and ends it. False: it had let go before, at *ended_ns. May be
 * called twice.
 */
bool tracer_end(struct tracer *t, int64_t *ended_ns);

/* The sign of life. Cheap: whoever reads what stands calls it all the time. */
void tracer_sign(void);

#endif
