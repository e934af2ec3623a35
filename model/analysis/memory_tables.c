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
	.needs = NEED_PROCESS,
	.columns = modules_columns,
	.rows = &modules_rows,
};
