/*
 * Types that retain a large part of the heap which no other finding explains: many objects, each
 * with little, under roots of any kind. It looks at what other findings leave over, so it comes
 * last.
 */
#include "model/analysis/find_held.h"
#include "model/base/sorted.h"
#include "model/graph/root_index.h"
#include "model/heap/bits.h"
#include "model/heap/framework.h"
#include "model/table/root_text.h"
#include <string.h>

enum {
	LEFT_PARTS = 25,        /* times `much`: a quarter of the heap */
	OBJECTS_MIN = 10,       /* fewer objects are found as dominators */
	OWN_MIN = 1 << 20,      /* bytes; small heaps are no trouble */
	LIBRARY_MIN = 16 << 20, /* the same for types of the framework */
	TYPES_FOUND_MAX = 3,
	OBJECTS_SAMPLED = 256,
	LOOK_EVERY = 65536,
};

struct leftover {
	struct finder *f;
	const struct dominators *d;
	uint64_t *evidence;    /* bits by object: of findings that say why their objects live */
	struct holding *rests; /* by type_id: what is not explained */
	uint64_t steps;
};

/* Findings about waste name no reason why their objects live. */
static bool
explains(const struct finding_kind *kind)
{
	return !kind->is_of_all && !kind->frees_nothing && !kind->is_waste;
}

static void
mark_explained(struct leftover *l)
{
	const struct findings *all = l->f->out;

	for (uint32_t i = 0; i < all->count; i++) {
		const struct finding *f = &all->items[i];

		if (!explains(f->kind))
			continue;
		for (uint32_t k = 0; k < f->nodes_count; k++)
			bits_add(l->evidence, f->nodes[k]);
		if (f->kind->subject_counts)
			bits_add(l->evidence, f->subject);
	}
}

/* Returns what dominators_end() does, which is slower for the small subtrees of evidence. */
static uint32_t
end_of_subtree(const struct dominators *d, uint32_t position)
{
	uint32_t end = position + 1;

	while (end < d->reachable_count && d->parents[end] > position)
		end++;
	return end;
}

/* Walks the dominator tree in preorder and adds up what the objects of each type retain, each byte
   once, without the subtrees that are explained. */
static bool
add_up(struct leftover *l, struct error *err)
{
	const struct finder *f = l->f;
	struct holding *rests = l->rests;
	type_id top = TYPE_NONE;
	uint32_t end = l->d->reachable_count;
	uint64_t sum = 0;

	for (uint32_t p = 0; p < end;) {
		node_id n = l->d->objects[p];
		type_id type = heap_type_of(f->heap, n);

		top = holdings_close(rests, top, l->d->parents[p], sum);
		if (++l->steps % LOOK_EVERY == 0 && progress_is_cancelled(f->progress))
			return error_cancelled(err);
		if (bits_has(l->evidence, n)) {
			p = end_of_subtree(l->d, p);
			continue;
		}
		top = holdings_open(rests, top, type, p, sum);
		sum += retained_size_at(f->retained, p);
		p++;
	}
	holdings_close(rests, top, 0, sum);
	return true;
}

/* --- the type ------------------------------------------------------------ */

/* Returns true if a person would name objects of the type as what fills the heap: neither arrays
   and strings nor parts of the framework. */
static bool
is_nameable(const struct type *t)
{
	return !(t->flags & (TYPE_ARRAY | TYPE_STRING)) && !is_nested(t) && !is_collection(t) &&
	       !is_description(t);
}

static bool
is_enough(const struct leftover *l, type_id type)
{
	const struct type *t = &l->f->heap->types[type];
	uint64_t min = l->f->is_own[type] ? OWN_MIN : LIBRARY_MIN;

	return t->count >= OBJECTS_MIN && is_nameable(t) &&
	       l->rests[type].bytes >= LEFT_PARTS * l->f->much && l->rests[type].bytes >= min;
}

/* Returns the type that retains most, one of the application if there is any. */
static type_id
best_type(const struct leftover *l)
{
	const bool *is_own = l->f->is_own;
	type_id best = TYPE_NONE;

	for (type_id t = 0; t < l->f->heap->types_count; t++) {
		if (!is_enough(l, t))
			continue;
		if (best == TYPE_NONE || (is_own[t] && !is_own[best]) ||
		    (is_own[t] == is_own[best] && l->rests[t].bytes > l->rests[best].bytes))
			best = t;
	}
	return best;
}

/* Lists the objects of the type that no finding explains; those below others of the type are
   evidence, too. */
