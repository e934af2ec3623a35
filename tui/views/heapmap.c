/*
 * A map of heap memory: one cell for each stretch of addresses, on lines that each belong to one
 * generation of one GC heap. The heading describes the cell under the cursor, Enter lists its
 * objects, + and - change the scale. When sorted, filtered or after `t`, and in batch mode, it is a
 * table with one row for each stretch.
 */
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/widget/map_picture.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/analysis/heap_map.h"
#include "model/heap/memory.h"
#include <string.h>

enum { STRETCHES_AT_FIRST = 1000 /* about one screen of 80 by 24 */ };

struct map_state {
	struct heap_map map; /* empty until it is drawn */
	uint32_t reach_version;
	unsigned shift;         /* log2 of bytes per cell; 0: not chosen yet */
	bool is_table;          /* `t` asked for the table */
	struct map_lines lines; /* layout sets `across` */
};

static const struct map_stretch *
stretch_of(const struct map_state *state, const struct row *row)
{
	return &state->map.stretches[row->data];
}

static const struct range *
range_of(const struct map_state *state, const struct map_stretch *s)
{
	return heap_map_range(&state->map, s);
}

/* --- cells --------------------------------------------------------------- */

static void
cell_gen(const struct cells *in, const struct row *row, struct value *out)
{
	value_generation(
	    out, (enum generation)range_of(in->rows, stretch_of(in->rows, row))->generation);
}

static void
cell_heap(const struct cells *in, const struct row *row, struct value *out)
{
	int32_t heap = range_of(in->rows, stretch_of(in->rows, row))->heap_number;

	if (heap < 0)
		value_blank(out);
	else
		value_plain(out, (uint64_t)heap);
}

static void
cell_bytes(const struct cells *in, const struct row *row, struct value *out)
{
	value_bytes(out, stretch_of(in->rows, row)->end - stretch_of(in->rows, row)->start);
}

static void
cell_objects(const struct cells *in, const struct row *row, struct value *out)
{
	const struct map_stretch *s = stretch_of(in->rows, row);

	value_count(out, (uint64_t)s->live_count + s->dead_count);
}

static void
cell_dead(const struct cells *in, const struct row *row, struct value *out)
{
	describe_dead_bytes(in->facts->heap, stretch_of(in->rows, row)->dead_bytes, out);
}

static void
cell_dead_count(const struct cells *in, const struct row *row, struct value *out)
{
	describe_dead_count(in->facts->heap, stretch_of(in->rows, row)->dead_count, out);
}

static void
cell_rest(const struct cells *in, const struct row *row, struct value *out)
{
	value_bytes(out, map_picture_other_bytes(stretch_of(in->rows, row)));
}

/* --- rows ---------------------------------------------------------------- */

static void
row_of_stretch(const struct view *v, uint32_t item, struct row *out)
{
	const struct map_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = state->map.stretches[item].start;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct map_state *state = v->state;

	return view_show_all(v, state->map.count, err);
}

/* The input and the result of the job that draws the map. */
struct drawing {
	const struct heap *heap;
	const struct reach *reach;
	uint32_t reach_version;
	unsigned shift;
	struct heap_map map;
	struct map_lines lines;
};

static bool
draw_map(void *context, struct progress *progress, struct error *err)
{
	struct drawing *d = context;

	if (!d->shift)
		d->shift = heap_map_shift(d->heap, STRETCHES_AT_FIRST);
	return heap_map_init(&d->map, d->heap, d->reach, d->shift, progress, err) &&
	       map_lines_init(&d->lines, &d->map, err);
}

static void
clear_map(struct map_state *state)
{
	heap_map_clear(&state->map);
	map_lines_clear(&state->lines);
}

static void
take_map(struct view *v, void *context, bool ok)
{
	struct map_state *state = v->state;
	struct error ignored = { 0 };
	struct drawing *d = context;

	if (ok) {
		clear_map(state);
		v->rows_count = 0;
		state->map = d->map;
		state->lines = d->lines;
		state->reach_version = d->reach_version;
		(void)arrange(v, &ignored);
	} else {
		heap_map_clear(&d->map);
		map_lines_clear(&d->lines);
	}
	state->shift = state->map.shift;
	memory_free(d);
}

