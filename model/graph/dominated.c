#include "model/graph/dominated.h"
#include "model/base/sorted.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 16 };

struct siblings
siblings_below(const struct dominators *d, node_id n)
{
	uint32_t position = d->positions[n];

	return (struct siblings){ .first = position + 1,
				  .end = dominators_end(d, position),
				  .type = TYPE_NONE };
}

struct siblings
siblings_on_top(const struct dominators *d, bool is_reachable)
{
	uint32_t border = d->reachable_count;

	return (struct siblings){
		.first = is_reachable ? 0 : border,
		.end = is_reachable ? border : d->heap->nodes_count,
		.type = TYPE_NONE,
	};
}

/* Iterates over siblings by position. */
struct walk {
	const struct retained *r;
	const struct siblings *s;
	uint32_t next;
	uint64_t steps;
	struct progress *progress;
	struct error *err;
	bool is_cancelled;
};

static struct walk
walk_begin(const struct retained *r, const struct siblings *s, struct progress *progress,
	   struct error *err)
{
	progress_begin(progress, "listing what it holds", "objects", s->end - s->first);
	return (struct walk){ .r = r, .s = s, .next = s->first, .progress = progress, .err = err };
}

static bool
walk_next(struct walk *w, struct sibling *out)
{
	const struct dominators *d = w->r->dominators;

	while (w->next < w->s->end) {
		uint32_t at = w->next, end;
		type_id type = heap_type_of(d->heap, d->objects[at]);
		bool is_wanted = w->s->type == TYPE_NONE || type == w->s->type;
		bool is_replaced = w->s->owners && w->s->owners[type] < w->s->least_owner;

		if (!(++w->steps & (BATCH - 1)) && progress_is_cancelled(w->progress)) {
			w->is_cancelled = true;
			return error_cancelled(w->err);
		}
		if (is_replaced || (w->s->is_deep && !is_wanted)) {
			w->next++;
			continue;
		}
		end = dominators_end(d, at);
		w->next = end;
		if (!is_wanted)
			continue;
		*out = (struct sibling){ at, retained_between(w->r, at, end) };
		return true;
	}
	return false;
}

static uint64_t
key_retained(const void *context, node_id n)
{
	return retained_of(context, n).bytes;
}

bool
siblings_list(struct id_list *list, const struct retained *r, const struct siblings *s,
	      struct progress *progress, struct error *err)
{
	struct walk w = walk_begin(r, s, progress, err);
	struct id_list fresh = { 0 };
	struct sibling item;
	node_id *ids;

	while (walk_next(&w, &item))
		fresh.count++;
	if (w.is_cancelled)
		return false;
	ids = memory_resize(list->ids, (size_t)list->count + fresh.count + 1, sizeof *ids, err);
	if (!ids)
		return false;
	list->ids = ids;
	fresh.ids = ids + list->count;
	w = walk_begin(r, s, progress, err);
	for (uint32_t i = 0; walk_next(&w, &item); i++)
		fresh.ids[i] = r->dominators->objects[item.position];
	if (w.is_cancelled || !id_list_sort(&fresh, key_retained, r, true, progress, err))
		return false;
	list->count += fresh.count;
	return true;
}

/* Returns true if `a` sorts before `b`: more bytes, then the lower position. */
static bool
is_before(const struct sibling *a, const struct sibling *b)
{
	if (a->sum.bytes != b->sum.bytes)
		return a->sum.bytes > b->sum.bytes;
	return a->position < b->position;
}

static void
page_insert(struct siblings_page *page, const struct sibling *item)
{
	uint32_t at;

	page->left_count++;
	page->left_bytes += item->sum.bytes;
	if (page->count == SIBLINGS_PAGE && is_before(&page->items[SIBLINGS_PAGE - 1], item))
		return;
	LOWER_BOUND(at, 0, page->count, is_before(&page->items[at], item));
	if (page->count < SIBLINGS_PAGE)
		page->count++;
	memmove(&page->items[at + 1], &page->items[at], (page->count - 1 - at) * sizeof(*item));
	page->items[at] = *item;
}

bool
siblings_page_read(struct siblings_page *page, const struct retained *r, const struct siblings *s,
		   const struct sibling *after, struct progress *progress, struct error *err)
{
	struct walk w = walk_begin(r, s, progress, err);
	struct sibling item;

	page->count = 0;
	page->left_count = page->left_bytes = 0;
	while (walk_next(&w, &item))
		if (!after || is_before(after, &item))
			page_insert(page, &item);
	for (uint32_t i = 0; i < page->count; i++)
		page->left_bytes -= page->items[i].sum.bytes;
	page->left_count -= page->count;
	return !w.is_cancelled;
}

static int
compare_types(const void *left, const void *right)
{
	const struct sibling_type *a = left, *b = right;

	if (a->sum.bytes != b->sum.bytes)
		return a->sum.bytes > b->sum.bytes ? -1 : 1;
	return (a->type > b->type) - (a->type < b->type);
}

struct sibling_type *
siblings_by_type(const struct retained *r, const struct siblings *s, uint32_t *count,
		 struct progress *progress, struct error *err)
{
	uint32_t types_count = r->heap->types_count, kept = 0;
	struct sibling_type *types = memory_new((size_t)types_count + 1, sizeof(*types), err);
	struct walk w = walk_begin(r, s, progress, err);
	struct sibling item;

	if (!types)
		return NULL;
	while (walk_next(&w, &item)) {
		const struct dominators *d = r->dominators;
		struct sibling_type *t = &types[heap_type_of(r->heap, d->objects[item.position])];

		t->siblings_count++;
		t->sum.count += item.sum.count;
		t->sum.bytes += item.sum.bytes;
		if (item.sum.bytes > t->most_bytes)
			t->most_bytes = item.sum.bytes;
	}
	if (w.is_cancelled) {
		memory_free(types);
		return NULL;
	}
	for (type_id t = 0; t < types_count; t++) {
		types[t].type = t;
		if (types[t].siblings_count)
			types[kept++] = types[t];
	}
	qsort(types, kept, sizeof(*types), compare_types);
	*count = kept;
	return types;
}
