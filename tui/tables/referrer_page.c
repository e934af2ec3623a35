#include "tui/tables/referrer_page.h"
#include "model/base/sorted.h"
#include <string.h>

enum { LOOK_AROUND = 1 << 16 };

node_id
reach_step(const struct reach *reach, node_id node)
{
	uint32_t distance = reach->distance[node];

	if (distance == 0 || distance == DISTANCE_UNREACHABLE)
		return NODE_NONE;
	return reach->next[node];
}

/* 0 is the next object on the cheapest path. */
static uint64_t
referrer_order(const struct reach *reach, node_id target, node_id step, node_id node)
{
	uint32_t distance;

	if (!reach)
		return (uint64_t)node + 1;
	if (node == step)
		return 0;
	distance = reach->distance[node];
	if (reach_is_static_ref(reach, node, target))
		distance = DISTANCE_UNREACHABLE - 1;
	return ((uint64_t)distance << 32 | node) + 1;
}

/* Inserts into the sorted page if small enough; the last item of a full page is dropped. */
static void
page_insert(struct referrer_page *page, const struct referrer *item)
{
	uint32_t at;

	if (page->count == PAGE_ITEMS && page->items[PAGE_ITEMS - 1].order < item->order) {
		page->left++;
		return;
	}
	LOWER_BOUND(at, 0, page->count, page->items[at].order < item->order);
	if (page->count == PAGE_ITEMS)
		page->left++;
	else
		page->count++;
	memmove(&page->items[at + 1], &page->items[at], (page->count - 1 - at) * sizeof *item);
	page->items[at] = *item;
}

bool
referrer_page_read(struct referrer_page *page, const struct reverse *rev, const struct reach *reach,
		   node_id node, node_id after, struct progress *progress, struct error *err)
{
	struct referrers refs = reverse_of(rev, node);
	node_id step = reach ? reach_step(reach, node) : NODE_NONE;
	struct referrer item = { .node = NODE_NONE };
	bool is_first = after == NODE_NONE, has_next;
	uint64_t last = is_first ? 0 : referrer_order(reach, node, step, after);
	node_id next;

	page->count = 0;
	page->left = 0;
	do {
		has_next = referrers_next(&refs, &next);
		if (has_next && refs.left % LOOK_AROUND == 0 && refs.left &&
		    !progress_add(progress, LOOK_AROUND))
			return error_cancelled(err);
		/* References are in id order, so those of one object are adjacent. */
		if (has_next && next == item.node) {
			item.refs_count++;
			continue;
		}
		if (item.node != NODE_NONE && (is_first || item.order > last))
			page_insert(page, &item);
		if (has_next)
			item =
			    (struct referrer){ referrer_order(reach, node, step, next), next, 1 };
	} while (has_next);
	return true;
}
