/*
 * What memory tells beside the graph, as lists: handles, the finalizer queue,
 * threads, modules. They differ in their records and columns only.
 */
#include "tui/tables/object_cells.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include <stdio.h>
#include <string.h>

static const struct heap_memory *
memory_of(const struct view *v)
{
	return v->session->heap->memory;
}

/* What the views differ in, besides their columns. */
static const struct list_kind *kind_of(const struct view *v);
struct list_kind {
	const struct table *table;
	uint32_t (*count)(const struct heap_memory *m);
	/* The object that a record is about; or NODE_NONE. */
	node_id (*node)(const struct heap_memory *m, uint32_t item);
};

/* --- rows ---------------------------------------------------------------- */

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	node_id n = kind_of(v)->node(memory_of(v), item);

	*out = n == NODE_NONE ? row_of(ROW_PLAIN)
			      : row_of_node(v->session->heap, n);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}

static bool
list_open(struct view *v, struct error *err)
{
	if (!object_memory_known(v, v->ops->command.name, err))
		return false;
	return true;
}

static bool
list_rows(struct view *v, struct error *err)
{
	return object_memory_known(v, v->ops->command.name, err) &&
	       view_show_all(v, kind_of(v)->count(memory_of(v)), err);
}

/* --- handles ------------------------------------------------------------- */

static const struct heap_handle *
handle_of(const struct view *v, const struct row *row)
{
	return &memory_of(v)->handles[row->data];
}

static void
cell_handle(const struct view *v, const struct row *row, struct value *out)
{
	value_address(out, handle_of(v, row)->address);
}

static void
cell_handle_kind(const struct view *v, const struct row *row, struct value *out)
{
	static const char *const kinds[HANDLE_KIND_COUNT] = {
		[HANDLE_WEAK_SHORT] = "weak short",
		[HANDLE_WEAK_LONG] = "weak long",
		[HANDLE_STRONG] = "strong",
		[HANDLE_PINNED] = "pinned",
		[HANDLE_VARIABLE] = "variable",
		[HANDLE_REF_COUNTED] = "ref-counted",
		[HANDLE_DEPENDENT] = "dependent",
		[HANDLE_ASYNC_PINNED] = "async pinned",
		[HANDLE_SIZED_REF] = "sized ref",
		[HANDLE_WEAK_NATIVE_COM] = "weak native COM",
		[HANDLE_WEAK_INTERIOR] = "weak interior",
		[HANDLE_CROSS_REFERENCE] = "cross-reference",
	};

	value_text(out, STYLE_ROOT, kinds[handle_of(v, row)->kind]);
}

static void
cell_dependent(const struct view *v, const struct row *row, struct value *out)
{
	node_id n = handle_of(v, row)->dependent;

	if (n == NODE_NONE)
		value_blank(out);
	else
		value_address(out, heap_address(v->session->heap, n));
}

/* --- finalizable objects ------------------------------------------------- */

static void
cell_state(const struct view *v, const struct row *row, struct value *out)
{
	bool is_ready = memory_of(v)->finalizables[row->data].is_ready;

	value_text(out, is_ready ? STYLE_WARNING : STYLE_NORMAL,
		   is_ready ? "ready" : "registered");
}

/* --- threads ------------------------------------------------------------- */

static const struct heap_thread *
thread_of(const struct view *v, const struct row *row)
{
	return &memory_of(v)->threads[row->data];
}

static void
cell_id(const struct view *v, const struct row *row, struct value *out)
{
	if (thread_of(v, row)->id)
		value_plain(out, thread_of(v, row)->id);
	else
		value_blank(out);
}

static void
cell_os_id(const struct view *v, const struct row *row, struct value *out)
{
	if (thread_of(v, row)->os_id)
		value_plain(out, thread_of(v, row)->os_id);
	else
		value_text(out, STYLE_DIM, "-");
}

static void
cell_thread(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_thread *t = thread_of(v, row);

	if (*t->name)
		value_text(out, STYLE_NORMAL, t->name);
	else
		value_text(out, STYLE_DIM,
			   t->os_id ? "(no name)" : "(not started, or ended)");
}

static void
cell_mode(const struct view *v, const struct row *row, struct value *out)
{
	static const char *const modes[] = {
		[THREAD_MODE_UNKNOWN] = "",
		[THREAD_PREEMPTIVE] = "preemptive",
		[THREAD_COOPERATIVE] = "cooperative",
	};

	value_text(out, STYLE_NORMAL, modes[thread_of(v, row)->mode]);
}

static void
cell_exception(const struct view *v, const struct row *row, struct value *out)
{
	node_id n = thread_of(v, row)->thrown;
	const struct heap *h = v->session->heap;

	if (n == NODE_NONE)
		value_blank(out);
	else
		value_text(out, STYLE_TYPE, heap_type(h, n)->name);
}

