#include "model/analysis/tables.h"
#include "model/table/object_columns.h"
#include "model/heap/memory.h"

/* --- handles ------------------------------------------------------------- */

static const char *const handle_kinds[HANDLE_KIND_COUNT] = {
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

static const void *
memory_of(const struct facts *f)
{
	return f->heap->memory;
}

static const struct row_source handles_rows = {
	.holder = memory_of,
	ROWS_IN(struct heap_memory, handles, handles_count),
	ROW_NODE(struct heap_handle, object),
};

/* clang-format off */
static const struct column handles_columns[] = {
	/* id          title        width sorts cell              help                                              rank flags needs */
	{ "kind",      "Handle",    -15,  UP,   WORD_AT(STYLE_ROOT, handle_kinds, struct heap_handle, kind), "strong and pinned ones keep their object alive",  1, 0,    0 },
	{ "type",      "Type",      FILL, UP,   OBJECT_TYPE,        "the object that the handle refers to",            0, 0,    0 },
	OBJECT_COLUMN(UP, 0),
	SIZE_COLUMN(DOWN, 2),
	RETAINED_COLUMN(DOWN, 3),
	GENERATION_COLUMN(UP, 5),
	{ "dependent", "Dependent", 14,   UP,   NODE_AT(struct heap_handle, dependent),   "value that a dependent handle keeps while its object lives", 4, 0, 0 },
	{ "handle",    "Address",   14,   UP,   ADDRESS_AT(struct heap_handle, address),      "address of the handle",                           3, 0,    0 },
	METHOD_TABLE_COLUMN(UP, 9, COLUMN_MACHINE),
	{ 0 },
};
/* clang-format on */
const struct table handles_table = {
	.name = "handles",
	.heaps = OF_MEMORY,
	.contents = "handles",
	.needs = NEED_OBJECTS,
	.columns = handles_columns,
	.rows = &handles_rows,
};

/* --- objects with finalizers --------------------------------------------- */

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_memory *m = in->facts->heap->memory;
	bool is_ready = m->finalizables[row->data].is_ready;

	value_text(out, is_ready ? STYLE_WARNING : STYLE_NORMAL, is_ready ? "ready" : "registered");
}

static const struct row_source finalizers_rows = {
	.holder = memory_of,
	ROWS_IN(struct heap_memory, finalizables, finalizables_count),
	ROW_NODE(struct heap_finalizable, object),
};

/* clang-format off */
static const struct column finalizers_columns[] = {
	/* id         title       width sorts cell           help                                                    rank flags needs */
	{ "state",    "State",    -10,  UP,   CELL(VALUE_TEXT, cell_state),    "ready: unreachable, its finalizer waits to be run",      1, 0,    0 },
	{ "type",     "Type",     FILL, UP,   OBJECT_TYPE,     "the object that has a finalizer",                        0, 0,    0 },
	OBJECT_COLUMN(UP, 0),
	SIZE_COLUMN(DOWN, 2),
	RETAINED_COLUMN(DOWN, 3),
	GENERATION_COLUMN(UP, 4),
	METHOD_TABLE_COLUMN(UP, 9, COLUMN_MACHINE),
	{ 0 },
};
/* clang-format on */
const struct table finalizers_table = {
	.name = "finalizers",
	.heaps = OF_MEMORY,
	.contents = "finalizers",
	.needs = NEED_OBJECTS,
	.columns = finalizers_columns,
	.rows = &finalizers_rows,
};

/* --- threads ------------------------------------------------------------- */

static const char *const modes[] = {
	[THREAD_MODE_UNKNOWN] = "",
	[THREAD_PREEMPTIVE] = "preemptive",
	[THREAD_COOPERATIVE] = "cooperative",
};

static const struct heap_thread *
thread_of(const struct cells *in, const struct row *row)
{
	return &in->facts->heap->memory->threads[row->data];
}

static void
cell_os_id(const struct cells *in, const struct row *row, struct value *out)
{
	if (thread_of(in, row)->os_id)
		value_plain(out, thread_of(in, row)->os_id);
	else
		value_text(out, STYLE_DIM, "-");
}

