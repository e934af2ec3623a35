#include "model/analysis/diff.h"
#include "model/base/less.h"
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
	[DIFF_EQUAL] = "equal",     [DIFF_NEW] = "new",     [DIFF_GONE] = "gone",
	[DIFF_PASSING] = "passing", [DIFF_GROWS] = "grows", [DIFF_SHRINKS] = "shrinks",
	[DIFF_VARIES] = "varies",
};

/* --- by type ------------------------------------------------------------- */

static struct diff_sum
sum_of_type(const struct diff_heap *heap, type_id type)
{
	const struct type *t = &heap->heap->types[type];
	const struct mine *mine = heap->mine;

	if (mine)
		return (struct diff_sum){ mine->types[type].count, mine->types[type].bytes };
	return (struct diff_sum){ type_scaled(t, t->count), type_scaled(t, t->bytes) };
}

static void
fill_type_row(struct diff *d, const struct type_match *m, const struct diff_heap *all,
	      const struct heap *const *heaps, uint32_t row)
{
	const struct type *named = type_match_type(m, heaps, row, NULL);

	d->rows[row] = (struct diff_row){ named->name, named->short_name, named->raw,
					  type_module_file(named) };
	for (uint32_t h = 0; h < d->heaps_count; h++) {
		size_t cell = (size_t)row * d->heaps_count + h;
		type_id type = m->types[cell];
		const struct type *t;

		if (type == TYPE_NONE)
			continue;
		t = &heaps[h]->types[type];
		/* If the type's own source gives no module, use that of another heap. */
		if (!*d->rows[row].module)
			d->rows[row].module = type_module_file(t);
		d->keys[cell] = type;
		d->sums[cell] = sum_of_type(&all[h], type);
	}
}

static bool
compute_types(struct diff *d, const struct type_match *m, const struct diff_heap *all,
	      const struct heap *const *heaps, struct error *err)
{
	d->guessed_count = m->guessed_count;
	d->ambiguous_count = m->ambiguous_count;
	d->spelled_count = m->spelled_count;
	if (!diff_make_rows(d, m->rows_count, err))
		return false;
	for (uint32_t row = 0; row < d->rows_count; row++)
		fill_type_row(d, m, all, heaps, row);
	return true;
}

static void
add_dead_mine(struct diff *d, const struct mine *mine, uint32_t heap)
{
	for (uint32_t row = 0; row < d->rows_count; row++) {
		size_t cell = (size_t)row * d->heaps_count + heap;

		if (d->keys[cell] != DIFF_NONE)
			d->dead_bytes[cell] = mine->types[d->keys[cell]].dead_bytes;
	}
}

static bool
add_dead(struct diff *d, const struct diff_heap *from, uint32_t heap, struct progress *progress,
	 struct error *err)
{
	struct type_sum *dead;

	if (from->mine) {
		add_dead_mine(d, from->mine, heap);
		return true;
	}
	dead = garbage_by_type(from->reach, progress, err);

	for (uint32_t row = 0; dead && row < d->rows_count; row++) {
		size_t cell = (size_t)row * d->heaps_count + heap;

		if (d->keys[cell] != DIFF_NONE)
			d->dead_bytes[cell] = dead[d->keys[cell]].bytes;
	}
	memory_free(dead);
	return dead != NULL;
}

static bool
add_all_dead(struct diff *d, const struct diff_heap *heaps, struct progress *progress,
	     struct error *err)
{
	size_t cells = (size_t)d->rows_count * d->heaps_count;

	for (uint32_t h = 0; h < d->heaps_count; h++)
		if (!heaps[h].reach || (heaps[h].mine && !heaps[h].mine->counted))
			return true;
	d->dead_bytes = arena_array(&d->arena, uint64_t, cells + 1, err);
	for (uint32_t h = 0; d->dead_bytes && h < d->heaps_count; h++)
		if (!add_dead(d, &heaps[h], h, progress, err))
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
add_groups(struct diff *d, struct group_list *list, const struct heap *h, uint32_t heap,
	   const struct groups *groups, struct error *err)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		char text[GROUP_NAME_BYTES];
		const char *name;

		group_name(h, groups->items[i].id, text);
		name = arena_strndup(&d->arena, text, strlen(text), err);
		if (!name || !APPEND(list->items, list->count, list->room, err,
				     (struct named_group){ name, heap, groups->items[i] }))
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
	return (a->sum.id.which > b->sum.id.which) - (a->sum.id.which < b->sum.id.which);
}

static bool
fill_groups(struct diff *d, const struct group_list *list, struct error *err)
{
	uint32_t rows = 0;

	for (size_t i = 0; i < list->count; i++)
		rows += !i || strcmp(list->items[i].name, list->items[i - 1].name) != 0;
	if (!diff_make_rows(d, rows, err))
		return false;
	rows = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct named_group *g = &list->items[i];
		size_t cell;

		if (!i || strcmp(g->name, g[-1].name) != 0)
			d->rows[rows++] = (struct diff_row){ g->name, g->name, "", "" };
		cell = (size_t)(rows - 1) * d->heaps_count + g->heap;
		d->keys[cell] = g->sum.id.which;
		d->sums[cell].count += g->sum.count;
		d->sums[cell].bytes += g->sum.bytes;
	}
	return true;
}

