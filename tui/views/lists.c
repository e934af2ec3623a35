/*
 * What memory tells beside the graph, as lists: handles, objects with
 * finalizers, threads, modules. The tables say all but what Enter does.
 */
#include "model/analysis/memory_tables.h"
#include "model/heap/memory.h"
#include "tui/tables/object_cells.h"
#include "tui/tables/list_view.h"
#include "tui/widget/request.h"
#include <stdio.h>
#include <string.h>

/* Their names as types have them: without folders. */
static bool
list_types(const struct call *call, struct error *err)
{
	const char *path, *slash;
	char where[512];
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no module is selected");
	path = call->view->session->heap->memory->modules[row.data].path;
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	if (!*path || strchr(path, '"') || strlen(path) > sizeof where - 20)
		return error_set(err, ERROR_USAGE,
				 "this module has no name to look for");
	snprintf(where, sizeof where, "module = \"%s\"", path);
	return request_open_where(call, "types", &target_none, "%s", where);
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     bar        help, .run, and what differs from nothing */
	{ "enter", "Enter", "inspect", "look into the object", .run = object_inspect, .replay = REPLAY_ROWS },
	OBJECT_SHORT,
	{ 0 },
};

static const struct command module_commands[] = {
	/* name     keys     bar      help, .run, and what differs from nothing */
	{ "enter", "Enter", "types", "list the types of this module", .run = list_types, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

#define LIST(view, command_name, text, its_table, its_commands, its_flags,     \
	     why_empty)                                                        \
	const struct view_ops view = {                                         \
		.command = { .name = (command_name),                           \
			     .keys = "",                                       \
			     .bar = "",                                        \
			     .help = (text) },                                 \
		.empty = (why_empty),                                          \
		.table = &(its_table),                                         \
		.commands = its_commands,                                      \
		.needs = NEED_OBJECTS,                                         \
		.flags = (its_flags) | VIEW_MEMORY,                            \
		LIST_VIEW,                                                     \
	}

LIST(view_handles, "handles", "handles, strong, pinned, weak and dependent",
     handles_table, commands, VIEW_OBJECTS,
     "the program has no handles; :roots lists what else keeps objects");
LIST(view_finalizers, "finalizers",
     "objects with finalizers: registered, or ready to be run",
     finalizers_table, commands, VIEW_OBJECTS,
     "no object has a finalizer that is still to be run; :roots lists what "
     "keeps objects");
LIST(view_threads, "threads", "all threads; managed ones have an Id",
     threads_table, commands, 0,
     "no thread was found; :summary tells what is missing");
LIST(view_modules, "modules", "modules that are loaded, and where",
     modules_table, module_commands, 0,
     "no module was found; :summary tells what is missing");
