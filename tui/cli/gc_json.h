#ifndef TUI_CLI_GC_JSON_H
#define TUI_CLI_GC_JSON_H

/*
 * Writes one collection as a JSON object on a line of its own. Its members are the columns of
 * model/gc/table.h, with numbers as in CSV and null for unknown values, then "phases_us", "marked",
 * "generations" and, with `has_heaps`, "heap_details".
 */
#include "model/gc/table.h"
#include "model/table/table_writer.h"

/* `t` selects the columns of gc_table; in->rows is a struct gc_cells. */
void gc_json_print(FILE *to, const struct table_writer *t, const struct cells *in,
		   const struct row *row, bool has_heaps);

#endif
