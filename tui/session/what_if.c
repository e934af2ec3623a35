#include "tui/session/what_if.h"
#include "tui/session/analyses.h"
#include "tui/session/session.h"
#include <string.h>

/* --- the list ------------------------------------------------------------ */

/* Copies the list and appends an item. */
static bool
make_longer(const struct what_if *w, const struct ignored_entry *entries, size_t count,
	    struct what_if_list *longer, struct error *err)
{
	*longer = (struct what_if_list){ 0 };
	if (what_if_list_copy(longer, &w->list, err) &&
	    what_if_list_add(longer, entries, count, err))
		return true;
	what_if_list_clear(longer);
	return false;
}

static void
take_list(struct what_if *w, const struct what_if_list *list)
{
	what_if_list_clear(&w->list);
	w->list = *list;
}

static void
remove_item(struct what_if *w, size_t item)
{
	struct what_if_list *list = &w->list;
	struct what_if_item gone = list->items[item];
	size_t end = gone.first + gone.count;

	memmove(list->entries + gone.first, list->entries + end,
		(list->entries_count - end) * sizeof *list->entries);
	list->entries_count -= gone.count;
	list->items_count--;
	for (size_t i = item; i < list->items_count; i++) {
		list->items[i] = list->items[i + 1];
		list->items[i].first -= gone.count;
	}
}

static bool
has_same_entries(const struct ignored_entry *a, const struct ignored_entry *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].kind != b[i].kind || a[i].what != b[i].what || a[i].target != b[i].target)
			return false;
	return true;
}

static size_t
find_item(const struct what_if *w, const struct ignored_entry *entries, size_t count)
{
	for (size_t i = 0; i < w->list.items_count; i++) {
		const struct what_if_item *item = &w->list.items[i];

		if (item->count == count &&
		    has_same_entries(w->list.entries + item->first, entries, count))
			return i;
	}
	return SIZE_MAX;
}

bool
what_if_has(const struct what_if *w, const struct ignored_entry *entry)
{
	for (size_t i = 0; i < w->shown.entries_count; i++)
		if (has_same_entries(&w->shown.entries[i], entry, 1))
			return true;
	return false;
}

bool
what_if_has_references(const struct what_if *w, node_id source)
{
	for (size_t i = 0; i < w->shown.entries_count; i++)
		if (w->shown.entries[i].kind == IGNORED_REF && w->shown.entries[i].what == source)
			return true;
	return false;
}

/* Returns where an item of `shown` is in `list`; SIZE_MAX: removed since. */
static size_t
find_shown(const struct what_if *w, size_t item)
{
	const struct what_if_item *i;

	if (item >= w->shown.items_count)
		return SIZE_MAX;
	i = &w->shown.items[item];
	return find_item(w, w->shown.entries + i->first, i->count);
}

/* --- changes to the list ------------------------------------------------- */

bool
what_if_ignore(struct session *s, const struct ignored_entry *entries, size_t count,
	       struct error *err)
{
	struct what_if_list longer;

	if (!s->reach)
		return error_set(err, ERROR_USAGE, "paths to roots are not known yet");
	if (find_item(&s->what_if, entries, count) != SIZE_MAX)
		return error_set(err, ERROR_USAGE, "that is ignored already");
	if (!make_longer(&s->what_if, entries, count, &longer, err))
		return false;
	if (!analyses_stop_reach(s, err)) {
		what_if_list_clear(&longer);
		return false;
	}
	take_list(&s->what_if, &longer);
	return analyses_restart_reach(s, err);
}

bool
what_if_stop_ignoring(struct session *s, size_t item, struct error *err)
{
	struct what_if *w = &s->what_if;

	if (!w->list.items_count)
		return error_set(err, ERROR_USAGE, "nothing is ignored");
	if (item != SIZE_MAX) {
		item = find_shown(w, item);
		if (item == SIZE_MAX)
			return error_set(err, ERROR_USAGE, "that is being undone already");
	}
	if (!analyses_stop_reach(s, err))
		return false;
	if (item != SIZE_MAX)
		remove_item(w, item);
	while (item == SIZE_MAX && w->list.items_count)
		remove_item(w, w->list.items_count - 1);
	return analyses_restart_reach(s, err);
}

uint32_t
what_if_entries_of_roots(const struct heap *h, uint8_t kind, const char *name,
			 struct ignored_entry *entries, uint32_t max)
{
	uint32_t count = 0;
	bool has_others = false;

	for (uint32_t i = 0; name && i < h->roots_count; i++) {
		if (h->roots[i].kind != kind)
			continue;
		if (strcmp(h->roots[i].name, name) != 0)
			has_others = true;
		else if (count++ < max)
			entries[count - 1] = (struct ignored_entry){ IGNORED_ROOT, i, 0 };
	}
	if (name && count <= max && (*name || has_others))
		return count;
	entries[0] = (struct ignored_entry){ IGNORED_ROOT_KIND, kind, 0 };
	return 1;
}
