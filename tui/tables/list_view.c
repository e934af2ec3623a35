#include "tui/tables/list_view.h"
#include "tui/tables/object_cells.h"

bool
list_view_open(struct view *v, struct error *err)
{
	return !(v->ops->flags & VIEW_MEMORY) ||
	       object_memory_known(v, v->ops->command.name, err);
}

bool
list_view_rows(struct view *v, struct error *err)
{
	const struct facts facts = session_facts(v->session);

	return list_view_open(v, err) &&
	       view_show_all(v, v->ops->table->count(&facts), err);
}

void
list_view_row(const struct view *v, uint32_t item, struct row *out)
{
	const struct facts facts = session_facts(v->session);
	const struct table *t = v->ops->table;
	node_id n = t->object ? t->object(&facts, item) : NODE_NONE;

	*out = n == NODE_NONE ? row_of(ROW_PLAIN) : row_of_node(facts.heap, n);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}
