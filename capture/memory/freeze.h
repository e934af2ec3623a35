#ifndef CAPTURE_MEMORY_FREEZE_H
#define CAPTURE_MEMORY_FREEZE_H

/*
 * A process that stands still while its memory is looked at: every thread is
 * stopped with ptrace (PTRACE_SEIZE, PTRACE_INTERRUPT), its registers are read,
 * and it goes on when told. No signal is sent and nothing in it is changed, so
 * neither its parent nor the program itself notices more than the time that
 * passed. Whoever ends us, the kernel lets go of what we traced: it goes on.
 *
 * Stopping costs about 10 us per thread. All of it is to be done by one thread
 * of ours; the kernel takes no orders from another.
 */
#include "model/base/error.h"
#include "model/base/progress.h"
#include <stddef.h>

enum {
	FREEZE_REGISTERS_MAX = 34, /* arm64: x0 to x30, sp, pc, pstate */
};

struct frozen_thread {
	int32_t tid; /* as we see it */
	/* As the kernel orders them in NT_PRSTATUS; x64: 27, arm64: 34. */
	uint32_t registers_count;
	uint64_t registers[FREEZE_REGISTERS_MAX];
	int deliver;     /* freeze.c: a signal that we were told of first */
	bool is_stopped; /* freeze.c */
};

struct freeze {
	int32_t pid;
	struct frozen_thread *threads; /* by tid */
	size_t threads_count, threads_room;
	int64_t began_ns; /* clock_ns() before the first thread was stopped */
	int64_t ended_ns; /* and when all of them went on; 0 before that */
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
/* Lets it go on; may be called twice. The threads' registers stay. */
void freeze_end(struct freeze *f);
/* Ends it, too. */
void freeze_clear(struct freeze *f);

#endif
