#include "model/analysis/held_types.h"
#include "model/analysis/collection.h"
#include "model/analysis/collection_parts.h"
#include "model/base/sorted.h"
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 16, AHEAD = 24 };

/* The outermost object of a type that contains the current position. */
struct open_type {
	uint64_t before; /* bytes before it */
	uint32_t position;
	type_id type;
};

/* A collection or a part that contains the current position. */
struct folded {
	uint32_t position;
	type_id collection;
	uint8_t above; /* enum part_above, for the objects directly below */
};

struct walk {
	const struct retained *r;
	const struct subject *holders;
	uint8_t *kinds;          /* enum part_kind, by type; all 0 without folding */
	struct held_type *types; /* by type */
	uint8_t *is_open;        /* by type */
	struct open_type *open;  /* outermost first; at most one of a type */
	size_t open_count;
	/* The holders by position, ascending; NULL: all objects of a type. */
	uint32_t *tops;
	size_t tops_count, tops_at;
	uint32_t start;        /* position of the current holder */
	uint64_t count, bytes; /* before the current position */
	struct folded *folded; /* outermost first */
	size_t folded_count, folded_room;
	node_id *collections; /* whose entries are to be counted */
	size_t collections_count, collections_room;
	/* If not TYPE_NONE, list the objects counted for this type. */
	type_id wanted;
	node_id *listed;
	uint64_t listed_count, listed_max;
	struct progress *progress;
	struct error *err;
};

/* --- holders -------------------------------------------------------------- */

static bool
find_tops(struct walk *w)
{
	const struct subject *about = w->holders;
	const node_id *nodes = about->nodes ? about->nodes : &about->node;

	if (!about->nodes && about->node == NODE_NONE)
		return true;
	w->tops_count = about->nodes ? about->nodes_count : 1;
	w->tops = memory_new(w->tops_count + 1, sizeof *w->tops, w->err);
	if (!w->tops)
		return false;
	for (size_t i = 0; i < w->tops_count; i++)
		w->tops[i] = w->r->dominators->positions[nodes[i]];
	SORT_NUMBERS(w->tops, w->tops_count);
	return true;
}

/* Returns the position of the first holder from `at` on. */
static uint32_t
next_top(struct walk *w, uint32_t at)
{
	const struct heap *h = w->r->heap;
	const node_id *objects = w->r->dominators->objects;

	if (w->tops) {
		while (w->tops_at < w->tops_count && w->tops[w->tops_at] < at)
			w->tops_at++;
		return w->tops_at < w->tops_count ? w->tops[w->tops_at] : h->nodes_count;
	}
	while (at < h->nodes_count && heap_type_of(h, objects[at]) != w->holders->type)
		at++;
	return at;
}

/* --- the pass ------------------------------------------------------------- */

/*
 * Leaves the objects that do not contain position `p`. `up` is 1 + the position of its dominator:
 * all open objects begin before `p`, so they contain it if they contain its dominator.
 */
static inline void
leave(struct walk *w, uint32_t up, uint32_t p)
{
	while (w->open_count && w->open[w->open_count - 1].position >= up) {
		const struct open_type *open = &w->open[--w->open_count];
		struct retained_sum *sum = &w->types[open->type].retained;

		w->is_open[open->type] = 0;
		sum->count += p - open->position;
		sum->bytes += w->bytes - open->before;
	}
	while (w->folded_count && w->folded[w->folded_count - 1].position >= up)
		w->folded_count--;
}

/* Adds an object to the collection that it is a part of, if any; remembers collections and parts
   for the objects below. */
static bool
fold(struct walk *w, uint32_t p, type_id type, uint32_t up, bool is_leaf, type_id *counts_as)
{
	enum part_kind kind = w->kinds[type];
	const struct folded *last = w->folded_count ? &w->folded[w->folded_count - 1] : NULL;
	bool is_below = last && last->position + 1 == up;
	enum part_above above = is_below ? last->above : ABOVE_NONE;

	if (part_is_below(kind, above))
		*counts_as = last->collection;
	else if (kind != PART_COLLECTION)
		return true;
	else if (contents_have_fields(w->r->heap) && w->collections_count < ENTRIES_OPENED &&
		 !APPEND(w->collections, w->collections_count, w->collections_room, w->err,
			 w->r->dominators->objects[p]))
		return false;
	if (kind == PART_NODE)
		w->types[*counts_as].entries++;
	return is_leaf ||
	       APPEND(w->folded, w->folded_count, w->folded_room, w->err,
		      (struct folded){ p, *counts_as, (uint8_t)part_is_above(kind, above) });
}

