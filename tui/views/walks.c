/*
 * The heap walks in the open trace, one for each collection that made one; Enter opens another as a
 * heap of its own.
 */
#include "tui/session/snapshots.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <string.h>

static const struct heap_info *
info_of(const struct view *v)
{
	return &v->session->heap->info;
}

static bool
walks_open(struct view *v, struct error *err)
{
	if (!v->session->heap || !info_of(v)->walks_count)
		return error_set(err, ERROR_USAGE,
				 "only a .nettrace contains heap walks; to record one: heaptop -o "
				 "FILE.nettrace PID");
	return true;
}

static const void *
info_of_heap(const struct facts *f)
{
	return &f->heap->info;
}

static const struct row_source rows = {
	.holder = info_of_heap,
	ROWS_IN(struct heap_info, walks, walks_count),
};

/* --- cells --------------------------------------------------------------- */

static const struct heap_walk *
walk_of(const struct cells *in, const struct row *row)
{
	return &in->facts->heap->info.walks[row->data];
}

static uint64_t
number_of_walk(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->data + 1;
}

static uint64_t
number_gc(const struct cells *in, const struct row *row)
{
	const struct heap_walk *w = walk_of(in, row);

	return w->has_gc ? w->gc_number : UINT64_MAX;
}

static void
cell_time(const struct cells *in, const struct row *row, struct value *out)
{
	value_time(out, walk_of(in, row)->time);
}

static bool
is_open(const struct cells *in, const struct row *row)
{
	return row->data == in->facts->heap->info.walk;
}

/* The open heap has dropped duplicate roots; other walks count all of them. */
static uint64_t
number_roots(const struct cells *in, const struct row *row)
{
	return is_open(in, row) ? in->facts->heap->roots_count : walk_of(in, row)->roots_count;
}

static uint64_t
number_pause(const struct cells *in, const struct row *row)
{
	uint64_t ns = walk_of(in, row)->pause_ns;

	return ns ? ns : UINT64_MAX;
}

static void
cell_this(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_ROOT, is_open(in, row) ? "this one" : "");
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	const char *missing = walk_of(in, row)->missing;

	if (*missing)
		value_text(out, STYLE_WARNING, missing);
	else
		value_text(out, STYLE_NORMAL, "complete");
}

/* --- commands ------------------------------------------------------------ */

/* Returns whether the session's heap is that walk, or is about to load it. */
static bool
is_of_walk(const struct session *s, const char *path)
{
	const struct heap_info *info = s->heap ? &s->heap->info : NULL;

	if (info && info->walks_count)
		return !strcmp(info->walks[info->walk].path, path);
	return s->loader.path && !strcmp(s->loader.path, path) && !session_has_failed(s);
}

/* Returns the session that has opened this walk, or NULL. */
static struct session *
find_session(const struct snapshots *all, const char *path)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_of_walk(all->sessions[i], path))
			return all->sessions[i];
	return NULL;
}

static bool
open_walk(const struct call *call, struct error *err)
{
	const struct view *v = call->view;
	struct snapshots *all = v->session->snapshots;
	struct loader loader = v->session->loader;
	struct session *s;
	struct row row;

	if (!view_selected(v, &row))
		return error_set(err, ERROR_USAGE, "no walk is selected");
	if (!all || loader.capture)
		return error_set(err, ERROR_USAGE, "no other heap can be opened here");
	/* The heap owns the path; all heaps are freed together. */
	loader.path = info_of(v)->walks[row.data].path;
	s = find_session(all, loader.path);
	if (!s)
		s = snapshots_add(all, &loader, err);
	if (!s || !snapshots_start_next(all, err))
		return false;
	return request_open_in(call, s, "types", &target_none);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                       rank flags needs */
	{ "number",  "#",       4,    UP,       NUMBER(VALUE_PLAIN, number_of_walk),  "in the order of the trace",                  0, 0, 0 },
	{ "gc",      "GC",      7,    UP,       NUMBER(VALUE_PLAIN, number_gc),      "number of the collection that walked the heap",       4, 0, 0 },
	{ "time",    "Time",    -19,  UP,       CELL(VALUE_TEXT, cell_time),    "when it began, on the clock of the process",  3, 0, 0 },
	{ "objects", "Objects", 12,   DOWN,     COUNT_AT(struct heap_walk, objects_count), "objects in it",                              0, 0, 0 },
	{ "size",    "Size",    12,   DOWN,     BYTES_AT(struct heap_walk, bytes_count),    "their bytes",                                1, 0, 0 },
	{ "refs",    "Refs",    12,   DOWN,     COUNT_AT(struct heap_walk, refs_count),    "references that arrived",                    5, 0, 0 },
	{ "roots",   "Roots",   8,    DOWN,     NUMBER(VALUE_COUNT, number_roots),   "roots of the open heap; for others all that arrived, including duplicates", 6, 0, 0 },
	{ "pause_us", "Pause ms", 9,  DOWN,     NUMBER(VALUE_DURATION, number_pause),   "how long it paused the process; CSV: microseconds", 4, 0, 0 },
	{ "this",    "",        -8,   UNSORTED, CELL(VALUE_TEXT, cell_this),    "the one that is open",                       2, 0, 0 },
	{ "state",   "State",   FILL, UP,       CELL(VALUE_TEXT, cell_state),   "complete, or what was lost",  0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "walks", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	/* name    keys     bar      help, .run, then other fields */
	{ "open", "Enter", "types", "open this walk and show its types", .run = open_walk, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code walks_code = {
	.open = walks_open,
};

const struct view_ops view_walks = {
	.command = { .name = "walks", .help = "the heap walks in this .nettrace" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "there is no heap walk in this file; :gcs shows its collections" },
	.list = { .needs = NEED_OBJECTS },
	.code = &walks_code,
};
