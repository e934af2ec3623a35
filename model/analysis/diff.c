#include "model/analysis/diff.h"
#include "model/analysis/diff_paths.h"
#include "model/analysis/garbage.h"
#include <stdlib.h>
#include <string.h>

const char *const diff_by_ids[DIFF_BY_COUNT + 1] = {
	[DIFF_TYPE] = "type",     [DIFF_NAMESPACE] = "namespace",
	[DIFF_MODULE] = "module", [DIFF_GENERATION] = "generation",
	[DIFF_KIND] = "kind",     [DIFF_ROOT] = "root",
	[DIFF_PATH] = "path",     [DIFF_DOMINATOR] = "dominator",
};

const char *const diff_state_ids[DIFF_STATE_COUNT] = {
	[DIFF_EQUAL] = "equal",   [DIFF_NEW] = "new",
	[DIFF_GONE] = "gone",     [DIFF_PASSING] = "passing",
	[DIFF_GROWS] = "grows",   [DIFF_SHRINKS] = "shrinks",
	[DIFF_VARIES] = "varies",
};

/* --- by type ------------------------------------------------------------- */

static void
fill_type_row(struct diff *d, const struct type_match *m,
	      const struct heap *const *heaps, uint32_t row)
{
	const struct type *named = type_match_type(m, heaps, row, NULL);

	d->rows[row] = (struct diff_row){ named->name, named->short_name,
					  named->raw, type_module_file(named) };
	for (uint32_t h = 0; h < d->heaps_count; h++) {
		size_t cell = (size_t)row * d->heaps_count + h;
		type_id type = m->types[cell];
		const struct type *t;

		if (type == TYPE_NONE)
			continue;
		t = &heaps[h]->types[type];
		/* If the type's own source gives no module, use that of another
		   heap. */
		if (!*d->rows[row].module)
			d->rows[row].module = type_module_file(t);
		d->keys[cell] = type;
		d->sums[cell] = (struct diff_sum){ type_scaled(t, t->count),
						   type_scaled(t, t->bytes) };
	}
}

static bool
compute_types(struct diff *d, const struct type_match *m,
	      const struct heap *const *heaps, struct error *err)
{
	d->guessed_count = m->guessed_count;
	d->ambiguous_count = m->ambiguous_count;
	d->spelled_count = m->spelled_count;
	if (!diff_make_rows(d, m->rows_count, err))
		return false;
	for (uint32_t row = 0; row < d->rows_count; row++)
		fill_type_row(d, m, heaps, row);
	return true;
}

static bool
add_dead(struct diff *d, const struct reach *reach, uint32_t heap,
	 struct progress *progress, struct error *err)
{
	struct type_sum *dead = garbage_by_type(reach, progress, err);

	for (uint32_t row = 0; dead && row < d->rows_count; row++) {
		size_t cell = (size_t)row * d->heaps_count + heap;

		if (d->keys[cell] != DIFF_NONE)
			d->dead_bytes[cell] = dead[d->keys[cell]].bytes;
	}
	memory_free(dead);
	return dead != NULL;
}

static bool
add_all_dead(struct diff *d, const struct diff_heap *heaps,
	     struct progress *progress, struct error *err)
{
	size_t cells = (size_t)d->rows_count * d->heaps_count;

	for (uint32_t h = 0; h < d->heaps_count; h++)
		if (!heaps[h].reach)
			return true;
	d->dead_bytes = arena_array(&d->arena, uint64_t, cells + 1, err);
	for (uint32_t h = 0; d->dead_bytes && h < d->heaps_count; h++)
		if (!add_dead(d, heaps[h].reach, h, progress, err))
			return false;
	return d->dead_bytes != NULL;
}

/* --- by group ------------------------------------------------------------ */

static enum grouping
grouping_of(enum diff_by by)
{
	return by == DIFF_NAMESPACE    ? GROUP_NAMESPACE
	       : by == DIFF_MODULE     ? GROUP_MODULE
	       : by == DIFF_GENERATION ? GROUP_GENERATION
				       : GROUP_ROOT;
}

