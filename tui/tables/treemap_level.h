#ifndef TUI_TABLES_TREEMAP_LEVEL_H
#define TUI_TABLES_TREEMAP_LEVEL_H

/*
 * One zoom level of the treemap: which part of the dominator tree it shows, and its rows: large
 * objects one by one, the others by type. A worker makes them, in two passes of 20 to 80 ns for
 * each child of the node.
 *
 * A node whose only child of any size would fill the screen is folded into that child, and so on.
 * Objects of one type that are equally large and too many for one level are one row: "5,000 × Foo".
 *
 * If only my code counts, objects of the framework are left out, and those that they dominate take
 * their places; what they take themselves counts with the node.
 */
#include "model/tables/retained_cells.h"

struct session;

/* A level names nodes, not positions in the dominator tree, which change when dominators are
   computed again. */
struct treemap_level {
	node_id node; /* show its children; NODE_NONE: the top level */
	type_id type; /* only objects of this type; TYPE_NONE: all */
	bool is_deep; /* all outermost objects of `type`, not only children */
	bool is_dead; /* the unreachable part of the top level */
	bool is_by_type;
	node_id after;  /* only children after this one; NODE_NONE: all */
	size_t skip;    /* leave out the first rows, drawn one level above */
	bool has_extra; /* add the node itself, or unreachable objects */
	/* The owners of types if only my code counts (model/heap/my_code.h); NULL: all objects.
	   Borrowed from the session, which keeps it. */
	const uint8_t *owners;
	uint32_t folded;   /* nodes above `node` that were folded into it */
	bool is_of_screen; /* shows what did not fit on the screen */
	uint64_t from;     /* key of the row on the level above */
	size_t from_row;   /* its number from 1 in the first order; or 0 */
};
#define TREEMAP_KEY_ITSELF UINT64_MAX /* of the row of the node itself */

/* Sets up the job that makes the rows of a level. */
void treemap_level_plan(const struct treemap_level *l, const struct retention *retention,
			struct retained_job *job);
/* Runs that job, on a worker, folds the node, and adds its own row. */
bool treemap_level_make(struct treemap_level *l, struct retained_job *job,
			struct progress *progress, struct error *err) MUST_USE;
/* Sorts the rows by bytes, with those that a page left out last, and drops those that the level
   skips. */
void treemap_level_sort(const struct treemap_level *l, const struct cells *in, struct rows *rows);

/* Writes what part of its subject the level shows, ", by type"; or "". */
void treemap_level_part(const struct treemap_level *l, const struct session *s, char *out,
			size_t out_size);

/* Returns whether the row stands for what a page left out. */
static inline bool
treemap_row_is_rest(const struct row *row)
{
	return row->kind == ROW_MORE || row->kind == ROW_NOTE;
}

/* Returns whether the row is the node whose children are shown. */
static inline bool
treemap_row_is_itself(const struct row *row)
{
	return row->kind == ROW_PLAIN;
}

/* Returns the number of objects that the row stands for, and the bytes that they retain. */
struct retained_sum treemap_row_sum(const struct cells *in, const struct row *row);

#endif
