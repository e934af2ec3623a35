#ifndef MODEL_ANALYSIS_TABLES_H
#define MODEL_ANALYSIS_TABLES_H

/* Tables whose rows are arrays of the heap, or are made by a pass over it. A
   view that lists such a table needs no code. */
#include "model/table/table.h"

extern const struct table async_table, code_table, collections_table, exceptions_table,
    faults_table, finalizers_table, findings_table, free_table, groups_table, handles_table,
    heaps_table, held_table, locks_table, methods_table, modules_table, pstacks_table,
    resident_table, segments_table, sizes_table, stacks_table, statics_table, strings_table,
    threads_table, timers_table, values_table;

/* Returns the part of the heap shown in a row of segments_table or
   heaps_table. */
const struct heap_part *heap_part_of(const void *parts, const struct row *row);

/* Finds the address of the method table that `about` names: directly, or by an object or a type.
   Requires a heap with contents. */
bool subject_method_table(const struct heap *h, const struct subject *about, uint64_t *address,
			  struct error *err);

/* Returns the size class of a row of sizes_table, and its number. */
const struct size_class *size_class_of_row(const void *made, const struct row *row,
					   unsigned *number);

#endif