static void
cell_thread(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_thread *t = thread_of(in, row);

	if (*t->name)
		value_text(out, STYLE_NORMAL, t->name);
	else
		value_text(out, STYLE_DIM, t->os_id ? "(no name)" : "(not started, or exited)");
}

static void
cell_exception(const struct cells *in, const struct row *row, struct value *out)
{
	node_id n = thread_of(in, row)->thrown;

	if (n == NODE_NONE)
		value_blank(out);
	else
		value_text(out, STYLE_TYPE, heap_type(in->facts->heap, n)->name);
}

static const struct row_source threads_rows = {
	.holder = memory_of,
	ROWS_IN(struct heap_memory, threads, threads_count),
	ROW_NODE(struct heap_thread, object),
};

/* clang-format off */
static const struct column threads_columns[] = {
	/* id         title       width sorts cell           help                                                    rank flags needs */
	{ "id",       "Id",       5,    UP,   NONZERO_AT(VALUE_PLAIN, struct heap_thread, id),       "managed thread id; blank if it has none",                0, 0,    0 },
	{ "os_id",    "OS id",    8,    UP,   CELL(VALUE_PLAIN, cell_os_id),    "thread id of the operating system",                      0, 0,    0 },
	{ "thread",   "Thread",   FILL, UP,   CELL(VALUE_TEXT, cell_thread),   "name of the thread",                                     0, 0,    0 },
	{ "mode",     "GC mode",  -11,  UP,   WORD_AT(STYLE_NORMAL, modes, struct heap_thread, mode),     "cooperative: in managed code, the collector has to stop it", 2, 0, 0 },
	{ "exception", "Exception", -28, UP,  CELL(VALUE_TEXT, cell_exception), "last exception thrown on it, handled or not",           1, 0,    0 },
	{ "object",   "Object",   14,   UP,   OBJECT_ADDRESS,   "its System.Threading.Thread object",                     3, 0,    0 },
	{ "thrown",   "Thrown",   14,   UP,   NODE_AT(struct heap_thread, thrown),   "address of that exception",                              5, 0,    0 },
	{ "record",   "Record",   14,   UP,   ADDRESS_AT(struct heap_thread, address), "the runtime's record of it",                         4, 0,    0 },
	{ 0 },
};
/* clang-format on */
const struct table threads_table = {
	.name = "threads",
	.heaps = OF_MEMORY,
	.contents = "threads",
	.needs = NEED_OBJECTS,
	.columns = threads_columns,
	.rows = &threads_rows,
};

/* --- modules ------------------------------------------------------------- */

static void
cell_module(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_module *m = &in->facts->heap->memory->modules[row->data];

	if (*m->path)
		value_text(out, STYLE_NORMAL, m->path);
	else
		value_text(out, STYLE_DIM, m->is_dynamic ? "(emitted at run time)" : "(no name)");
}

static const struct row_source modules_rows = {
	.holder = memory_of,
	ROWS_IN(struct heap_memory, modules, modules_count),
};

/* clang-format off */
static const struct column modules_columns[] = {
	/* id         title       width sorts cell           help                                                    rank flags needs */
	{ "module",   "Module",   FILL, UP,   CELL(VALUE_TEXT, cell_module),   "path, as the process saw it",                            0, 0,    0 },
	{ "image",    "Image",    14,   UP,   ADDRESS_AT(struct heap_module, image),    "address of the loaded file",                             1, 0,    0 },
	{ "size",     "Size",     11,   DOWN, { .kind = VALUE_BYTES, FIELD_OF(struct heap_module, image_bytes), .zero_is_blank = true, .is_exact = true }, "bytes of the loaded file",                               3, 0,    0 },
	{ "record",   "Record",   14,   UP,   ADDRESS_AT(struct heap_module, address), "the runtime's record of it",                             2, 0,    0 },
	{ 0 },
};
/* clang-format on */
const struct table modules_table = {
	.name = "modules",
	.heaps = OF_MEMORY,
	.contents = "modules",
	.needs = NEED_OBJECTS,
	.columns = modules_columns,
	.rows = &modules_rows,
};
