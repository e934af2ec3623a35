/* The cheapest path from a root to an object: why it is alive. */
#include "model/tables/tables.h"
#include "tui/session/describe.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

static bool
path_open(struct view *v, struct error *err)
{
	subject_title(v, "path");
	v->state = arena_new(&v->arena, struct described_why, err);
	return v->state != NULL;
}

static bool
path_heading(const struct view *v, unsigned line, struct value *out)
{
	char text[VALUE_TEXT_BYTES];

	if (!v->session->reach || line > 1)
		return false;
	if (line == 1) {
		value_printf(out, STYLE_DIM, "%s",
			     describe_no_root(v->session, v->target.type, text, sizeof text));
		return !session_root_of(v->session, v->target.node);
	}
	value_printf(out, STYLE_ROOT, "%s",
		     describe_why_once(v->session, v->target.node, v->state));
	return true;
}

static bool
inspect(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	(void)err;
	if (target.node == NODE_NONE)
		return true;
	return request_open(call, "inspect", &target);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys       bar        help, .run, then other fields */
	{ "open", "Enter i", "inspect", "inspect this object", .run = inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code path_code = {
	.open = path_open,
	.heading = path_heading,
};

const struct view_ops view_path = {
	.command = { .name = "path",
		     .args = { MUST(ARG_OBJECT) },
		     .help = "only the cheapest path from a root" },
	.table = &path_table,
	.commands = commands,
	.words = { .no_rows = "no path from a root leads here; :tree shows what refers to it, "
			      ":objsize what it reaches" },
	.list = { .needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH, .flags = VIEW_PRINTS_HEADING },
	.code = &path_code,
};
