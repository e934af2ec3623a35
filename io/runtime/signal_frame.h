#ifndef IO_RUNTIME_SIGNAL_FRAME_H
#define IO_RUNTIME_SIGNAL_FRAME_H

/*
 * Finds where a thread was on its ordinary stack when a signal handler on an alternate stack took
 * over. The kernel puts a ucontext_t on the alternate stack: the registers and the bounds of that
 * stack, by which it is recognised. When the ordinary stack is full, .NET continues on a third
 * stack and passes a pointer to the ucontext_t.
 */
#include "io/memory/memory.h"

struct signal_frame {
	uint64_t sp;         /* of the interrupted stack */
	uint64_t start, end; /* registers and all above them */
};

/* False: there is no ucontext_t at `address`. */
bool signal_frame_read(struct memory_reader *r, uint64_t address,
		       struct signal_frame *frame) MUST_USE;

#endif
