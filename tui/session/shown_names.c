#include "tui/session/shown_names.h"
#include "model/base/arena.h"
#include <stdlib.h>
#include <string.h>

static int
compare_names(const void *a, const void *b)
{
	const struct type *const *x = a, *const *y = b;
	int order = strcmp((*x)->short_name, (*y)->short_name);

	return order ? order : strcmp((*x)->name, (*y)->name);
}

/* Returns the name with its last `parts` namespaces; the whole name if it has no more, or if its
   arguments have namespaces, too. */
static const char *
with_namespaces(const struct type *t, unsigned parts)
{
	size_t len = strlen(t->name), left = strlen(t->short_name);
	const char *at = t->name + (len > left ? len - left : 0);

	if (strcmp(at, t->short_name) != 0)
		return t->name;
	for (; parts && at > t->name; parts--)
		for (at--; at > t->name && at[-1] != '.';)
			at--;
	return at;
}

/* Returns whether these types, which are sorted by name, have different names with so many
   namespaces. Equal whole names cannot be told apart. */
static bool
are_apart(const struct type *const *types, size_t count, unsigned parts)
{
	for (size_t i = 0; i < count; i++)
		for (size_t n = i + 1; n < count; n++)
			if (strcmp(types[i]->name, types[n]->name) != 0 &&
			    !strcmp(with_namespaces(types[i], parts),
				    with_namespaces(types[n], parts)))
				return false;
	return true;
}

/* Names the types of one short name. */
static void
name_equals(const struct type *const *equal, size_t count, const struct type *types,
	    const char **names)
{
	enum { PARTS_MOST = 8, COMPARED_MOST = 64 };
	unsigned parts = 0;
	bool is_apart = false;

	/* Many types of one name are told apart by their whole names, without comparing all. */
	while (count <= COMPARED_MOST && parts <= PARTS_MOST && !is_apart)
		is_apart = are_apart(equal, count, parts++);
	for (size_t i = 0; i < count; i++)
		names[equal[i] - types] =
		    is_apart ? with_namespaces(equal[i], parts - 1) : equal[i]->name;
}

const char *const *
shown_names_make(const struct type *types, uint32_t count, struct arena *a, struct error *err)
{
	const char **names = arena_array(a, const char *, (size_t)count + 1, err);
	const struct type **sorted = memory_new((size_t)count + 1, sizeof *sorted, err);
	bool is_ok;

	for (uint32_t i = 0; sorted && i < count; i++)
		sorted[i] = &types[i];
	if (names && sorted)
		qsort(sorted, count, sizeof *sorted, compare_names);
	for (size_t i = 0, end; names && sorted && i < count; i = end) {
		end = i + 1;
		while (end < count && !strcmp(sorted[i]->short_name, sorted[end]->short_name))
			end++;
		name_equals(sorted + i, end - i, types, names);
		if (end == i + 1)
			names[sorted[i] - types] = sorted[i]->short_name;
	}
	is_ok = names && sorted;
	memory_free(sorted);
	return is_ok ? names : NULL;
}
