#ifndef MODEL_GRAPH_DOMINATED_H
#define MODEL_GRAPH_DOMINATED_H

/*
 * What an object dominates directly, or no object at all: page by page, those
 * that retain most first, or type by type. A hub has millions of them: one
 * pass over them for each page, 20 to 80 ns each.
 */
#include "model/graph/retained.h"
#include "model/heap/order.h"

/* Siblings in the tree of dominators, at positions from `first` up to `end`. */
struct siblings {
	uint32_t first, end;
	type_id type; /* only of this type; TYPE_NONE: all */
	/* Not only siblings: all outermost objects of the type. */
	bool is_deep;
};
/* What `n` dominates directly. */
struct siblings siblings_below(const struct dominators *d, node_id n);
/* What nothing dominates: all that roots hold, or what they do not reach. */
struct siblings siblings_on_top(const struct dominators *d, bool is_reachable);

struct sibling {
	uint32_t position;
	struct retained_sum sum;
};

/* All of them behind what is listed, most bytes first. */
bool siblings_list(struct id_list *list, const struct retained *r,
		   const struct siblings *s, struct progress *progress,
		   struct error *err) MUST_USE;

enum { SIBLINGS_PAGE = 100 };
struct siblings_page {
	struct sibling items[SIBLINGS_PAGE]; /* most bytes first */
	uint32_t count;
	uint64_t left_count, left_bytes; /* behind this page */
};

/* The first page, or the one behind `after`. False when cancelled. */
bool siblings_page_read(struct siblings_page *page, const struct retained *r,
			const struct siblings *s, const struct sibling *after,
			struct progress *progress, struct error *err) MUST_USE;

struct sibling_type {
	type_id type;
	uint64_t siblings_count;
	struct retained_sum sum; /* what they retain together */
};
/* Most bytes first; to be freed with memory_free(). NULL sets `err`. */
struct sibling_type *siblings_by_type(const struct retained *r,
				      const struct siblings *s, uint32_t *count,
				      struct progress *progress,
				      struct error *err) MUST_USE;

#endif
