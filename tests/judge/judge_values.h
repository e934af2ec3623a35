#ifndef TESTS_JUDGE_JUDGE_VALUES_H
#define TESTS_JUDGE_JUDGE_VALUES_H

/*
 * What is in objects, as we say it, beside what ClrMD says of the same memory: every field of every
 * object by name, place, size and value, the first 64 elements of every array, every character of
 * every string; and that we know
 * of no field that it does not. The first differences are printed; any fails the test. What we call
 * raw is counted: it is no difference.
 */
#include "model/heap/memory.h"
#include "tests/judge/oracle.h"

/*
 * The oracle was asked for fields, elements and strings. Not of types whose
 * raw names begin with one of `but`, which ends with NULL; or NULL.
 */
void judge_values(const char *what, const struct oracle *o, const struct heap *h,
		  const char *const *but);
/*
 * Is a number of ours theirs, and does it say so? `element`: ClrMD's word for what it is, "Int32";
 * or "", then its bits alone are compared.
 */
bool judge_is_same(const struct heap *h, const struct content *row, const char *element, size_t len,
		   uint64_t raw);

#endif
