#include "tui/widget/text_column.h"
#include "model/base/format.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"
#include "model/base/text.h"
#include <string.h>

enum {
	UNITS_SHOWN = 150, /* of UTF-16, at the beginning */
	UNITS_SEARCHED = 1 << 20,
	COLUMNS_SHOWN = 300,
	IDLE_WIDTH = 8, /* of a column that is not on the screen */
};

static bool
is_text(const struct view *v, const struct row *row)
{
	const struct heap *h = v->session->heap;

	return row->node != NODE_NONE && contents_exist(h) &&
	       heap_type(h, row->node)->flags & TYPE_STRING;
}

/* As C# writes it, or NULL. */
static const char *
literal_of(const struct view *v, node_id n, uint32_t units_max, struct arena *a)
{
	const struct heap_memory *m = v->session->heap->memory;
	struct error ignored = { 0 };
	const char *text;
	uint32_t units;

	return m->contents->text(m->source, n, units_max, &text, &units, a,
				 &ignored)
		   ? text
		   : NULL;
}

void
text_cell(const struct view *v, const struct row *row, struct value *out)
{
	char shown[VALUE_TEXT_BYTES];
	struct arena a;
	const char *text;

	if (!is_text(v, row)) {
		value_blank(out);
		return;
	}
	arena_init(&a, 0);
	text = literal_of(v, row->node, UNITS_SHOWN, &a);
	if (text)
		value_printf(
		    out, STYLE_NORMAL, "%s",
		    text_fit(text, COLUMNS_SHOWN, shown, sizeof shown));
	else
		value_text(out, STYLE_WARNING, "(not in memory)");
	arena_clear(&a);
}

bool
text_whole(const struct view *v, const struct column *c, const struct row *row,
	   struct arena *a, const char **text)
{
	*text = c->from.view_cell == text_cell && is_text(v, row)
		    ? literal_of(v, row->node, UNITS_SEARCHED, a)
		    : NULL;
	return *text != NULL;
}

bool
text_names_rows(struct view *v, const char *id, const char *idle,
		struct error *err)
{
	struct view_ops *ops = arena_new(&v->arena, struct view_ops, err);
	struct table *table = arena_new(&v->arena, struct table, err);
	struct column *columns;
	size_t count = 0;

	while (v->ops->table->columns[count].id)
		count++;
	columns = arena_array(&v->arena, struct column, count + 1, err);
	if (!ops || !table || !columns)
		return false;
	memcpy(columns, v->ops->table->columns, count * sizeof *columns);
	for (struct column *c = columns; c->id; c++) {
		if (!strcmp(c->id, id)) {
			c->width = FILL;
			c->rank = 0;
			c->from.view_cell = text_cell;
			c->flags = COLUMN_MEMORY;
		} else if (view_column_is_wanted(c, idle)) {
			c->flags |= COLUMN_MACHINE;
			c->width = c->width ? c->width : -IDLE_WIDTH;
		}
	}
	*ops = *v->ops;
	*table = *v->ops->table;
	table->columns = columns;
	ops->table = table;
	ops->whole = text_whole;
	v->ops = ops;
	return true;
}
