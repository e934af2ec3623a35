#ifndef TUI_TABLE_H
#define TUI_TABLE_H

/* The rows of a view as text for people, or as CSV and TSV for programs. */
#include "tui/view.h"
#include <stdio.h>

enum table_format {
	TABLE_TEXT,
	TABLE_ASCII, /* the same where the terminal shows no more */
	TABLE_CSV,
	TABLE_TSV,
};

/*
 * At most `rows_max` rows. The columns are as wide as their first rows need.
 * Errors of writing are left in `to`, as stdio does.
 */
void table_print(FILE *to, const struct view *v, enum table_format format,
		 uint64_t rows_max);
/* Writes one field of CSV (RFC 4180) or TSV; what is not text as \x1b. */
void table_print_field(FILE *to, enum table_format format, const char *text);

#endif