static bool
has_map(const struct heap *h, struct error *err)
{
	static const char trace[] = "nettrace";

	if (h->ranges_count)
		return true;
	if (!strncmp(h->info.format, trace, sizeof trace - 1))
		return error_set(
		    err, ERROR_USAGE,
		    "no map: this trace does not record segments (GCHeapSurvivalAndMovement, "
		    "0x400000); a core does, and so does a process: heaptop -m PID");
	return error_set(err, ERROR_USAGE,
			 "no map: this heap does not record where its segments are; a .nettrace "
			 "can, a core does, and so does a process: heaptop -m PID");
}

static bool
map_rows(struct view *v, struct error *err)
{
	struct map_state *state = v->state;
	const struct session *s = v->session;
	struct drawing *d;

	if (!has_map(s->heap, err))
		return false;
	if (state->map.count && state->reach_version == s->reach_version &&
	    state->map.shift == state->shift)
		return arrange(v, err);
	d = memory_new(1, sizeof *d, err);
	if (!d)
		return false;
	d->heap = s->heap;
	d->reach = s->reach;
	d->reach_version = s->reach_version;
	d->shift = state->shift;
	return view_run(v, "drawing the map", draw_map, take_map, d, err);
}

/* Returns the row whose stretch contains the address, so that the cursor stays in place when the
   scale changes. */
static size_t
map_find(const struct view *v, uint64_t key)
{
	const struct map_state *state = v->state;

	for (size_t i = 0; i < v->rows_count; i++) {
		const struct map_stretch *s = &state->map.stretches[v->items[i]];

		if (key >= s->start && key < s->end)
			return i;
	}
	return SIZE_MAX;
}

static bool
map_open(struct view *v, struct error *err)
{
	if (v->session->heap && !has_map(v->session->heap, err))
		return false;
	v->state = arena_new(&v->arena, struct map_state, err);
	return v->state != NULL;
}

static void
map_close(struct view *v)
{
	if (v->state)
		clear_map(v->state);
}

/* --- the picture --------------------------------------------------------- */

static bool
is_picture(const struct view *v)
{
	const struct map_state *state = v->state;

	return !state->is_table && v->sort < 0 && !v->filter && !v->session->is_batch &&
	       v->rows_count == state->map.count;
}

static bool
layout_map(struct view *v)
{
	struct map_state *state = v->state;

	if (!is_picture(v))
		return false;
	state->lines.across = map_picture_across(v, &state->lines);
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count - 1;
	v->top = map_lines_top(&state->lines, v->top < v->rows_count ? v->top : v->cursor,
			       v->cursor, v->rows_shown)
		     .first;
	return true;
}

static void
draw_map_picture(const struct view *v, struct screen *s, bool has_focus)
{
	const struct map_state *state = v->state;

	map_picture_draw(v, s, &state->map, &state->lines, has_focus);
}

static size_t
pick_cell(const struct view *v, int line, int column)
{
	const struct map_state *state = v->state;

	return map_picture_pick(v, &state->lines, line, column);
}

/* --- heading ------------------------------------------------------------- */

static void
describe_map(const struct view *v, struct value *out)
{
	const struct map_state *state = v->state;
	char bytes[FORMAT_BYTES], count[FORMAT_BYTES], cell[FORMAT_BYTES];
	uint64_t all = 0;

	for (uint32_t i = 0; i < v->session->heap->ranges_count; i++)
		all += v->session->heap->ranges[i].end - v->session->heap->ranges[i].start;
	value_printf(out, STYLE_NORMAL, "%s with objects, in %s stretches of %s at most",
		     format_size(all, bytes), format_count(state->map.count, count),
		     format_size(UINT64_C(1) << state->map.shift, cell));
}

static bool
map_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct map_state *state = v->state;
	bool has_cell = is_picture(v) && v->cursor < v->rows_count;

	if (!state->map.count || line > has_cell)
		return false;
	if (line < has_cell)
		map_picture_describe(v, &state->map, out);
	else
		describe_map(v, out);
	return true;
}

/* --- commands ------------------------------------------------------------ */

/* Moves by lines and keeps the column, or takes the last one of a shorter line: a line ends with
   its generation. */
