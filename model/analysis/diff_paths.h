#ifndef MODEL_ANALYSIS_DIFF_PATHS_H
#define MODEL_ANALYSIS_DIFF_PATHS_H

/*
 * The part of diff.h that looks at every object: which root keeps it, by kind
 * and name, and the first types on the way from there. Both are the same in
 * every heap, whatever the addresses. Where several ways are equally short, the
 * one that model/graph/reach.h has chosen counts, which may be another in the
 * next heap.
 */
#include "model/analysis/diff.h"

/* By root, path or dominator. Fills `d`; what it made stays if it fails. */
bool diff_paths(struct diff *d, const struct diff_heap *heaps,
		const struct type_match *match, struct progress *progress,
		struct error *err) MUST_USE;
/* Room for so many rows: no sums yet, whats none. */
bool diff_make_rows(struct diff *d, uint32_t count, struct error *err) MUST_USE;

#endif
