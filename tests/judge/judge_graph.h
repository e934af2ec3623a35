#ifndef TESTS_JUDGE_JUDGE_GRAPH_H
#define TESTS_JUDGE_JUDGE_GRAPH_H

/*
 * The heap that is loaded from a core beside ClrMD's; also without the files of the process, and
 * without the end of the core.
 */
#include "tests/drive/cores.h"

void judge_graph(const struct core *c);

#endif
