#ifndef MODEL_GRAPH_MERGED_WAY_H
#define MODEL_GRAPH_MERGED_WAY_H

/*
 * Which row of a merged tree (merged.h) leads on to a root? Going on with the
 * one that holds most ends in cycles. Here each object of the row above votes
 * for the row that its own shortest way goes through, unless that way comes
 * back to a row above; those that are near a root come first.
 * Whoever starts at the top and follows the answers comes to a root, after
 * `steps` rows or as many as the nearest object needs.
 * Costs a look at each object of the rows above and at their ways, and 2 bits
 * an object of the heap meanwhile.
 */
#include "model/graph/merged.h"
#include "model/graph/reach.h"

#define MERGED_NO_WAY UINT32_MAX

struct merged_way {
	uint32_t row;      /* or MERGED_NO_WAY: all ways lead back */
	uint32_t distance; /* of the nearest object that may go on */
	node_id nearest;   /* that object */
};

/* For the rows that merged_open() made for this path. */
bool merged_way_find(struct merged_way *way, const struct merged_row *rows,
		     uint32_t rows_count, const struct merged_row *const *path,
		     uint32_t depth, const struct reach *reach, uint32_t steps,
		     struct progress *progress, struct error *err) MUST_USE;

#endif
