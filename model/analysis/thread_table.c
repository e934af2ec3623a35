/* Threads as a table: what each was doing, and the application's method that it was in. */
#include "model/analysis/awaited_lock.h"
#include "model/analysis/stacks.h"
#include "model/analysis/tables.h"
#include "model/heap/contents.h"
#include "model/table/object_columns.h"

struct thread_row {
	struct heap_thread thread;
	const char *state, *method;
	const char *holder; /* of the lock that it waits for */
	uint32_t depth;     /* UINT32_MAX: unknown */
};

struct made {
	struct stacks stacks;
	struct thread_row *rows; /* in the arena of the stacks */
	uint32_t count;
};

static const char *const modes[] = {
	[THREAD_MODE_UNKNOWN] = "",
	[THREAD_PREEMPTIVE] = "preemptive",
	[THREAD_COOPERATIVE] = "cooperative",
};

/* --- making rows --------------------------------------------------------- */

/* A stack that ends early, with no call at all, has an unknown depth. */
static void
add_thread(struct made *made, const struct facts *f, uint32_t i,
	   const struct content_frames *frames)
{
	const struct heap_thread *t = &f->heap->memory->threads[i];
	const struct content_frame *own = stack_own_frame(frames, f->my_modules);
	uint32_t depth = stack_depth(frames);

	made->rows[made->count++] = (struct thread_row){
		.thread = *t,
		.state = stack_state(t, frames, f->my_modules),
		.method = own ? own->text : "",
		.holder = "",
		.depth = depth || !*frames->why ? depth : UINT32_MAX,
	};
}

/* Only threads that wait for a lock are looked at: a stack may also refer to locks of others. */
static bool
name_holders(struct made *made, const struct heap *h, struct progress *progress, struct error *err)
{
	const struct heap_memory *m = h->memory;
	struct heap_locks locks = { 0 };
	bool ok = m->contents->awaited_locks(m->source, &locks, progress, err);

	for (uint32_t i = 0; ok && i < made->count; i++) {
		struct thread_row *row = &made->rows[i];
		const struct heap_lock *lock =
		    row->state == stack_waits_for_lock
			? awaited_lock(h, &locks, row->thread.os_id, progress)
			: NULL;

		if (lock)
			row->holder = lock_holder(h, lock, &made->stacks.arena, err);
		ok = row->holder != NULL;
	}
	memory_free(locks.items);
	return ok;
}

static bool
has_waiting(const struct made *made)
{
	for (uint32_t i = 0; i < made->count; i++)
		if (made->rows[i].state == stack_waits_for_lock)
			return true;
	return false;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	static const struct content_frames unknown = { .why = "contents are not read" };
	uint32_t count = f->heap->memory->threads_count;
	bool has_stacks = contents_exist(f->heap);
	struct made *m = made;

	(void)about;
	if (has_stacks && !stacks_read(&m->stacks, f->heap, 0, progress, err))
		return false;
	m->rows = arena_array(&m->stacks.arena, struct thread_row, count + (size_t)1, err);
	for (uint32_t i = 0; m->rows && i < count; i++)
		add_thread(m, f, i, has_stacks ? &m->stacks.items[i].frames : &unknown);
	return m->rows &&
	       (!has_waiting(m) || !contents_have_fields(f->heap) ||
		f->heap->memory->lacks_objects || name_holders(m, f->heap, progress, err));
}

static bool
is_quick(const struct facts *f, const struct subject *about)
{
	(void)about;
	return !contents_exist(f->heap);
}

static void
clear(void *made)
{
	struct made *m = made;

	stacks_clear(&m->stacks);
}

/* --- cells ---------------------------------------------------------------- */

static const struct thread_row *
row_of_thread(const struct cells *in, const struct row *row)
{
	const struct made *m = in->rows;

	return &m->rows[row->data];
}

static void
cell_os_id(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_thread *t = &row_of_thread(in, row)->thread;

	if (t->os_id)
		value_plain(out, t->os_id);
	else
		value_text(out, STYLE_DIM, "-");
}

static void
cell_thread(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_thread *t = &row_of_thread(in, row)->thread;

	if (*t->name)
		value_text(out, STYLE_NORMAL, t->name);
	else if (!t->os_id)
		value_text(out, STYLE_DIM, "(not started, or exited)");
	else if (heap_lacks_objects(in->facts->heap) && !t->is_unnamed)
		value_text(out, STYLE_DIM, "(not in the dump)");
	else
		value_text(out, STYLE_DIM, "(no name)");
}

static void
cell_exception(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_thread *t = &row_of_thread(in, row)->thread;

	if (t->thrown != NODE_NONE)
		value_text(out, STYLE_TYPE, heap_type(in->facts->heap, t->thrown)->name);
	else if (t->thrown_type)
		value_text(out, STYLE_TYPE, t->thrown_type);
	else
		value_blank(out);
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts cell           help                                                    rank flags needs */
	{ "id",       "Id",       5,    UP,   NONZERO_AT(VALUE_PLAIN, struct thread_row, thread.id), "managed thread id; blank if it has none",                0, 0,    0 },
	{ "os_id",    "OS id",    7,    UP,   CELL(VALUE_PLAIN, cell_os_id),    "thread id of the operating system",                      0, 0,    0 },
	{ "thread",   "Thread",   FILL, UP,   CELL(VALUE_TEXT, cell_thread),   "name of the thread",                                     0, 0,    0 },
	{ "state",    "State",    -20,  UP,   TEXT_AT(STYLE_NORMAL, struct thread_row, state), "what it was doing, as far as its calls say", 1, 0, 0 },
	{ "method",   "In",       -22,  UP,   TEXT_AT(STYLE_TYPE, struct thread_row, method), "the innermost call of the application on its stack", 2, 0, 0 },
	{ "holder",   "Lock held by", -22, UP, TEXT_AT(STYLE_WARNING, struct thread_row, holder), "the thread that holds the lock for which it waits", 5, 0, 0 },
	{ "calls",    "Calls",    6,    DOWN, KNOWN_AT(VALUE_COUNT, struct thread_row, depth), "calls of methods on its stack",        6, 0,    0 },
	{ "mode",     "GC mode",  -11,  UP,   WORD_AT(STYLE_NORMAL, modes, struct thread_row, thread.mode), "cooperative: in managed code, the collector has to stop it", 4, 0, 0 },
	{ "exception", "Exception", -28, UP,  CELL(VALUE_TEXT, cell_exception), "last exception thrown on it, handled or not",           3, 0,    0 },
	{ "object",   "Object",   14,   UP,   OBJECT_ADDRESS,   "its System.Threading.Thread object",                     5, 0,    0 },
	{ "thrown",   "Thrown",   14,   UP,   NODE_AT(struct thread_row, thread.thrown),   "address of that exception",                              7, 0,    0 },
	{ "record",   "Record",   14,   UP,   ADDRESS_AT(struct thread_row, thread.address), "the runtime's record of it",                         6, 0,    0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "walking stacks",
	.reads_my_modules = true,
	ROWS_IN(struct made, rows, count),
	ROW_NODE(struct thread_row, thread.object),
	.make = make,
	.clear = clear,
	.is_quick = is_quick,
};

const struct table threads_table = {
	.name = "threads",
	.heaps = OF_MEMORY,
	.contents = "threads",
	.needs = NEED_PROCESS,
	.columns = columns,
	.rows = &rows,
};
