#ifndef MODEL_TABLE_LISTING_H
#define MODEL_TABLE_LISTING_H

/*
 * The rows of a table as somebody looks at them: in some order, with what is
 * known of the heap at this moment. Filters and writers read rows and cells
 * through it; a screen hands out the listing of what it shows.
 */
#include "model/base/arena.h"
#include "model/table/table.h"

/*
 * Everything is borrowed. It is good until results or rows change: make
 * another one then, which costs some nanoseconds.
 */
struct listing {
	const struct table *table;
	const char *name; /* for messages: "objects" */
	struct facts facts;
	const void *rows; /* what cells read beside the facts: struct cells */
	/* Columns "a,b" that say nothing here, and why. NULL: none. */
	const char *unavailable, *unavailable_why;
	size_t count;
	void (*row)(const void *context, size_t index, struct row *out);
	const void *context;
	bool is_tree; /* rows have a depth */
	/* How people read bytes: in these units, as a share of `whole` if that
	   is not 0. By column the most bytes of a cell; NULL: unknown. */
	uint8_t bytes_shown; /* enum bytes_shown */
	uint64_t whole;
	const uint64_t *largest;
};

static inline void
listing_row(const struct listing *l, size_t index, struct row *out)
{
	l->row(l->context, index, out);
}

/* Pending while the column lacks what it needs. */
void listing_cell(const struct listing *l, const struct column *c,
		  const struct row *row, struct value *out);
/* The same with all of the text that it may be the beginning of, in `a`. */
void listing_whole_cell(const struct listing *l, const struct column *c,
			const struct row *row, struct arena *a,
			struct value *out);

/* Whether this heap has generations, for COLUMN_RANGES. */
bool listing_has_generations(const struct listing *l);
/* Whether there is anything in a column, as far as heap and table decide. */
bool listing_knows_column(const struct listing *l, const struct column *c,
			  bool for_machines);
/* The same of a column that is for those who look: people or machines. */
bool listing_has_column(const struct listing *l, const struct column *c,
			bool for_machines);
/*
 * Why a column says nothing of this heap, for who sorts or filters by it: a
 * sentence, or NULL. Without a heap only what the table itself lacks counts.
 */
const char *listing_unavailable(const struct listing *l,
				const struct column *c);

#endif
