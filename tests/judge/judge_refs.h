#ifndef TESTS_JUDGE_JUDGE_REFS_H
#define TESTS_JUDGE_JUDGE_REFS_H

/*
 * The references on the stack of each thread that ClrMD sees (its section "stackroots"), beside
 * those of our frames (io/clr/frame_refs.h): each is ours, at the same place, or is scanned. And
 * each of ours that leads to the heap is one of ClrMD's.
 */
#include "io/memory/memory.h"
#include "tests/judge/oracle.h"

void judge_refs(const char *what, const struct oracle *o, const struct memory *m);

#endif
