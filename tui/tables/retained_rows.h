#ifndef TUI_TABLES_RETAINED_ROWS_H
#define TUI_TABLES_RETAINED_ROWS_H

/*
 * Rows of the dominator tree (tui/views/dominators.c): makes the rows that
 * appear when a row opens, largest first and a page at a time, and those of the
 * path from the top down to an object. Runs on a worker if there are many.
 */
#include "model/graph/dominated.h"
#include "model/table/rows.h"

/* Objects shown as one row: a type among the children of a row, all unreachable
   objects, or the rest of a page. row->data points to it. */
struct holding_set {
	struct siblings siblings;
	uint64_t count; /* objects; for a ROW_SKIP, steps */
	struct retained_sum sum;
	struct sibling after; /* for a ROW_MORE: the last row shown */
};

struct holding_sets {
	struct holding_set *items;
	size_t count, room;
};
void holding_sets_clear(struct holding_sets *sets);
/* Returns the set of a row that is not a single object. */
static inline const struct holding_set *
holding_set_of(const struct row *row)
{
	return (const struct holding_set *)(uintptr_t)row->data;
}

enum holding_rule {
	HOLDING_PAGE,  /* directly dominated objects, one by one */
	HOLDING_TYPES, /* directly dominated objects by type */
	HOLDING_MORE,  /* the next page */
	HOLDING_WAY,   /* path from the top to `node`, and its first page */
};

/* Input and output of making rows, on a worker. */
struct holding_job {
	const struct retention *retention;
	enum holding_rule rule;
	struct siblings siblings;
	struct sibling after; /* HOLDING_MORE */
	node_id node;         /* HOLDING_WAY */
	bool has_top;         /* top rows: add unreachable objects */
	uint64_t key;         /* of the parent row */
	uint32_t depth;       /* of the new rows */

	/* Results. The rows point into the items of `sets`. */
	struct rows rows;
	struct holding_sets sets;
	uint64_t end_key; /* for HOLDING_WAY: the row of `node` */
};

enum {
	HOLDING_AT_ONCE = 20000, /* objects; more are read by a job */
	HOLDING_TYPES_MAX = 200, /* rows of types; the rest share one row */
	HOLDING_FIRST = 12, /* first objects of a long path; then a ROW_SKIP… */
	HOLDING_LAST = 12, /* …then the last objects */
};

bool holding_job_run(struct holding_job *job, struct progress *progress,
		     struct error *err) MUST_USE;
void holding_job_clear(struct holding_job *job);

#endif