/* A group of one heap; groups with the same name share a row. */
struct named_group {
	const char *name;
	uint32_t heap;
	struct group_sum sum;
};

struct group_list {
	struct named_group *items;
	size_t count, room;
};

static bool
add_groups(struct diff *d, struct group_list *list, const struct heap *h,
	   uint32_t heap, const struct groups *groups, struct error *err)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		char text[GROUP_NAME_BYTES];
		const char *name;

		group_name(h, groups->items[i].id, text);
		name = arena_strndup(&d->arena, text, strlen(text), err);
		if (!name || !APPEND(list->items, list->count, list->room, err,
				     (struct named_group){ name, heap,
							   groups->items[i] }))
			return false;
	}
	return true;
}

static int
compare_groups(const void *x, const void *y)
{
	const struct named_group *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	if (a->heap != b->heap)
		return a->heap < b->heap ? -1 : 1;
	return (a->sum.id.which > b->sum.id.which) -
	       (a->sum.id.which < b->sum.id.which);
}

static bool
fill_groups(struct diff *d, const struct group_list *list, struct error *err)
{
	uint32_t rows = 0;

	for (size_t i = 0; i < list->count; i++)
		rows += !i || strcmp(list->items[i].name,
				     list->items[i - 1].name) != 0;
	if (!diff_make_rows(d, rows, err))
		return false;
	rows = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct named_group *g = &list->items[i];
		size_t cell;

		if (!i || strcmp(g->name, g[-1].name) != 0)
			d->rows[rows++] =
			    (struct diff_row){ g->name, g->name, "", "" };
		cell = (size_t)(rows - 1) * d->heaps_count + g->heap;
		d->keys[cell] = g->sum.id.which;
		d->sums[cell].count += g->sum.count;
		d->sums[cell].bytes += g->sum.bytes;
	}
	return true;
}

static bool
compute_groups(struct diff *d, const struct diff_heap *heaps,
	       struct progress *progress, struct error *err)
{
	struct group_list list = { 0 };
	bool ok = true;

	for (uint32_t h = 0; ok && h < d->heaps_count; h++) {
		struct groups groups;

		ok = groups_compute(&groups, heaps[h].heap, heaps[h].reach,
				    grouping_of(d->by), progress, err);
		if (!ok)
			break;
		ok = add_groups(d, &list, heaps[h].heap, h, &groups, err);
		groups_clear(&groups);
	}
	if (ok) {
		if (list.count)
			qsort(list.items, list.count, sizeof *list.items,
			      compare_groups);
		ok = fill_groups(d, &list, err);
	}
	memory_free(list.items);
	return ok;
}

/* --- computing ----------------------------------------------------------- */

static bool
compute_by_type(struct diff *d, const struct diff_heap *heaps,
		struct progress *progress, struct error *err)
{
	const struct heap **list =
	    memory_new(d->heaps_count, sizeof *list, err);
	struct type_match match;
	bool ok = list != NULL;

	for (uint32_t h = 0; ok && h < d->heaps_count; h++)
		list[h] = heaps[h].heap;
	ok = ok && type_match_init(&match, list, d->heaps_count, err);
	if (ok) {
		ok = d->by == DIFF_TYPE
			 ? compute_types(d, &match, list, err) &&
			       add_all_dead(d, heaps, progress, err)
			 : diff_paths(d, heaps, &match, progress, err);
		type_match_clear(&match);
	}
	memory_free(list);
	return ok;
}

bool
diff_compute(struct diff *d, const struct diff_heap *heaps,
	     uint32_t heaps_count, enum diff_by by, struct progress *progress,
	     struct error *err)
{
	bool ok;

	*d = (struct diff){ .by = by, .heaps_count = heaps_count };
	arena_init(&d->arena, 0);
	if (by == DIFF_TYPE || by >= DIFF_ROOT)
		ok = compute_by_type(d, heaps, progress, err);
	else
		ok = compute_groups(d, heaps, progress, err);
	if (ok && progress_is_cancelled(progress))
		ok = error_cancelled(err);
	if (!ok)
		diff_clear(d);
	return ok;
}
