#ifndef MODEL_TABLE_LISTING_H
#define MODEL_TABLE_LISTING_H

/*
 * The rows of a table in the order of a view or output, with the facts known now. Filters and
 * writers read rows and cells through it; a screen provides the listing of what it shows.
 */
#include "model/base/arena.h"
#include "model/table/table.h"

/* Everything is borrowed and valid until results or rows change; making another one then costs some
   nanoseconds. */
struct listing {
	const struct table *table;
	const char *name; /* used in messages: "objects" */
	struct facts facts;
	const void *rows; /* data of the cells: see struct cells */
	/* Columns ("a,b") without values here, and why. NULL: none. */
	const char *unavailable, *unavailable_why;
	size_t count;
	void (*row)(const void *context, size_t index, struct row *out);
	const void *context;
	bool is_tree; /* rows have depths */
	/* Units of bytes for people: `bytes_shown`, as a share of `whole` unless that is 0.
	   `largest` has the largest bytes of each column; NULL: unknown. */
	uint8_t bytes_shown; /* enum bytes_shown */
	uint64_t whole;
	const uint64_t *largest;
	bool keeps_unit; /* see struct value */
};

static inline void
listing_row(const struct listing *l, size_t index, struct row *out)
{
	l->row(l->context, index, out);
}

/* Reads a cell; it is pending while the column's needs are not met. */
void listing_cell(const struct listing *l, const struct column *c, const struct row *row,
		  struct value *out);
/* The same, with the whole text in `a` if the cell has only its beginning. */
void listing_whole_cell(const struct listing *l, const struct column *c, const struct row *row,
			struct arena *a, struct value *out);

/* Appends the cell of a COLUMN_BELOW, unless it is blank, to the text for the lines below its
   row. */
void listing_add_below(const struct listing *l, const struct column *c, const struct row *row,
		       char *out, size_t out_size);

/* Returns whether this heap has generations, for COLUMN_RANGES. */
bool listing_has_generations(const struct listing *l);
/* Returns whether a column has values, as far as heap and table decide. */
bool listing_knows_column(const struct listing *l, const struct column *c, bool for_machines);
/* The same, and whether the column is meant for people or for machines. */
bool listing_has_column(const struct listing *l, const struct column *c, bool for_machines);
/*
 * Returns why a column has no values for this heap, as a sentence for users who sort or filter by
 * it, or NULL. Without a heap only the table's own reasons count.
 */
const char *listing_unavailable(const struct listing *l, const struct column *c);

#endif
