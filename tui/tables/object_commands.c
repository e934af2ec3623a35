#include "tui/tables/object_commands.h"
#include "tui/widget/request.h"

static bool
object_open(const struct call *call, const char *view, struct error *err)
{
	struct target target;
	struct row row;

	if (!view_selected(call->view, &row) || row.node == NODE_NONE)
		return error_set(err, ERROR_USAGE, "this row has no object");
	target = target_of_node(call->view->session, row.node);
	return request_open(call, view, &target);
}

bool
object_inspect(const struct call *call, struct error *err)
{
	return object_open(call, "inspect", err);
}

bool
object_fields(const struct call *call, struct error *err)
{
	return object_open(call, "fields", err);
}

bool
object_short(const struct call *call, struct error *err)
{
	struct view *v = call->view;

	(void)err;
	v->wanted = column_by_id(v->ops->table->columns, "object") < 0 ? "address" : "object";
	v->is_bare = true;
	return true;
}
