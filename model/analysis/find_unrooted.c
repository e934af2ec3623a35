/*
 * Most bytes have no root: they are garbage that survived, or the source lacks the roots that keep
 * them. Garbage in generations 0 and 1 is normal in every program that runs, so it does not count.
 */
#include "model/analysis/finder.h"
#include "model/heap/root_gaps.h"

enum { UNROOTED_PART = 2 }; /* of all bytes: half */
#define UNROOTED_MIN (UINT64_C(4) << 20)

static bool
is_most(const struct finder *f, uint64_t bytes)
{
	return bytes >= UNROOTED_MIN &&
	       (f->ignores_shares || bytes >= f->heap->bytes_count / UNROOTED_PART);
}

/* --- the objects --------------------------------------------------------- */

/* Ranges and objects are both in the order of addresses. */
static bool
is_young(const struct heap *h, node_id n, uint32_t *range)
{
	const struct range *r = h->ranges;

	while (*range < h->ranges_count && n >= r[*range].first + r[*range].count)
		++*range;
	return *range < h->ranges_count && n >= r[*range].first && r[*range].generation <= GEN_1;
}

/* List the old objects without a root, and leave a tally of their types. */
static bool
gather(struct finder *f, struct node_list *list, uint64_t *bytes, struct error *err)
{
	const struct heap *h = f->heap;
	uint64_t steps = 0;
	uint32_t range = 0;

	*bytes = 0;
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (!finder_may_go_on(f, &steps, err))
			return false;
		if (finder_is_live(f, n) || is_young(h, n, &range))
			continue;
		tally_add(&f->tally, h, n);
		*bytes += heap_size(h, n);
		if (!node_list_add(list, n, err))
			return false;
	}
	return true;
}

/* --- why no root reaches them -------------------------------------------- */

static bool
follows_full_collection(const struct heap_info *info)
{
	const struct heap_walk *w =
	    info->walk < info->walks_count ? &info->walks[info->walk] : NULL;

	return w && w->has_gc && w->gc_generation == GEN_2;
}

static uint8_t
reason_of(const struct heap *h)
{
	if (!heap_knows_roots(h))
		return UNROOTED_GAPS;
	if (h->memory)
		return UNROOTED_GARBAGE;
	/* That collection has freed all garbage, so something keeps these. */
	if (follows_full_collection(&h->info))
		return UNROOTED_NOT_SENT;
	return UNROOTED_UNDECIDED;
}

/* --- the finding --------------------------------------------------------- */

/* The type with the most bytes; `own`: of the application's. */
static type_id
largest_type(const struct finder *f, bool own)
{
	const struct tally *tally = &f->tally;
	type_id best = TYPE_NONE;

	for (uint32_t i = 0; i < tally->types_count; i++) {
		type_id t = tally->types[i];

		if (own && (type_is_of_framework(&f->heap->types[t]) ||
			    f->heap->types[t].flags & TYPE_ARRAY))
			continue;
		if (best == TYPE_NONE || tally->bytes[t] > tally->bytes[best] ||
		    (t < best && tally->bytes[t] == tally->bytes[best]))
			best = t;
	}
	return best;
}

static bool
add_finding(struct finder *f, const struct node_list *list, struct error *err)
{
	struct finding *out = finder_add(f, FINDING_UNROOTED, err);
	type_id largest = largest_type(f, false);

	if (!out)
		return false;
	out->reason = reason_of(f->heap);
	out->type = largest_type(f, true);
	if (out->type == TYPE_NONE)
		out->type = largest;
	else if (out->type != largest)
		out->other_type = largest;
	out->count = list->count;
	out->whole = f->heap->bytes_count;
	return finding_set_nodes(f, out, list->items, list->count, err);
}

bool
find_unrooted(struct finder *f, struct error *err)
{
	const struct heap *h = f->heap;
	struct node_list list = { 0 };
	uint64_t bytes;
	bool ok;

	/* Without any root nothing can be said; the caller reports that. */
	if (!h->roots_count || !is_most(f, h->bytes_count - f->reach->reachable_bytes))
		return true;
	ok = gather(f, &list, &bytes, err) && (!is_most(f, bytes) || add_finding(f, &list, err));
	tally_clear(&f->tally);
	memory_free(list.items);
	return ok;
}
