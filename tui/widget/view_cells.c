/* A view's rows, columns and cells, and which row is selected. */
#include "tui/widget/view.h"
#include <string.h>

int
view_column_by_id(const struct view_ops *ops, const char *id)
{
	return column_by_id(ops->table->columns, id);
}

static bool
knows_generations(const struct view *v)
{
	const struct heap *h = v->session->heap;

	return h && h->generation_counts;
}

static bool
is_from_memory(const struct view *v)
{
	return v->session->heap && v->session->heap->memory;
}

bool
view_column_is_wanted(const struct column *c, const char *ids)
{
	size_t len = strlen(c->id);

	for (; *ids; ids += strcspn(ids, ","), ids += *ids == ',')
		if (strcspn(ids, ",:") == len && !strncmp(ids, c->id, len))
			return true;
	return false;
}

/* Why it is empty in this view; NULL: it is not. */
static const char *
lacks_column(const struct view_ops *ops, const struct column *c)
{
	return ops->lacks && view_column_is_wanted(c, ops->lacks)
		   ? ops->lacks_why
		   : NULL;
}

const char *
view_column_unavailable(const struct view_ops *ops, const struct heap *h,
			const struct column *c)
{
	const char *why = lacks_column(ops, c);

	if (why || !h)
		return why;
	if (c->flags & COLUMN_RANGES && !h->generation_counts)
		return "this heap does not say in which generation an object "
		       "is";
	if (c->flags & COLUMN_MEMORY && !h->memory)
		return "this heap does not say that, only memory does: of a "
		       "core, or of a process with -m";
	if (c->flags & COLUMN_CAPTURE && h->memory)
		return "memory does not say that, only captures over events "
		       "and dumps do";
	return NULL;
}

bool
view_knows_column(const struct view *v, const struct column *c,
		  bool for_machines)
{
	if (!for_machines && lacks_column(v->ops, c))
		return false;
	/* It will not come, or nobody is there to wait for it. */
	if (c->flags & COLUMN_DEAR && c->needs & ~v->session->has &&
	    !v->session->waker.wake)
		return false;
	if (session_lacks(v->session, c->needs))
		return false;
	if (c->flags & (COLUMN_MEMORY | COLUMN_CAPTURE) &&
	    !(c->flags & COLUMN_MEMORY) == is_from_memory(v))
		return false;
	/* Views without such columns may do without a session. */
	if (!(c->flags & COLUMN_RANGES))
		return true;
	if (knows_generations(v))
		return true;
	return for_machines && c->flags & COLUMN_BLANK;
}

bool
view_has_column(const struct view *v, const struct column *c, bool for_machines)
{
	unsigned hidden = for_machines ? COLUMN_SCREEN : COLUMN_MACHINE;

	if (c->flags & hidden || (v->area.is_unseen && c->flags & COLUMN_DRAWN))
		return false;
	/* What a row is about is always there. */
	if (!for_machines && v->wanted && *v->wanted && c->width != FILL &&
	    !view_column_is_wanted(c, v->wanted))
		return false;
	return view_knows_column(v, c, for_machines);
}

const struct column *
view_name_column(const struct view_ops *ops)
{
	for (const struct column *c = ops->table->columns; c->id; c++)
		if (c->width == FILL)
			return c;
	return ops->table->columns;
}

/* As a share only what is a part of the heap. */
static void
show_bytes_as_set(const struct view *v, struct value *out)
{
	const struct heap *h = v->session->heap;

	out->bytes_shown = v->session->bytes_shown;
	if (h && view_needs(v->ops) & (NEED_TYPES | NEED_OBJECTS))
		out->whole = h->bytes_count;
}

struct cells
view_cells(const struct view *v, struct facts *facts)
{
	*facts = session_facts(v->session);
	return (struct cells){ facts, v->made ? v->made : v->state };
}

static void
known_cell(const struct view *v, const struct column *c, const struct row *row,
	   struct value *out)
{
	struct facts facts;
	const struct cells in = view_cells(v, &facts);

	table_cell(v->ops->table, &in, c, row, out);
}

void
view_cell(const struct view *v, const struct column *c, const struct row *row,
	  struct value *out)
{
	bool has_generations = c->flags & COLUMN_RANGES && knows_generations(v);

	/* Some files tell those of types without their objects. */
	if (c->needs & ~v->session->has && !has_generations)
		value_pending(out);
	else if (c->flags & COLUMN_RANGES && !has_generations)
		value_blank(out);
	else
		known_cell(v, c, row, out);
	/* Whether it is on its way, drawn_text() knows: not a worker. */
	if (out->kind == VALUE_PENDING)
		out->text = "?";
	if (out->kind == VALUE_BYTES)
		show_bytes_as_set(v, out);
	if (out->kind == VALUE_BYTES || out->kind == VALUE_CHANGE_BYTES)
		out->largest = v->largest.bytes[c - v->ops->table->columns];
}

void
view_item_row(const struct view *v, uint32_t item, struct row *out)
{
	const struct table *t = v->ops->table;
	struct facts facts;
	struct cells in;

	if (v->ops->item_row) {
		v->ops->item_row(v, item, out);
	} else if (t->pass || t->count) {
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
	if (v->ops->row)
		v->ops->row(v, index, out);
	else
		view_item_row(v, v->items[index], out);
}

void
view_whole_cell(const struct view *v, const struct column *c,
		const struct row *row, struct arena *a, struct value *out)
{
	struct facts facts;
	const struct cells in = view_cells(v, &facts);
	const char *whole;

	view_cell(v, c, row, out);
	whole = table_whole_text(&in, c, row, a);
	if (!whole)
		return;
	out->also = whole;
	out->is_brief = true;
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
