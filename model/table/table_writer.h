#ifndef MODEL_TABLE_TABLE_WRITER_H
#define MODEL_TABLE_TABLE_WRITER_H

/* Writes the rows of a listing as text for people, or as records for
   programs. */
#include "model/base/progress.h"
#include "model/table/listing.h"
#include <stdio.h>

enum table_format {
	TABLE_TEXT,
	TABLE_ASCII, /* the same in ASCII */
	TABLE_CSV,   /* RFC 4180; this and the following are for programs */
	TABLE_TSV,
	TABLE_JSON,  /* one object; heaptop-json(5) */
	TABLE_JSONL, /* one object per row and nothing else */
	TABLE_MD,    /* a Markdown table; numbers as people read them */
};

/* The members of JSON output before the rows. */
struct table_origin {
	const char *title, *source; /* source: the file or process */
	const char *format;         /* of the heap; NULL: no heap */
	bool is_incomplete, is_sampled;
};

/* A member that is the same in every row: where the rows are from. */
struct table_member {
	const char *name;
	struct value value;
};

/* Callbacks, called with the listing's context: whether a column is shown; and sentence `line`,
   from 0, about all rows, false if there is none. */
typedef bool table_shows(const void *context, const struct column *c, bool for_machines);
typedef bool table_sentence(const void *context, unsigned line, struct value *out);

struct table_writer {
	enum table_format format;
	uint64_t rows_first, rows_max; /* the first to print; how many */
	struct progress *progress;     /* counts rows and cancels; or NULL */
	bool guards_formulas;          /* of CSV and TSV: see the setting csvguard */
	bool is_plain;                 /* text is "name value" without titles */
	/* Selects columns; NULL: listing_has_column(). */
	table_shows *shows;
	table_sentence *before, *behind; /* sentences of text; or NULL */
	/* Written before the columns of each row of CSV, TSV and JSON. */
	const struct table_member *members;
	int members_count;
	/* Set by table_writer_choose(). */
	const struct table *of;
	const struct column *columns[COLUMNS_MAX];
	int widths[COLUMNS_MAX]; /* least widths of text; 0: as needed */
	int columns_count;
	bool is_chosen; /* its columns were chosen by name */
	bool has_below; /* a COLUMN_BELOW is printed below its row, and a long
			   name continues there */
	/* The width of a line of text: longer texts are cut, and sentences broken at blanks. 0: no
	   limit. */
	int line_max;
};
/* Chooses the columns to write; the members before them must be set. `columns` as in
   column_choice.h; NULL: the format's own. */
bool table_writer_choose(struct table_writer *t, const struct listing *l, const char *columns,
			 struct error *err) MUST_USE;
/*
 * Makes text fit lines of `line_max` columns: shortens names and drops the columns that a narrow
 * screen would, unless they were named. `out` gets the dropped ids, separated by commas; "": none.
 */
void table_writer_fit(struct table_writer *t, const struct listing *l, int line_max, char *out,
		      size_t out_size);
/* Prints the rows and returns their number. Column widths are measured in the first rows. Write
   errors are left in `to`, as in stdio. */
uint64_t table_writer_print(FILE *to, const struct table_writer *t, const struct listing *l,
			    const struct table_origin *origin);

#endif
