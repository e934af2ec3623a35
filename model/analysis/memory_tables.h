#ifndef MODEL_ANALYSIS_MEMORY_TABLES_H
#define MODEL_ANALYSIS_MEMORY_TABLES_H

/*
 * What the memory of a process tells beside the graph, as tables: handles,
 * objects with finalizers, threads, modules. Their rows are the arrays of
 * model/heap/memory.h, so only heaps from memory have them.
 */
#include "model/table/table.h"

extern const struct table handles_table, finalizers_table, threads_table,
    modules_table;

#endif
