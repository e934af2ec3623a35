#ifndef TESTS_JUDGE_JUDGE_H
#define TESTS_JUDGE_JUDGE_H

/*
 * A heap of ours beside what ClrMD says of the same memory: every object with its size, generation
 * and type, its references, free space, segments,
 * handles, finalizer queue, threads, locks, method tables. The first difference fails the test;
 * else a line says how much was the same.
 *
 * Of stacks, ClrMD knows what is surely there; we must have at least that.
 */
#include "model/heap/heap.h"
#include "tests/judge/oracle.h"

/* The oracle was asked for all sections of tests/drive/cores.c. */
void judge_heap(const char *what, const struct oracle *o, const struct heap *h);

#endif
