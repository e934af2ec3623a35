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
	/* Of a line of text, where it would go on in the next: longer texts are
	   cut, and sentences broken at blanks. 0: none is too long. */
	int line_max;
	bool is_chosen; /* its columns are those that somebody named */
};
/*
 * `columns` as in column_choice.h; NULL: those that the format asks for. All
 * rows; set rows_max for fewer.
 */
bool table_writer_init(struct table_writer *t, const struct view *v,
		       enum table_format format, const char *columns,
		       struct error *err) MUST_USE;
/*
 * So that text fits into lines of so many columns: names become shorter, and
 * what the screen leaves out first is left out, if nobody named it. `out` gets
 * the ids of those columns, with commas; "": none.
 */
void table_writer_fit(struct table_writer *t, const struct view *v,
		      int line_max, char *out, size_t out_size);
/*
 * The columns are as wide as their first rows need. Errors of writing are left
 * in `to`, as stdio does. How many rows were printed.
 */
uint64_t table_writer_print(FILE *to, const struct table_writer *t,
			    const struct view *v);

#endif
