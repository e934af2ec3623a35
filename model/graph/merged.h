#ifndef MODEL_GRAPH_MERGED_H
#define MODEL_GRAPH_MERGED_H

/*
 * The tree of referrers of a whole type, merged by type: each row is a set of
 * objects of one type that refer to somebody in the row above it. An object
 * counts once a row. Objects that stand in a row above are cycles: they are
 * counted apart and never followed, so the tree is finite.
 * Opening a row costs one look at each reference to its objects, and 3 bits an
 * object of the heap meanwhile.
 */
#include "model/graph/reverse.h"

struct merged_row {
	type_id type;          /* TYPE_NONE: a row of roots */
	uint8_t root_kind;     /* of a row of roots */
	const char *root_name; /* "" if several or unknown; the heap's */
	bool has_all_names;    /* of its kind: there are too many */
	node_id *nodes;        /* sorted; owned by the row; NULL for roots */
	uint32_t count;        /* objects in the row; 0 for roots */
	uint64_t bytes;        /* their sizes */
	uint64_t refs_count;   /* their references to the row above; roots:
				  how many there are */
	uint32_t held_count;   /* objects of the row above that they refer
				  to; roots: that they name */
	uint32_t cycle_count;  /* objects of this type left out: they
				  stand in a row above */
};

/* The top row: all objects of a type. */
bool merged_top(struct merged_row *row, const struct heap *h, type_id type,
		struct progress *progress, struct error *err) MUST_USE;
/* The top row of objects that are all of a type, in id order. */
bool merged_top_of(struct merged_row *row, const struct heap *h, type_id type,
		   const node_id *nodes, uint32_t count,
		   struct error *err) MUST_USE;
/*
 * Who holds the objects of path[depth-1]: roots first (one row for each kind
 * and name, by priority; one for the whole kind where it has more names than
 * MERGED_ROOT_NAMES), then types by held_count, last those that have only
 * cycles. `path` are the rows from the top down. Clear every row, then
 * memory_free(*rows).
 */
enum { MERGED_ROOT_NAMES = 100 };
bool merged_open(struct merged_row **rows, uint32_t *rows_count,
		 const struct merged_row *const *path, uint32_t depth,
		 const struct reverse *rev, struct progress *progress,
		 struct error *err) MUST_USE;
void merged_row_clear(struct merged_row *row);

#endif
