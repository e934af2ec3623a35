/*
 * Fragmentation: holes between objects are half or more of a generation.
 * Heaps from memory list their free blocks. Other heaps that have ranges show holes as gaps between
 * the addresses of objects.
 */
#include "model/analysis/finder.h"
#include "model/heap/addresses.h"
#include "model/heap/memory.h"

enum {
	HOLE_MIN = 64,   /* bytes; smaller gaps are padding */
	HOLES_MIN = 10,  /* fewer are objects that died, not fragmentation */
	FREE_PART = 2,   /* holes are half of the generation */
	MUCH_TIMES = 10, /* and this many times `much` */
};
#define FREE_MIN (UINT64_C(4) << 20)

/* One generation in all heaps of the collector. */
struct fragments {
	uint8_t generation;
	uint64_t allocated_bytes; /* from the first object to the last in each segment */
	uint64_t committed_bytes; /* the collector keeps these; 0: unknown */
	uint64_t free_bytes, holes_count, pinned_count;
	struct node_list behind; /* reachable objects behind holes, ascending */
};

/* In young generations only pinned objects keep holes from closing. */
static bool
stays(const struct heap *h, uint8_t generation, node_id behind)
{
	return generation >= GEN_2 || heap_pinning_root(h, behind);
}

static bool
shows_holes(const struct heap *h)
{
	const struct losses *l = &h->info.losses;

	/* A lost object would look like a hole. */
	return h->ranges_count && !h->info.is_sampled &&
	       (h->memory || (!losses_have_events(l) && !l->missing_bytes && !l->damaged_nodes &&
			      !l->made_up_addresses));
}

/* --- holes --------------------------------------------------------------- */

static bool
add_hole(const struct finder *f, struct fragments *g, uint64_t bytes, node_id behind,
	 struct error *err)
{
	if (bytes < HOLE_MIN || !stays(f->heap, g->generation, behind))
		return true;
	g->holes_count++;
	g->free_bytes += bytes;
	/* Two blocks of free memory may lie side by side. */
	if (!finder_is_live(f, behind) ||
	    (g->behind.count && g->behind.items[g->behind.count - 1] == behind))
		return true;
	return node_list_add(&g->behind, behind, err);
}

static bool
add_gaps(struct finder *f, struct fragments *g, const struct range *r, uint64_t *steps,
	 struct error *err)
{
	const struct heap *h = f->heap;
	struct addresses_scan scan;
	uint64_t end = r->start, address;

	if (r->count)
		addresses_scan_init(&scan, h->addresses, r->first);
	for (node_id n = r->first; n < r->first + r->count; n++) {
		if (!addresses_scan_next(&scan, &address))
			break;
		if (address > end && !add_hole(f, g, address - end, n, err))
			return false;
		end = address + heap_size(h, n);
		if (!finder_may_go_on(f, steps, err))
			return false;
	}
	return true;
}

/* Adds the free blocks from `*block` on that lie before the end of the range. */
static bool
add_free_blocks(struct finder *f, struct fragments *g, const struct range *r, uint32_t *block,
		uint64_t *steps, struct error *err)
{
	const struct heap_memory *m = f->heap->memory;
	node_id end = r->first + r->count;

	for (; *block < m->free_blocks_count; ++*block) {
		const struct heap_free_block *b = &m->free_blocks[*block];
		node_id behind;

		if (b->address >= r->end)
			break;
		if (b->address < r->start)
			continue;
		behind = addresses_rank(f->heap->addresses, b->address);
		if (behind < end && !add_hole(f, g, b->bytes, behind, err))
			return false;
		if (!finder_may_go_on(f, steps, err))
			return false;
	}
	return true;
}

static void
add_committed(const struct heap_memory *m, struct fragments g[GEN_COUNT])
{
	for (uint32_t i = 0; i < m->segments_count; i++)
		g[m->segments[i].generation].committed_bytes +=
		    m->segments[i].committed - m->segments[i].start;
}

static bool
gather(struct finder *f, struct fragments all[GEN_COUNT], struct error *err)
{
	const struct heap *h = f->heap;
	uint64_t steps = 0;
	uint32_t block = 0;

	for (uint32_t i = 0; i < h->ranges_count; i++) {
		const struct range *r = &h->ranges[i];
		struct fragments *g = &all[r->generation];

		g->generation = r->generation;
		g->allocated_bytes += r->end - r->start;
		if (h->memory ? !add_free_blocks(f, g, r, &block, &steps, err)
			      : !add_gaps(f, g, r, &steps, err))
			return false;
	}
	if (h->memory)
		add_committed(h->memory, all);
	return true;
}

/* --- the finding --------------------------------------------------------- */

