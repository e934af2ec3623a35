#ifndef MODEL_GRAPH_DOMINATED_H
#define MODEL_GRAPH_DOMINATED_H

/*
 * The objects that an object dominates directly, or that nothing dominates: page by page, largest
 * retained size first, or type by type. A hub has millions: each page takes a pass over them, 20 to
 * 80 ns each.
 */
#include "model/graph/retained.h"
#include "model/heap/my_code.h"
#include "model/heap/order.h"

/* Siblings in the dominator tree, positions from `first` to before `end`. */
struct siblings {
	uint32_t first, end;
	type_id type; /* only this type; TYPE_NONE: all types */
	/* All outermost objects of the type, not only siblings. */
	bool is_deep;
	/* The enum code_owner of each type, or NULL. Objects whose type has less than `least_owner`
	   are replaced by the outermost others below them. */
	const uint8_t *owners;
	uint8_t least_owner;
};
/* Returns the objects that `n` dominates directly. */
struct siblings siblings_below(const struct dominators *d, node_id n);
/* Returns the objects that nothing dominates, either reachable or
   unreachable. */
struct siblings siblings_on_top(const struct dominators *d, bool is_reachable);

struct sibling {
	uint32_t position;
	struct retained_sum sum;
};

/* Appends all of them to the list, most bytes first. */
bool siblings_list(struct id_list *list, const struct retained *r, const struct siblings *s,
		   struct progress *progress, struct error *err) MUST_USE;

enum { SIBLINGS_PAGE = 100 };
struct siblings_page {
	struct sibling items[SIBLINGS_PAGE]; /* most bytes first */
	uint32_t count;
	uint64_t left_count, left_bytes; /* after this page */
};

/* Reads the first page, or the page after `after`. Returns false when
   cancelled. */
bool siblings_page_read(struct siblings_page *page, const struct retained *r,
			const struct siblings *s, const struct sibling *after,
			struct progress *progress, struct error *err) MUST_USE;

struct sibling_type {
	type_id type;
	uint64_t siblings_count;
	struct retained_sum sum; /* retained by them together */
	uint64_t most_bytes;     /* retained by the largest */
};
/* Returns the types, most bytes first, to be freed by memory_free(). NULL sets `err`. */
struct sibling_type *siblings_by_type(const struct retained *r, const struct siblings *s,
				      uint32_t *count, struct progress *progress,
				      struct error *err) MUST_USE;

#endif