static bool
compute_groups(struct diff *d, const struct diff_heap *heaps, struct progress *progress,
	       struct error *err)
{
	struct group_list list = { 0 };
	bool ok = true;

	for (uint32_t h = 0; ok && h < d->heaps_count; h++) {
		struct groups groups;

		ok = groups_compute(&groups, heaps[h].heap, heaps[h].reach, grouping_of(d->by),
				    progress, err);
		if (!ok)
			break;
		if (heaps[h].mine)
			ok = groups_count_mine(&groups, heaps[h].mine, heaps[h].heap,
					       heaps[h].reach, progress, err);
		ok = ok && add_groups(d, &list, heaps[h].heap, h, &groups, err);
		groups_clear(&groups);
	}
	if (ok) {
		if (list.count)
			qsort(list.items, list.count, sizeof *list.items, compare_groups);
		ok = fill_groups(d, &list, err);
	}
	memory_free(list.items);
	return ok;
}

/* --- computing ----------------------------------------------------------- */

static bool
compute_by_type(struct diff *d, const struct diff_heap *heaps, struct progress *progress,
		struct error *err)
{
	const struct heap **list = memory_new(d->heaps_count, sizeof *list, err);
	struct type_match match;
	bool ok = list != NULL;

	for (uint32_t h = 0; ok && h < d->heaps_count; h++)
		list[h] = heaps[h].heap;
	ok = ok && type_match_init(&match, list, d->heaps_count, err);
	if (ok) {
		ok = d->by == DIFF_TYPE ? compute_types(d, &match, heaps, list, err) &&
					      add_all_dead(d, heaps, progress, err)
					: diff_paths(d, heaps, &match, progress, err);
		type_match_clear(&match);
	}
	memory_free(list);
	return ok;
}

static bool
compute(struct diff *d, const struct diff_heap *heaps, struct progress *progress, struct error *err)
{
	if (d->by == DIFF_TYPE || d->by >= DIFF_ROOT)
		return compute_by_type(d, heaps, progress, err);
	return compute_groups(d, heaps, progress, err);
}

/* Each object is in one row or left out, so what a heap leaves out is all of it without the sum of
   its rows. */
static bool
leave_out(struct diff *d, const struct diff_heap *heaps, struct error *err)
{
	d->left_out = arena_array(&d->arena, struct diff_sum, d->heaps_count, err);
	for (uint32_t h = 0; d->left_out && h < d->heaps_count; h++) {
		const struct heap *heap = heaps[h].heap;
		struct diff_sum *left = &d->left_out[h];

		for (type_id t = 0; t < heap->types_count; t++) {
			const struct type *type = &heap->types[t];

			left->count += type_scaled(type, type->count);
			left->bytes += type_scaled(type, type->bytes);
		}
		for (uint32_t i = 0; i < d->rows_count; i++) {
			left->count = less(left->count, diff_sums(d, i)[h].count);
			left->bytes = less(left->bytes, diff_sums(d, i)[h].bytes);
		}
	}
	return d->left_out != NULL;
}

/* Compares copies of the heaps that know what is my code. */
static bool
compute_mine(struct diff *d, const struct diff_heap *heaps, struct progress *progress,
	     struct error *err)
{
	struct diff_heap *all = memory_new(d->heaps_count, sizeof *all, err);
	struct mine *mine = memory_new(d->heaps_count, sizeof *mine, err);
	bool ok = all && mine;

	for (uint32_t h = 0; ok && h < d->heaps_count; h++) {
		all[h] = heaps[h];
		all[h].mine = &mine[h];
		ok = mine_compute(&mine[h], heaps[h].heap->types, heaps[h].heap->types_count,
				  heaps[h].dominators, heaps[h].my_modules, progress, err);
	}
	ok = ok && compute(d, all, progress, err) && leave_out(d, all, err);
	for (uint32_t h = 0; mine && h < d->heaps_count; h++)
		mine_clear(&mine[h]);
	memory_free(mine);
	memory_free(all);
	return ok;
}

bool
diff_compute(struct diff *d, const struct diff_heap *heaps, uint32_t heaps_count, enum diff_by by,
	     struct progress *progress, struct error *err)
{
	bool ok;

	*d = (struct diff){ .by = by, .heaps_count = heaps_count };
	arena_init(&d->arena, 0);
	ok = heaps[0].counts_mine ? compute_mine(d, heaps, progress, err)
				  : compute(d, heaps, progress, err);
	if (ok && progress_is_cancelled(progress))
		ok = error_cancelled(err);
	if (!ok)
		diff_clear(d);
	return ok;
}
