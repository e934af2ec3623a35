#ifndef TESTS_JUDGE_JUDGE_STATICS_H
#define TESTS_JUDGE_JUDGE_STATICS_H

/*
 * Every static variable, as we say it, beside what ClrMD says of the same memory: where it is, its
 * value, the object that it refers to, and where a structure is; those of threads, too. A
 * difference fails the test. What one of them alone knows is counted.
 */
#include "model/heap/heap.h"
#include "tests/judge/oracle.h"

/* The oracle was asked for statics and threadstatics. */
void judge_statics(const char *what, const struct oracle *o, const struct heap *h);

#endif
