/*
 * Objects that are locked, those that have a sync block, and those that are
 * locks: which thread is in, how often, and how many wait. Of heaps from memory
 * alone; a pass over all headers.
 */
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include "model/heap/node_map.h"
#include <string.h>

struct locks_state {
	struct heap_locks locks;
	const char **names; /* of the threads that hold them; NULL: none */
	uint64_t held_count, waiters_count, pulse_count, thin_count;
	bool is_read;
	bool only_held; /* sync blocks and Locks that somebody holds */
	char nothing[FORMAT_BYTES + 80];
};

static const struct heap_lock *
lock_of(const struct locks_state *state, const struct row *row)
{
	return &state->locks.items[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_lock *lock = lock_of(in->rows, row);

	value_text(out, STYLE_NORMAL,
		   lock->is_object ? "Lock"
		   : lock->index   ? "sync block"
				   : "thin lock");
}

static void
cell_index(const struct cells *in, const struct row *row, struct value *out)
{
	if (lock_of(in->rows, row)->index)
		value_plain(out, lock_of(in->rows, row)->index);
	else
		value_blank(out);
}

/* A number that is told of what is held alone. */
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
	show_holder(lock_of(in->rows, row), lock_of(in->rows, row)->thread,
		    out);
}

static void
cell_os_id(const struct cells *in, const struct row *row, struct value *out)
{
	show_holder(lock_of(in->rows, row), lock_of(in->rows, row)->os_id, out);
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct locks_state *state = in->rows;
	const char *name = state->names[row->data];

	if (!lock_of(in->rows, row)->entered)
		value_text(out, STYLE_DIM, "nobody");
	else if (name)
		value_text(out, STYLE_NORMAL, name);
	else
		value_text(out, STYLE_DIM, "(no name)");
}

static void
cell_waiters(const struct cells *in, const struct row *row, struct value *out)
{
	value_count(out, lock_of(in->rows, row)->waiters);
	if (lock_of(in->rows, row)->waiters)
		out->style = STYLE_WARNING;
}

static void
cell_pulse(const struct cells *in, const struct row *row, struct value *out)
{
	uint32_t count = lock_of(in->rows, row)->pulse_waiters;

	if (count == WAITERS_UNKNOWN)
		value_text(out, STYLE_WARNING, "unknown");
	else
		value_count(out, count);
}

/* --- looking for them ---------------------------------------------------- */

struct looking {
	const struct heap *heap;
	struct heap_locks locks;
	const char **names;
	uint64_t held_count, waiters_count, pulse_count, thin_count;
};

/* By their managed numbers; of several the first that has a name. */
static bool
map_threads(const struct heap_memory *m, struct node_map *by_id,
	    struct error *err)
{
	for (uint32_t i = 0; i < m->threads_count; i++)
		if (*m->threads[i].name && m->threads[i].id != NODE_NONE &&
		    !node_map_find(by_id, m->threads[i].id) &&
		    !node_map_add(by_id, m->threads[i].id, i, err))
			return false;
	return true;
}

static bool
sum_up(struct looking *job, struct error *err)
{
	const struct heap_memory *m = job->heap->memory;
	struct node_map by_id = { 0 };
	bool ok;

	job->names = memory_new(job->locks.count + 1, sizeof *job->names, err);
	ok = job->names && map_threads(m, &by_id, err);
	for (size_t i = 0; ok && i < job->locks.count; i++) {
		const struct heap_lock *lock = &job->locks.items[i];
		const uint32_t *thread = node_map_find(&by_id, lock->thread);

		job->names[i] = thread ? m->threads[*thread].name : NULL;
		job->held_count += lock->entered > 0;
		job->thin_count += !lock->index && !lock->is_object;
		job->waiters_count += lock->waiters;
		if (lock->pulse_waiters != WAITERS_UNKNOWN)
			job->pulse_count += lock->pulse_waiters;
	}
	node_map_clear(&by_id);
	return ok;
}

