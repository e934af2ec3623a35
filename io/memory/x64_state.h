#ifndef IO_MEMORY_X64_STATE_H
#define IO_MEMORY_X64_STATE_H

/*
 * The registers of an x64 thread in one of the frames of its stack, as unwinding restores them from
 * frame to frame.
 */
#include "io/memory/memory.h"

/* Numbers of registers as instructions have them: rax rcx rdx rbx rsp rbp rsi rdi r8 to r15. */
enum {
	X64_RAX = 0,
	X64_RCX = 1,
	X64_RDX = 2,
	X64_RBX = 3,
	X64_RSP = 4,
	X64_RBP = 5,
	X64_RSI = 6,
	X64_RDI = 7,
	X64_R8 = 8,
	X64_R12 = 12,
	X64_R15 = 15,
	X64_REGISTERS = 16
};

struct x64_state {
	uint64_t ip;
	uint64_t value[X64_REGISTERS];
	/* The address of the word that the value was restored from; 0: it is still in the thread's
	 * own register. Meaningless for the stack pointer. */
	uint64_t place[X64_REGISTERS];
};

/* Sets all registers from those of a stopped thread. False: they are unknown, or not of x64. */
bool x64_state_begin(struct x64_state *state, const struct memory *m,
		     const struct memory_thread *thread) MUST_USE;
/* Restores a register from a word in memory. False: absent. */
bool x64_state_restore(struct x64_state *state, struct memory_reader *r, unsigned number,
		       uint64_t at) MUST_USE;
/* Returns from the function: pops the instruction pointer. False: absent. */
bool x64_state_return(struct x64_state *state, struct memory_reader *r) MUST_USE;

#endif
