/*
 * Views whose rows are items of an array: those that the filter lets through,
 * in the order of the cells of a column. Costs 48 bytes an item meanwhile and
 * as many cells, of long ones on a worker; what goes over whole heaps has
 * model/heap/order.h.
 */
#include "tui/widget/view.h"
#include <string.h>

enum { ARRANGE_AT_ONCE = 2000, LOOK_EVERY = 256 };

bool
view_lets_through(const struct view *v, const struct row *row)
{
	const struct listing l = view_listing(v);

	return !v->filter || filter_lets_through(v->filter, &l, row);
}

struct sort_item {
	uint64_t number;
	const char *text;
	uint32_t item;
	bool is_unknown; /* comes last in both directions */
};

static bool
comes_before(const struct sort_item *a, const struct sort_item *b,
	     bool is_descending)
{
	int order = 0;

	if (a->is_unknown || b->is_unknown)
		return !a->is_unknown;
	if (a->text && b->text)
		order = strcmp(a->text, b->text);
	if (!order)
		order = (a->number > b->number) - (a->number < b->number);
	return is_descending ? order > 0 : order < 0;
}

/* Composed texts do not last: `a` keeps them. */
static bool
sort_item_fill(const struct view *v, const struct row *row, struct arena *a,
	       struct sort_item *out, struct error *err)
{
	struct value value;

	view_cell(v, &v->ops->table->columns[v->sort], row, &value);
	out->is_unknown =
	    value.kind == VALUE_BLANK || value.kind == VALUE_PENDING;
	out->number = value_order(&value);
	out->text = value.text;
	if (value.text == value.buffer)
		out->text = arena_printf(a, err, "%s", value.buffer);
	return out->text || value.text != value.buffer;
}

static bool
fill(const struct view *v, const uint32_t *items, size_t count,
     view_row_of_item *row_of_item, struct sort_item *sorted, size_t *kept,
     struct arena *a, struct progress *progress, struct error *err)
{
	struct row row;

	progress_begin(progress, "arranging rows", "rows", count);
	for (size_t i = 0; i < count; i++) {
		if (i % LOOK_EVERY == 0)
			(void)progress_add(progress, LOOK_EVERY);
		/* One row may take long: a filter may read all of a text. */
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		row_of_item(v, items[i], &row);
		if (!view_lets_through(v, &row))
			continue;
		sorted[*kept].item = items[i];
		if (v->sort >= 0 &&
		    !sort_item_fill(v, &row, a, &sorted[*kept], err))
			return false;
		++*kept;
	}
	return true;
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* What is in order in pieces of `width` will be in pieces of twice that. */
static bool
merge(const struct sort_item *from, struct sort_item *to, size_t count,
      size_t width, bool is_descending, struct progress *progress,
      struct error *err)
{
	for (size_t out = 0; out < count;) {
		size_t left = out, left_end = smaller(left + width, count);
		size_t right = left_end, end = smaller(right + width, count);

		for (; out < end; out++) {
			if (out % LOOK_EVERY == 0 &&
			    !progress_add(progress, LOOK_EVERY))
				return error_cancelled(err);
			if (right == end ||
			    (left < left_end &&
			     !comes_before(&from[right], &from[left],
					   is_descending)))
				to[out] = from[left++];
			else
				to[out] = from[right++];
		}
	}
	return true;
}

/* Not qsort(): it cannot be stopped. Equal ones stay in order. */
static bool
sort(struct sort_item **items, size_t count, bool is_descending,
     struct progress *progress, struct error *err)
{
	struct sort_item *other =
	    memory_resize(NULL, count + 1, sizeof *other, err);
	uint64_t passes = 0;
	bool ok = other != NULL;

	for (size_t width = 1; width < count; width *= 2)
		passes++;
	progress_begin(progress, "sorting rows", "rows", count * passes);
	for (size_t width = 1; ok && width < count; width *= 2) {
		struct sort_item *from = *items;

		ok = merge(from, other, count, width, is_descending, progress,
			   err);
		*items = other;
		other = from;
	}
	memory_free(other);
	return ok;
}

static bool
arrange(const struct view *v, uint32_t *items, size_t *count,
	view_row_of_item *row_of_item, struct progress *progress,
	struct error *err)
{
	struct sort_item *sorted = memory_new(*count, sizeof *sorted, err);
	struct arena texts;
	size_t kept = 0;
	bool ok;

	arena_init(&texts, 0);
	ok = sorted &&
	     fill(v, items, *count, row_of_item, sorted, &kept, &texts,
		  progress, err) &&
	     (v->sort < 0 ||
	      sort(&sorted, kept, v->is_descending, progress, err));
	for (size_t i = 0; ok && i < kept; i++)
		items[i] = sorted[i].item;
	if (ok)
		*count = kept;
	memory_free(sorted);
	arena_clear(&texts);
	return ok;
}

bool
view_arrange(const struct view *v, uint32_t *items, size_t *count,
	     view_row_of_item *row_of_item, struct error *err)
{
	return arrange(v, items, count, row_of_item, NULL, err);
}

bool
view_show_items(struct view *v, uint32_t *items, size_t count,
		struct error *err)
{
	size_t items_count = count;

	if (!arrange(v, items, &count, view_item_row, NULL, err)) {
		memory_free(items);
		return false;
	}
	v->items_count = items_count;
	memory_free(v->items);
	v->items = items;
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
view_show_all(struct view *v, size_t count, struct error *err)
{
	uint32_t *items = view_all_items(count, err);

	return items && view_show_items(v, items, count, err);
}

/* --- on a worker ---------------------------------------------------------- */

struct arranging {
	const struct view *view; /* its order, filter and items stay */
	uint32_t *items;
	size_t count;
};

static bool
run_arranging(void *context, struct progress *progress, struct error *err)
{
	struct arranging *a = context;

	return arrange(a->view, a->items, &a->count, view_item_row, progress,
		       err);
}

static void
take_arranged(struct view *v, void *context, bool ok)
{
	struct arranging *a = context;

	if (ok) {
		memory_free(v->items);
		v->items = a->items;
		v->rows_count = a->count;
	} else {
		memory_free(a->items);
	}
	memory_free(a);
}

bool
view_list_items(struct view *v, uint32_t *items, size_t count,
		struct error *err)
{
	struct arranging *a;

	/* A filter may look at millions of characters of each text. */
	if (count <= ARRANGE_AT_ONCE &&
	    (!v->filter || !table_has_long_texts(v->ops->table)))
		return view_show_items(v, items, count, err);
	a = memory_new(1, sizeof *a, err);
	if (!a) {
		memory_free(items);
		return false;
	}
	*a = (struct arranging){ v, items, count };
	return view_run(v, "arranging rows", run_arranging, take_arranged, a,
			err);
}

bool
view_list_all(struct view *v, size_t count, struct error *err)
{
	uint32_t *items = view_all_items(count, err);

	return items && view_list_items(v, items, count, err);
}

bool
view_after(struct view *v, bool is_there,
	   bool (*look)(struct view *v, struct error *err),
	   bool (*list)(struct view *v, struct error *err), struct error *err)
{
	if (!is_there) {
		if (!look(v, err))
			return false;
		/* Without a worker it has ended already. */
		if (!v->is_stale)
			return true;
		v->is_stale = false;
	}
	return list(v, err);
}
