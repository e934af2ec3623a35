#ifndef TUI_TABLES_REFERRER_EXPANSION_H
#define TUI_TABLES_REFERRER_EXPANSION_H

/*
 * Going up the tree of referrers: makes the rows that appear when a row about
 * an object is opened, or all rows up to a root. A hub with millions of
 * referrers takes a moment, and many steps may meet one: those are jobs, all
 * else is done at once and takes microseconds.
 */
#include "tui/tables/referrer_page.h"
#include "tui/widget/tree.h"

enum {
	CLIMB_STEPS_MAX = 100000,
	/* On a way to a root: after so many rows the others are one row, but
	   for the last ones. Nobody reads a list of millions link by link. */
	CLIMB_FIRST = 50,
	CLIMB_LAST = 10,
	CLIMB_SKIP_MIN = 100,   /* fewer are shown */
	CLIMB_AT_ONCE = 100000, /* references; more are read by a job */
};

struct climb {
	struct expansion expansion;
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach; /* NULL: not known yet, order by id */
	enum tree_rule rule;
	node_id after;     /* TREE_MORE: the last one shown, or NODE_NONE */
	size_t steps_max;  /* rows to open */
	uint64_t refs_max; /* no bigger hub is opened on the way */
	bool is_flat;      /* what comes out will not be opened further */

	uint64_t key; /* of the row that opens now, and its depth */
	uint32_t depth;
	node_id *path; /* objects from the top to the one that opens */
	size_t path_count, path_room;
	uint64_t *is_on_path; /* a bit an object; NULL for short ones */

	struct rows level; /* the rows below the one that opens now */
	size_t at;         /* where they come among all rows that were made */
	size_t steps;      /* levels that were put there */
	node_id landing;   /* where the way goes on that was left; NODE_NONE */
};

/*
 * For the row `at` of the view's tree, which is about an object; for TREE_MORE
 * a ROW_MORE. Its fields may be changed until climb_start(), which runs it by a
 * job if it may take long: see expansion_start().
 */
struct climb *climb_new(const struct view *v, size_t at, enum tree_rule rule,
			struct error *err) MUST_USE;
bool climb_start(struct climb *c, struct view *v, struct error *err) MUST_USE;

/* Is there anything above it: a root or somebody who refers to it? */
bool climb_can_open(const struct reverse *rev, node_id node);

static inline bool
climb_row_is_object(const struct row *row)
{
	return row->kind == ROW_OBJECT || row->kind == ROW_CYCLE;
}
/* Columns of these rows: how often the row refers to the one above it; the
   same as "×3", blank for one reference. */
uint64_t climb_refs(const struct cells *in, const struct row *row);
void climb_times_cell(const struct cells *in, const struct row *row,
		      struct value *out);
#define CLIMB_REFS  NUMBER(VALUE_COUNT, climb_refs)
#define CLIMB_TIMES CELL(VALUE_TEXT, climb_times_cell)
/* The name of a ROW_MORE or ROW_NOTE. */
void climb_rest_cell(const struct row *row, struct value *out);

/* What row->data says of the rows made here. */
static inline uint32_t
climb_row_times(const struct row *row) /* references, or equal roots */
{
	return (uint32_t)row->data;
}
static inline uint32_t
climb_row_levels_up(const struct row *row) /* of ROW_CYCLE: to its twin */
{
	return (uint32_t)(row->data >> 32) & ~(1u << 31);
}
/* Of ROW_SKIP, whose object is the first one left out. */
static inline uint32_t
climb_row_skipped(const struct reach *reach, const struct row *row)
{
	return reach->distance[row->node] - CLIMB_LAST;
}
static inline bool
climb_row_skips_one_type(const struct row *row) /* row->type */
{
	return row->data >> 63;
}
/* What stood for a way stands for its first object again. */
static inline void
climb_row_skip_no_more(struct row *row)
{
	if (row->kind != ROW_SKIP)
		return;
	row->kind = ROW_OBJECT;
	row->data &= ~(UINT64_C(1) << 63);
}
static inline bool
climb_row_is_static_table(const struct row *row) /* reach_is_static_ref() */
{
	return row->data >> 63;
}

#endif
