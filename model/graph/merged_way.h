#ifndef MODEL_GRAPH_MERGED_WAY_H
#define MODEL_GRAPH_MERGED_WAY_H

/*
 * Finds the row of a merged tree (merged.h) that leads on to a root; following the row that holds
 * most would end in cycles. Each object of the row above votes with its bytes for the row that its
 * own cheapest path goes through, unless that path returns to a row above; objects near a root have
 * precedence. Following the answers from the top leads to a root in `steps` rows, or as many as the
 * nearest object needs. Visits each object of the rows above and their paths; takes 2 bits an
 * object of the heap.
 */
#include "model/graph/merged.h"
#include "model/graph/reach.h"

#define MERGED_NO_WAY UINT32_MAX

struct merged_way {
	uint32_t row;      /* MERGED_NO_WAY: all paths return */
	uint32_t distance; /* distance of the nearest object that leads on */
	node_id nearest;   /* that object */
};

/* `rows` are those that merged_open() returned for `path`. */
bool merged_way_find(struct merged_way *way, const struct merged_row *rows, uint32_t rows_count,
		     const struct merged_row *const *path, uint32_t depth,
		     const struct reach *reach, uint32_t steps, struct progress *progress,
		     struct error *err) MUST_USE;

#endif
