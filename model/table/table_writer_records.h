#ifndef MODEL_TABLE_TABLE_WRITER_RECORDS_H
#define MODEL_TABLE_TABLE_WRITER_RECORDS_H

/*
 * Rows for programs, one after another as they are made: a table of ten
 * million never stands in memory. Text of a target is escaped in every format.
 */
#include "model/table/table_writer.h"

uint64_t table_print_records(FILE *to, const struct table_writer *t,
			     const struct listing *l,
			     const struct table_origin *origin, uint64_t rows);
/* Before row `r`: false after an error of writing, or if it was cancelled. */
bool table_goes_on(FILE *to, const struct table_writer *t, uint64_t r);
/* Writes one field of CSV or TSV; what is not text as \x1b. */
void table_print_field(FILE *to, enum table_format format, const char *text);
/* The same for a string of JSON, with its quotes; what is no UTF-8 as U+FFFD.
 */
void table_print_string(FILE *to, const char *text);

#endif