static bool
is_fragmented(const struct finder *f, const struct fragments *g)
{
	return g->holes_count >= HOLES_MIN && g->behind.count &&
	       (f->ignores_shares || g->free_bytes >= g->allocated_bytes / FREE_PART) &&
	       g->free_bytes >= FREE_MIN && g->free_bytes >= MUCH_TIMES * f->much;
}

/*
 * Counts the pinned objects between holes and finds the most frequent type,
 * of the pinned ones if these are most of all: they are why holes stay.
 */
static void
look_between(struct finder *f, struct fragments *g, struct finding *out)
{
	const struct node_list *behind = &g->behind;
	bool of_pinned;

	for (uint32_t i = 0; i < behind->count; i++)
		g->pinned_count += heap_pinning_root(f->heap, behind->items[i]) != NULL;
	of_pinned = g->pinned_count > behind->count / 2;
	for (uint32_t i = 0; i < behind->count; i++)
		if (!of_pinned || heap_pinning_root(f->heap, behind->items[i]))
			tally_add(&f->tally, f->heap, behind->items[i]);
	out->type = tally_best(&f->tally);
	tally_clear(&f->tally);
}

static bool
add_finding(struct finder *f, struct fragments *g, struct error *err)
{
	struct finding *out = finder_add(f, &finding_fragmentation, err);
	struct fragments *more = arena_new(&f->out->arena, struct fragments, err);

	if (!out || !more)
		return false;
	look_between(f, g, out);
	*more = *g;
	more->behind = (struct node_list){ 0 };
	out->more = more;
	out->count = g->holes_count;
	out->unused_bytes = g->free_bytes;
	return finding_set_nodes(f, out, g->behind.items, g->behind.count, err);
}

static bool
find_fragmentation(struct finder *f, struct error *err)
{
	struct fragments all[GEN_COUNT] = { 0 };
	bool ok = gather(f, all, err);

	for (int i = 0; i < GEN_COUNT; i++) {
		if (ok && i <= GEN_POH && is_fragmented(f, &all[i]))
			ok = add_finding(f, &all[i], err);
		memory_free(all[i].behind.items);
	}
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
what_fragmentation(struct finding_words *w, struct text *out)
{
	static const char *const names[GEN_COUNT] = {
		[GEN_0] = "generation 0",
		[GEN_1] = "generation 1",
		[GEN_2] = "generation 2",
		[GEN_LOH] = "the large object heap",
		[GEN_POH] = "the pinned object heap",
	};
	const struct fragments *g = w->finding->more;

	text_addf(out, "%s of %s", words_share(w, g->free_bytes, g->allocated_bytes),
		  names[g->generation]);
}

/* Describes the objects between holes: pinned ones if these are most of them. */
static void
write_between(struct finding_words *w, struct text *out)
{
	const struct fragments *g = w->finding->more;
	uint64_t count = w->finding->nodes_count;
	bool is_pinned = g->pinned_count > count / 2;

	text_addf(out, "between %s %sobjects such as %s",
		  words_count(w, is_pinned ? g->pinned_count : count),
		  is_pinned                  ? "pinned "
		  : g->generation == GEN_LOH ? "large "
					     : "",
		  words_type(w));
}

static void
why_fragmentation(struct finding_words *w, struct text *out)
{
	const struct fragments *g = w->finding->more;

	text_addf(out, "is free: %s in %s holes ", words_size(w, g->free_bytes),
		  words_count(w, g->holes_count));
	write_between(w, out);
	if (g->committed_bytes)
		text_addf(out, "; %s stay committed", words_size(w, g->committed_bytes));
}

/* Each collection moves what survives in generation 0 to generation 1. */
static const char *
id_of_generation(const struct finding *f)
{
	static const char *const ids[GEN_COUNT] = {
		[GEN_0] = ":young", [GEN_1] = ":young", [GEN_2] = ":gen2",
		[GEN_LOH] = ":loh", [GEN_POH] = ":poh",
	};
	const struct fragments *g = f->more;

	return ids[g->generation];
}

/* The objects between the holes of a generation explain little. */
static uint64_t
bytes_of_holes(const struct finding *f)
{
	return f->unused_bytes;
}

/*
 * Free blocks between objects ("holes") are half or more of a generation, of the LOH or of the POH:
 * at least 10 holes, 4 MiB and 10 times `much`. In generations 0 and 1 only holes before pinned
 * objects count. Evidence: reachable objects that follow holes; `type`: the type of most of them;
 * `count`: holes; `unused_bytes`: their bytes.
 */
const struct finding_kind finding_fragmentation = {
	.id = "fragmentation",
	.title = "fragmentation",
	.harmless = "harmless if new objects soon fill the holes; a compacting collection closes "
		    "them, except around pinned objects",
	.find = find_fragmentation,
	.is_sought = shows_holes,
	.what = what_fragmentation,
	.why = why_fragmentation,
	.id_end = id_of_generation,
	.is_of_all = true,
	.frees_nothing = true,
	.weight = bytes_of_holes,
};
