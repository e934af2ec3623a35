/*
 * The collector's segments or regions: what each holds, lives, is dead, is
 * free. Of heaps from memory alone. Enter lists the objects in one.
 */
#include "tui/app.h"
#include "tui/describe.h"
#include "tui/views.h"
#include "model/segments.h"

struct segments_state {
	struct segment_sum *sums; /* NULL: not added up yet */
	uint32_t reach_version;   /* that they were made with */
	uint32_t *shown;
};

static const struct heap_memory *
memory_of(const struct view *v)
{
	return v->session->heap->memory;
}

static const struct heap_segment *
segment_of(const struct view *v, const struct row *row)
{
	return &memory_of(v)->segments[row->data];
}

static const struct segment_sum *
sum_of(const struct view *v, const struct row *row)
{
	const struct segments_state *state = v->state;

	return &state->sums[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_start(const struct view *v, const struct row *row, struct value *out)
{
	value_address(out, segment_of(v, row)->start);
}

static void
cell_end(const struct view *v, const struct row *row, struct value *out)
{
	value_address(out, segment_of(v, row)->allocated);
}

static void
cell_gen(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_segment *s = segment_of(v, row);

	if (s->is_ephemeral)
		value_text(out, STYLE_NORMAL, "gen0, gen1");
	else
		value_text(out, STYLE_NORMAL,
			   generation_name((enum generation)s->generation));
}

static void
cell_heap(const struct view *v, const struct row *row, struct value *out)
{
	value_plain(out, (uint64_t)segment_of(v, row)->heap_number);
}

static void
cell_allocated(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_segment *s = segment_of(v, row);

	value_bytes(out, s->allocated - s->start);
}

static void
cell_committed(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_segment *s = segment_of(v, row);

	value_bytes(out, s->committed - s->start);
}

static void
cell_reserved(const struct view *v, const struct row *row, struct value *out)
{
	const struct heap_segment *s = segment_of(v, row);

	value_bytes(out, s->reserved - s->start);
}

static void
cell_count(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, segment_of(v, row)->objects_count);
}

static void
cell_live(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, sum_of(v, row)->live_bytes);
}

static void
cell_dead(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, sum_of(v, row)->dead_bytes);
}

static void
cell_free(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out, segment_of(v, row)->free_bytes);
}

static void
cell_free_count(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, segment_of(v, row)->free_count);
}

static void
cell_fragmentation(const struct view *v, const struct row *row,
		   struct value *out)
{
	const struct heap_segment *s = segment_of(v, row);

	value_share(out, s->free_bytes, s->allocated - s->start);
}

static void
cell_pinned(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, sum_of(v, row)->pinned_count);
}

/* --- rows ---------------------------------------------------------------- */

static void
row_of_segment(const struct view *v, uint32_t item, struct row *out)
{
	(void)v;
	*out = row_of(ROW_PLAIN);
	out->data = out->key = item;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct segments_state *state = v->state;

	return view_show_all(v, &state->shown, memory_of(v)->segments_count,
			     row_of_segment, err);
}

/* What a worker makes. */
struct adding {
	const struct heap *heap;
	const struct reach *reach;
	uint32_t reach_version;
	struct segment_sum *sums;
};

static bool
add_up(void *context, struct progress *progress, struct error *err)
{
	struct adding *a = context;

	a->sums = segments_sum_up(a->heap, a->reach, progress, err);
	return a->sums != NULL;
}

static void
take_sums(struct view *v, void *context, bool ok)
{
	struct segments_state *state = v->state;
	struct error ignored = { 0 };
	struct adding *a = context;

	if (ok) {
		memory_free(state->sums);
		state->sums = a->sums;
		state->reach_version = a->reach_version;
		(void)arrange(v, &ignored);
	}
	memory_free(a);
}

static bool
refuse(struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "this heap has no segments: only memory has, of a "
			 "core or with -m of a process; :groups generation "
			 "adds up what others tell");
}

