#ifndef IO_CLR_ROWS_H
#define IO_CLR_ROWS_H

/*
 * What is in an object as rows of text: fields, elements, the text of a string.
 * The lock is held by who calls.
 */
#include "io/clr/contents_state.h"

/* Which rows are wanted, and where they go. */
struct clr_page {
	uint64_t first;
	size_t count;
	struct content *rows;
	size_t *rows_count;
	uint64_t *total;
};

/* As contents_ops.rows. */
bool clr_rows_read(struct clr_contents *c, node_id n,
		   const struct clr_object *o, struct clr_page *p,
		   struct arena *a, struct error *err) MUST_USE;
/* Of what is no array. */
bool clr_rows_of_fields(struct clr_contents *c, const struct clr_object *o,
			struct clr_page *p, struct arena *a,
			struct error *err) MUST_USE;
/* One of a plan, of what begins at `base`. */
bool clr_rows_of_part(struct clr_contents *c, const struct clr_part *part,
		      uint64_t base, struct content *row, struct arena *a,
		      struct error *err) MUST_USE;
/* A whole value in one line, by the plan of an element: "{X = 1, Y = 2}". */
bool clr_rows_of_value(struct clr_contents *c, const struct clr_plan *plan,
		       uint64_t base, struct content *row, struct arena *a,
		       struct error *err) MUST_USE;
/* Of a string, as C# writes it, at most `max` units; *is_whole: all of them are
 * there. NULL sets `err`. */
const char *clr_rows_text(const struct clr_contents *c,
			  const struct clr_object *o, uint32_t max,
			  bool *is_whole, struct arena *a,
			  struct error *err) MUST_USE;

#endif
