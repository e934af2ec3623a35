#ifndef TUI_TABLES_MERGED_CUTS_H
#define TUI_TABLES_MERGED_CUTS_H

/*
 * The bytes that each row of a merged tree would free if its objects did not refer to those of the
 * row above it, or if its roots did not name them. They are exact: each cut is a flood from the
 * roots around it. To stay fast, only the first rows are measured.
 */
#include "model/table/rows.h"
#include "model/graph/freed.h"
#include "model/graph/merged.h"

struct merged_cut {
	uint64_t key;                            /* key of the row */
	const struct merged_row *holders, *held; /* set while it is measured */
	uint64_t count, bytes;                   /* freed by the cut */
};

struct merged_cuts {
	struct merged_cut *items; /* measured, in the order of the rows */
	size_t count, room;
	uint32_t reach_version; /* reach version they were measured with */
};

void merged_cuts_clear(struct merged_cuts *cuts);
const struct merged_cut *merged_cuts_find(const struct merged_cuts *cuts, uint64_t key);
/* Returns the one that frees most, or NULL if none frees anything. */
const struct merged_cut *merged_cuts_best(const struct merged_cuts *cuts);

/*
 * Lists the next rows to measure, as many as take a moment in a heap of this size. Their sets are
 * borrowed. `rows` are a tree whose rows' data point to their sets.
 */
bool merged_cuts_plan(struct merged_cuts *plan, const struct merged_cuts *known,
		      const struct rows *rows, const struct heap *h, struct error *err) MUST_USE;
/* Measures the planned cuts, on a worker. `ignored` must contain the tables of statics already. */
bool merged_cuts_measure(struct merged_cuts *plan, const struct reach *reach,
			 const struct ignored *ignored, struct progress *progress,
			 struct error *err) MUST_USE;
/* Moves the measured cuts from `plan` to `cuts`. */
bool merged_cuts_take(struct merged_cuts *cuts, struct merged_cuts *plan,
		      struct error *err) MUST_USE;

#endif
