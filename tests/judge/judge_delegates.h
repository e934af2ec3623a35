#ifndef TESTS_JUDGE_JUDGE_DELEGATES_H
#define TESTS_JUDGE_JUDGE_DELEGATES_H

/*
 * What every delegate of a heap calls, as we say it, beside what ClrMD says: method, declaring
 * type, and what is "this" to it. A method that is not known to us is counted, another one is a
 * difference and fails the test.
 */
#include "model/heap/heap.h"
#include "tests/judge/oracle.h"

/* The oracle was asked for delegates. */
void judge_delegates(const char *what, const struct oracle *o, const struct heap *h);

#endif
