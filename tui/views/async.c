/* Chains of suspended async calls. Enter lists the objects of a row. */
#include "model/analysis/async_table.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"

static bool
open_objects(const struct call *call, struct error *err)
{
	const struct async_made *made = call->view->made;
	struct target target = target_none;
	char title[VALUE_TEXT_BYTES];
	struct row row;

	(void)err;
	if (!view_selected(call->view, &row))
		return true;
	snprintf(title, sizeof(title), "async %.200s", made->texts[row.data].brief);
	target.calls = made->calls;
	target.calls_group = (uint32_t)row.data;
	target.nodes_title = title;
	return request_open(call, "objects", &target);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "objects", "the calls and tasks in the chains of this row", .run = open_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_async = {
	.command = { .name = "async",
		     .args = { MAY_BE("WHAT|ADDRESS", WORDS("calls", "tasks", "completed")) },
		     .help = "chains of suspended async calls, each with its continuations; calls, "
			     "tasks or completed" },
	.table = &async_table,
	.commands = commands,
	.words = { .no_rows =
		       "no async call is suspended, or none of this kind; :async tasks lists "
		       "tasks, :async completed those that have ended, :timers timers" },
	.list = { .sort = "count" },
};
