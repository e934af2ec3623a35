#ifndef TUI_CLI_GC_JSON_H
#define TUI_CLI_GC_JSON_H

/*
 * One collection as an object of JSON on a line of its own: the members are
 * the columns (model/gc/table.h), numbers as in CSV and null where
 * nothing is known; "phases_us", "marked" and "generations", and "heap_details"
 * with `has_heaps`.
 */
#include "model/gc/table.h"
#include "model/table/table_writer.h"

/* `t` chooses among gc_columns; the rows of `in` are a struct gc_cells. */
void gc_json_print(FILE *to, const struct table_writer *t,
		   const struct cells *in, const struct row *row,
		   bool has_heaps);

#endif
