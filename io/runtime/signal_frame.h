#ifndef IO_RUNTIME_SIGNAL_FRAME_H
#define IO_RUNTIME_SIGNAL_FRAME_H

/*
 * Where a thread stood when a signal moved it to its alternate stack. The
 * kernel puts a ucontext_t on that stack: the registers, and where the stack
 * itself lies, by which one is recognised. .NET moves on to a third stack when
 * the ordinary one is full; a pointer to the ucontext_t goes with it.
 */
#include "io/memory/memory.h"

struct signal_frame {
	uint64_t sp;         /* on the stack that was interrupted */
	uint64_t start, end; /* the registers and what lies above them */
};

/* Is there a ucontext_t at `address`? */
bool signal_frame_read(struct memory_reader *r, uint64_t address,
		       struct signal_frame *frame) MUST_USE;

#endif
