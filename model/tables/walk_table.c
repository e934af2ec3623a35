/* The heap walks in the trace that the heap was read from. */
#include "model/tables/tables.h"

static const void *
info_of_heap(const struct facts *f)
{
	return &f->heap->info;
}

static const struct row_source rows = {
	.holder = info_of_heap,
	ROWS_IN(struct heap_info, walks, walks_count),
};

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
/* clang-format on */

const struct table walks_table = { .name = "walks", .columns = columns, .rows = &rows };
