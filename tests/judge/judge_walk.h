#ifndef TESTS_JUDGE_JUDGE_WALK_H
#define TESTS_JUDGE_JUDGE_WALK_H

/*
 * The objects, ranges and threads of a core beside those that ClrMD finds, one by one, and what a
 * core tells of its runtime.
 */
#include "tests/drive/cores.h"

void judge_walk(const struct core *c);
/* The probe of a process or core of this setup. */
void judge_probe(const struct core_setup *s, const char *text);

#endif
