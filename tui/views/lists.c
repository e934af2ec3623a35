/*
 * Views that only list the rows of a table. The table (model/analysis/tables.h) defines everything
 * except what Enter does.
 */
#include "model/allocations/join.h"
#include "model/analysis/tables.h"
#include "model/heap/memory.h"
#include "tui/session/snapshots.h"
#include "tui/tables/object_commands.h"
#include "tui/widget/request.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Lists the types of a module. Types record its file name without folders. */
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
		return error_set(err, ERROR_USAGE, "this module has no name to search for");
	snprintf(where, sizeof where, "module = \"%s\"", path);
	return request_open_where(call, "types", &target_none, "%s", where);
}

/* Lists the calls of a thread. */
static bool
list_calls(const struct call *call, struct error *err)
{
	struct target target = target_none;
	const struct heap_thread *t;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no thread is selected");
	t = &call->view->session->heap->memory->threads[row.data];
	if (!t->os_id)
		return error_set(err, ERROR_USAGE, "this thread has no stack: it does not run");
	snprintf(target.topic, sizeof target.topic, "%" PRIu64, t->id ? t->id : t->os_id);
	return request_open(call, "stacks", &target);
}

/* clang-format off */
static const struct command commands[] = {
	OBJECT_INSPECT("inspect the object"),
	OBJECT_SHORT,
	{ 0 },
};

