#ifndef MODEL_TABLE_TABLE_WRITER_H
#define MODEL_TABLE_TABLE_WRITER_H

/* The rows of a listing as text for people, or as records for programs. */
#include "model/base/progress.h"
#include "model/table/listing.h"
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

/* The members of JSON output that stand before the rows. */
struct table_origin {
	const char *title, *source; /* source: the file or process */
	const char *format;         /* of the heap; NULL: there is none */
	bool is_incomplete, is_sampled;
};

/* Both get the context of the listing. A sentence about all rows together, from
   line 0; false: there is no such line. */
typedef bool table_shows(const void *context, const struct column *c,
			 bool for_machines);
typedef bool table_sentence(const void *context, unsigned line,
			    struct value *out);

struct table_writer {
	enum table_format format;
	uint64_t rows_first, rows_max; /* first: of text */
	struct progress *progress;     /* rows, and the wish to stop; or NULL */
	bool is_plain;     /* text is "name value", without titles */
	bool breaks_names; /* long names of text go on in the next line */
	/* The columns that are there; NULL: those of listing_has_column(). */
	table_shows *shows;
	table_sentence *before, *behind; /* of the rows, in text; or NULL */
	/* By table_writer_choose(). */
	const struct table *of;
	const struct column *columns[COLUMNS_MAX];
	int widths[COLUMNS_MAX]; /* of text at least; 0: what they need */
	int columns_count;
	bool is_chosen; /* its columns were named */
	/* The width of a line of text: longer texts are cut, and sentences
	   broken at blanks. 0: no limit. */
	int line_max;
};
/*
 * Which columns are written; set what stands before them first. `columns` as in
 * column_choice.h; NULL: those that the format asks for.
 */
bool table_writer_choose(struct table_writer *t, const struct listing *l,
			 const char *columns, struct error *err) MUST_USE;
/*
 * So that text fits into lines of so many columns: names become shorter, and
 * what a narrow screen leaves out first is left out, if it was not named. `out`
 * gets the ids of those columns, with commas; "": none.
 */
void table_writer_fit(struct table_writer *t, const struct listing *l,
		      int line_max, char *out, size_t out_size);
/*
 * The columns are as wide as their first rows need. Errors of writing are left
 * in `to`, as stdio does. How many rows were printed.
 */
uint64_t table_writer_print(FILE *to, const struct table_writer *t,
			    const struct listing *l,
			    const struct table_origin *origin);

#endif
