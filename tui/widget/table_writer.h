#ifndef TUI_WIDGET_TABLE_WRITER_H
#define TUI_WIDGET_TABLE_WRITER_H

/* The rows of a view as text for people, or as records for programs. */
#include "model/base/progress.h"
#include "tui/widget/view.h"
#include <stdio.h>

enum table_format {
	TABLE_TEXT,
	TABLE_ASCII, /* the same where the terminal shows no more */
	TABLE_CSV,   /* RFC 4180, from here on for programs */
	TABLE_TSV,
	TABLE_JSON,  /* one object; heaptop-json(5) */
	TABLE_JSONL, /* one object a row, without anything around them */
	TABLE_MD,    /* a table of Markdown; numbers as people read them */
};

struct table_writer {
	const struct table *of;
	enum table_format format;
	uint64_t rows_first, rows_max; /* first: of text */
	struct progress *progress;     /* rows, and the wish to stop; or NULL */
	const struct column *columns[COLUMNS_MAX];
	int widths[COLUMNS_MAX]; /* of text at least; 0: what they need */
	int columns_count;
	/* Of text: a longer name only pushes what is behind it; 0: none does,
	   the column is as wide as the longest. */
	int names_max;
};
/*
 * `columns` as in column_choice.h; NULL: those that the format asks for. All
 * rows; set rows_max for fewer.
 */
bool table_writer_init(struct table_writer *t, const struct view *v,
		       enum table_format format, const char *columns,
		       struct error *err) MUST_USE;
/*
 * The columns are as wide as their first rows need. Errors of writing are left
 * in `to`, as stdio does. How many rows were printed.
 */
uint64_t table_writer_print(FILE *to, const struct table_writer *t,
			    const struct view *v);

#endif