static void
cell_thrown(const struct view *v, const struct row *row, struct value *out)
{
	node_id n = thread_of(v, row)->thrown;

	object_cell_pointer(
	    n == NODE_NONE ? 0 : heap_address(v->session->heap, n), out);
}

static void
cell_thread_record(const struct view *v, const struct row *row,
		   struct value *out)
{
	object_cell_pointer(thread_of(v, row)->address, out);
}

/* --- modules ------------------------------------------------------------- */

static const struct heap_module *
module_of(const struct view *v, const struct row *row)
{
	return &memory_of(v)->modules[row->data];
}

static void
cell_module(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_module *m = module_of(v, row);

	if (*m->path)
		value_text(out, STYLE_NORMAL, m->path);
	else
		value_text(out, STYLE_DIM,
			   m->is_dynamic ? "(emitted at run time)"
					 : "(no name)");
}

static void
cell_module_record(const struct view *v, const struct row *row,
		   struct value *out)
{
	value_address(out, module_of(v, row)->address);
}

static void
cell_image(const struct view *v, const struct row *row, struct value *out)
{
	object_cell_pointer(module_of(v, row)->image, out);
}

static void
cell_image_size(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_module *m = module_of(v, row);

	if (m->image_bytes)
		value_exact_bytes(out, m->image_bytes);
	else
		value_blank(out);
}

/* Their names as types have them: without folders. */
static bool
list_types(const struct call *call, struct error *err)
{
	const char *path, *slash;
	char where[512];
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no module is selected");
	path = module_of(call->view, &row)->path;
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	if (!*path || strchr(path, '"') || strlen(path) > sizeof where - 20)
		return error_set(err, ERROR_USAGE,
				 "this module has no name to look for");
	snprintf(where, sizeof where, "module = \"%s\"", path);
	return request_open_where(call, "types", &target_none, "%s", where);
}

/* --- the views ----------------------------------------------------------- */

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     args bar        help                    run        takes_count */
	{ "enter", "Enter", "",  "inspect", "look into the object", object_inspect, false },
	OBJECT_SHORT,
	{ 0 },
};

static const struct command module_commands[] = {
	/* name     keys     args bar      help                                run         takes_count */
	{ "enter", "Enter", "",  "types", "list the types of this module", list_types, false },
	{ 0 },
};