static bool
segments_rows(struct view *v, struct error *err)
{
	struct segments_state *state = v->state;
	const struct session *s = v->session;
	struct adding *a;

	if (!memory_of(v))
		return refuse(err);
	if (state->sums && state->reach_version == s->reach_version)
		return arrange(v, err);
	a = memory_new(1, sizeof *a, err);
	if (!a)
		return false;
	a->heap = s->heap;
	a->reach = s->reach;
	a->reach_version = s->reach_version;
	return view_run(v, "adding up segments", add_up, take_sums, a, err);
}

static void
segments_row(const struct view *v, size_t index, struct row *out)
{
	const struct segments_state *state = v->state;

	row_of_segment(v, state->shown[index], out);
}

static bool
segments_open(struct view *v, struct error *err)
{
	if (v->session->heap && !memory_of(v))
		return refuse(err);
	v->state = arena_new(&v->arena, struct segments_state, err);
	return v->state != NULL;
}

static void
segments_close(struct view *v)
{
	struct segments_state *state = v->state;

	if (!state)
		return;
	memory_free(state->sums);
	memory_free(state->shown);
}

/* --- heading ------------------------------------------------------------- */

static bool
segments_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct segments_state *state = v->state;

	return state->sums && describe_memory(v->session, line, out);
}

/* --- commands ------------------------------------------------------------ */

static bool
list_objects(const struct call *call, struct error *err)
{
	const struct heap_segment *s;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no segment is selected");
	s = segment_of(call->view, &row);
	return app_list_objects(call->app, s->start, s->allocated, err);
}

/* clang-format off */
static const struct column columns[] = {
	/* id           title        width sorts cell             help                                               rank flags           needs */
	{ "gen",        "Segment",   FILL, UP,   cell_gen,        "generation of its objects",                          0, 0,              0 },
	{ "heap",       "Heap",      5,    UP,   cell_heap,       "of server GC, from 0",                               4, 0,              0 },
	{ "start",      "Start",     14,   UP,   cell_start,      "address of the first object",                        3, 0,              0 },
	{ "end",        "End",       14,   UP,   cell_end,        "address behind the last object",                     8, 0,              0 },
	{ "objects",    "Objects",   11,   DOWN, cell_count,      "objects in it, live and dead",                       5, 0,              0 },
	{ "allocated",  "Allocated", 11,   DOWN, cell_allocated,  "bytes from the first object to the last one",        2, 0,              0 },
	{ "committed",  "Committed", 11,   DOWN, cell_committed,  "bytes that have memory",                             6, 0,              0 },
	{ "reserved",   "Reserved",  11,   DOWN, cell_reserved,   "bytes of addresses",                                 9, 0,              0 },
	{ "live",       "Live",      11,   DOWN, cell_live,       "bytes of objects that a root reaches",               0, 0,              NEED_REACH },
	{ "dead",       "Dead",      11,   DOWN, cell_dead,       "bytes of objects that the next collection may free", 1, 0,              NEED_REACH },
	{ "free",       "Free",      11,   DOWN, cell_free,       "bytes free between objects",                         1, 0,              0 },
	{ "free_share", "Free%",     7,    DOWN, cell_fragmentation, "of the allocated bytes: fragmentation",           3, 0,              0 },
	{ "free_count", "Holes",     8,    DOWN, cell_free_count, "stretches of free space",                            7, 0,              0 },
	{ "pinned",     "Pinned",    7,    DOWN, cell_pinned,     "roots that pin objects in it",                       5, 0,              0 },
	{ 0 },
};
static const struct command commands[] = {
	/* name     keys     args bar        help                             run           takes_count */
	{ "enter", "Enter", "",  "objects", "list the objects in this segment", list_objects, false },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_segments = {
	.command = { .name = "segments",
		     .keys = "6",
		     .args = "",
		     .bar = "",
		     .help = "the collector's segments: live, dead and free "
			     "bytes of each" },
	.columns = columns,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.flags = VIEW_TELLS,
	.open = segments_open,
	.close = segments_close,
	.rows = segments_rows,
	.row = segments_row,
	.heading = segments_heading,
};
