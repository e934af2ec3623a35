/*
 * Views whose rows are items of a small array: those that the filter lets
 * through, in the order of the cells of a column. Costs a copy of the array and
 * as many cells; what goes over whole heaps has model/order.h.
 */
#include "tui/view.h"
#include <stdlib.h>
#include <string.h>

struct sort_item {
	bool is_unknown; /* comes last in both directions */
	uint64_t number;
	const char *text;
	uint32_t item, place;
};

static int
compare_items(const void *x, const void *y)
{
	const struct sort_item *a = x, *b = y;
	int order;

	if (a->is_unknown != b->is_unknown)
		return a->is_unknown ? 1 : -1;
	if (a->text && b->text) {
		order = strcmp(a->text, b->text);
		if (order)
			return order;
	}
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

static int
compare_items_down(const void *x, const void *y)
{
	const struct sort_item *a = x, *b = y;

	if (a->is_unknown != b->is_unknown ||
	    (a->number == b->number &&
	     (!a->text || !b->text || !strcmp(a->text, b->text))))
		return compare_items(x, y);
	return compare_items(y, x);
}

static void
sort_item_fill(const struct view *v, const struct row *row,
	       struct sort_item *out)
{
	struct value value;

	view_cell(v, &v->ops->columns[v->sort], row, &value);
	out->is_unknown =
	    value.kind == VALUE_BLANK || value.kind == VALUE_PENDING;
	out->number = value_order(&value);
	/* Composed texts do not last; their rows keep the order they had. */
	out->text = value.text == value.buffer ? NULL : value.text;
}

bool
view_arrange(const struct view *v, uint32_t *items, size_t *count,
	     void (*row_of_item)(const struct view *v, uint32_t item,
				 struct row *out),
	     struct error *err)
{
	struct sort_item *sorted = memory_new(*count, sizeof *sorted, err);
	size_t kept = 0;
	struct row row;

	if (!sorted)
		return false;
	for (size_t i = 0; i < *count; i++) {
		row_of_item(v, items[i], &row);
		if (!view_lets_through(v, &row))
			continue;
		sorted[kept].item = items[i];
		sorted[kept].place = (uint32_t)kept;
		if (v->sort >= 0)
			sort_item_fill(v, &row, &sorted[kept]);
		kept++;
	}
	if (v->sort >= 0)
		qsort(sorted, kept, sizeof *sorted,
		      v->is_descending ? compare_items_down : compare_items);
	for (size_t i = 0; i < kept; i++)
		items[i] = sorted[i].item;
	*count = kept;
	memory_free(sorted);
	return true;
}

bool
view_show_items(struct view *v, uint32_t **shown, uint32_t *items, size_t count,
		void (*row_of_item)(const struct view *v, uint32_t item,
				    struct row *out),
		struct error *err)
{
	if (!view_arrange(v, items, &count, row_of_item, err)) {
		memory_free(items);
		return false;
	}
	memory_free(*shown);
	*shown = items;
	v->rows_count = count;
	return true;
}

uint32_t *
view_all_items(size_t count, struct error *err)
{
	uint32_t *items = memory_new(count + 1, sizeof *items, err);

	for (uint32_t i = 0; items && i < count; i++)
		items[i] = i;
	return items;
}

bool
view_show_all(struct view *v, uint32_t **shown, size_t count,
	      void (*row_of_item)(const struct view *v, uint32_t item,
				  struct row *out),
	      struct error *err)
{
	uint32_t *items = view_all_items(count, err);

	return items &&
	       view_show_items(v, shown, items, count, row_of_item, err);
}
