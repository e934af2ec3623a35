#ifndef TESTS_JUDGE_JUDGE_FRAMES_H
#define TESTS_JUDGE_JUDGE_FRAMES_H

/*
 * The managed frames of each thread that ClrMD sees (its section "frames"), beside ours:
 * instruction, stack pointer and method must be equal, in the same order. Only of a thread that
 * stands in native code in cooperative mode may we see more.
 */
#include "io/memory/memory.h"
#include "tests/judge/oracle.h"

void judge_frames(const char *what, const struct oracle *o, const struct memory *m);

#endif