static bool
list_objects(struct leftover *l, struct finding *out, type_id type, struct error *err)
{
	struct finder *f = l->f;
	struct node_list list = { 0 };
	bool ok = true;

	for (uint32_t p = 0; ok && p < l->d->reachable_count;) {
		node_id n = l->d->objects[p];

		if (bits_has(l->evidence, n)) {
			p = end_of_subtree(l->d, p);
			continue;
		}
		if (heap_type_of(f->heap, n) == type)
			ok = node_list_add(&list, n, err);
		p++;
	}
	SORT_NUMBERS(list.items, list.count);
	ok = ok && finding_set_nodes(f, out, list.items, list.count, err);
	memory_free(list.items);
	out->count = out->nodes_count;
	return ok;
}

static bool
report_type(struct leftover *l, type_id type, struct error *err)
{
	struct finder *f = l->f;
	struct finding *out = finder_add(f, &finding_type, err);
	uint64_t *part = arena_new(&f->out->arena, uint64_t, err);

	if (!out || !part)
		return false;
	out->type = type;
	*part = l->rests[type].bytes;
	out->more = part;
	out->holder_type = TYPE_NONE;
	return list_objects(l, out, type, err);
}

static bool
leftover_init(struct leftover *l, struct finder *f, struct error *err)
{
	*l = (struct leftover){ .f = f, .d = f->retained->dominators };
	l->rests = arena_array(&f->scratch, struct holding, (size_t)f->heap->types_count + 1, err);
	l->evidence = memory_new(bits_words(f->heap->nodes_count), sizeof *l->evidence, err);
	return l->rests && l->evidence;
}

/* After one type is reported, the others count without what it retains. */
static bool
find_types(struct finder *f, struct error *err)
{
	struct leftover l;
	bool ok = leftover_init(&l, f, err);

	progress_begin(f->progress, "adding up the rest", "objects", f->heap->nodes_count);
	for (int i = 0; ok && i < TYPES_FOUND_MAX; i++) {
		type_id type;

		mark_explained(&l);
		ok = add_up(&l, err);
		type = ok ? best_type(&l) : TYPE_NONE;
		if (type == TYPE_NONE)
			break;
		ok = report_type(&l, type, err);
		memset(l.rests, 0, ((size_t)f->heap->types_count + 1) * sizeof *l.rests);
	}
	memory_free(l.evidence);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
why_type(struct finding_words *w, struct text *out)
{
	const struct facts *facts = w->facts;
	const uint64_t *part = w->finding->more;

	text_addf(out, "retain %s that no other finding explains", words_size(w, *part));
	if (facts->reach)
		text_addf(out, ", %s of the heap",
			  words_share(w, *part, facts->reach->reachable_bytes));
}

/* Counts how many of the sampled objects each root keeps, by kind and name. */
struct root_votes {
	const struct root *roots[OBJECTS_SAMPLED];
	uint32_t counts[OBJECTS_SAMPLED], kinds[ROOT_KIND_COUNT];
	uint32_t roots_count, all;
};

static void
vote(struct root_votes *v, const struct root *root)
{
	uint32_t i = 0;

	v->all++;
	v->kinds[root->kind]++;
	while (i < v->roots_count && v->roots[i] != root)
		i++;
	if (i == v->roots_count) {
		v->roots[i] = root;
		v->counts[i] = 0;
		v->roots_count++;
	}
	v->counts[i]++;
}

/* Writes the root that keeps more than half of the objects, else the kind of most roots. */
static void
held_by_most(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;
	uint32_t step = f->nodes_count / OBJECTS_SAMPLED + 1, best = 0, kind = 0;
	struct root_votes v = { .roots_count = 0 };

	for (uint32_t i = 0; w->facts->roots && i < f->nodes_count; i += step) {
		const struct root *root = root_index_find(w->facts->roots, f->nodes[i]);

		if (root)
			vote(&v, root);
	}
	if (!v.all)
		return;
	for (uint32_t i = 1; i < v.roots_count; i++)
		best = v.counts[i] > v.counts[best] ? i : best;
	if (v.counts[best] > v.all / 2) {
		words_root(w, v.roots[best], out);
		return;
	}
	for (uint32_t i = 1; i < ROOT_KIND_COUNT; i++)
		kind = v.kinds[i] > v.kinds[kind] ? i : kind;
	text_addf(out, "several roots, most of kind %s", root_kinds[kind].id);
}

/*
 * 10 objects of one type retain a quarter of the heap, at least 1 MiB, or 16 MiB if the framework
 * declares the type, beside what other findings explain. `more`: those bytes.
 */
const struct finding_kind finding_type = {
	.id = "type",
	.title = "types that retain most",
	.harmless = "no leak if they are the data that the program works with",
	.find = find_types,
	.needs_retained = true,
	.comes_last = true,
	.what = what_count,
	.why = why_type,
	.held = held_by_most,
	.id_parts = ID_TYPE,
};
