/*
 * Faults in a heap that was read from memory, or in one object of it. The exit code of batch mode
 * says whether there are any.
 */
#include "model/analysis/tables.h"
#include "model/heap/memory.h"
#include "tui/session/describe.h"
#include "tui/tables/object_commands.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/view.h"

static bool
verify_open(struct view *v, struct error *err)
{
	(void)err;
	if (v->target.node != NODE_NONE)
		subject_title(v, "verify");
	return true;
}

/* If there is a filter, only the faults that match it count. */
static bool
verify_is_wrong(const struct view *v)
{
	const struct faults *faults = v->made;

	if (!v->filter)
		return faults_matter(faults);
	for (size_t i = 0; i < v->rows_count; i++)
		if (!faults->items[v->items[i]].is_excused)
			return true;
	return false;
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     bar       help, .run, then other fields */
	{ "enter", "Enter", "fields", "show the values in the object", .run = object_fields, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code verify_code = {
	.open = verify_open,
	.is_wrong = verify_is_wrong,
};

const struct view_ops view_verify = {
	.command = { .name = "verify",
		     .args = { MAY(ARG_OBJECT) },
		     .help = "faults in the heap or an object: references, headers, cards, free "
			     "lists, handles" },
	.table = &faults_table,
	.commands = commands,
	.words = { .no_rows =
		       "no faults to show; :summary shows what is missing in the heap, :near "
		       "ADDRESS what is at an address" },
	.list = { .flags = VIEW_PRINTS_HEADING },
	.code = &verify_code,
};