static bool
run_looking(void *context, struct progress *progress, struct error *err)
{
	struct looking *job = context;
	const struct heap_memory *m = job->heap->memory;

	return m->contents->locks(m->source, &job->locks, progress, err) &&
	       sum_up(job, err);
}

static void
row_of_lock(const struct view *v, uint32_t item, struct row *out)
{
	const struct locks_state *state = v->state;

	*out = row_of_node(v->session->heap, state->locks.items[item].object);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}

static bool
is_shown(const struct locks_state *state, const struct heap_lock *lock)
{
	return !state->only_held ||
	       (lock->entered && (lock->index || lock->is_object));
}

static bool
show_locks(struct view *v, struct error *err)
{
	struct locks_state *state = v->state;
	uint32_t *items =
	    memory_new(state->locks.count + 1, sizeof *items, err);
	size_t count = 0;

	if (!items)
		return false;
	for (uint32_t i = 0; i < state->locks.count; i++)
		if (is_shown(state, &state->locks.items[i]))
			items[count++] = i;
	return view_list_items(v, items, count, err);
}

/* Of `locks held`, where nothing else would say why there is no row. */
static void
tell_nothing(struct locks_state *state)
{
	char count[FORMAT_BYTES];

	snprintf(state->nothing, sizeof state->nothing,
		 "no sync block is held; %s thin lock%s%s",
		 format_count(state->thin_count, count),
		 plural(state->thin_count),
		 state->thin_count ? "; :locks lists all" : "");
}

static void
looking_done(struct view *v, void *context, bool ok)
{
	struct locks_state *state = v->state;
	struct looking *job = context;

	if (ok) {
		state->locks = job->locks;
		state->names = job->names;
		state->held_count = job->held_count;
		state->waiters_count = job->waiters_count;
		state->pulse_count = job->pulse_count;
		state->thin_count = job->thin_count;
		tell_nothing(state);
		state->is_read = true;
		v->is_stale = true;
	} else {
		memory_free(job->locks.items);
		memory_free(job->names);
	}
	memory_free(job);
}

static bool
start_looking(struct view *v, struct error *err)
{
	struct looking *job = memory_new(1, sizeof *job, err);

	if (!job)
		return false;
	job->heap = v->session->heap;
	return view_run(v, "looking for locks", run_looking, looking_done, job,
			err);
}

static bool
locks_rows(struct view *v, struct error *err)
{
	const struct locks_state *state = v->state;

	return object_contents_known(v, "locks", err) &&
	       view_after(v, state->is_read, start_looking, show_locks, err);
}

/* --- the view ------------------------------------------------------------ */

/* Where nothing is held, what is, stands in the place of rows. */
static bool
show_held(struct view *v, struct error *err)
{
	struct locks_state *state = v->state;
	struct view_ops *ops = arena_new(&v->arena, struct view_ops, err);

	if (!ops)
		return false;
	*ops = *v->ops;
	ops->empty = state->nothing;
	v->ops = ops;
	state->only_held = true;
	snprintf(v->title, sizeof v->title, "locks held");
	return true;
}

static bool
locks_open(struct view *v, struct error *err)
{
	struct locks_state *state =
	    arena_new(&v->arena, struct locks_state, err);

	v->state = state;
	if (!state || !object_contents_known(v, "locks", err))
		return false;
	if (!*v->target.topic)
		return true;
	if (strcmp(v->target.topic, "held") != 0)
		return error_set(err, ERROR_USAGE,
				 "locks are all, or those that are held: "
				 "locks held");
	return show_held(v, err);
}

static void
locks_close(struct view *v)
{
	struct locks_state *state = v->state;

	if (!state)
		return;
	memory_free(state->locks.items);
	memory_free(state->names);
}