static void
move_lines(struct view *v, long long by)
{
	const struct map_state *state = v->state;
	struct map_line from, to;
	uint32_t column;

	if (!v->is_picture) {
		view_move_by(v, by);
		return;
	}
	from = map_line_of(&state->lines, v->cursor);
	to = map_line_from(&state->lines, from, by);
	column = (uint32_t)v->cursor - from.first;
	if (column >= to.end - to.first)
		column = to.end - to.first - 1;
	view_move_to(v, to.first + column);
}

/* Commands that move the cursor, and how far. */
static const struct motion {
	const char *command;
	int lines, screens, cells;
} motions[] = {
	{ "line-down", .lines = 1 },     { "line-up", .lines = -1 },
	{ "screen-down", .screens = 1 }, { "screen-up", .screens = -1 },
	{ "cell-right", .cells = 1 },    { "cell-left", .cells = -1 },
};

static bool
move(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct motion *m = motions;
	long long times = call->count ? call->count : 1;

	(void)err;
	while (strcmp(m->command, call->command->name) != 0)
		m++;
	if (m->cells)
		view_move_by(v, times * m->cells);
	else
		move_lines(v, times * (m->lines + m->screens * v->rows_shown));
	return true;
}

static bool
zoom_to(struct view *v, unsigned shift, struct error *err)
{
	struct map_state *state = v->state;

	view_cancel(v);
	v->has_moved = true; /* keep the cursor on its address */
	state->shift = shift;
	return view_reload(v, err);
}

static bool
zoom_in(const struct call *call, struct error *err)
{
	const struct map_state *state = call->view->state;
	unsigned shift = state->shift - 1;

	if (!state->map.count)
		return true;
	if (shift < HEAP_MAP_SHIFT_MIN || heap_map_count(state->map.heap, shift) > HEAP_MAP_MAX)
		return error_set(err, ERROR_USAGE,
				 "the map cannot get finer; Enter lists the objects");
	return zoom_to(call->view, shift, err);
}

static bool
zoom_out(const struct call *call, struct error *err)
{
	const struct map_state *state = call->view->state;
	const struct heap *h = state->map.heap;

	if (!state->map.count)
		return true;
	if (heap_map_count(h, state->shift) == h->ranges_count)
		return error_set(err, ERROR_USAGE, "each segment is already one cell");
	return zoom_to(call->view, state->shift + 1, err);
}

static bool
turn_table(const struct call *call, struct error *err)
{
	struct map_state *state = call->view->state;

	state->is_table = is_picture(call->view);
	if (state->is_table)
		return true;
	return view_filter(call->view, "", err) && view_sort_to(call->view, -1, false, err);
}

static void
map_replay(const struct view *v, replay_fn *add, void *to)
{
	const struct map_state *state = v->state;
	unsigned first =
	    state->map.count ? heap_map_shift(state->map.heap, STRETCHES_AT_FIRST) : state->shift;

	for (unsigned i = state->shift; i < first; i++)
		add(to, "finer");
	for (unsigned i = first; i < state->shift; i++)
		add(to, "coarser");
	if (state->is_table)
		add(to, "table");
}

/* Lists the objects in the cell, including one that starts before it. */
static bool
list_objects(const struct call *call, struct error *err)
{
	const struct map_state *state = call->view->state;
	const struct heap *h = call->view->session->heap;
	const struct map_stretch *s;
	uint64_t start;
	struct row row;
	node_id first;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no stretch is selected");
	s = stretch_of(call->view->state, &row);
	first = heap_map_first(&state->map, s);
	start = first < h->nodes_count ? heap_address(h, first) : s->end;
	if (start >= s->end)
		return error_set(err, ERROR_USAGE, "no object is in this cell");
	return request_objects_between(call, start, s->end);
}

static const struct row_source rows = {
	ROWS_IN(struct map_state, map.stretches, map.count),
};

