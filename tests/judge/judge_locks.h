#ifndef TESTS_JUDGE_JUDGE_LOCKS_H
#define TESTS_JUDGE_JUDGE_LOCKS_H

/*
 * Every sync block and thin lock, as we say it, beside what ClrMD says of the same memory: object,
 * index, holder, how often entered, how many wait. The first difference fails the test. Objects
 * that are locks it does not know.
 */
#include "model/heap/heap.h"
#include "tests/judge/oracle.h"

/* The oracle was asked for locks; without its lines there must be none. */
void judge_locks(const char *what, const struct oracle *o, const struct heap *h);

#endif
