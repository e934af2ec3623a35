#ifndef TUI_TABLES_REFERRER_EXPANSION_H
#define TUI_TABLES_REFERRER_EXPANSION_H

/*
 * Walks up the tree of referrers: makes the rows that appear when a row about an object opens, or
 * all rows up to a root. Hubs with millions of referrers and long paths are read by a job;
 * everything else takes microseconds and is done at once.
 */
#include "tui/tables/referrer_page.h"
#include "tui/widget/tree.h"

enum {
	EXPANSION_STEPS_MAX = 100000,
	/* On a long path to a root, the rows between the first and the last ones are one row: a
	   list of millions is not read link by link. */
	EXPANSION_FIRST = 50,
	EXPANSION_LAST = 10,
	EXPANSION_SKIP_MIN = 100,   /* shorter gaps are shown in full */
	EXPANSION_AT_ONCE = 100000, /* references; more are read by a job */
};

struct referrer_expansion {
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
 * Makes an expansion of the row `at`, which is about an object; for TREE_MORE, a ROW_MORE. Its
 * fields may be changed until referrer_expansion_start(), which uses a job if it may take long: see
 * expansion_start().
 */
struct referrer_expansion *referrer_expansion_new(const struct view *v, size_t at,
						  enum tree_rule rule, struct error *err) MUST_USE;
bool referrer_expansion_start(struct referrer_expansion *e, struct view *v,
			      struct error *err) MUST_USE;

/* True if a root or another object refers to it. */
bool referrer_can_open(const struct reverse *rev, node_id node);

static inline bool
referrer_row_is_object(const struct row *row)
{
	return row->kind == ROW_OBJECT || row->kind == ROW_CYCLE;
}
/* Columns: how often the row refers to the row above it, as a number, and as "×3", which is blank
   for one reference. */
uint64_t referrer_row_refs(const struct cells *in, const struct row *row);
void referrer_times_cell(const struct cells *in, const struct row *row, struct value *out);
#define REFERRER_REFS  NUMBER(VALUE_COUNT, referrer_row_refs)
#define REFERRER_TIMES CELL(VALUE_TEXT, referrer_times_cell)
/* Writes the name of a ROW_MORE or ROW_NOTE. */
void referrer_rest_cell(const struct row *row, struct value *out);

/* These decode row->data of the rows made here. */
/* Number of references, or of equal roots. */
static inline uint32_t
referrer_row_times(const struct row *row)
{
	return (uint32_t)row->data;
}
static inline uint32_t
referrer_row_levels_up(const struct row *row) /* of a ROW_CYCLE */
{
	return (uint32_t)(row->data >> 32) & ~(1u << 31);
}
/* Returns the number of objects that a ROW_SKIP replaces; its own object is the first of them. */
static inline uint32_t
referrer_row_skipped(const struct reach *reach, const struct row *row)
{
	return reach->distance[row->node] - EXPANSION_LAST;
}
static inline bool
referrer_row_skips_one_type(const struct row *row) /* all of row->type */
{
	return row->data >> 63;
}
/* Turns a ROW_SKIP into a row of its first object. */
static inline void
referrer_row_unskip(struct row *row)
{
	if (row->kind != ROW_SKIP)
		return;
	row->kind = ROW_OBJECT;
	row->data &= ~(UINT64_C(1) << 63);
}
/* See reach_is_static_ref(). */
static inline bool
referrer_row_is_static_table(const struct row *row)
{
	return row->data >> 63;
}

#endif
