#ifndef TESTS_JUDGE_VALUES_H
#define TESTS_JUDGE_VALUES_H

/*
 * What is in objects, as we say it, beside what ClrMD says of the same memory:
 * every field of every object by name, place, size and value, the first 64
 * elements of every array, every character of every string; and that we know
 * of no field that it does not. The first differences are printed; any fails
 * the test. What we call raw is counted: it is no difference.
 */
#include "model/heap.h"
#include "tests/oracle.h"

/*
 * The oracle was asked for fields, elements and strings. Not of types whose
 * names begin with `but`; or NULL.
 */
void judge_values(const char *what, const struct oracle *o,
		  const struct heap *h, const char *but);

#endif
