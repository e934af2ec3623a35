#ifndef TUI_TABLES_MERGED_CUTS_H
#define TUI_TABLES_MERGED_CUTS_H

/*
 * What would be freed if the objects of one row of a merged tree did not refer
 * to those of the row above it, or if the roots of a row did not name them:
 * exactly, by a flood from the roots around each cut. So that it stays short
 * it is asked of a few rows only, those that come first.
 */
#include "model/table/rows.h"
#include "model/graph/freed.h"
#include "model/graph/merged.h"

struct merged_cut {
	uint64_t key;                            /* of the row */
	const struct merged_row *holders, *held; /* while it is measured */
	uint64_t count, bytes;                   /* freed */
};

struct merged_cuts {
	struct merged_cut *items; /* measured, in the order of the rows */
	size_t count, room;
	uint32_t reach_version; /* that they were measured with */
};

void merged_cuts_clear(struct merged_cuts *cuts);
const struct merged_cut *merged_cuts_find(const struct merged_cuts *cuts,
					  uint64_t key);
/* The one that frees most; NULL if none frees anything. */
const struct merged_cut *merged_cuts_best(const struct merged_cuts *cuts);

/*
 * Rows that nobody measured yet, to be measured: as many as take a moment in
 * a heap of this size. Their sets are borrowed. `rows` are a tree whose rows'
 * data point to their sets.
 */
bool merged_cuts_plan(struct merged_cuts *plan, const struct merged_cuts *known,
		      const struct rows *rows, const struct heap *h,
		      struct error *err) MUST_USE;
/* On a worker. What is ignored has the tables of statics in it already. */
bool merged_cuts_measure(struct merged_cuts *plan, const struct reach *reach,
			 const struct ignored *ignored,
			 struct progress *progress, struct error *err) MUST_USE;
/* Moves what was measured. */
bool merged_cuts_take(struct merged_cuts *cuts, struct merged_cuts *plan,
		      struct error *err) MUST_USE;

#endif
