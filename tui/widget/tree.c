#include "tui/widget/tree.h"
#include "model/base/sorted.h"
#include "tui/widget/request.h"
#include <string.h>

void
tree_clear(struct tree *t)
{
	rows_clear(&t->rows);
	memory_free(t->shown);
	*t = (struct tree){ 0 };
}

static bool
tree_make_room(struct tree *t, struct error *err)
{
	size_t *shown;

	if (t->rows.count <= t->shown_room)
		return true;
	shown =
	    memory_resize(t->shown, t->rows.capacity, sizeof *t->shown, err);
	if (!shown)
		return false;
	t->shown = shown;
	t->shown_room = t->rows.capacity;
	return true;
}

/* Filled from the end: a row is looked at after all that hang on it. */
static void
tree_show_matching(struct tree *t, const struct view *v)
{
	size_t at = t->shown_room;
	uint32_t below =
	    0; /* depth of the last row shown: its parent is next */

	for (size_t i = t->rows.count; i-- > 0;) {
		const struct row *row = &t->rows.items[i];

		if (row->depth >= below && (row->depth > 0 || t->filters_top) &&
		    row->kind != ROW_MORE && !view_lets_through(v, row))
			continue;
		below = row->depth;
		t->shown[--at] = i;
	}
	t->shown_count = t->shown_room - at;
	if (t->shown_count)
		memmove(t->shown, t->shown + at,
			t->shown_count * sizeof *t->shown);
}

bool
tree_show(struct tree *t, struct view *v, struct error *err)
{
	if (!tree_make_room(t, err))
		return false;
	if (v->filter) {
		tree_show_matching(t, v);
	} else {
		for (size_t i = 0; i < t->rows.count; i++)
			t->shown[i] = i;
		t->shown_count = t->rows.count;
	}
	v->rows_count = t->shown_count;
	return true;
}

size_t
tree_find(const struct tree *t, uint64_t key)
{
	for (size_t i = 0; i < t->rows.count; i++)
		if (t->rows.items[i].key == key)
			return i;
	return SIZE_MAX;
}

size_t
tree_shown_at(const struct tree *t, size_t index)
{
	size_t at;

	LOWER_BOUND(at, 0, t->shown_count, t->shown[at] < index);
	return at;
}

uint64_t
tree_key(uint64_t parent, uint64_t what)
{
	uint64_t key = parent * UINT64_C(0x9e3779b97f4a7c15) + what + 1;

	/* Spread over all bits: two rows meet by chance once in 2^64. */
	key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
	return key ^ key >> 31;
}

bool
tree_put_below(struct tree *t, size_t at, const struct rows *fresh,
	       struct error *err)
{
	struct row *gap;

	if (t->rows.items[at].fold == FOLD_OPEN)
		rows_close(&t->rows, at);
	gap = rows_insert(&t->rows, at + 1, fresh->count, err);
	if (!gap)
		return false;
	if (fresh->count)
		memcpy(gap, fresh->items, fresh->count * sizeof *gap);
	t->rows.items[at].fold = FOLD_OPEN;
	return true;
}

bool
tree_put_instead(struct tree *t, size_t at, const struct rows *fresh,
		 struct error *err)
{
	struct row *gap = rows_insert(&t->rows, at + 1, fresh->count, err);

	if (!gap)
		return false;
	if (fresh->count)
		memcpy(gap, fresh->items, fresh->count * sizeof *gap);
	rows_remove(&t->rows, at, 1);
	return true;
}

bool
tree_goes_on(const struct view *v, struct error *err)
{
	struct row row;

	return !view_selected(v, &row) || row.kind != ROW_ROOT ||
	       error_set(err, ERROR_USAGE, "this is a root: the way ends here");
}

void
tree_tell_same(const struct call *call, size_t rows_before,
	       size_t cursor_before, const char *why_not)
{
	const struct view *v = call->view;

	if (v->rows_count == rows_before && v->cursor == cursor_before &&
	    !v->job)
		request_message(call, STYLE_STATUS, "%s", why_not);
}