/* clang-format off */
static const struct column columns[] = {
	/* id             title          width sorts cell             help                                                   rank flags           needs */
	{ "gen",          "Generation",  FILL, UP,   CELL(VALUE_TEXT, cell_gen),        "generation of the stretch",                              0, 0,              0 },
	{ "heap",         "Heap",        5,    UP,   CELL(VALUE_PLAIN, cell_heap),       "of server GC, from 0",                                   4, 0,              0 },
	{ "start",        "Start",       14,   UP,   ADDRESS_AT(struct map_stretch, start),      "address where it begins",                                0, 0,              0 },
	{ "end",          "End",         14,   UP,   ADDRESS_AT(struct map_stretch, end),        "first address after it",                                      6, 0,              0 },
	{ "bytes",        "Bytes",       11,   DOWN, CELL(VALUE_BYTES, cell_bytes),      "its length",                                         3, 0,              0 },
	{ "objects",      "Objects",     10,   DOWN, CELL(VALUE_COUNT, cell_objects),    "objects that begin in it",                               3, 0,              0 },
	{ "live",         "Live",        11,   DOWN, BYTES_AT(struct map_stretch, live_bytes),       "bytes of reachable objects",                1, COLUMN_MEMORY,  NEED_REACH },
	{ "dead",         "Dead",        11,   DOWN, CELL(VALUE_BYTES, cell_dead),       "bytes of unreachable objects",                  1, COLUMN_MEMORY,  NEED_REACH },
	{ "free",         "Free",        11,   DOWN, BYTES_AT(struct map_stretch, free_bytes),       "bytes free between objects",                             1, COLUMN_MEMORY,  0 },
	{ "reachable",    "Reachable",   11,   DOWN, BYTES_AT(struct map_stretch, live_bytes),       "bytes of reachable objects",                1, COLUMN_CAPTURE, NEED_REACH },
	{ "unreachable",  "Unreachable", 11,   DOWN, CELL(VALUE_BYTES, cell_dead),       "bytes of unreachable objects",                        1, COLUMN_CAPTURE, NEED_REACH },
	{ "rest",         "Rest",        10,   DOWN, CELL(VALUE_BYTES, cell_rest),       "all other bytes: padding, or reserved for new objects; in captures also free space", 5, 0, 0 },
	{ "dead_count",   "Dead#",       8,    DOWN, CELL(VALUE_COUNT, cell_dead_count), "unreachable objects that begin in it",                7, 0,              NEED_REACH },
	{ "pinned",       "Pinned",      7,    DOWN, COUNT_AT(struct map_stretch, pinned_count),     "roots that pin objects in it",                           5, 0,              0 },
	{ 0 },
};
static const struct table table = { .name = "heapmap", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	/* name           keys         bar        help, .run, then other fields */
	{ "enter",       "Enter",     "objects", "list the objects in this cell", .run = list_objects, .replay = REPLAY_ROWS },
	{ "finer",       "+",         "finer",   "halve the size of cells", .run = zoom_in, .replay = REPLAY_ROWS },
	{ "coarser",     "-",         "coarser", "double the size of cells", .run = zoom_out, .replay = REPLAY_ROWS },
	{ "table",       "t",         "table",   "switch between the table and the picture", .run = turn_table, .replay = REPLAY_ROWS },
	{ "line-down",   "j Down ^N", "",        "go to the next line", .run = move, .flags = COMMAND_COUNTS },
	{ "line-up",     "k Up ^P",   "",        "go to the line before", .run = move, .flags = COMMAND_COUNTS },
	{ "cell-right",  "l Right",   "",        "go to the next cell", .run = move, .flags = COMMAND_COUNTS },
	{ "cell-left",   "h Left",    "",        "go to the cell before", .run = move, .flags = COMMAND_COUNTS },
	{ "screen-down", "^F PgDn",   "",        "go a screen down", .run = move, .flags = COMMAND_COUNTS },
	{ "screen-up",   "^B PgUp",   "",        "go a screen up", .run = move, .flags = COMMAND_COUNTS },
	{ 0 },
};
/* clang-format on */

static const struct view_picture heapmap_picture = {
	.layout = layout_map,
	.draw = draw_map_picture,
	.pick = pick_cell,
};

static const struct view_code heapmap_code = {
	.open = map_open,
	.close = map_close,
	.rows = map_rows,
	.item_row = row_of_stretch,
	.find = map_find,
	.heading = map_heading,
	.replay = map_replay,
	.picture = &heapmap_picture,
};

const struct view_ops view_heapmap = {
	.command = { .name = "heapmap",
		     .keys = "A",
		     .help = "a map of heap memory: what is live, dead or free" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "there are no segments to draw; :summary shows what is missing" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH, .flags = VIEW_PRINTS_HEADING },
	.code = &heapmap_code,
};
