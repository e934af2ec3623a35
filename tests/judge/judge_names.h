#ifndef TESTS_JUDGE_JUDGE_NAMES_H
#define TESTS_JUDGE_JUDGE_NAMES_H

/*
 * The names of static variables in a core beside those that ClrMD has, and the names of threads.
 * judge_statics.h has the values.
 */
#include "tests/drive/cores.h"

void judge_names(const struct core *c); /* that has an oracle */

#endif
