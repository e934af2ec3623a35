#ifndef MODEL_GRAPH_ROOT_WAYS_H
#define MODEL_GRAPH_ROOT_WAYS_H

/*
 * Which roots keep some objects, and through what: the shortest ways of all of
 * them (reach.h), seen from the roots down and merged by type. Each object has
 * one way, so it counts once a row, and what stands below a row adds up to it.
 * Linear in the objects on the ways; 12 bytes for each and 3 bits an object of
 * the heap. Opening a row looks at the references of its objects.
 */
#include "model/graph/reach.h"
#include "model/heap/bits.h"

struct root_ways {
	const struct reach *reach; /* must live as long */
	uint64_t *is_target;       /* bits */
	uint64_t *on_way;          /* bits: targets and all before them */
	uint32_t *ranks;           /* of each word of on_way */
	uint32_t *counts;          /* by rank: targets behind, and itself */
	uint64_t *bytes;           /* their sizes */
	uint64_t reached_count, reached_bytes; /* targets that have a way */
	uint64_t lost_count;                   /* that have none */
	struct arena arena;
};

struct root_ways_row {
	type_id type;          /* TYPE_NONE: a row of roots */
	uint8_t root_kind;     /* of such a row */
	const char *root_name; /* "" if several or unknown; the heap's */
	bool has_all_names;    /* of its kind: there are too many */
	node_id *nodes; /* objects of the type; those that the roots name */
	uint32_t nodes_count;
	uint64_t count, bytes; /* targets whose ways go through it */
	uint64_t ends_count;   /* of them in this very row */
};
struct root_ways_rows {
	struct root_ways_row *items; /* the most bytes first */
	uint32_t count;
	node_id *nodes; /* of all of them */
};
enum { ROOT_WAYS_NAMES = 100 }; /* more roots of a kind are one row */

struct root_ways *root_ways_new(const struct reach *reach,
				const node_id *targets, uint32_t count,
				struct progress *progress,
				struct error *err) MUST_USE;
void root_ways_free(struct root_ways *ways); /* NULL is allowed */

/* The roots; clear them. */
bool root_ways_top(struct root_ways_rows *rows, const struct root_ways *ways,
		   struct progress *progress, struct error *err) MUST_USE;
/* What comes next below a row. */
bool root_ways_open(struct root_ways_rows *rows, const struct root_ways *ways,
		    const struct root_ways_row *above,
		    struct progress *progress, struct error *err) MUST_USE;
void root_ways_rows_clear(struct root_ways_rows *rows);

#endif
