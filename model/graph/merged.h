#ifndef MODEL_GRAPH_MERGED_H
#define MODEL_GRAPH_MERGED_H

/*
 * The tree of referrers of a whole type, merged by type: each row is a set of objects of one type
 * that refer to objects of the row above it. An object counts once in a row. Objects that are in a
 * row above are cycles: they are counted separately and never followed, so that the tree is finite.
 * Opening a row reads each reference to its objects, and takes 3 bits an object of the heap.
 */
#include "model/graph/reverse.h"

struct merged_row {
	type_id type;          /* TYPE_NONE: a row of roots */
	uint8_t root_kind;     /* only in a row of roots */
	const char *root_name; /* "" if several or unknown; owned by the heap */
	bool has_all_names;    /* the kind has too many names for rows */
	uint32_t order;        /* of roots: by priority and name */
	node_id *nodes;        /* sorted; owned by the row; NULL for roots */
	uint32_t count;        /* objects in the row; 0 for roots */
	uint64_t bytes;        /* their sizes */
	uint64_t refs_count;   /* their references to the row above; or the number of roots */
	uint32_t held_count;   /* objects of the row above that these refer to */
	uint64_t held_bytes;   /* their sizes */
	uint32_t cycle_count;  /* objects of this type that are in a row
				  above, and so not in `nodes` */
};

/* Makes the top row: all objects of a type. */
bool merged_top(struct merged_row *row, const struct heap *h, type_id type,
		struct progress *progress, struct error *err) MUST_USE;
/* Makes the top row from given objects of one type, in id order. */
bool merged_top_of(struct merged_row *row, const struct heap *h, type_id type, const node_id *nodes,
		   uint32_t count, struct error *err) MUST_USE;
/*
 * Lists the referrers of path[depth-1], those that hold the most bytes first: roots, one row for
 * each kind and name (or for a kind with more names than MERGED_ROOT_NAMES), and types, last those
 * with cycles only. Among equals, roots are first, by priority. `path` is the rows from the top
 * down. Free every row with merged_row_clear(), then *rows with memory_free().
 */
enum { MERGED_ROOT_NAMES = 100 };
bool merged_open(struct merged_row **rows, uint32_t *rows_count,
		 const struct merged_row *const *path, uint32_t depth, const struct reverse *rev,
		 struct progress *progress, struct error *err) MUST_USE;
void merged_row_clear(struct merged_row *row);

#endif
