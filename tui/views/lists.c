/*
 * Views that are lists of the rows of a table, and no more than that: the table
 * (model/analysis/tables.h) says all but what Enter does.
 */
#include "model/analysis/tables.h"
#include "model/heap/memory.h"
#include "tui/tables/object_commands.h"
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
static const struct command timer_commands[] = {
	{ "enter", "Enter", "inspect", "look at this timer", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct command static_commands[] = {
	{ "enter", "Enter", "inspect", "look into the object there, or the box of a structure", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct command lock_commands[] = {
	{ "enter", "Enter", "inspect", "look into the object", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct command free_commands[] = {
	{ "enter", "Enter", "inspect", "look into the object that follows", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_handles = {
	.command = { .name = "handles",
		     .help = "handles, strong, pinned, weak and dependent" },
	.empty = "the program has no handles; :roots lists what else keeps "
		 "objects",
	.table = &handles_table,
	.commands = commands,
	.flags = VIEW_OBJECTS,
};

const struct view_ops view_finalizers = {
	.command = { .name = "finalizers",
		     .help = "objects with finalizers: registered, or ready to "
			     "be run" },
	.empty = "no object has a finalizer that is still to be run; :roots "
		 "lists what keeps objects",
	.table = &finalizers_table,
	.commands = commands,
	.flags = VIEW_OBJECTS,
};

const struct view_ops view_threads = {
	.command = { .name = "threads",
		     .help = "all threads; managed ones have an Id" },
	.empty = "no thread was found; :summary tells what is missing",
	.table = &threads_table,
	.commands = commands,
};

const struct view_ops view_modules = {
	.command = { .name = "modules",
		     .help = "modules that are loaded, and where" },
	.empty = "no module was found; :summary tells what is missing",
	.table = &modules_table,
	.commands = module_commands,
};

const struct view_ops view_timers = {
	.command = { .name = "timers",
		     .help = "timers: when they are due, whom they call with "
			     "what" },
	.empty = "the program has no timers; :async lists calls that wait for "
		 "something else",
	.table = &timers_table,
	.commands = timer_commands,
};

const struct view_ops view_statics = {
	.command = { .name = "statics",
		     .args = { MAY_AS(ARG_TEXT, "TYPE") },
		     .help = "static variables with their values, of all types "
			     "or those that match" },
	.empty = "no type that was asked for has static variables; :statics "
		 "lists those of all types",
	.table = &statics_table,
	.commands = static_commands,
	.flags = VIEW_TELLS,
};

const struct view_ops view_locks = {
	.command = { .name = "locks",
		     .args = { MAY_BE(NULL, WORDS("held")) },
		     .help = "objects that are locked, by whom, and who "
			     "waits; held: sync blocks and Locks" },
	.empty = "no object is locked, or none by more than a thin lock; "
		 ":locks lists thin locks as well, :threads the threads",
	.table = &locks_table,
	.commands = lock_commands,
	.flags = VIEW_TELLS | VIEW_OBJECTS,
};

const struct view_ops view_free = {
	.command = { .name = "free",
		     .args = { MAY_AS(ARG_TEXT, "SIZE") },
		     .help = "free blocks of SIZE, 512K, or more, and what is "
			     "pinned behind them" },
	.empty = "no block is free, or none is so large; :free lists all of "
		 "them, :segments what each segment has",
	.table = &free_table,
	.commands = free_commands,
	.flags = VIEW_TELLS,
	.sort = "bytes",
};

const struct view_ops view_methods = {
	.command = { .name = "methods",
		     .args = { MUST(ARG_OBJECT_OR_TYPE) },
		     .help = "methods that a class declares" },
	.empty = "the class declares no method; :method-table says what it is",
	.table = &methods_table,
	.takes_besides = TAKES_ADDRESS,
	.flags = VIEW_TELLS,
};
