#ifndef TESTS_JUDGE_JUDGE_CODE_H
#define TESTS_JUDGE_JUDGE_CODE_H

/*
 * The method of each code address that ClrMD was asked about (its section "code"), beside ours.
 * Where ClrMD is not sure, we may find that method or none. One that we do not find must be in a
 * page that a core lacks.
 */
#include "io/memory/memory.h"
#include "tests/judge/oracle.h"

void judge_code(const char *what, const struct oracle *o, const struct memory *m);

#endif
