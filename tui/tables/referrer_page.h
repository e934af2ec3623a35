#ifndef TUI_TABLES_REFERRER_PAGE_H
#define TUI_TABLES_REFERRER_PAGE_H

/*
 * The referrers of an object, a page at a time. Order: the next object on the cheapest path to a
 * root; then by distance to a root; then by id. Tables of static variables and unreachable objects
 * come last, as they explain nothing. A page visits each reference to the object once and allocates
 * nothing: it continues after the last referrer of the page before.
 */
#include "model/graph/reach.h"
#include "model/graph/reverse.h"

enum { PAGE_ITEMS = 200 };

struct referrer {
	uint64_t order; /* smaller comes first */
	node_id node;
	uint64_t refs_count; /* number of references to the object */
};

struct referrer_page {
	struct referrer items[PAGE_ITEMS];
	uint32_t count;
	uint64_t left; /* further referrers */
};

/*
 * Reads the page after the referrer `after`; NODE_NONE: the first. Without `reach` (NULL) the order
 * is by id. Adds the references visited to `progress` from time to time.
 */
bool referrer_page_read(struct referrer_page *page, const struct reverse *rev,
			const struct reach *reach, node_id node, node_id after,
			struct progress *progress, struct error *err) MUST_USE;

/* Returns the next object on the cheapest path to a root; NODE_NONE if it is referenced by a root
   or unreachable. */
node_id reach_step(const struct reach *reach, node_id node);

#endif
