#ifndef MODEL_GRAPH_ROOT_WAYS_H
#define MODEL_GRAPH_ROOT_WAYS_H

/*
 * Which roots keep some objects alive, and through which types: the cheapest paths of all of them
 * (reach.h), from the roots down, merged by type. Each object has one path, so it counts once in a
 * row, and the rows below a row add up to it. Linear in the objects on the paths; 12 bytes for
 * each, and 3 bits an object of the heap. Opening a row reads the references of its objects.
 */
#include "model/graph/reach.h"
#include "model/heap/bits.h"

struct root_ways {
	const struct reach *reach;             /* must live as long */
	uint64_t *is_target;                   /* bits */
	uint64_t *on_way;                      /* bits: targets and objects before them */
	uint32_t *ranks;                       /* rank of each word of on_way */
	uint32_t *counts;                      /* targets at or behind each object on a
						  path, by rank */
	uint64_t *bytes;                       /* their sizes */
	uint64_t reached_count, reached_bytes; /* reachable targets */
	uint64_t lost_count;                   /* unreachable ones */
	struct arena arena;
};

struct root_ways_row {
	type_id type;          /* TYPE_NONE: a row of roots */
	uint8_t root_kind;     /* only in a row of roots */
	const char *root_name; /* "" if several or unknown; owned by the heap */
	bool has_all_names;    /* the kind has too many names for rows */
	node_id *nodes;        /* objects of the type, or rooted by the roots */
	uint32_t nodes_count;
	uint64_t count, bytes; /* targets whose paths lead through it */
	uint64_t ends_count;   /* targets in the row itself */
	node_id *joined;       /* owned: `nodes`, once root_ways_join() has added a list; or NULL */
	uint32_t links;        /* rows that a row folds, of which this is the last; else 0 */
};
struct root_ways_rows {
	struct root_ways_row *items; /* most bytes first */
	uint32_t count;
	node_id *nodes; /* nodes of all items */
	/* The objects of the row above, and those of its type that were passed as neighbours in a
	   list; NULL: none were. In id order. */
	node_id *joined;
	uint32_t joined_count;
};
enum { ROOT_WAYS_NAMES = 100 }; /* kinds with more names are one row */

struct root_ways *root_ways_new(const struct reach *reach, const node_id *targets, uint32_t count,
				struct progress *progress, struct error *err) MUST_USE;
void root_ways_free(struct root_ways *ways); /* NULL is allowed */

/* Lists the rows of roots; free them with root_ways_rows_clear(). */
bool root_ways_top(struct root_ways_rows *rows, const struct root_ways *ways,
		   struct progress *progress, struct error *err) MUST_USE;
/* Lists the rows below a row; free them in the same way. If it joins lists, objects of one type of
   the framework that follow each other are passed, as if they were in the row. */
bool root_ways_open(struct root_ways_rows *rows, const struct root_ways *ways,
		    const struct root_ways_row *above, bool joins_lists, struct progress *progress,
		    struct error *err) MUST_USE;
/* Adds the objects that were passed to the row above. */
void root_ways_join(struct root_ways_row *above, struct root_ways_rows *below);
void root_ways_rows_clear(struct root_ways_rows *rows);

#endif
