#include "model/analysis/find_held.h"
#include "model/analysis/library_types.h"
#include "model/heap/framework.h"
#include <string.h>

/* A type of the framework names what is held if its objects retain this part: "half". */
enum { NAMED_PART = 2, TIMES_WALKED = 3 };

/* Returns true for types of the framework that a person would name rather than the arrays, strings
   and parts of collections below them. */
static bool
is_named(const struct type *t)
{
	return may_own_collections(t) && !library_type_of(t, LIBRARY_NOTICE) && !is_collection(t) &&
	       !(t->flags & TYPE_STRING) && strcmp(t->raw, "System.Object") != 0 &&
	       !strstr(t->raw, "<>c");
}

bool
held_init(struct held *h, struct finder *f, struct error *err)
{
	size_t types = (size_t)f->heap->types_count + 1;

	*h = (struct held){ .f = f };
	h->holdings = arena_array(&f->scratch, struct holding, types, err);
	h->is_named = arena_array(&f->scratch, bool, types, err);
	if (!h->holdings || !h->is_named)
		return false;
	for (type_id t = 0; t < f->heap->types_count; t++)
		h->is_named[t] = !(f->heap->types[t].flags & TYPE_ARRAY) &&
				 (f->is_own[t] || is_named(&f->heap->types[t]));
	return true;
}

type_id
holdings_open(struct holding *holdings, type_id top, type_id type, uint32_t position, uint64_t sum)
{
	struct holding *h = &holdings[type];

	if (h->opened_at)
		return top;
	h->bytes_before = sum;
	h->opened_at = position + 1;
	h->outer = top;
	return type;
}

/* Innermost first. */
type_id
holdings_close(struct holding *holdings, type_id top, uint32_t parent, uint64_t sum)
{
	while (top != TYPE_NONE && holdings[top].opened_at > parent) {
		struct holding *h = &holdings[top];

		h->bytes += sum - h->bytes_before;
		h->opened_at = 0;
		top = h->outer;
	}
	return top;
}

/* Walks in preorder. Arrays do not count: the objects in them say more. The open objects are a
   chain of dominators, so no stack is needed. */
bool
held_add(struct held *h, uint32_t first, uint32_t end, bool counts_first, struct error *err)
{
	struct finder *f = h->f;
	const struct dominators *d = f->retained->dominators;
	struct holding *holdings = h->holdings;
	type_id top = TYPE_NONE;
	uint64_t sum = 0;

	for (uint32_t p = first; p < end; p++) {
		node_id n = d->objects[p];
		type_id type = heap_type_of(f->heap, n);

		top = holdings_close(holdings, top, d->parents[p], sum);
		if ((p > first || counts_first) && h->is_named[type])
			top = holdings_open(holdings, top, type, p, sum);
		sum += heap_size(f->heap, n);
		tally_add(&f->tally, f->heap, n);
		if (!finder_may_go_on(f, &h->steps, err))
			return false;
	}
	holdings_close(holdings, top, 0, sum);
	return true;
}

enum rank { RANK_OBJECTS, RANK_OWN, RANK_NAMED, RANK_BYTES };

static bool
is_closure(const struct finder *f, type_id type)
{
	return strstr(f->heap->types[type].raw, "<>c") != NULL;
}

/* Returns the type with the most bytes: by what its objects retain or, for RANK_BYTES, by their own
   size. TYPE_NONE: there is no such type. */
static type_id
largest_type(const struct held *h, enum rank rank)
{
	const struct tally *t = &h->f->tally;
	type_id best = TYPE_NONE;
	uint64_t most = 0;

	for (uint32_t i = 0; i < t->types_count; i++) {
		type_id type = t->types[i];
		uint64_t bytes = rank == RANK_BYTES ? t->bytes[type] : h->holdings[type].bytes;

		if (rank == RANK_OWN && !h->f->is_own[type])
			continue;
		if (rank == RANK_OBJECTS && (!h->f->is_own[type] || is_closure(h->f, type)))
			continue;
		if (bytes > most || (bytes == most && type < best)) {
			best = type;
			most = bytes;
		}
	}
	return best;
}

uint64_t
held_name(struct held *h, uint64_t all, struct finding *out)
{
	struct tally *t = &h->f->tally;
	type_id own = largest_type(h, RANK_OWN), named = largest_type(h, RANK_NAMED);
	type_id objects = largest_type(h, RANK_OBJECTS);
	uint64_t bytes;

	/* Closures say less than the objects that they have captured. */
	if (own != TYPE_NONE && is_closure(h->f, own) && objects != TYPE_NONE &&
	    h->holdings[objects].bytes >= h->holdings[own].bytes / NAMED_PART)
		own = objects;
	if (own != TYPE_NONE && h->holdings[own].bytes >= all / OWN_PART) {
		out->type = own;
		/* With the subject itself. */
		bytes = own == out->holder_type ? all : h->holdings[own].bytes;
	} else if (named != TYPE_NONE && h->holdings[named].bytes >= all / NAMED_PART) {
		out->type = named;
		bytes = h->holdings[named].bytes;
	} else {
		out->type = largest_type(h, RANK_BYTES);
		bytes = t->bytes[out->type];
	}
	out->type_count = t->counts[out->type];
	for (uint32_t i = 0; i < t->types_count; i++)
		h->holdings[t->types[i]].bytes = 0;
	tally_clear(t);
	return bytes;
}

/* Adds what the object at a position holds, directly below it. */
static bool
add_below(struct held *held, uint32_t first, bool (*skipped)(const struct type *t), uint64_t *all,
	  struct error *err)
{
	const struct finder *f = held->f;
	const struct dominators *d = f->retained->dominators;
	uint32_t end = dominators_end(d, first), next;

	for (uint32_t p = first + 1; p < end; p = next) {
		next = dominators_end(d, p);
		if (skipped && skipped(heap_type(f->heap, d->objects[p])))
			continue;
		*all += retained_between(f->retained, p, next).bytes;
		if (!held_add(held, p, next, true, err))
			return false;
	}
	return true;
}

bool
held_set(struct finder *f, struct finding *out, bool (*skipped)(const struct type *t),
	 struct error *err)
{
	struct held_words *more = arena_new(&f->out->arena, struct held_words, err);
	struct finding named = { .holder_type = TYPE_NONE };
	/* Objects of a finding may be below each other, each time with the same objects below. */
	uint64_t most = TIMES_WALKED * (uint64_t)f->heap->nodes_count, all = 0;
	struct held held;

	if (!more || !f->retained || !held_init(&held, f, err))
		return more && !f->retained;
	for (uint32_t i = 0; i < out->nodes_count && held.steps < most; i++)
		if (!add_below(&held, f->retained->dominators->positions[out->nodes[i]], skipped,
			       &all, err))
			return false;
	if (!all)
		return true;
	more->bytes = held_name(&held, all, &named);
	if (held.steps >= most)
		return true;
	more->type = named.type;
	more->count = named.type_count;
	out->more = more;
	return true;
}

void
write_held(struct finding_words *w, struct text *out)
{
	const struct held_words *held = w->finding->more;

	if (held && held->type != w->finding->type)
		text_addf(out, " and hold %s %s (%s)", words_count(w, held->count),
			  words_type_name(w, held->type), words_size(w, held->bytes));
}
