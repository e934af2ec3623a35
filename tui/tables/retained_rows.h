#ifndef TUI_TABLES_RETAINED_ROWS_H
#define TUI_TABLES_RETAINED_ROWS_H

/*
 * Rows of the tree of dominators (tui/views/dominators.c): makes those that
 * appear when a row is opened, largest first and a page at a time, and those of
 * the way from the top down to an object. On a worker where there are many.
 */
#include "model/graph/dominated.h"
#include "model/table/rows.h"

/* What stands for several objects: a type among the children of a row, all
   that no root reaches, or what a page left out. Such a row points to it. */
struct holding_set {
	struct siblings siblings;
	uint64_t count; /* objects; of a ROW_SKIP steps */
	struct retained_sum sum;
	struct sibling after; /* of a ROW_MORE: the last one shown */
};

struct holding_sets {
	struct holding_set *items;
	size_t count, room;
};
void holding_sets_clear(struct holding_sets *sets);
/* The set of a row that stands for several objects. */
static inline const struct holding_set *
holding_set_of(const struct row *row)
{
	return (const struct holding_set *)(uintptr_t)row->data;
}

enum holding_rule {
	HOLDING_PAGE,  /* what it dominates directly, one by one */
	HOLDING_TYPES, /* the same, type by type */
	HOLDING_MORE,  /* the next page */
	HOLDING_WAY,   /* from the top down to `node`, and its first page */
};

/* One making of rows, on a worker. */
struct holding_job {
	const struct retention *retention;
	enum holding_rule rule;
	struct siblings siblings;
	struct sibling after; /* HOLDING_MORE */
	node_id node;         /* HOLDING_WAY */
	bool has_top;         /* they are the top: what is dead, too */
	uint64_t key;         /* of the row that the new ones hang on */
	uint32_t depth;       /* of the new ones */

	/* What came out. The rows point into the items of `sets`. */
	struct rows rows;
	struct holding_sets sets;
	uint64_t end_key; /* of HOLDING_WAY: the row of `node` */
};

enum {
	HOLDING_AT_ONCE = 20000, /* objects; more are looked at by a job */
	HOLDING_TYPES_MAX = 200, /* rows of types; the rest is one row */
	HOLDING_FIRST = 12,      /* of a long way, then a ROW_SKIP… */
	HOLDING_LAST = 12,       /* …and these */
};

bool holding_job_run(struct holding_job *job, struct progress *progress,
		     struct error *err) MUST_USE;
void holding_job_clear(struct holding_job *job);

#endif
