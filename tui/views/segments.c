/*
 * The collector's segments or regions, and its heaps generation by generation:
 * what each holds, lives, is dead, is free; of server GC how evenly its heaps
 * are filled. Of heaps from memory alone. Enter lists the objects in a segment,
 * or the segments of a heap.
 */
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include "model/analysis/segments.h"

struct segments_state {
	struct heap_parts parts; /* no items: not added up yet */
	uint32_t reach_version;  /* that they were made with */
};

static const struct heap_part *
part_of(const struct segments_state *state, const struct row *row)
{
	return &state->parts.items[row->data];
}

/* Of the view of segments. */
static const struct heap_segment *
segment_of(const struct heap *h, const struct row *row)
{
	return &h->memory->segments[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_gen(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_part *p = part_of(in->rows, row);

	if (p->generation == GEN_COUNT)
		value_text(out, STYLE_HEADER, "all");
	else
		value_generation(out, (enum generation)p->generation);
}

static void
cell_heap(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_part *p = part_of(in->rows, row);

	if (p->heap_number == HEAP_PART_ALL)
		value_text(out, STYLE_HEADER, "all");
	else
		value_plain(out, (uint64_t)p->heap_number);
}

static void
cell_objects(const struct cells *in, const struct row *row, struct value *out)
{
	const struct segment_sum *s = &part_of(in->rows, row)->total.objects;

	value_count(out, s->live_count + s->dead_count);
}

static void
cell_dead(const struct cells *in, const struct row *row, struct value *out)
{
	describe_dead_bytes(in->facts->heap,
			    part_of(in->rows, row)->total.objects.dead_bytes,
			    out);
}

static void
cell_start(const struct cells *in, const struct row *row, struct value *out)
{
	value_address(out, segment_of(in->facts->heap, row)->start);
}

static void
cell_end(const struct cells *in, const struct row *row, struct value *out)
{
	value_address(out, segment_of(in->facts->heap, row)->allocated);
}

static void
cell_reserved(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_segment *s = segment_of(in->facts->heap, row);

	value_bytes(out, s->reserved - s->start);
}

/* The ephemeral one of a heap holds several. */
static void
cell_segment(const struct cells *in, const struct row *row, struct value *out)
{
	static const char *const texts[] = {
		"gen0", "gen0",       "gen1",       "gen0, gen1",
		"gen2", "gen0, gen2", "gen1, gen2", "gen0, gen1, gen2",
	};
	const struct heap_segment *s = segment_of(in->facts->heap, row);

	if (s->is_ephemeral)
		value_text(out, STYLE_NORMAL,
			   texts[segments_generations(in->facts->heap, s) & 7]);
	else
		cell_gen(in, row, out);
}

/* --- rows ---------------------------------------------------------------- */

static bool
arrange(struct view *v, struct error *err)
{
	struct segments_state *state = v->state;

	return view_show_all(v, state->parts.count, err);
}

/* What a worker makes. */
struct adding {
	const struct heap *heap;
	const struct reach *reach;
	uint32_t reach_version;
	bool is_by_segment;
	struct heap_parts parts;
};

static bool
add_up(void *context, struct progress *progress, struct error *err)
{
	struct adding *a = context;

	return a->is_by_segment
		   ? heap_parts_of_segments(&a->parts, a->heap, a->reach,
					    progress, err)
		   : heap_parts_compute(&a->parts, a->heap, a->reach, progress,
					err);
}

static void
take_parts(struct view *v, void *context, bool ok)
{
	struct segments_state *state = v->state;
	struct error ignored = { 0 };
	struct adding *a = context;

	if (ok) {
		heap_parts_clear(&state->parts);
		state->parts = a->parts;
		state->reach_version = a->reach_version;
		(void)arrange(v, &ignored);
	} else {
		heap_parts_clear(&a->parts);
	}
	memory_free(a);
}

/* What only memory has; and where else it is to be found. */
static const char no_segments[] =
    "segments (:groups generation adds up what it has)";

extern const struct view_ops view_segments;

static bool
parts_rows(struct view *v, struct error *err)
{
	const struct segments_state *state = v->state;
	const struct session *s = v->session;
	struct adding *a;

	if (!object_memory_known(v, no_segments, err))
		return false;
	if (state->parts.items && state->reach_version == s->reach_version)
		return arrange(v, err);
	a = memory_new(1, sizeof *a, err);
	if (!a)
		return false;
	a->heap = s->heap;
	a->reach = s->reach;
	a->reach_version = s->reach_version;
	a->is_by_segment = v->ops == &view_segments;
	return view_run(v, "adding up segments", add_up, take_parts, a, err);
}

static bool
parts_open(struct view *v, struct error *err)
{
	if (!object_memory_known(v, no_segments, err))
		return false;
	v->state = arena_new(&v->arena, struct segments_state, err);
	return v->state != NULL;
}

static void
parts_close(struct view *v)
{
	struct segments_state *state = v->state;

	if (!state)
		return;
	heap_parts_clear(&state->parts);
}

/* --- heading ------------------------------------------------------------- */

static void
tell_balance(uint32_t heaps_count, const struct heaps_balance *b,
	     struct value *out)
{
	char largest[FORMAT_BYTES], average[FORMAT_BYTES], above[FORMAT_BYTES];

	value_printf(out, STYLE_NORMAL,
		     "heap %d is the largest of %u: %s of objects, %s above "
		     "the average of %s",
		     (int)b->largest, heaps_count,
		     format_size(b->largest_bytes, largest),
		     format_share(b->largest_bytes - b->average_bytes,
				  b->average_bytes, above),
		     format_size(b->average_bytes, average));
}

static bool
parts_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct segments_state *state = v->state;
	struct heaps_balance balance;
	bool has_balance;

	if (!state->parts.items)
		return false;
	has_balance = heaps_balance(&state->parts, &balance);
	if (line || !has_balance)
		return describe_memory(v->session, line - has_balance, out);
	tell_balance(state->parts.heaps_count, &balance, out);
	return true;
}

/* --- commands ------------------------------------------------------------ */

static bool
list_objects(const struct call *call, struct error *err)
{
	const struct heap_segment *s;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no segment is selected");
	s = segment_of(call->view->session->heap, &row);
	return request_objects_between(call, s->start, s->allocated);
}

static bool
list_segments(const struct call *call, struct error *err)
{
	const struct heap_part *p;
	char where[32] = "";
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no heap is selected");
	p = part_of(call->view->state, &row);
	if (p->heap_number != HEAP_PART_ALL)
		snprintf(where, sizeof where, "heap = %d", (int)p->heap_number);
	return request_open_where(call, "segments", &target_none, "%s", where);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return part_of(in->rows, row);
}

/* clang-format off */
static const struct column segment_columns[] = {
	/* id           title        width sorts cell             help                                               rank flags           needs */
	{ "gen",        "Segment",   FILL, UP,   CELL(VALUE_TEXT, cell_segment),        "generation of its objects",                          0, 0,              0 },
	{ "heap",       "Heap",      5,    UP,   CELL(VALUE_PLAIN, cell_heap),       "of server GC, from 0",                               0, 0,              0 },
	{ "start",      "Start",     14,   UP,   CELL(VALUE_ADDRESS, cell_start),      "address of the first object",                        0, 0,              0 },
	{ "end",        "End",       14,   UP,   CELL(VALUE_ADDRESS, cell_end),        "address behind the last object",                     8, 0,              0 },
	{ "objects",    "Objects",   11,   DOWN, CELL(VALUE_COUNT, cell_objects),      "objects in it, live and dead",                       5, 0,              0 },
	{ "allocated",  "Allocated", 11,   DOWN, BYTES_AT(struct heap_part, total.allocated_bytes),  "bytes from the first object to the last one",        2, 0,              0 },
	{ "committed",  "Committed", 11,   DOWN, BYTES_AT(struct heap_part, total.committed_bytes),  "bytes that have memory",                             6, 0,              0 },
	{ "reserved",   "Reserved",  11,   DOWN, CELL(VALUE_BYTES, cell_reserved),   "bytes of addresses",                                 9, 0,              0 },
	{ "live",       "Live",      11,   DOWN, BYTES_AT(struct heap_part, total.objects.live_bytes),       "bytes of objects that a root reaches",               0, 0,              NEED_REACH },
	{ "dead",       "Dead",      11,   DOWN, CELL(VALUE_BYTES, cell_dead),       "bytes of objects that the next collection may free", 1, 0,              NEED_REACH },
	{ "free",       "Free",      11,   DOWN, BYTES_AT(struct heap_part, total.free_bytes),       "bytes free between objects",                         1, 0,              0 },
	{ "free_share", "Free%",     7,    DOWN, SHARE_AT(struct heap_part, total.free_bytes, total.allocated_bytes), "of the allocated bytes: fragmentation",           3, 0,              0 },
	{ "free_count", "Holes",     8,    DOWN, COUNT_AT(struct heap_part, total.free_count), "stretches of free space",                            7, 0,              0 },
	{ "pinned",     "Pinned",    7,    DOWN, COUNT_AT(struct heap_part, total.objects.pinned_count),     "roots that pin objects in it",                       5, 0,              0 },
	{ 0 },
};
static const struct table segment_table = { .name = "segments", .columns = segment_columns, .record = record };
static const struct command segment_commands[] = {
	/* name     keys     bar        help, .run, and what differs from nothing */
	{ "enter", "Enter", "objects", "list the objects in this segment", .run = list_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct column heap_columns[] = {
	/* id           title         width sorts cell             help                                               rank flags needs */
	{ "gen",        "Generation", FILL, UP,   CELL(VALUE_TEXT, cell_gen),        "all: of the heap, or of all heaps",                0, 0, 0 },
	{ "heap",       "Heap",       5,    UP,   CELL(VALUE_PLAIN, cell_heap),       "of server GC, from 0",                             2, COLUMN_MIXED, 0 },
	{ "segments",   "Segments",   8,    DOWN, COUNT_AT(struct heap_part, segments_count),   "segments or regions, or parts of them",            7, 0, 0 },
	{ "objects",    "Objects",    11,   DOWN, CELL(VALUE_COUNT, cell_objects),    "objects, live and dead",                           5, 0, 0 },
	{ "committed",  "Committed",  11,   DOWN, BYTES_AT(struct heap_part, total.committed_bytes),  "bytes that have memory",                           4, 0, 0 },
	{ "allocated",  "Allocated",  11,   DOWN, BYTES_AT(struct heap_part, total.allocated_bytes),  "bytes from the first object to the last one of each segment", 3, 0, 0 },
	{ "live",       "Live",       11,   DOWN, BYTES_AT(struct heap_part, total.objects.live_bytes),       "bytes of objects that some root reaches",          0, 0, NEED_REACH },
	{ "dead",       "Dead",       11,   DOWN, CELL(VALUE_BYTES, cell_dead),       "bytes of objects that no root reaches",            1, 0, NEED_REACH },
	{ "free",       "Free",       11,   DOWN, BYTES_AT(struct heap_part, total.free_bytes),       "bytes free between objects",                       1, 0, 0 },
	{ "free_share", "Free%",      7,    DOWN, SHARE_AT(struct heap_part, total.free_bytes, total.allocated_bytes), "of the allocated bytes: fragmentation",            3, 0, 0 },
	{ "free_count", "Holes",      8,    DOWN, COUNT_AT(struct heap_part, total.free_count), "stretches of free space",                          8, 0, 0 },
	{ "pinned",     "Pinned",     7,    DOWN, COUNT_AT(struct heap_part, total.objects.pinned_count),     "roots that pin objects in it",                     6, 0, 0 },
	{ 0 },
};
static const struct table heap_table = { .name = "heaps", .columns = heap_columns, .record = record };
static const struct command heap_commands[] = {
	/* name     keys     bar         help, .run, and what differs from nothing */
	{ "enter", "Enter", "segments", "list the segments of this heap", .run = list_segments, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_segments = {
	.command = { .name = "segments",
		     .keys = "6",
		     .bar = "",
		     .help = "the collector's segments: live, dead and free "
			     "bytes of each" },
	.empty =
	    "no segment of the heap was found; :summary tells what is missing",
	.table = &segment_table,
	.commands = segment_commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.open = parts_open,
	.close = parts_close,
	.rows = parts_rows,
	.heading = parts_heading,
};

const struct view_ops view_heaps = {
	.command = { .name = "heaps",
		     .keys = "",
		     .bar = "",
		     .help = "the collector's heaps, generation by "
			     "generation, and how even they are" },
	.empty = "no heap of the collector was found; :summary tells what is "
		 "missing",
	.table = &heap_table,
	.commands = heap_commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.open = parts_open,
	.close = parts_close,
	.rows = parts_rows,
	.heading = parts_heading,
};
