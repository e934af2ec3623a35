#ifndef MODEL_TABLES_RETAINED_ROWS_H
#define MODEL_TABLES_RETAINED_ROWS_H

/*
 * Rows of the dominator tree (tui/views/dominators.c): makes the rows that appear when a row opens,
 * largest first and a page at a time, and those of the path from the top down to an object. Runs on
 * a worker if there are many.
 */
#include "model/graph/dominated.h"
#include "model/table/rows.h"

/* Objects shown as one row: a type among the children of a row, all unreachable objects, or the
   rest of a page. row->data points to it. */
struct retained_set {
	struct siblings siblings;
	uint64_t count; /* objects; for a ROW_SKIP, steps */
	struct retained_sum sum;
	bool is_of_small;     /* a type: no object retains so much as one in
				 RETAINED_SPLIT_PARTS bytes; false if the first
				 rows have taken some */
	struct sibling after; /* for a ROW_MORE: the last row shown */
	node_id last;         /* RETAINED_SPLIT: the last object of the first rows, or
				 NODE_NONE; the set begins after it */
};

struct retained_sets {
	struct retained_set *items;
	size_t count, room;
};
void retained_sets_clear(struct retained_sets *sets);
/* Returns the set of a row that is not a single object. */
static inline const struct retained_set *
retained_set_of(const struct row *row)
{
	return (const struct retained_set *)(uintptr_t)row->data;
}

enum retained_rule {
	RETAINED_PAGE,  /* directly dominated objects, one by one */
	RETAINED_TYPES, /* directly dominated objects by type */
	RETAINED_SPLIT, /* the large ones one by one, the others by type */
	RETAINED_MORE,  /* the next page */
	RETAINED_PATH,  /* path from the top to `node`, and its first page, `siblings` */
};

/* Input and output of making rows, on a worker. */
struct retained_job {
	const struct retention *retention;
	enum retained_rule rule;
	struct siblings siblings;
	struct sibling after; /* RETAINED_MORE */
	node_id node;         /* RETAINED_PATH */
	bool has_top;         /* top rows: add unreachable objects */
	uint64_t key;         /* of the parent row */
	uint32_t depth;       /* of the new rows */

	/* Results. The rows point into the items of `sets`. */
	struct rows rows;
	struct retained_sets sets;
	uint64_t end_key; /* for RETAINED_PATH: the row of `node` */
};

enum {
	RETAINED_AT_ONCE = 20000,   /* objects; more are read by a job */
	RETAINED_TYPES_MAX = 200,   /* rows of types; the rest share one row */
	RETAINED_SPLIT_TYPES = 100, /* the same below large objects */
	RETAINED_SPLIT_PARTS = 100, /* large: at least one in so many bytes */
	RETAINED_SPLIT_LEAST = 12,  /* so many objects are never split */
	RETAINED_FIRST = 12,        /* first objects of a long path; then a ROW_SKIP… */
	RETAINED_LAST = 12,         /* …then the last objects */
};

bool retained_job_run(struct retained_job *job, struct progress *progress,
		      struct error *err) MUST_USE;
void retained_job_clear(struct retained_job *job);

#endif