/* False: there is nothing to tell. */
static bool
tell_unknown(const struct heap_locks *locks, struct value *out)
{
	char blocks[FORMAT_BYTES], objects[FORMAT_BYTES];

	if (locks->unknown_objects_count)
		value_printf(
		    out, STYLE_WARNING,
		    "of %s sync blocks and %s Lock objects nothing is known",
		    format_count(locks->unknown_count, blocks),
		    format_count(locks->unknown_objects_count, objects));
	else if (locks->unknown_count)
		value_printf(out, STYLE_WARNING,
			     "of %s sync blocks nothing is known: they are not "
			     "in memory, or are no such",
			     format_count(locks->unknown_count, blocks));
	return locks->unknown_objects_count || locks->unknown_count;
}

static bool
locks_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct locks_state *state = v->state;
	uint64_t held = state->held_count, waiters = state->waiters_count;
	char count[FORMAT_BYTES], waiting[FORMAT_BYTES], pulse[FORMAT_BYTES];

	if (!state->is_read) {
		value_pending(out);
		return line == 0;
	}
	if (line)
		return line == 1 && tell_unknown(&state->locks, out);
	value_printf(out, waiters ? STYLE_WARNING : STYLE_DIM,
		     "%s object%s locked; %s thread%s for one, %s %s in "
		     "Monitor.Wait",
		     format_count(held, count), held == 1 ? " is" : "s are",
		     format_count(waiters, waiting),
		     waiters == 1 ? " waits" : "s wait",
		     format_count(state->pulse_count, pulse),
		     state->pulse_count == 1 ? "is" : "are");
	return true;
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return lock_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title       width sorts cell                 help                                                     rank flags needs */
	{ "kind",    "Lock",     -10,  UP,   CELL(VALUE_TEXT, cell_kind),           "sync block; thin lock: in its header alone; Lock: itself", 4, 0, 0 },
	{ "index",   "Index",    6,    UP,   CELL(VALUE_PLAIN, cell_index),          "of the sync block",                                       3, 0, 0 },
	{ "type",    "Type",     FILL, UP,   OBJECT_TYPE,    "the object that is locked",                               0, 0, 0 },
	OBJECT_COLUMN(UP, 0),
	{ "thread",  "Thread",   6,    UP,   CELL(VALUE_PLAIN, cell_thread),         "who holds it, as the program knows it",                   0, 0, 0 },
	{ "os_id",   "System",   8,    UP,   CELL(VALUE_PLAIN, cell_os_id),          "the same as the system knows it",                         2, 0, 0 },
	{ "name",    "Held by",  -18,  UP,   CELL(VALUE_TEXT, cell_name),           "name of the thread",                                      1, 0, 0 },
	{ "entered", "Entered",  7,    DOWN, COUNT_AT(struct heap_lock, entered),        "how often by that thread",                                1, 0, 0 },
	{ "waiters", "Waiters",  7,    DOWN, CELL(VALUE_COUNT, cell_waiters),        "threads that wait for it",                                0, 0, 0 },
	{ "pulse",   "In Wait",  7,    DOWN, CELL(VALUE_COUNT, cell_pulse),          "threads in Monitor.Wait on it, until somebody pulses",    2, 0, 0 },
	{ "block",   "Block",    14,   UP,   ADDRESS_AT(struct heap_lock, block),          "where the sync block is",                                 5, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "locks", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, and what differs from nothing */
	{ "enter", "Enter", "inspect", "look into the object", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_locks = {
	.command = { .name = "locks",
		     .keys = "",
		     .args = { MAY_BE(NULL, WORDS("held")) },
		     .bar = "",
		     .help = "objects that are locked, by whom, and who "
			     "waits; held: sync blocks and Locks" },
	.empty = "no object is locked; :threads lists the threads, :async "
		 "calls that wait for something else",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.flags = VIEW_TELLS | VIEW_OBJECTS | VIEW_MEMORY,
	.open = locks_open,
	.close = locks_close,
	.rows = locks_rows,
	.item_row = row_of_lock,
	.heading = locks_heading,
};
