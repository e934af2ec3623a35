/* Objects that contain a given value. Each row of a text search is named by its text. */
#include "model/analysis/tables.h"
#include "model/analysis/value_search.h"
#include "tui/tables/object_commands.h"
#include "tui/widget/text_column.h"
#include "tui/widget/view.h"

static bool
find_open(struct view *v, struct error *err)
{
	struct value_query query;

	return value_query_parse(v->target.topic, &query, err) &&
	       (!query.is_text || text_names_rows(v, "value", "type,field,declared", err));
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys       bar        help, .run, then other fields */
	{ "open", "Enter i", "inspect", "inspect this object", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code find_code = {
	.open = find_open,
};

const struct view_ops view_find = {
	.command = { .name = "find",
		     .args = { MUST_AS(ARG_TEXT, "VALUE") },
		     .help = "objects with a value: \"text\", 42, 0x2a, -1.5, true, 'c', a Guid" },
	.table = &values_table,
	.commands = commands,
	.words = { .no_rows = "no object has this value; :strings lists texts, "
			      ":objects all objects" },
	.list = { .flags = VIEW_PRINTS_HEADING },
	.code = &find_code,
};