static const struct column handle_columns[] = {
	/* id          title        width sorts cell              help                                              rank flags needs */
	{ "kind",      "Handle",    -15,  UP,   VIEW_CELL(cell_handle_kind), "strong and pinned ones keep their object alive",  1, 0,    0 },
	{ "type",      "Type",      FILL, UP,   OBJECT_TYPE,        "the object that it holds or sees",                0, 0,    0 },
	{ "object",    "Object",    14,   UP,   OBJECT_ADDRESS,      "its address",                                     0, 0,    0 },
	{ "size",      "Size",      9,    DOWN, OBJECT_SIZE,        "its bytes",                                       2, 0,    0 },
	{ "retained",  "Retained",  11,   DOWN, OBJECT_RETAINED,    "bytes that only the object holds",                3, COLUMN_DEAR, NEED_HOLDINGS },
	{ "gen",       "Gen",       -6,   UP,   OBJECT_GENERATION,         "its generation",                                  5, 0,    0 },
	{ "dependent", "Dependent", 14,   UP,   VIEW_CELL(cell_dependent),   "what a dependent handle keeps while its object lives", 4, 0, 0 },
	{ "handle",    "Address",   14,   UP,   VIEW_CELL(cell_handle),      "of the handle itself",                            3, 0,    0 },
	{ "table",     "Table",     14,   UP,   OBJECT_TABLE, "method table of the object",                     9, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table handle_table = { .name = "handles", .columns = handle_columns };
static const struct column finalizer_columns[] = {
	/* id         title       width sorts cell           help                                                    rank flags needs */
	{ "state",    "State",    -10,  UP,   VIEW_CELL(cell_state),    "ready: unreachable, its finalizer waits to be run",      1, 0,    0 },
	{ "type",     "Type",     FILL, UP,   OBJECT_TYPE,     "the object that has a finalizer",                        0, 0,    0 },
	{ "object",   "Object",   14,   UP,   OBJECT_ADDRESS,   "its address",                                            0, 0,    0 },
	{ "size",     "Size",     9,    DOWN, OBJECT_SIZE,     "its bytes",                                              2, 0,    0 },
	{ "retained", "Retained", 11,   DOWN, OBJECT_RETAINED, "bytes that only the object holds",                       3, COLUMN_DEAR, NEED_HOLDINGS },
	{ "gen",      "Gen",      -6,   UP,   OBJECT_GENERATION,      "its generation",                                         4, 0,    0 },
	{ "table",    "Table",    14,   UP,   OBJECT_TABLE,    "method table of the object",                             9, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table finalizer_table = { .name = "finalizers", .columns = finalizer_columns };
static const struct column thread_columns[] = {
	/* id         title       width sorts cell           help                                                    rank flags needs */
	{ "id",       "Id",       5,    UP,   VIEW_CELL(cell_id),       "as the program knows it; blank: none of its own",        0, 0,    0 },
	{ "os_id",    "System",   8,    UP,   VIEW_CELL(cell_os_id),    "as the system knows it",                                 0, 0,    0 },
	{ "thread",   "Thread",   FILL, UP,   VIEW_CELL(cell_thread),   "its name",                                               0, 0,    0 },
	{ "mode",     "GC mode",  -11,  UP,   VIEW_CELL(cell_mode),     "cooperative: in managed code, the collector has to stop it", 2, 0, 0 },
	{ "exception", "Exception", -28, UP,  VIEW_CELL(cell_exception), "what was thrown on it last, handled or not",            1, 0,    0 },
	{ "object",   "Object",   14,   UP,   OBJECT_ADDRESS,   "its System.Threading.Thread",                            3, 0,    0 },
	{ "thrown",   "Thrown",   14,   UP,   VIEW_CELL(cell_thrown),   "address of that exception",                              5, 0,    0 },
	{ "record",   "Record",   14,   UP,   VIEW_CELL(cell_thread_record), "the runtime's own record of it",                     4, 0,    0 },
	{ 0 },
};
static const struct table thread_table = { .name = "threads", .columns = thread_columns };
static const struct column module_columns[] = {
	/* id         title       width sorts cell           help                                                    rank flags needs */
	{ "module",   "Module",   FILL, UP,   VIEW_CELL(cell_module),   "path, as the process saw it",                            0, 0,    0 },
	{ "image",    "Image",    14,   UP,   VIEW_CELL(cell_image),    "where its file is in memory",                            1, 0,    0 },
	{ "size",     "Size",     11,   DOWN, VIEW_CELL(cell_image_size), "its bytes there",                                        3, 0,    0 },
	{ "record",   "Record",   14,   UP,   VIEW_CELL(cell_module_record), "the runtime's own record of it",                         2, 0,    0 },
	{ 0 },
};
static const struct table module_table = { .name = "modules", .columns = module_columns };
/* clang-format on */

static uint32_t
handles_count(const struct heap_memory *m)
{
	return m->handles_count;
}

static node_id
handles_node(const struct heap_memory *m, uint32_t item)
{
	return m->handles[item].object;
}

static uint32_t
finalizers_count(const struct heap_memory *m)
{
	return m->finalizables_count;
}

static node_id
finalizers_node(const struct heap_memory *m, uint32_t item)
{
	return m->finalizables[item].object;
}

static uint32_t
threads_count(const struct heap_memory *m)
{
	return m->threads_count;
}

static node_id
threads_node(const struct heap_memory *m, uint32_t item)
{
	return m->threads[item].object;
}

static uint32_t
modules_count(const struct heap_memory *m)
{
	return m->modules_count;
}

static node_id
modules_node(const struct heap_memory *m, uint32_t item)
{
	(void)m;
	(void)item;
	return NODE_NONE;
}

static const struct list_kind kinds[] = {
	{ &handle_table, handles_count, handles_node },
	{ &finalizer_table, finalizers_count, finalizers_node },
	{ &thread_table, threads_count, threads_node },
	{ &module_table, modules_count, modules_node },
};

static const struct list_kind *
kind_of(const struct view *v)
{
	const struct list_kind *k = kinds;

	while (k->table != v->ops->table)
		k++;
	return k;
}

#define LIST(view, command_name, text, its_table, its_commands, its_flags,     \
	     why_empty)                                                        \
	const struct view_ops view = {                                         \
		.command = { .name = (command_name),                           \
			     .keys = "",                                       \
			     .args = "",                                       \
			     .bar = "",                                        \
			     .help = (text) },                                 \
		.empty = (why_empty),                                          \
		.table = &(its_table),                                         \
		.commands = its_commands,                                      \
		.needs = NEED_OBJECTS,                                         \
		.flags = (its_flags) | VIEW_MEMORY,                            \
		.open = list_open,                                             \
		.rows = list_rows,                                             \
		.item_row = row_of_item,                                       \
	}

LIST(view_handles, "handles", "handles, strong, pinned, weak and dependent",
     handle_table, commands, VIEW_OBJECTS,
     "the program has no handles; :roots lists what else keeps objects");
LIST(view_finalizers, "finalizers",
     "objects with finalizers: registered, or ready to be run", finalizer_table,
     commands, VIEW_OBJECTS,
     "no object has a finalizer that is still to be run; :roots lists what "
     "keeps objects");
LIST(view_threads, "threads", "all threads; managed ones have an Id",
     thread_table, commands, 0,
     "no thread was found; :summary tells what is missing");
LIST(view_modules, "modules", "modules that are loaded, and where",
     module_table, module_commands, 0,
     "no module was found; :summary tells what is missing");
