/*
 * Filters and sorts the items that are a view's rows. While it runs, an item costs 48 bytes plus
 * its cell's text, or 28 bytes if the cells are numbers; long lists are arranged on a worker.
 */
#include "model/heap/order.h"
#include "tui/widget/view.h"
#include <string.h>

enum { ARRANGE_AT_ONCE = 2000, LOOK_EVERY = 256 };

bool
view_row_passes(const struct view *v, const struct row *row)
{
	const struct listing l = view_listing(v);

	return !v->filter || filter_passes(v->filter, &l, row);
}

struct sort_item {
	uint64_t number;
	const char *text;
	uint32_t item;
	bool is_unknown; /* sorts last in both directions */
};

static bool
comes_before(const struct sort_item *a, const struct sort_item *b, bool is_descending)
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

static bool
is_unknown(const struct value *value)
{
	return value->kind == VALUE_BLANK || value->kind == VALUE_PENDING;
}

/* Checks for cancellation at every row: one row may take long, as a filter may read a whole
   text. */
static bool
goes_on(struct progress *progress, size_t row, struct error *err)
{
	if (row % LOOK_EVERY == 0)
		(void)progress_add(progress, LOOK_EVERY);
	return !progress_is_cancelled(progress) || error_cancelled(err);
}

/* Copies text composed in the value's own buffer into `a`: it would not survive the next cell. */
static bool
sort_item_fill(const struct listing *l, const struct column *sort, const struct row *row,
	       struct arena *a, struct sort_item *out, struct error *err)
{
	struct value value;

	listing_cell(l, sort, row, &value);
	out->is_unknown = is_unknown(&value);
	out->number = value_order(&value);
	out->text = value.text;
	if (value.text == value.buffer)
		out->text = arena_printf(a, err, "%s", value.buffer);
	return out->text || value.text != value.buffer;
}

static bool
fill(const struct view *v, const uint32_t *items, size_t count, view_row_of_item *row_of_item,
     struct sort_item *sorted, size_t *kept, struct arena *a, struct progress *progress,
     struct error *err)
{
	/* The listing borrows results that change only while no job runs. */
	const struct listing l = view_listing(v);
	const struct column *sort = v->sort < 0 ? NULL : &l.table->columns[v->sort];
	struct row row;

