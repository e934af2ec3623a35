#include "model/graph/derived.h"
#include "tui/session/what_if.h"

void
what_if_list_clear(struct what_if_list *list)
{
	memory_free(list->entries);
	memory_free(list->items);
	*list = (struct what_if_list){ 0 };
}

static void
forget_computed(struct what_if *w)
{
	ignored_free(w->computed_ignored);
	freed_clear(&w->computed_freed);
	w->computed_ignored = NULL;
}

void
what_if_clear(struct what_if *w)
{
	forget_computed(w);
	ignored_free(w->ignored);
	freed_clear(&w->freed);
	memory_free(w->before);
	what_if_list_clear(&w->list);
	what_if_list_clear(&w->shown);
	*w = (struct what_if){ 0 };
}

bool
what_if_list_add(struct what_if_list *list, const struct ignored_entry *entries, size_t count,
		 struct error *err)
{
	struct what_if_item item = { list->entries_count, count };

	if (!MAKE_ROOM(list->entries, item.first + count, list->entries_room, err) ||
	    !APPEND(list->items, list->items_count, list->items_room, err, item))
		return false;
	for (size_t i = 0; i < count; i++)
		list->entries[list->entries_count++] = entries[i];
	return true;
}

bool
what_if_list_copy(struct what_if_list *to, const struct what_if_list *from, struct error *err)
{
	what_if_list_clear(to);
	for (size_t i = 0; i < from->items_count; i++)
		if (!what_if_list_add(to, from->entries + from->items[i].first,
				      from->items[i].count, err))
			return false;
	return true;
}

/*
 * Returns the ignored references, with the tables that hold statics twice. The last paths may have
 * been computed without looking for these tables.
 */
static const struct ignored *
make_ignored(const struct what_if *w, const struct heap *h, const struct reach *last,
	     bool prefer_statics, struct progress *progress, struct error *err)
{
	const struct what_if_list *list = &w->list;
	uint32_t count = (uint32_t)list->entries_count;

	if (prefer_statics && !last->static_tables_count)
		return ignored_with_all_tables(h, list->entries, count, progress, err);
	return ignored_with_tables(h, list->entries, count, last->static_tables,
				   prefer_statics ? last->static_tables_count : 0, progress, err);
}

const struct reach *
what_if_compute(struct what_if *w, const struct heap *h, const struct reach *last,
		bool prefer_statics, struct progress *progress, struct error *err)
{
	const struct reach *reach;

	forget_computed(w);
	if (!w->list.items_count || !last)
		return derived_reach(h, prefer_statics, progress, err);
	/* The first time, the last paths ignore nothing. */
	if (!w->before)
		w->before = reach_bits(last, progress, err);
	if (!w->before)
		return NULL;
	w->computed_ignored = make_ignored(w, h, last, prefer_statics, progress, err);
	if (!w->computed_ignored)
		return NULL;
	reach = reach_compute_without(h, prefer_statics, w->computed_ignored, progress, err);
	if (!reach || freed_compute(&w->computed_freed, w->before, reach, progress, err))
		return reach;
	reach_free(reach);
	return NULL;
}

void
what_if_take(struct what_if *w)
{
	struct error ignored = { 0 }; /* memory_was_enough() reports it */

	ignored_free(w->ignored);
	freed_clear(&w->freed);
	w->ignored = w->computed_ignored;
	w->freed = w->computed_freed;
	w->computed_ignored = NULL;
	w->computed_freed = (struct freed){ 0 };
	w->has_changed = w->list.items_count || w->shown.items_count;
	if (!what_if_list_copy(&w->shown, &w->list, &ignored))
		what_if_list_clear(&w->shown);
}

void
what_if_revert(struct what_if *w)
{
	struct error ignored = { 0 }; /* memory_was_enough() reports it */

	forget_computed(w);
	if (!what_if_list_copy(&w->list, &w->shown, &ignored))
		what_if_list_clear(&w->list);
}
