#ifndef TESTS_JUDGE_JUDGE_STRINGS_H
#define TESTS_JUDGE_JUDGE_STRINGS_H

/*
 * Equal strings beside those that ClrMD reads in the same memory: how many texts there are, what
 * each wastes, and the objects of each. The oracle was asked for strings. A difference fails the
 * test.
 */
#include "model/heap/heap.h"
#include "tests/judge/oracle.h"

void judge_strings(const char *what, const struct oracle *o, const struct heap *h);

#endif
