#ifndef MODEL_ANALYSIS_TABLES_H
#define MODEL_ANALYSIS_TABLES_H

/*
 * Tables that say themselves how their rows come about: from arrays of the
 * heap, or from a pass over it. A view of one of them needs no code, and
 * neither does anything else that lists its rows.
 */
#include "model/table/table.h"

extern const struct table async_table, faults_table, finalizers_table,
    findings_table, free_table, groups_table, handles_table, heaps_table,
    locks_table, methods_table, modules_table, segments_table, sizes_table,
    statics_table, strings_table, threads_table, timers_table, values_table;

/* The part of the heap that a row of segments_table or heaps_table is. */
const struct heap_part *heap_part_of(const void *parts, const struct row *row);

/* The address of the method table that a table is asked about: itself, or that
   of an object or of a type. The heap has contents. */
bool subject_method_table(const struct heap *h, const struct subject *about,
			  uint64_t *address, struct error *err);

/* The number of the size class that a row of sizes_table is, and its objects.
 */
const struct size_class *
size_class_of_row(const void *made, const struct row *row, unsigned *number);

#endif
