#include "tui/widget/text_column.h"
#include "model/analysis/object_text.h"
#include <string.h>

enum { IDLE_WIDTH = 8 }; /* width of a column that the screen never shows */

bool
text_names_rows(struct view *v, const char *id, const char *idle, struct error *err)
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
			c->from = (struct value_source)OBJECT_TEXT;
			c->flags = COLUMN_MEMORY;
		} else if (column_is_in(c, idle)) {
			c->flags |= COLUMN_MACHINE;
			c->width = c->width ? c->width : -IDLE_WIDTH;
		}
	}
	*ops = *v->ops;
	*table = *v->ops->table;
	table->columns = columns;
	ops->table = table;
	v->ops = ops;
	return true;
}
