#ifndef CAPTURE_MEMORY_FREEZE_H
#define CAPTURE_MEMORY_FREEZE_H

/*
 * A process that stands still while its memory is looked at: every thread is
 * stopped with ptrace (PTRACE_SEIZE, PTRACE_INTERRUPT), its registers are read,
 * and it goes on when told. No signal is sent and nothing in it is changed, so
 * neither its parent nor the program itself notices more than the time that
 * passed. A process of its own does that (capture/memory/tracer.h), which lets
 * it go whatever becomes of us: killed, stopped or stuck.
 *
 * Stopping costs about 10 us per thread, and a fork before. Any thread may
 * call these.
 */
#include "capture/memory/tracer.h"

struct freeze {
	int32_t pid;
	struct frozen_thread *threads; /* by tid */
	size_t threads_count;
	struct tracer tracer;
	int64_t began_ns; /* clock_ns() before the first thread was stopped */
	int64_t ended_ns; /* and when all of them went on; 0 before that */
	bool is_lost; /* freeze_end(): it had gone on before it was told to */
};

/*
 * Stops all threads, also those started meanwhile. False with ERROR_ATTACH and
 * nothing stopped: not allowed (the sentence says which condition failed and
 * what would help), traced by another, ended, or a thread that does not stop
 * within two seconds because the kernel keeps it. `proc` as in
 * capture/process/proc.h.
 */
bool freeze_start(struct freeze *f, const char *proc, int32_t pid,
		  struct progress *progress, struct error *err) MUST_USE;
/*
 * Lets it go on; may be called twice. The threads' registers stay. Where we
 * were stopped ourselves it has gone on before: f->is_lost, and what was read
 * of it is of several moments.
 */
void freeze_end(struct freeze *f);
/* For whoever does not begin anew then: false with ERROR_ATTACH if f->is_lost.
 */
bool freeze_check(const struct freeze *f, struct error *err) MUST_USE;
/* Ends it, too. */
void freeze_clear(struct freeze *f);

#endif
