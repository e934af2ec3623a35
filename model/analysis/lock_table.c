/* Locks as a table: locked objects, objects with a sync block, and objects that are locks; with the
   thread that holds each, how often, and which threads wait. */
#include "model/table/object_columns.h"
#include "model/analysis/lock_waiters.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/heap/memory.h"
#include "model/heap/node_map.h"
#include <string.h>

struct made {
	struct heap_locks locks;
	const char **names;           /* by lock: name of the thread that holds it, or NULL */
	struct lock_waiters *waiters; /* by lock */
	struct arena texts;
	uint64_t held_count, waiters_count, pulse_count;
};

/* --- making rows --------------------------------------------------------- */

/* "held" leaves out thin locks, and locks that no thread has entered. */
static bool
wants_held(const struct subject *about)
{
	return !strcmp(about->text, "held");
}

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	(void)f;
	return !*about->text || wants_held(about) ||
	       error_set(err, ERROR_USAGE, "locks takes no argument, or \"held\"");
}

static void
keep_held(struct heap_locks *locks)
{
	size_t kept = 0;

	for (size_t i = 0; i < locks->count; i++) {
		const struct heap_lock *lock = &locks->items[i];

		if (lock->entered && (lock->index || lock->is_object))
			locks->items[kept++] = *lock;
	}
	locks->count = kept;
}

/* Maps managed thread ids to the first thread with that id and a name. */
static bool
map_threads(const struct heap_memory *m, struct node_map *by_id, struct error *err)
{
	for (uint32_t i = 0; i < m->threads_count; i++)
		if (*m->threads[i].name && m->threads[i].id != NODE_NONE &&
		    !node_map_find(by_id, m->threads[i].id) &&
		    !node_map_add(by_id, m->threads[i].id, i, err))
			return false;
	return true;
}

static bool
name_holders(struct made *made, const struct heap_memory *m, struct error *err)
{
	struct node_map by_id = { 0 };
	bool ok;

	made->names = memory_new(made->locks.count + 1, sizeof *made->names, err);
	ok = made->names && map_threads(m, &by_id, err);
	for (size_t i = 0; ok && i < made->locks.count; i++) {
		const struct heap_lock *lock = &made->locks.items[i];
		const uint32_t *thread = node_map_find(&by_id, lock->thread);

		made->names[i] = thread ? m->threads[*thread].name : NULL;
	}
	node_map_clear(&by_id);
	return ok;
}

static void
sum_up(struct made *made)
{
	for (size_t i = 0; i < made->locks.count; i++) {
		const struct heap_lock *lock = &made->locks.items[i];

		made->held_count += lock->entered > 0;
		made->waiters_count += lock->waiters;
		if (lock->pulse_waiters != WAITERS_UNKNOWN)
			made->pulse_count += lock->pulse_waiters;
	}
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	const struct heap_memory *m = f->heap->memory;
	struct made *locks = made;
	const struct heap_locks *all = &locks->locks;

	arena_init(&locks->texts, 0);
	if (!m->contents->locks(m->source, &locks->locks, progress, err))
		return false;
	sum_up(locks);
	if (wants_held(about))
		keep_held(&locks->locks);
	locks->waiters = memory_new(all->count + 1, sizeof *locks->waiters, err);
	return locks->waiters && name_holders(locks, m, err) &&
	       lock_waiters_name(locks->waiters, f->heap, all, f->my_modules, &locks->texts,
				 progress, err);
}

static void
clear(void *made)
{
	struct made *m = made;

	memory_free(m->locks.items);
	memory_free(m->names);
	memory_free(m->waiters);
	arena_clear(&m->texts);
}

/* --- cells ---------------------------------------------------------------- */

static const struct heap_lock *
lock_of(const struct cells *in, const struct row *row)
{
	const struct made *m = in->rows;

	return &m->locks.items[row->data];
}

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_lock *lock = lock_of(in, row);

	value_text(out, STYLE_NORMAL,
		   lock->is_object ? "Lock"
		   : lock->index   ? "sync block"
				   : "thin lock");
}

/* Writes a number that only held locks have. */
static void
show_holder(const struct heap_lock *lock, uint64_t number, struct value *out)
{
	if (lock->entered && number)
		value_plain(out, number);
	else
		value_blank(out);
}

static void
cell_thread(const struct cells *in, const struct row *row, struct value *out)
{
	show_holder(lock_of(in, row), lock_of(in, row)->thread, out);
}

static void
cell_os_id(const struct cells *in, const struct row *row, struct value *out)
{
	show_holder(lock_of(in, row), lock_of(in, row)->os_id, out);
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;
	const char *name = m->names[row->data];

	if (!lock_of(in, row)->entered)
		value_text(out, STYLE_DIM, "not held");
	else if (name)
		value_text(out, STYLE_NORMAL, name);
	else
		value_text(out, STYLE_DIM, "(no name)");
}

