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

/* Lists the old objects without a root, and leaves a tally of their types. */
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

static const char *
reason_of(const struct heap *h)
{
	if (!heap_knows_roots(h))
		return "they may be in use: the capture is incomplete";
	if (h->memory)
		return "garbage that survived, which a full collection frees";
	/* That collection has freed all garbage, so something keeps these. */
	if (follows_full_collection(&h->info))
		return "a full collection has just run, so roots that are not reported keep them";
	return "garbage, or kept by roots that the file does not name";
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
	struct finding *out = finder_add(f, &finding_unrooted, err);
	type_id *largest = arena_new(&f->out->arena, type_id, err);

	if (!out || !largest)
		return false;
	out->more = largest;
	*largest = largest_type(f, false);
	out->type = largest_type(f, true);
	if (out->type == TYPE_NONE)
		out->type = *largest;
	out->count = list->count;
	return finding_set_nodes(f, out, list->items, list->count, err);
}

static bool
find_unrooted(struct finder *f, struct error *err)
{
	const struct heap *h = f->heap;
	struct node_list list = { 0 };
	uint64_t bytes;
	bool ok;

	if (!is_most(f, h->bytes_count - f->reach->reachable_bytes))
		return true;
	ok = gather(f, &list, &bytes, err) && (!is_most(f, bytes) || add_finding(f, &list, err));
	tally_clear(&f->tally);
	memory_free(list.items);
	return ok;
}

/* Without any root nothing can be said; the caller reports that. */
static bool
has_roots(const struct heap *h)
{
	return h->roots_count > 0;
}

/* These are all objects without a root: what any of them retains is among them. */
static bool
retain_themselves(const struct finder *f, const struct finding *finding, struct retained_sum *sum,
		  struct error *err)
{
	(void)f;
	(void)err;
	*sum = (struct retained_sum){ .count = finding->nodes_count, .bytes = finding->bytes };
	return true;
}

/* --- in words ------------------------------------------------------------ */

static void
what_unrooted(struct finding_words *w, struct text *out)
{
	const type_id *largest = w->finding->more;

	what_such(w, out);
	if (*largest != w->finding->type)
		text_addf(out, " and %s", words_type_name(w, *largest));
}

static void
why_unrooted(struct finding_words *w, struct text *out)
{
	const struct heap *h = w->facts->heap;
	uint64_t bytes = w->finding->bytes;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	text_addf(out, "have no root: %s, %s of all bytes; ", words_size(w, bytes),
		  words_share(w, bytes, h->bytes_count));
	if (h->info.losses.root_gaps)
		text_addf(out, "they may be in use, kept by %s",
			  root_gaps_text(&h->info.losses, gaps));
	else
		text_add(out, reason_of(h));
}

/*
 * Objects without a root in generation 2 or above, or in an unknown generation, are half or more of
 * all bytes, and at least 4 MiB. `type`: the largest type of the application; `more`: the largest
 * of all. Never reported if no root is known.
 */
const struct finding_kind finding_unrooted = {
	.id = "unrooted",
	.title = "unrooted bytes",
	.harmless = "no leak if the next full collection frees them; if roots are missing, all of "
		    "them may be in use",
	.find = find_unrooted,
	.is_sought = has_roots,
	.what = what_unrooted,
	.why = why_unrooted,
	.is_of_all = true,
	.retained = retain_themselves,
};