	progress_begin(progress, "arranging rows", "rows", count);
	for (size_t i = 0; i < count; i++) {
		if (!goes_on(progress, i, err))
			return false;
		row_of_item(v, items[i], &row);
		if (v->filter && !filter_passes(v->filter, &l, &row))
			continue;
		sorted[*kept].item = items[i];
		if (sort && !sort_item_fill(&l, sort, &row, a, &sorted[*kept], err))
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

/* Merges sorted runs of `width` items into runs of twice that length. */
static bool
merge(const struct sort_item *from, struct sort_item *to, size_t count, size_t width,
      bool is_descending, struct progress *progress, struct error *err)
{
	for (size_t out = 0; out < count;) {
		size_t left = out, left_end = smaller(left + width, count);
		size_t right = left_end, end = smaller(right + width, count);

		for (; out < end; out++) {
			if (out % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
				return error_cancelled(err);
			if (right == end ||
			    (left < left_end &&
			     !comes_before(&from[right], &from[left], is_descending)))
				to[out] = from[left++];
			else
				to[out] = from[right++];
		}
	}
	return true;
}

/* A stable merge sort, because qsort() cannot be cancelled. */
static bool
sort(struct sort_item **items, size_t count, bool is_descending, struct progress *progress,
     struct error *err)
{
	struct sort_item *other = memory_resize(NULL, count + 1, sizeof *other, err);
	uint64_t passes = 0;
	bool ok = other != NULL;

	for (size_t width = 1; width < count; width *= 2)
		passes++;
	progress_begin(progress, "sorting rows", "rows", count * passes);
	for (size_t width = 1; ok && width < count; width *= 2) {
		struct sort_item *from = *items;

		ok = merge(from, other, count, width, is_descending, progress, err);
		*items = other;
		other = from;
	}
	memory_free(other);
	return ok;
}

/* --- numbers
   ---------------------------------------------------------------- */

/* True if all cells of the column are non-negative numbers or unknown. */
static bool
has_numbers(const struct column *c)
{
	unsigned kind = column_kind(c);

	return !(c->flags & COLUMN_MIXED) &&
	       (kind == VALUE_COUNT || kind == VALUE_PLAIN || kind == VALUE_BYTES ||
		kind == VALUE_DURATION || kind == VALUE_ADDRESS);
}

/* True if numbers stored by item id are worth their memory: the ids must be dense. Sets *end to the
   largest id plus one. */
static bool
sorts_numbers(const struct view *v, const uint32_t *items, size_t count, uint32_t *end)
{
	*end = 0;
	if (count <= ARRANGE_AT_ONCE || v->sort < 0 ||
	    !has_numbers(&v->ops->table->columns[v->sort]))
		return false;
	for (size_t i = 0; i < count; i++)
		if (items[i] >= *end)
			*end = items[i] + 1;
	return *end / 2 <= count;
}

/* Drops items that the filter rejects, and moves items whose cell is unknown to `unknown`. */
static bool
fill_numbers(const struct view *v, struct id_list *known, struct id_list *unknown,
	     uint64_t *numbers, view_row_of_item *row_of_item, struct progress *progress,
	     struct error *err)
{
	const struct listing l = view_listing(v);
	const struct column *c = &l.table->columns[v->sort];
	uint32_t count = known->count, item;
	struct value value;
	struct row row;

	progress_begin(progress, "arranging rows", "rows", count);
	known->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		item = known->ids[i];
		if (!goes_on(progress, i, err))
			return false;
		row_of_item(v, item, &row);
		if (v->filter && !filter_passes(v->filter, &l, &row))
			continue;
		listing_cell(&l, c, &row, &value);
		numbers[item] = value.number;
		if (is_unknown(&value))
			unknown->ids[unknown->count++] = item;
		else
			known->ids[known->count++] = item;
	}
	return true;
}

static uint64_t
number_of(const void *numbers, uint32_t item)
{
	return ((const uint64_t *)numbers)[item];
}

static bool
arrange_numbers(const struct view *v, uint32_t *items, size_t *count, uint32_t end,
		view_row_of_item *row_of_item, struct progress *progress, struct error *err)
{
	uint64_t *numbers = memory_resize(NULL, end, sizeof *numbers, err);
	struct id_list known = { .ids = items, .count = (uint32_t)*count };
	struct id_list unknown = { .ids = memory_resize(NULL, *count, sizeof *items, err) };
	bool ok = numbers && unknown.ids &&
		  fill_numbers(v, &known, &unknown, numbers, row_of_item, progress, err) &&
		  id_list_sort(&known, number_of, numbers, v->is_descending, progress, err);

	if (ok) {
		memcpy(items + known.count, unknown.ids, unknown.count * sizeof *items);
		*count = known.count + unknown.count;
	}
	memory_free(numbers);
	memory_free(unknown.ids);
	return ok;
}

/* --- numbers and texts
   ------------------------------------------------------ */

bool
view_arrange(const struct view *v, uint32_t *items, size_t *count, view_row_of_item *row_of_item,
	     struct progress *progress, struct error *err)
{
	struct sort_item *sorted;
	struct arena texts;
	size_t kept = 0;
	uint32_t end;
	bool ok;

	if (sorts_numbers(v, items, *count, &end))
		return arrange_numbers(v, items, count, end, row_of_item, progress, err);
	sorted = memory_new(*count, sizeof *sorted, err);
	arena_init(&texts, 0);
	ok = sorted && fill(v, items, *count, row_of_item, sorted, &kept, &texts, progress, err) &&
	     (v->sort < 0 || sort(&sorted, kept, v->is_descending, progress, err));
	for (size_t i = 0; ok && i < kept; i++)
		items[i] = sorted[i].item;
	if (ok)
		*count = kept;
	memory_free(sorted);
	arena_clear(&texts);
	return ok;
}

void
view_take_items(struct view *v, uint32_t *items, size_t count, size_t whole)
{
	memory_free(v->items);
	v->items = items;
	v->rows_count = count;
	v->items_count = whole;
}

bool
view_show_items(struct view *v, uint32_t *items, size_t count, struct error *err)
{
	size_t items_count = count;

	if (!view_arrange(v, items, &count, view_item_row, NULL, err)) {
		memory_free(items);
		return false;
	}
	view_take_items(v, items, count, items_count);
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
	const struct view *view; /* its order, filter and items do not change */
	uint32_t *items;
	size_t count;
};

static bool
run_arranging(void *context, struct progress *progress, struct error *err)
{
	struct arranging *a = context;

	return view_arrange(a->view, a->items, &a->count, view_item_row, progress, err);
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
view_list_items(struct view *v, uint32_t *items, size_t count, struct error *err)
{
	struct arranging *a;

	/* A filter may read millions of characters of each text. */
	if (count <= ARRANGE_AT_ONCE && (!v->filter || !table_has_long_texts(v->ops->table)))
		return view_show_items(v, items, count, err);
	a = memory_new(1, sizeof *a, err);
	if (!a) {
		memory_free(items);
		return false;
	}
	*a = (struct arranging){ v, items, count };
	return view_run(v, "arranging rows", run_arranging, take_arranged, a, err);
}

bool
view_list_all(struct view *v, size_t count, struct error *err)
{
	uint32_t *items = view_all_items(count, err);

	return items && view_list_items(v, items, count, err);
}

bool
view_after(struct view *v, bool is_there, bool (*look)(struct view *v, struct error *err),
	   bool (*list)(struct view *v, struct error *err), struct error *err)
{
	if (!is_there) {
		if (!look(v, err))
			return false;
		/* The job has ended already if there is no worker. */
		if (!v->is_stale)
			return true;
		v->is_stale = false;
	}
	return list(v, err);
}