static void
cell_waiters(const struct cells *in, const struct row *row, struct value *out)
{
	value_count(out, lock_of(in, row)->waiters);
	if (lock_of(in, row)->waiters)
		out->style = STYLE_WARNING;
}

static void
show_text(const char *text, enum style style, struct value *out)
{
	if (text)
		value_text(out, style, text);
	else
		value_blank(out);
}

static void
cell_waiting(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;

	show_text(m->waiters[row->data].methods, STYLE_TYPE, out);
}

static void
cell_ids(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;

	show_text(m->waiters[row->data].ids, STYLE_DIM, out);
}

static void
cell_pulse(const struct cells *in, const struct row *row, struct value *out)
{
	uint32_t count = lock_of(in, row)->pulse_waiters;

	if (count == WAITERS_UNKNOWN)
		value_text(out, STYLE_WARNING, "unknown");
	else
		value_count(out, count);
}

/* --- heading ------------------------------------------------------------- */

/* Reports unknown locks. Returns false if there are none. */
static bool
put_unknown(const struct heap_locks *locks, struct value *out)
{
	char blocks[FORMAT_BYTES], objects[FORMAT_BYTES];

	if (locks->unknown_objects_count)
		value_printf(out, STYLE_WARNING,
			     "%s sync blocks and %s Lock objects could not be read",
			     format_count(locks->unknown_count, blocks),
			     format_count(locks->unknown_objects_count, objects));
	else if (locks->unknown_count)
		value_printf(
		    out, STYLE_WARNING,
		    "%s sync blocks could not be read: they are not in memory, or are damaged",
		    format_count(locks->unknown_count, blocks));
	return locks->unknown_objects_count || locks->unknown_count;
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *m = in->rows;
	uint64_t held = m->held_count, waiters = m->waiters_count;
	char count[FORMAT_BYTES], waiting[FORMAT_BYTES], pulse[FORMAT_BYTES];

	if (line)
		return line == 1 && put_unknown(&m->locks, out);
	value_printf(out, waiters ? STYLE_WARNING : STYLE_DIM,
		     "%s object%s locked; %s thread%s for one, %s %s in Monitor.Wait",
		     format_count(held, count), held == 1 ? " is" : "s are",
		     format_count(waiters, waiting), waiters == 1 ? " waits" : "s wait",
		     format_count(m->pulse_count, pulse), m->pulse_count == 1 ? "is" : "are");
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id        title       width sorts cell                 help                                                     rank flags needs */
	{ "kind",    "Lock",     -10,  UP,   CELL(VALUE_TEXT, cell_kind),           "sync block; thin lock: only in the object header; Lock: the object is a lock", 4, 0, 0 },
	{ "index",   "Index",    6,    UP,   NONZERO_AT(VALUE_PLAIN, struct heap_lock, index),          "index of the sync block",                                 3, 0, 0 },
	{ "type",    "Type",     FILL, UP,   OBJECT_TYPE,    "the object that is locked",                               0, 0, 0 },
	OBJECT_COLUMN(UP, 0),
	{ "thread",  "Thread",   6,    UP,   CELL(VALUE_PLAIN, cell_thread),         "managed id of the thread that holds it",                  0, 0, 0 },
	{ "os_id",   "OS id",    8,    UP,   CELL(VALUE_PLAIN, cell_os_id),          "operating system id of that thread",                      2, 0, 0 },
	{ "name",    "Held by",  -18,  UP,   CELL(VALUE_TEXT, cell_name),           "name of that thread",                                     1, 0, 0 },
	{ "entered", "Entered",  7,    DOWN, COUNT_AT(struct heap_lock, entered),        "how often that thread has entered it",                    1, 0, 0 },
	{ "waiters", "Waiters",  7,    DOWN, CELL(VALUE_COUNT, cell_waiters),        "threads that wait for it",                                0, 0, 0 },
	{ "waiting", "Waiting",  -30,  UP,   CELL(VALUE_TEXT, cell_waiting),        "the methods of the application in which those threads are, where their stacks refer to the lock", 3, 0, 0 },
	{ "ids",     "Ids",      -14,  UNSORTED, CELL(VALUE_TEXT, cell_ids),        "managed ids of those threads, the first 12; OS 4711: one without a managed id",                      6, 0, 0 },
	{ "pulse",   "In Wait",  7,    DOWN, CELL(VALUE_COUNT, cell_pulse),          "threads in Monitor.Wait on it, waiting for a pulse",      2, 0, 0 },
	{ "block",   "Block",    14,   UP,   ADDRESS_AT(struct heap_lock, block),          "address of the sync block",                               5, 0, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "looking for locks",
	.reads_my_modules = true,
	ROWS_IN(struct made, locks.items, locks.count),
	ROW_NODE(struct heap_lock, object),
	.accepts = accepts,
	.make = make,
	.clear = clear,
};

const struct table locks_table = {
	.name = "locks",
	.columns = columns,
	.heaps = OF_FIELDS,
	.contents = "locks",
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
