/* A view's rows, columns and cells, and its selected row. */
#include "tui/widget/view.h"

/* Returns false if the column's value will never arrive, or is costly and no screen waits for
   it. */
static bool
may_come(const struct view *v, const struct column *c)
{
	if (c->flags & COLUMN_DEAR && c->needs & ~v->session->has && !v->session->waker.wake)
		return false;
	return !session_unavailable(v->session, c->needs);
}

bool
view_knows_column(const struct view *v, const struct column *c, bool for_machines)
{
	const struct listing l = view_listing(v);

	return may_come(v, c) && listing_knows_column(&l, c, for_machines);
}

bool
view_has_column(const struct view *v, const struct column *c, bool for_machines)
{
	const struct listing l = view_listing(v);

	if (v->area.is_read_aloud && c->flags & COLUMN_DRAWN)
		return false;
	/* The name column is always shown. */
	if (!for_machines && v->wanted && *v->wanted && c->width != FILL &&
	    !column_is_in(c, v->wanted))
		return false;
	return may_come(v, c) && listing_has_column(&l, c, for_machines);
}

struct cells
view_cells(const struct view *v, struct facts *facts)
{
	*facts = session_facts(v->session);
	return (struct cells){ facts, v->made ? v->made : v->state };
}

static void
row_of_view(const void *context, size_t index, struct row *out)
{
	view_row(context, index, out);
}

struct listing
view_listing_unopened(const struct view_ops *ops)
{
	return (struct listing){ .table = ops->table,
				 .name = ops->command.name,
				 .unavailable = ops->words.unavailable,
				 .unavailable_why = ops->words.unavailable_why,
				 .is_tree = view_code(ops)->tree != NULL };
}

struct listing
view_listing(const struct view *v)
{
	struct listing l = view_listing_unopened(v->ops);
	const struct heap *h = v->session->heap;

	l.facts = session_facts(v->session);
	l.rows = v->made ? v->made : v->state;
	l.count = v->rows_count;
	l.row = row_of_view;
	l.context = v;
	l.bytes_shown = v->session->bytes_shown;
	/* Shares are of the heap, so only parts of the heap have them. */
	if (h && view_needs(v->ops) & (NEED_TYPES | NEED_OBJECTS | NEED_PROCESS))
		l.whole = h->bytes_count;
	l.largest = v->largest.bytes;
	l.keeps_unit = v->ops->list.flags & VIEW_ONE_UNIT;
	return l;
}

void
view_cell(const struct view *v, const struct column *c, const struct row *row, struct value *out)
{
	const struct listing l = view_listing(v);

	listing_cell(&l, c, row, out);
}

void
view_item_row(const struct view *v, uint32_t item, struct row *out)
{
	const struct table *t = v->ops->table;
	struct facts facts;
	struct cells in;

	if (view_code(v->ops)->item_row) {
		view_code(v->ops)->item_row(v, item, out);
	} else if (view_source(v->ops)) {
		in = view_cells(v, &facts);
		table_row(t, &in, item, out);
	} else {
		*out = row_of(ROW_PLAIN);
		out->data = out->key = item;
	}
}

void
view_row(const struct view *v, size_t index, struct row *out)
{
	if (view_code(v->ops)->row)
		view_code(v->ops)->row(v, index, out);
	else
		view_item_row(v, v->items[index], out);
}

void
view_whole_cell(const struct view *v, const struct column *c, const struct row *row,
		struct arena *a, struct value *out)
{
	const struct listing l = view_listing(v);

	listing_whole_cell(&l, c, row, a, out);
}

void
view_move_to(struct view *v, size_t index)
{
	v->has_moved = true;
	v->cursor = index;
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count ? v->rows_count - 1 : 0;
}

void
view_move_by(struct view *v, long long rows)
{
	if (rows < 0 && v->cursor < (size_t)-rows)
		view_move_to(v, 0);
	else
		view_move_to(v, v->cursor + (size_t)rows);
}

bool
view_selected(const struct view *v, struct row *out)
{
	if (v->cursor >= v->rows_count)
		return false;
	view_row(v, v->cursor, out);
	return true;
}

struct target
view_target(const struct view *v)
{
	struct row row;

	if (view_selected(v, &row)) {
		if (row.node != NODE_NONE)
			return target_of_node(v->session, row.node);
		if (row.type != TYPE_NONE)
			return target_of_type(row.type);
	}
	return v->target;
}
