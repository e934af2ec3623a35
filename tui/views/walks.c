/*
 * The walks of the heap in the trace that is open, one a collection; Enter
 * opens another beside it.
 */
#include "tui/session/snapshots.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <string.h>
#include <time.h>

struct walks_state {
	uint32_t *shown; /* indexes of heap->info.walks */
};

static const struct heap_info *
info_of(const struct view *v)
{
	return &v->session->heap->info;
}

static const struct heap_walk *
walk_of(const struct view *v, const struct row *row)
{
	return &info_of(v)->walks[row->data];
}

static void
row_of_walk(const struct view *v, uint32_t item, struct row *out)
{
	(void)v;
	*out = row_of(ROW_PLAIN);
	out->data = out->key = item;
}

static bool
walks_open(struct view *v, struct error *err)
{
	if (!v->session->heap || !info_of(v)->walks_count)
		return error_set(
		    err, ERROR_USAGE,
		    "only a .nettrace holds walks of the heap; "
		    "one of a process: heaptop -o FILE.nettrace PID");
	v->state = arena_new(&v->arena, struct walks_state, err);
	return v->state != NULL;
}

static void
walks_close(struct view *v)
{
	struct walks_state *state = v->state;

	if (state)
		memory_free(state->shown);
}

static bool
walks_rows(struct view *v, struct error *err)
{
	struct walks_state *state = v->state;

	return view_show_all(v, &state->shown, info_of(v)->walks_count,
			     row_of_walk, err);
}

static void
walks_row(const struct view *v, size_t index, struct row *out)
{
	const struct walks_state *state = v->state;

	row_of_walk(v, state->shown[index], out);
}

/* --- cells --------------------------------------------------------------- */

static void
cell_number(const struct view *v, const struct row *row, struct value *out)
{
	(void)v;
	value_plain(out, row->data + 1);
}

static void
cell_gc(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_walk *w = walk_of(v, row);

	if (w->has_gc)
		value_plain(out, w->gc_number);
	else
		value_blank(out);
}

static void
cell_time(const struct view *v, const struct row *row, struct value *out)
{
	time_t at = (time_t)walk_of(v, row)->time;
	struct tm tm;
	char text[32];

	value_blank(out);
	if (at > 0 && gmtime_r(&at, &tm) &&
	    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		value_printf(out, STYLE_NORMAL, "%s", text);
}

static void
cell_objects(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, walk_of(v, row)->objects_count);
}

static void
cell_size(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, walk_of(v, row)->bytes_count);
}

static void
cell_refs(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, walk_of(v, row)->refs_count);
}

static bool
is_open(const struct view *v, const struct row *row)
{
	return row->data == info_of(v)->walk;
}

/* A heap keeps one of those that are equal: of another nobody knows which. */
static void
cell_roots(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, is_open(v, row) ? v->session->heap->roots_count
					 : walk_of(v, row)->roots_count);
}

static void
cell_pause(const struct view *v, const struct row *row, struct value *out)
{
	uint64_t ns = walk_of(v, row)->pause_ns;

	if (ns)
		value_duration(out, ns);
	else
		value_blank(out);
}

static void
cell_this(const struct view *v, const struct row *row, struct value *out)
{
	value_text(out, STYLE_ROOT, is_open(v, row) ? "this one" : "");
}

static void
cell_state(const struct view *v, const struct row *row, struct value *out)
{
	const char *missing = walk_of(v, row)->missing;

	if (*missing)
		value_text(out, STYLE_WARNING, missing);
	else
		value_text(out, STYLE_NORMAL, "complete");
}

/* --- commands ------------------------------------------------------------ */

/* Its heap is that walk, or will be. */
static bool
is_of_walk(const struct session *s, const char *path)
{
	const struct heap_info *info = s->heap ? &s->heap->info : NULL;

	if (info && info->walks_count)
		return !strcmp(info->walks[info->walk].path, path);
	return s->loader.path && !strcmp(s->loader.path, path) &&
	       !session_has_failed(s);
}

/* Opened before, perhaps; else NULL. */
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
		return error_set(err, ERROR_USAGE,
				 "no other heap can be opened here");
	/* The path is the heap's; all heaps stay as long as any of them. */
	loader.path = walk_of(v, &row)->path;
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
	{ "number",  "#",       4,    UP,       cell_number,  "in the order of the trace",                  0, 0, 0 },
	{ "gc",      "GC",      7,    UP,       cell_gc,      "number of the collection that walked",       4, 0, 0 },
	{ "time",    "Time",    -19,  UP,       cell_time,    "when it began, in the time of the process",  3, 0, 0 },
	{ "objects", "Objects", 12,   DOWN,     cell_objects, "objects in it",                              0, 0, 0 },
	{ "size",    "Size",    12,   DOWN,     cell_size,    "their bytes",                                1, 0, 0 },
	{ "refs",    "Refs",    12,   DOWN,     cell_refs,    "references that arrived",                    5, 0, 0 },
	{ "roots",   "Roots",   8,    DOWN,     cell_roots,   "roots of the heap that is open; of others all that arrived, also equal ones", 6, 0, 0 },
	{ "pause_us", "Pause ms", 9,  DOWN,     cell_pause,   "how long the process stood still for it; CSV: microseconds", 4, 0, 0 },
	{ "this",    "",        -8,   UNSORTED, cell_this,    "the one that is open",                       2, 0, 0 },
	{ "state",   "State",   FILL, UP,       cell_state,   "whether it is complete, else what is lost",  0, 0, 0 },
	{ 0 },
};
static const struct command commands[] = {
	/* name  keys     args bar    help                           run        takes_count */
	{ "open", "Enter", "",  "types", "open this walk, its types", open_walk, false },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_walks = {
	.command = { .name = "walks",
		     .keys = "",
		     .args = "",
		     .bar = "",
		     .help = "the walks of the heap in this .nettrace" },
	.empty =
	    "no walk of a heap is in this file; :gcs shows its collections",
	.columns = columns,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.open = walks_open,
	.close = walks_close,
	.rows = walks_rows,
	.row = walks_row,
};