static const struct command module_commands[] = {
	/* name     keys     bar      help, .run, then other fields */
	{ "enter", "Enter", "types", "list the types of this module", .run = list_types, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct command thread_commands[] = {
	/* name     keys     bar      help, .run, then other fields */
	{ "enter", "Enter", "calls", "list the calls of this thread", .run = list_calls, .replay = REPLAY_ROWS },
	OBJECT_SHORT,
	{ 0 },
};
static const struct command timer_commands[] = {
	OBJECT_INSPECT("inspect this timer"),
	{ 0 },
};
static const struct command exception_commands[] = {
	OBJECT_INSPECT("inspect this exception"),
	{ 0 },
};
static const struct command static_commands[] = {
	OBJECT_INSPECT("inspect the object of the variable, or the box of a struct"),
	{ 0 },
};
static const struct command lock_commands[] = {
	OBJECT_INSPECT("inspect the object"),
	{ 0 },
};
static const struct command free_commands[] = {
	OBJECT_INSPECT("inspect the object after the block"),
	{ 0 },
};
/* clang-format on */

const struct view_ops view_handles = {
	.command = { .name = "handles", .help = "handles, strong, pinned, weak and dependent" },
	.table = &handles_table,
	.commands = commands,
	.words = { .no_rows = "the program has no handles; :roots lists what else keeps objects "
			      "alive" },
	.list = { .flags = VIEW_OBJECTS },
};

const struct view_ops view_finalizers = {
	.command = { .name = "finalizers",
		     .help = "objects with finalizers: registered, or ready to run" },
	.table = &finalizers_table,
	.commands = commands,
	.words = { .no_rows = "no object has a finalizer to run; :roots lists what keeps objects "
			      "alive" },
	.list = { .flags = VIEW_OBJECTS },
};

const struct view_ops view_threads = {
	.command = { .name = "threads", .help = "all threads; managed ones have an Id" },
	.table = &threads_table,
	.commands = thread_commands,
	.words = { .no_rows = "no thread was found; :summary shows what is missing" },
};

const struct view_ops view_stacks = {
	.command = { .name = "stacks",
		     .args = { MAY_AS(ARG_TEXT, "THREAD") },
		     .help = "the calls on the stack of each thread, or of the one with that id" },
	.table = &stacks_table,
	.words = { .no_rows = "no thread of the program has a stack; :threads lists the threads" },
	.list = { .flags = VIEW_PRINTS_HEADING },
};

const struct view_ops view_code_at = {
	.command = { .name = "code",
		     .args = { MUST_AS(ARG_TEXT, "ADDRESS") },
		     .help = "the method whose code is at an address" },
	.table = &code_table,
	.words = { .no_rows = "no method has code there; :stacks lists addresses of code" },
};

const struct view_ops view_modules = {
	.command = { .name = "modules", .help = "loaded modules, and where they are" },
	.table = &modules_table,
	.commands = module_commands,
	.words = { .no_rows = "no module was found; :summary shows what is missing" },
};

const struct view_ops view_timers = {
	.command = { .name = "timers",
		     .help = "timers: when they are due, what they call and with which state" },
	.table = &timers_table,
	.commands = timer_commands,
	.words = { .no_rows = "the program has no timers; :async lists calls that are suspended" },
};

const struct view_ops view_exceptions = {
	.command = { .name = "exceptions",
		     .help = "the exceptions in the heap: messages, where they were thrown, what "
			     "keeps them" },
	.table = &exceptions_table,
	.commands = exception_commands,
	.words = { .no_rows = "the heap has no exceptions; :threads lists what was last thrown" },
	.list = { .flags = VIEW_PRINTS_HEADING },
};

const struct view_ops view_collections = {
	.command = { .name = "collections",
		     .help = "the program's collections: their elements, and bytes of places that "
			     "hold none" },
	.table = &collections_table,
	.commands = commands,
	.words = { .no_rows = "no collection of the base library was found; :types lists what "
			      "there is" },
	.list = { .flags = VIEW_OBJECTS, .sort = "wasted" },
};

const struct view_ops view_statics = {
	.command = { .name = "statics",
		     .args = { MAY_AS(ARG_TEXT, "TYPE") },
		     .help = "static variables and their values, of all types "
			     "or those that match" },
	.table = &statics_table,
	.commands = static_commands,
	.words = { .no_rows = "none of these types has static variables; :statics lists those of "
			      "all types" },
	.list = { .flags = VIEW_PRINTS_HEADING },
};

const struct view_ops view_locks = {
	.command = { .name = "locks",
		     .args = { MAY_BE(NULL, WORDS("held")) },
		     .help = "locked objects, their owners and waiters; held: "
			     "sync blocks and Locks" },
	.table = &locks_table,
	.commands = lock_commands,
	.words = { .no_rows =
		       "no object is locked, or only by thin locks; :locks lists thin locks too, "
		       ":threads the threads" },
	.list = { .flags = VIEW_PRINTS_HEADING | VIEW_OBJECTS },
};

const struct view_ops view_free = {
	.command = { .name = "free",
		     .args = { MAY_AS(ARG_TEXT, "SIZE") },
		     .help = "free blocks of at least SIZE (512K), and what is pinned after them" },
	.table = &free_table,
	.commands = free_commands,
	.words = { .no_rows = "no free block has that size (512 KiB without an argument, any with "
			      "0); :segments shows the free bytes of each segment" },
	.list = { .flags = VIEW_PRINTS_HEADING, .sort = "bytes" },
};

const struct view_ops view_methods = {
	.command = { .name = "methods",
		     .args = { MUST(ARG_OBJECT_OR_TYPE) },
		     .help = "methods that a class declares" },
	.table = &methods_table,
	.words = { .no_rows = "the class declares no methods; :method-table shows what it is" },
	.list = { .takes_also = TAKES_ADDRESS, .flags = VIEW_PRINTS_HEADING },
};

/* `:samples` begins again what was stopped. */
static bool
list_samples(struct view *v, struct error *err)
{
	return session_lacks_samples(v->session) ? error_cancelled(err) : view_list_table(v, err);
}

/* Samples that are found in the heap soon are not missing. */
static bool
samples_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct session *s = v->session;
	char text[SAMPLES_TEXT_BYTES];

	if (line)
		return false;
	if (s->samples) {
		samples_text(s->samples, text);
		value_printf(out, STYLE_DIM, "%s", text);
		return true;
	}
	if (!s->snapshots || !snapshots_will_join(s->snapshots, s))
		return false;
	value_text(out, STYLE_DIM,
		   "the recording must go on past the capture before its samples are found in the "
		   "heap");
	return true;
}

const struct view_ops view_samples = {
	.command = { .name = "samples",
		     .help = "objects whose allocation was sampled, and who allocated them: "
			     "--samples" },
	.table = &samples_table,
	.commands = commands,
	.words = { .no_rows = "no samples; --samples FILE joins a recording of allocations with "
			      "this heap, as does a capture while it goes on; :types lists what "
			      "there is" },
	.list = { .flags = VIEW_PRINTS_HEADING | VIEW_OBJECTS | VIEW_LIVE, .sort = "age" },
	.code = &(const struct view_code){ .rows = list_samples, .heading = samples_heading },
};