static inline void
count(struct walk *w, uint32_t p, type_id type, uint64_t size, bool is_leaf)
{
	struct held_type *t = &w->types[type];

	t->count++;
	if (type == w->wanted && w->listed_count < w->listed_max)
		w->listed[w->listed_count++] = w->r->dominators->objects[p];
	if (w->is_open[type])
		return;
	if (is_leaf) {
		t->retained.count++;
		t->retained.bytes += size;
	} else {
		w->is_open[type] = 1;
		w->open[w->open_count++] = (struct open_type){ w->bytes, p, type };
	}
}

static inline bool
visit(struct walk *w, uint32_t p)
{
	const struct dominators *d = w->r->dominators;
	const struct heap *h = w->r->heap;
	type_id type = heap_type_of(h, d->objects[p]), counts_as = type;
	uint32_t up = p == w->start ? 0 : d->parents[p];
	bool is_leaf = p + 1 == h->nodes_count || d->parents[p + 1] != p + 1;
	uint64_t size = retained_size_at(w->r, p);
	struct held_type *t;

	if (p + AHEAD < h->nodes_count)
		dominators_prefetch_type(d, d->objects[p + AHEAD]);
	leave(w, up, p);
	if (w->kinds[type] != PART_NEVER && !fold(w, p, type, up, is_leaf, &counts_as))
		return false;
	t = &w->types[counts_as];
	if (!t->count)
		t->first = p;
	if (counts_as == type)
		count(w, p, type, size, is_leaf);
	else
		t->parts_count++;
	t->bytes += size;
	w->count++;
	w->bytes += size;
	return w->count & (BATCH - 1) || progress_add(w->progress, BATCH) ||
	       error_cancelled(w->err);
}

static bool
walk_run(struct walk *w)
{
	const uint32_t *parents = w->r->dominators->parents;
	uint32_t end = w->r->heap->nodes_count;

	progress_begin(w->progress, "adding up what is held", "objects", 0);
	for (uint32_t p = next_top(w, 0); p < end; p = next_top(w, p)) {
		w->start = p;
		do {
			if (!visit(w, p))
				return false;
			if (w->listed && w->listed_count == w->listed_max)
				return true;
			p++;
		} while (p < end && parents[p] > w->start);
		leave(w, 0, p);
	}
	return true;
}

static bool
walk_init(struct walk *w, bool folds)
{
	const struct heap *h = w->r->heap;
	size_t types = (size_t)h->types_count + 1;

	w->kinds = memory_new(types, sizeof *w->kinds, w->err);
	w->types = memory_new(types, sizeof *w->types, w->err);
	w->is_open = memory_new(types, sizeof *w->is_open, w->err);
	w->open = memory_new(types, sizeof *w->open, w->err);
	if (!w->kinds || !w->types || !w->is_open || !w->open)
		return false;
	for (type_id t = 0; folds && t < h->types_count; t++)
		w->kinds[t] = (uint8_t)part_kind_of(&h->types[t]);
	return find_tops(w);
}

/* Frees all but the array of types. */
static void
walk_clear(struct walk *w)
{
	memory_free(w->kinds);
	memory_free(w->is_open);
	memory_free(w->open);
	memory_free(w->tops);
	memory_free(w->folded);
	memory_free(w->collections);
}

/* --- entries -------------------------------------------------------------- */

/* Counts the entries of one collection. False: unknown, or an error. */
static bool
count_entries(const struct heap *h, node_id n, uint64_t *entries, struct error *err)
{
	struct collection *c = collection_open(h, n, err);
	bool is_known = c && !strcmp(collection_noun(c), "element");

	*entries = is_known ? collection_count(c) : 0;
	collection_close(c);
	return is_known;
}

