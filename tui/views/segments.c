/*
 * The segments or regions of the GC, and its heaps by generation. Enter lists the objects in a
 * segment, or the segments of a heap.
 */
#include "model/analysis/segments.h"
#include "model/analysis/tables.h"
#include "model/heap/memory.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"

static bool
list_objects(const struct call *call, struct error *err)
{
	const struct heap_segment *s;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no segment is selected");
	s = &call->view->session->heap->memory->segments[row.data];
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
	p = heap_part_of(call->view->made, &row);
	if (p->heap_number != HEAP_PART_ALL)
		snprintf(where, sizeof where, "heap = %d", (int)p->heap_number);
	return request_open_where(call, "segments", &target_none, "%s", where);
}

/* clang-format off */
static const struct command segment_commands[] = {
	/* name     keys     bar        help, .run, then other fields */
	{ "enter", "Enter", "objects", "list the objects in this segment", .run = list_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct command heap_commands[] = {
	/* name     keys     bar         help, .run, then other fields */
	{ "enter", "Enter", "segments", "list the segments of this heap", .run = list_segments, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_segments = {
	.command = { .name = "segments",
		     .keys = "6",
		     .help = "the GC's segments: live, dead and free bytes of each" },
	.table = &segments_table,
	.commands = segment_commands,
	.words = { .no_rows = "no segment of the heap was found; :summary shows what is missing" },
	.list = { .flags = VIEW_PRINTS_HEADING },
};

const struct view_ops view_heaps = {
	.command = { .name = "heaps",
		     .help = "the GC's heaps by generation, and how balanced they are" },
	.table = &heaps_table,
	.commands = heap_commands,
	.words = { .no_rows = "no heap of the GC was found; :summary shows what is missing" },
	.list = { .flags = VIEW_PRINTS_HEADING },
};
