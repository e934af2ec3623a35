/*
 * A histogram of object sizes: of the whole heap, of a type or of a list of objects. Enter lists
 * the objects of a size class.
 */
#include "model/analysis/size_classes.h"
#include "model/analysis/tables.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include <inttypes.h>

static bool
list_objects(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct target target = target_of_type(v->target.type);
	unsigned class;
	char where[96];
	struct row row;

	if (!view_selected(v, &row))
		return error_set(err, ERROR_USAGE, "no size is selected");
	if (!size_class_of_row(v->made, &row, &class)->count)
		return error_set(err, ERROR_USAGE, "no object has this size");
	if (v->nodes) {
		target.nodes = v->nodes;
		target.nodes_count = v->nodes_count;
		target.nodes_title = v->title;
	}
	snprintf(where, sizeof where, "size >= %" PRIu64 " and size <= %" PRIu64,
		 size_class_start(class), size_class_last(class));
	return request_open_where(call, "objects", &target, "%s", where);
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     bar        help, .run, then other fields */
	{ "enter", "Enter", "objects", "list the objects of this size", .run = list_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_histogram = {
	.command = { .name = "histogram",
		     .keys = "H",
		     .args = { MAY(ARG_TYPE) },
		     .help = "a histogram of object sizes" },
	.table = &sizes_table,
	.commands = commands,
	.words = { .no_rows = "there are no objects to count; :types shows "
			      "what the heap is made of" },
	.list = { .takes_also = TAKES_SET, .flags = VIEW_PRINTS_HEADING },
};