/* Sets the entries of all types whose collections can all be opened. */
static bool
open_collections(struct walk *w)
{
	const struct heap *h = w->r->heap;
	uint64_t *opened = memory_new((size_t)h->types_count + 1, sizeof *opened, w->err);

	if (!opened)
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		w->types[t].entries = 0;
	for (size_t i = 0; i < w->collections_count; i++) {
		type_id type = heap_type_of(h, w->collections[i]);
		uint64_t entries;

		if (count_entries(h, w->collections[i], &entries, w->err)) {
			w->types[type].entries += entries;
			opened[type]++;
		}
		if (w->err->kind == ERROR_SYSTEM) {
			memory_free(opened);
			return false;
		}
		error_clear(w->err);
	}
	for (type_id t = 0; t < h->types_count; t++)
		if (!opened[t] || opened[t] < w->types[t].count)
			w->types[t].entries = UINT64_MAX;
	memory_free(opened);
	return true;
}

static bool
find_entries(struct walk *w)
{
	const struct heap *h = w->r->heap;

	if (contents_have_fields(h))
		return open_collections(w);
	for (type_id t = 0; t < h->types_count; t++)
		if (w->kinds[t] != PART_COLLECTION || !part_counts_nodes(&h->types[t]))
			w->types[t].entries = UINT64_MAX;
	return true;
}

/* --- results -------------------------------------------------------------- */

static int
compare_types(const void *left, const void *right)
{
	const struct held_type *a = left, *b = right;

	if (a->retained.bytes != b->retained.bytes)
		return a->retained.bytes > b->retained.bytes ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

bool
held_types_compute(struct held_types *held, const struct retained *r, const struct subject *holders,
		   bool folds, struct progress *progress, struct error *err)
{
	struct walk w = {
		.r = r, .holders = holders, .wanted = TYPE_NONE, .progress = progress, .err = err
	};
	bool is_ok = walk_init(&w, folds) && walk_run(&w) && find_entries(&w);

	*held = (struct held_types){ .items = w.types, .sum = { w.count, w.bytes } };
	for (type_id t = 0; is_ok && t < r->heap->types_count; t++) {
		struct held_type *to = &held->items[held->count];

		if (!w.types[t].count)
			continue;
		*to = w.types[t];
		to->type = t;
		held->parts_count += to->parts_count;
		held->count++;
	}
	if (is_ok)
		qsort(held->items, held->count, sizeof *held->items, compare_types);
	walk_clear(&w);
	return is_ok;
}

void
held_types_clear(struct held_types *held)
{
	memory_free(held->items);
}

node_id *
held_type_objects(const struct retained *r, const struct subject *holders, bool folds,
		  const struct held_type *of, struct progress *progress, struct error *err)
{
	struct walk w = { .r = r,
			  .holders = holders,
			  .wanted = of->type,
			  .listed_max = of->count,
			  .progress = progress,
			  .err = err };
	bool is_ok;

	w.listed = memory_new((size_t)of->count + 1, sizeof *w.listed, err);
	is_ok = w.listed && walk_init(&w, folds) && walk_run(&w);
	memory_free(w.types);
	walk_clear(&w);
	if (is_ok)
		return w.listed;
	memory_free(w.listed);
	return NULL;
}

struct held_objects *
held_objects_new(const struct subject *holders, bool folds, const struct held_type *of,
		 struct error *err)
{
	struct held_objects *o = memory_new(1, sizeof *o, err);

	if (!o)
		return NULL;
	*o = (struct held_objects){ .holders = *holders, .folds = folds, .of = *of, .users = 1 };
	o->holders.text = "";
	o->holders.nodes = NULL;
	if (!holders->nodes)
		return o;
	o->nodes = memory_new((size_t)holders->nodes_count + 1, sizeof *o->nodes, err);
	if (!o->nodes) {
		held_objects_free(o);
		return NULL;
	}
	memcpy(o->nodes, holders->nodes, holders->nodes_count * sizeof *o->nodes);
	o->holders.nodes = o->nodes;
	return o;
}

struct held_objects *
held_objects_hold(struct held_objects *o)
{
	o->users++;
	return o;
}

void
held_objects_free(struct held_objects *o)
{
	if (!o || --o->users)
		return;
	memory_free(o->nodes);
	memory_free(o);
}
