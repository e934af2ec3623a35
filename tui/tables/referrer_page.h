#ifndef TUI_TABLES_REFERRER_PAGE_H
#define TUI_TABLES_REFERRER_PAGE_H

/*
 * The objects that refer to one, best first, a page at a time: first the one
 * on the shortest way to a root, then by distance to a root, then by id; last
 * what is no reason of its own: tables of static variables, unreachable ones.
 * A page costs one look at each reference to the object and no memory, however
 * many there are: what comes next is found by what came last.
 */
#include "model/graph/reach.h"
#include "model/graph/reverse.h"

enum { PAGE_ITEMS = 200 };

struct referrer {
	uint64_t order; /* smaller comes first */
	node_id node;
	uint64_t refs_count; /* how often it refers to the object */
};

struct referrer_page {
	struct referrer items[PAGE_ITEMS];
	uint32_t count;
	uint64_t left; /* objects that come after these */
};

/*
 * The page after the referrer `after`; NODE_NONE for the first. Without
 * `reach` (NULL) the order is by id. Adds the references looked at to
 * `progress`, now and then.
 */
bool referrer_page_read(struct referrer_page *page, const struct reverse *rev,
			const struct reach *reach, node_id node, node_id after,
			struct progress *progress, struct error *err) MUST_USE;

/* The next object on the shortest way to a root; NODE_NONE: it is at the end
 * of it, or nothing keeps it. */
node_id reach_step(const struct reach *reach, node_id node);

#endif
