#ifndef MODEL_TABLE_TABLE_WRITER_RECORDS_H
#define MODEL_TABLE_TABLE_WRITER_RECORDS_H

/* Writes rows for programs one at a time, so that a table of ten million rows needs no memory. Text
   from the target is escaped in every format. */
#include "model/table/table_writer.h"

uint64_t table_print_records(FILE *to, const struct table_writer *t, const struct listing *l,
			     const struct table_origin *origin, uint64_t rows);
/* Returns false before row `r` after a write error or cancellation. */
bool table_continues(FILE *to, const struct table_writer *t, uint64_t r);
/* Writes one field of CSV or TSV; bytes that are not text as \x1b. */
void table_print_field(FILE *to, enum table_format format, const char *text);
/* Writes a JSON string with its quotes; invalid UTF-8 as U+FFFD. */
void table_print_string(FILE *to, const char *text);

#endif
