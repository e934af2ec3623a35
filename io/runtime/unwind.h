#ifndef IO_RUNTIME_UNWIND_H
#define IO_RUNTIME_UNWIND_H

/*
 * Unwinds one frame of managed code (x64), by the unwind record of its function, which is the same
 * for code compiled at run time and precompiled code:
 *
 *   record   u8 version (low 3 bits) and flags, u8 length of the prologue,
 *            u8 number of codes, u8 frame register (low 4 bits) and its offset,
 *            then codes: u8 offset in the prologue, u8 operation (low 4 bits)
 *            and number
 *   chained  flag 4: another function's entry follows, whose codes run, too
 *
 * There are no codes for epilogues, so the last instructions of a function in which a thread
 * stopped are executed.
 */
#include "io/memory/x64_state.h"
#include "io/runtime/code.h"

/*
 * Replaces the registers by those of the caller. `code` is what is at the instruction pointer;
 * `is_leaf`: the thread stopped there, its function has called nothing. NULL, or why it cannot, a
 * sentence without its full stop; `state` is then unusable.
 */
const char *clr_unwind(const struct clr_code *code, struct memory_reader *r,
		       struct x64_state *state, bool is_leaf) MUST_USE;

#endif
