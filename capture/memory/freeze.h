#ifndef CAPTURE_MEMORY_FREEZE_H
#define CAPTURE_MEMORY_FREEZE_H

/*
 * Stops a process while its memory is read. Every thread is stopped with ptrace (PTRACE_SEIZE,
 * PTRACE_INTERRUPT), its registers are read, and the process resumes when asked. No signal is sent
 * and nothing in it changes, so that neither the program nor its parent notices more than the time
 * that passed. A separate process traces it (capture/memory/tracer.h), which lets it go whatever
 * happens to us: killed, stopped or stuck.
 *
 * Costs a fork, then about 10 us a thread. Any thread may call these.
 */
#include "capture/memory/tracer.h"

struct freeze {
	int32_t pid;
	struct frozen_thread *threads; /* by tid */
	size_t threads_count;
	struct tracer tracer;
	int64_t began_ns; /* clock_ns() before the first thread was stopped */
	int64_t ended_ns; /* when all of them resumed; 0 before that */
	bool is_lost;     /* after freeze_end(): it had resumed too early */
};

/*
 * Stops all threads, including those started meanwhile. False with ERROR_ATTACH and nothing
 * stopped: not allowed (the message has the condition that failed and a remedy), already traced,
 * ended, or a thread in the kernel that does not stop within two seconds. `proc` as in
 * capture/process/proc.h.
 */
bool freeze_start(struct freeze *f, const char *proc, int32_t pid, struct progress *progress,
		  struct error *err) MUST_USE;
/*
 * Resumes the process; may be called twice. The registers stay. If heaptop itself was stopped, the
 * process has resumed earlier: f->is_lost, and what was read of it may be inconsistent.
 */
void freeze_end(struct freeze *f);
/* False with ERROR_ATTACH if f->is_lost, for callers that do not retry. */
bool freeze_check(const struct freeze *f, struct error *err) MUST_USE;
/* Resumes the process, too. */
void freeze_clear(struct freeze *f);

#endif
