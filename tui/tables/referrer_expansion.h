#ifndef TUI_TABLES_REFERRER_EXPANSION_H
#define TUI_TABLES_REFERRER_EXPANSION_H

/*
 * Walks up the tree of referrers: makes the rows that appear when a row about
 * an object opens, or all rows up to a root. Hubs with millions of referrers
 * and long paths are read by a job; everything else takes microseconds and is
 * done at once.
 */
#include "tui/tables/referrer_page.h"
#include "tui/widget/tree.h"

enum {
	CLIMB_STEPS_MAX = 100000,
	/* On a long path to a root, the rows between the first and the last
	   ones are one row: a list of millions is not read link by link. */
	CLIMB_FIRST = 50,
	CLIMB_LAST = 10,
	CLIMB_SKIP_MIN = 100,   /* shorter gaps are shown in full */
	CLIMB_AT_ONCE = 100000, /* references; more are read by a job */
};

struct climb {
	struct expansion expansion;
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach; /* NULL: not known yet, sort by id */
	enum tree_rule rule;
	node_id after;     /* TREE_MORE: the last row shown, or NODE_NONE */
	size_t steps_max;  /* rows to open */
	uint64_t refs_max; /* larger hubs are not opened on the path */
	bool is_flat;      /* the new rows cannot be opened further */

	uint64_t key; /* key and depth of the row being opened */
	uint32_t depth;
	node_id *path; /* objects from the top to the row being opened */
	size_t path_count, path_room;
	uint64_t *is_on_path; /* one bit per object; NULL for short paths */

	struct rows level; /* the rows below the row being opened */
	size_t at;         /* index where they are inserted in all new rows */
	size_t steps;      /* levels inserted */
	node_id landing;   /* where a skipped path continues, or NODE_NONE */
};

/*
 * Makes an expansion of the row `at`, which is about an object; for TREE_MORE,
 * a ROW_MORE. Its fields may be changed until climb_start(), which uses a job
 * if it may take long: see expansion_start().
 */
struct climb *climb_new(const struct view *v, size_t at, enum tree_rule rule,
			struct error *err) MUST_USE;
bool climb_start(struct climb *c, struct view *v, struct error *err) MUST_USE;

/* True if a root or another object refers to it. */
bool climb_can_open(const struct reverse *rev, node_id node);

static inline bool
climb_row_is_object(const struct row *row)
{
	return row->kind == ROW_OBJECT || row->kind == ROW_CYCLE;
}
/* Columns: how often the row refers to the row above it, as a number, and as
   "×3", which is blank for one reference. */
uint64_t climb_refs(const struct cells *in, const struct row *row);
void climb_times_cell(const struct cells *in, const struct row *row,
		      struct value *out);
#define CLIMB_REFS  NUMBER(VALUE_COUNT, climb_refs)
#define CLIMB_TIMES CELL(VALUE_TEXT, climb_times_cell)
/* Writes the name of a ROW_MORE or ROW_NOTE. */
void climb_rest_cell(const struct row *row, struct value *out);

/* These decode row->data of the rows made here. */
static inline uint32_t
climb_row_times(const struct row *row) /* number of references or equal roots */
{
	return (uint32_t)row->data;
}
static inline uint32_t
climb_row_levels_up(const struct row *row) /* of a ROW_CYCLE */
{
	return (uint32_t)(row->data >> 32) & ~(1u << 31);
}
/* Returns the number of objects that a ROW_SKIP replaces; its own object is the
   first of them. */
static inline uint32_t
climb_row_skipped(const struct reach *reach, const struct row *row)
{
	return reach->distance[row->node] - CLIMB_LAST;
}
static inline bool
climb_row_skips_one_type(const struct row *row) /* all of row->type */
{
	return row->data >> 63;
}
/* Turns a ROW_SKIP into a row of its first object. */
static inline void
climb_row_skip_no_more(struct row *row)
{
	if (row->kind != ROW_SKIP)
		return;
	row->kind = ROW_OBJECT;
	row->data &= ~(UINT64_C(1) << 63);
}
static inline bool
climb_row_is_static_table(const struct row *row) /* see reach_is_static_ref() */
{
	return row->data >> 63;
}

#endif
