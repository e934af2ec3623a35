#ifndef MODEL_ANALYSIS_DIFF_PATHS_H
#define MODEL_ANALYSIS_DIFF_PATHS_H

/*
 * The comparisons of diff.h that visit every object: by kind and name of the root that keeps it,
 * and by the first types on the path from that root. Both are the same in every heap, whatever the
 * addresses. If several paths are equally short, the one that model/graph/reach.h has chosen
 * counts, which may be a different one in the next heap.
 */
#include "model/analysis/diff.h"

/* Fills `d` by root, path or dominator. If it fails, the caller clears `d`. */
bool diff_paths(struct diff *d, const struct diff_heap *heaps, const struct type_match *match,
		struct progress *progress, struct error *err) MUST_USE;
/* Makes `count` rows: all sums are 0 and all `keys` are DIFF_NONE. */
bool diff_make_rows(struct diff *d, uint32_t count, struct error *err) MUST_USE;

#endif
