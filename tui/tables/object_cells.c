#include "tui/tables/object_cells.h"
#include "tui/widget/request.h"
#include "tui/session/snapshots.h"
#include "model/heap/contents.h"
#include <inttypes.h>

void
object_content_value(const struct facts *f, const struct content *c,
		     struct value *out)
{
	char address[24];

	if (c->kind != CONTENT_REFERENCE)
		value_text(out,
			   c->kind == CONTENT_RAW ? STYLE_DIM : STYLE_NORMAL,
			   c->text);
	else if (c->target == NODE_NONE && c->pointer)
		value_printf(out, STYLE_WARNING, "%s, where no object is",
			     address_format(c->pointer, address));
	else if (c->target == NODE_NONE || *c->text)
		value_text(out, c->pointer ? STYLE_NORMAL : STYLE_DIM, c->text);
	else
		facts_type_cell(f, heap_type_of(f->heap, c->target), out);
}

static bool
only_memory_has(const struct view *v, const char *what, struct error *err)
{
	int32_t known = snapshots_pid(v->session);
	char pid[16] = "PID";

	if (known)
		snprintf(pid, sizeof pid, "%" PRId32, known);
	return error_set(err, ERROR_USAGE,
			 "this heap has no %s, only memory has: of a core "
			 "(createdump --full %s), or of the process itself: "
			 "heaptop -m %s",
			 what, pid, pid);
}

bool
object_memory_known(const struct view *v, const char *what, struct error *err)
{
	const struct heap *h = v->session->heap;

	return !h || h->memory || only_memory_has(v, what, err);
}

bool
object_contents_known(const struct view *v, const char *what, struct error *err)
{
	const struct heap *h = v->session->heap;

	return !h || contents_exist(h) || only_memory_has(v, what, err);
}

bool
object_table_address(const struct view *v, uint64_t *address, struct error *err)
{
	const struct heap_memory *m = v->session->heap->memory;
	const struct target *target = &v->target;
	const struct heap_table *tables;
	struct content_header header;
	uint32_t count;

	*address = target->address;
	if (*address)
		return true;
	if (target->node != NODE_NONE) {
		if (!m->contents->header(m->source, target->node, &header, err))
			return false;
		*address = header.table;
		return true;
	}
	tables = heap_memory_tables(m, target->type, &count);
	if (!count)
		return error_set(err, ERROR_USAGE,
				 "no object of the type has a method table");
	*address = tables->address;
	return true;
}

static bool
object_open(const struct call *call, const char *view, struct error *err)
{
	struct target target;
	struct row row;

	if (!view_selected(call->view, &row) || row.node == NODE_NONE)
		return error_set(err, ERROR_USAGE, "no object is here");
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
	v->wanted =
	    view_column_by_id(v->ops, "object") < 0 ? "address" : "object";
	v->is_bare = true;
	return true;
}
