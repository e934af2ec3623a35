#ifndef TESTS_JUDGE_JUDGE_TABLES_H
#define TESTS_JUDGE_JUDGE_TABLES_H

/*
 * Every method table of the heap's objects and of their base types, as we read it, beside what
 * ClrMD says of the same memory: sizes, parent, token, flags, counts of fields. The first
 * difference fails the test.
 */
#include "model/heap/heap.h"
#include "tests/judge/oracle.h"

/* The oracle was asked for tables. */
void judge_tables(const char *what, const struct oracle *o, const struct heap *h);

#endif
