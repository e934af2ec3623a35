#ifndef IO_CLR_ROWS_H
#define IO_CLR_ROWS_H

/* The contents of an object as rows of text: fields, elements, the text of a string. The caller
 * holds the lock. */
#include "io/clr/contents_state.h"

/* The rows wanted, and where to store them. */
struct clr_page {
	uint64_t first;
	size_t count;
	struct content *rows;
	size_t *rows_count;
	uint64_t *total;
};

/* Implements contents_ops.rows. */
bool clr_rows_read(struct clr_contents *c, node_id n, const struct clr_object *o,
		   struct clr_page *p, struct arena *a, struct error *err) MUST_USE;
/* Reads the fields of an object that is not an array. */
bool clr_rows_of_fields(struct clr_contents *c, const struct clr_object *o, struct clr_page *p,
			struct arena *a, struct error *err) MUST_USE;
/* Reads the row of one part of a plan; the plan's offsets count from `base`. */
bool clr_rows_of_part(struct clr_contents *c, const struct clr_part *part, uint64_t base,
		      struct content *row, struct arena *a, struct error *err) MUST_USE;
/* Reads a whole value into one row: "{X = 1, Y = 2}". `plan` is that of an array element. */
bool clr_rows_of_value(struct clr_contents *c, const struct clr_plan *plan, uint64_t base,
		       struct content *row, struct arena *a, struct error *err) MUST_USE;
/* Returns the first `max` units of a string in C# syntax. *is_whole: none of them is absent. NULL
 * sets `err`. */
const char *clr_rows_text(const struct clr_contents *c, const struct clr_object *o, uint32_t max,
			  bool *is_whole, struct arena *a, struct error *err) MUST_USE;

#endif
