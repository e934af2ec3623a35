/*
 * The heap in groups: by namespace, module, generation, kind of root or segment. Enter shows the
 * types of a group (types.c), and from there the objects of a type in that group.
 */
#include "model/analysis/group_table.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"

static bool
open_types(const struct call *call, struct error *err)
{
	const struct groups_made *made = call->view->made;
	struct target target = target_none;
	struct row row;

	(void)err;
	if (!view_selected(call->view, &row))
		return true;
	target.group = made->groups.items[row.data].id;
	return request_open(call, "types", &target);
}

static bool
groups_open(struct view *v, struct error *err)
{
	enum grouping by;

	if (!grouping_parse(v->target.topic, &by, err))
		return false;
	snprintf(v->title, sizeof v->title, "groups by %s", grouping_ids[by]);
	return true;
}

static bool
change_grouping(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	enum grouping by;

	if (!grouping_parse(*call->arg ? call->arg : v->target.topic, &by, err))
		return false;
	if (!*call->arg)
		by = by % (GROUPING_COUNT - 1) + 1;
	view_cancel(v);
	snprintf(v->target.topic, sizeof v->target.topic, "%s", grouping_ids[by]);
	v->has_moved = false;
	view_make_again(v);
	return groups_open(v, err) && view_reload(v, err);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "types",   "show the types of this group", .run = open_types, .replay = REPLAY_ROWS },
	{ "by",   "B",     "regroup", "group by namespace, module, generation, root or segment; B: the next", .run = change_grouping, .args = { MAY_BE("GROUPING", grouping_ids + 1) }, .replay = REPLAY_HEAP },
	{ 0 },
};
/* clang-format on */

static const struct view_code groups_code = {
	.open = groups_open,
};

const struct view_ops view_groups = {
	.command = { .name = "groups",
		     .args = { MAY_BE("GROUPING", grouping_ids + 1) },
		     .help = "the heap in groups: by namespace, module, "
			     "generation, root or segment" },
	.table = &groups_table,
	.commands = commands,
	.words = { .no_rows = "there are no objects to group; :summary shows what is missing" },
	.list = { .flags = VIEW_MINE, .sort = "size" },
	.code = &groups_code,
};
