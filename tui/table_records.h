#ifndef TUI_TABLE_RECORDS_H
#define TUI_TABLE_RECORDS_H

/*
 * Rows for programs, one after another as they are made: a table of ten
 * million never stands in memory. Text of a target is escaped in every format.
 */
#include "tui/table.h"

void table_print_records(FILE *to, const struct table *t, const struct view *v,
			 uint64_t rows);
/* Writes one field of CSV or TSV; what is not text as \x1b. */
void table_print_field(FILE *to, enum table_format format, const char *text);
/* The same for a string of JSON, with its quotes; what is no UTF-8 as U+FFFD.
 */
void table_print_string(FILE *to, const char *text);

#endif
