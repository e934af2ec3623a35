#ifndef TUI_CLI_GC_JSON_H
#define TUI_CLI_GC_JSON_H

/*
 * One collection as an object of JSON on a line of its own: the members are
 * the columns (tui/tables/gc_columns.h), numbers as in CSV and null where
 * nothing is known; "phases_us", "marked" and "generations", and "heap_details"
 * with `has_heaps`.
 */
#include "tui/tables/gc_columns.h"
#include "tui/widget/table.h"

/* `t` chooses among gc_columns; the state of `v` is a struct gc_cells. */
void gc_json_print(FILE *to, const struct table *t, const struct view *v,
		   const struct row *row, bool has_heaps);

#endif
