/*
 * Tables of the collector's segments or regions, and of its heaps by generation: live, dead and
 * free bytes of each, and how evenly server GC has filled its heaps.
 */
#include "model/table/object_columns.h"
#include "model/table/root_text.h"
#include "model/analysis/segments.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"

static const struct heap_part *
part_of(const struct cells *in, const struct row *row)
{
	return heap_part_of(in->rows, row);
}

const struct heap_part *
heap_part_of(const void *parts, const struct row *row)
{
	const struct heap_parts *p = parts;

	return &p->items[row->data];
}

/* Returns the segment of a row of segments_table. */
static const struct heap_segment *
segment_of(const struct heap *h, const struct row *row)
{
	return &h->memory->segments[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_gen(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_part *p = part_of(in, row);

	if (p->generation == GEN_COUNT)
		value_text(out, STYLE_HEADER, "all");
	else
		value_generation(out, (enum generation)p->generation);
}

static void
cell_heap(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_part *p = part_of(in, row);

	if (p->heap_number == HEAP_PART_ALL)
		value_text(out, STYLE_HEADER, "all");
	else
		value_plain(out, (uint64_t)p->heap_number);
}

static void
cell_objects(const struct cells *in, const struct row *row, struct value *out)
{
	const struct segment_sum *s = &part_of(in, row)->total.objects;

	value_count(out, s->live_count + s->dead_count);
}

static void
cell_dead(const struct cells *in, const struct row *row, struct value *out)
{
	describe_dead_bytes(in->facts->heap, part_of(in, row)->total.objects.dead_bytes, out);
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

/* The ephemeral segment has objects of several generations. */
static void
cell_segment(const struct cells *in, const struct row *row, struct value *out)
{
	static const char *const texts[] = {
		"gen0", "gen0",       "gen1",       "gen0, gen1",
		"gen2", "gen0, gen2", "gen1, gen2", "gen0, gen1, gen2",
	};
	const struct heap_segment *s = segment_of(in->facts->heap, row);

	if (s->is_ephemeral)
		value_text(out, STYLE_NORMAL, texts[segments_generations(in->facts->heap, s) & 7]);
	else
		cell_gen(in, row, out);
}

/* --- making rows --------------------------------------------------------- */

static bool
make_segments(void *made, const struct facts *f, const struct subject *about,
	      struct progress *progress, struct error *err)
{
	(void)about;
	return heap_parts_of_segments(made, f->heap, f->reach, progress, err);
}

static bool
make_heaps(void *made, const struct facts *f, const struct subject *about,
	   struct progress *progress, struct error *err)
{
	(void)about;
	return heap_parts_compute(made, f->heap, f->reach, progress, err);
}

static void
clear(void *made)
{
	heap_parts_clear(made);
}

/* --- heading ------------------------------------------------------------- */

static void
put_balance(uint32_t heaps_count, const struct heaps_balance *b, struct value *out)
{
	char largest[FORMAT_BYTES], average[FORMAT_BYTES], above[FORMAT_BYTES];

	value_printf(out, STYLE_NORMAL,
		     "heap %d is the largest of %u: %s of objects, %s above the average of %s",
		     (int)b->largest, heaps_count, format_size(b->largest_bytes, largest),
		     format_share(b->largest_bytes - b->average_bytes, b->average_bytes, above),
		     format_size(b->average_bytes, average));
}

static void
put_resident(const struct memory_account *a, struct value *out)
{
	char resident[FORMAT_BYTES], committed[FORMAT_BYTES], managed[FORMAT_BYTES],
	    native[FORMAT_BYTES], unused[FORMAT_BYTES], all[FORMAT_BYTES];
	char process[128] = "";

	if (a->resident && a->managed)
		snprintf(process, sizeof process, "%s resident (RSS): %s managed, %s native; ",
			 format_size(a->resident, resident), format_size(a->managed, managed),
			 format_size(a->native, native));
	value_printf(out, STYLE_NORMAL, "%s%s committed by the collector: %s allocated, %s unused",
		     process, format_size(a->committed, committed), format_size(a->allocated, all),
		     format_size(a->unused, unused));
}

static void
put_allocated(const struct heap *h, const struct memory_account *a, struct value *out)
{
	char allocated[FORMAT_BYTES], live[FORMAT_BYTES], dead[FORMAT_BYTES], space[FORMAT_BYTES],
	    share[FORMAT_BYTES], rest[FORMAT_BYTES];

	value_printf(out, STYLE_NORMAL,
		     "%s allocated: %s live, %s %s, %s free (%s), %s in between: padding, or "
		     "reserved by threads for new objects",
		     format_size(a->allocated, allocated), format_size(a->live, live),
		     format_size(a->dead, dead),
		     heap_knows_roots(h) ? "dead" : "with unknown roots",
		     format_size(a->free, space), format_share(a->free, a->allocated, share),
		     format_size(a->rest, rest));
}

/* Writes the breakdown of the process memory in two lines. */
static bool
put_account(const struct facts *f, unsigned line, struct value *out)
{
	struct memory_account a;

	if (line > 1)
		return false;
	a = memory_account(f->reach);
	if (line)
		put_resident(&a, out);
	else
		put_allocated(f->heap, &a, out);
	return true;
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct heap_parts *p = in->rows;
	struct heaps_balance balance;
	bool has_balance = heaps_balance(p, &balance);

	if (line || !has_balance)
		return put_account(in->facts, line - has_balance, out);
	put_balance(p->heaps_count, &balance, out);
	return true;
}

/* --- the tables ---------------------------------------------------------- */

/* clang-format off */
static const struct column segment_columns[] = {
	/* id           title        width sorts cell             help                                               rank flags           needs */
	{ "gen",        "Segment",   FILL, UP,   CELL(VALUE_TEXT, cell_segment),        "generation of its objects",                          0, 0,              0 },
	{ "heap",       "Heap",      5,    UP,   CELL(VALUE_PLAIN, cell_heap),       "heap of server GC, from 0",                          0, 0,              0 },
	{ "start",      "Start",     14,   UP,   CELL(VALUE_ADDRESS, cell_start),      "address of the first object",                        0, 0,              0 },
	{ "end",        "End",       14,   UP,   CELL(VALUE_ADDRESS, cell_end),        "address behind the last object",                     8, 0,              0 },
	{ "objects",    "Objects",   11,   DOWN, CELL(VALUE_COUNT, cell_objects),      "objects in it, live and dead",                       5, 0,              0 },
	{ "allocated",  "Allocated", 11,   DOWN, BYTES_AT(struct heap_part, total.allocated_bytes),  "bytes from the first object to the last one",        2, 0,              0 },
	{ "committed",  "Committed", 11,   DOWN, BYTES_AT(struct heap_part, total.committed_bytes),  "bytes with committed memory",                        6, 0,              0 },
	{ "reserved",   "Reserved",  11,   DOWN, CELL(VALUE_BYTES, cell_reserved),   "bytes of reserved addresses",                        9, 0,              0 },
	{ "live",       "Live",      11,   DOWN, BYTES_AT(struct heap_part, total.objects.live_bytes),       "bytes of objects that a root reaches",               0, 0,              NEED_REACH },
	{ "dead",       "Dead",      11,   DOWN, CELL(VALUE_BYTES, cell_dead),       "bytes of objects that the next collection may free", 1, 0,              NEED_REACH },
	{ "free",       "Free",      11,   DOWN, BYTES_AT(struct heap_part, total.free_bytes),       "free bytes between objects",                         1, 0,              0 },
	{ "free_share", "Free%",     7,    DOWN, SHARE_AT(struct heap_part, total.free_bytes, total.allocated_bytes), "share of the allocated bytes: fragmentation",     3, 0,              0 },
	{ "free_count", "Holes",     8,    DOWN, COUNT_AT(struct heap_part, total.free_count), "stretches of free space",                            7, 0,              0 },
	{ "pinned",     "Pinned",    7,    DOWN, COUNT_AT(struct heap_part, total.objects.pinned_count),     "roots that pin objects in it",                       5, 0,              0 },
	{ 0 },
};
static const struct column heap_columns[] = {
	/* id           title         width sorts cell             help                                               rank flags needs */
	{ "gen",        "Generation", FILL, UP,   CELL(VALUE_TEXT, cell_gen),        "all: the whole heap, or all heaps",                0, 0, 0 },
	{ "heap",       "Heap",       5,    UP,   CELL(VALUE_PLAIN, cell_heap),       "heap of server GC, from 0",                        2, COLUMN_MIXED, 0 },
	{ "segments",   "Segments",   8,    DOWN, COUNT_AT(struct heap_part, segments_count),   "segments or regions, or parts of them",            7, 0, 0 },
	{ "objects",    "Objects",    11,   DOWN, CELL(VALUE_COUNT, cell_objects),    "objects, live and dead",                           5, 0, 0 },
	{ "committed",  "Committed",  11,   DOWN, BYTES_AT(struct heap_part, total.committed_bytes),  "bytes with committed memory",                      4, 0, 0 },
	{ "allocated",  "Allocated",  11,   DOWN, BYTES_AT(struct heap_part, total.allocated_bytes),  "bytes from the first object to the last one of each segment", 3, 0, 0 },
	{ "live",       "Live",       11,   DOWN, BYTES_AT(struct heap_part, total.objects.live_bytes),       "bytes of objects that some root reaches",          0, 0, NEED_REACH },
	{ "dead",       "Dead",       11,   DOWN, CELL(VALUE_BYTES, cell_dead),       "bytes of objects that no root reaches",            1, 0, NEED_REACH },
	{ "free",       "Free",       11,   DOWN, BYTES_AT(struct heap_part, total.free_bytes),       "free bytes between objects",                       1, 0, 0 },
	{ "free_share", "Free%",      7,    DOWN, SHARE_AT(struct heap_part, total.free_bytes, total.allocated_bytes), "share of the allocated bytes: fragmentation",      3, 0, 0 },
	{ "free_count", "Holes",      8,    DOWN, COUNT_AT(struct heap_part, total.free_count), "stretches of free space",                          8, 0, 0 },
	{ "pinned",     "Pinned",     7,    DOWN, COUNT_AT(struct heap_part, total.objects.pinned_count),     "roots that pin objects in it",                     6, 0, 0 },
	{ 0 },
};
/* clang-format on */

#define ADDED_UP                                                                                   \
	.what = "adding up segments", .made_of = NEED_REACH,                                       \
	ROWS_IN(struct heap_parts, items, count), .clear = clear
static const struct row_source segments_rows = { ADDED_UP, .make = make_segments };
static const struct row_source heaps_rows = { ADDED_UP, .make = make_heaps };

#define OF_SEGMENTS                                                                                \
	.heaps = OF_MEMORY, .contents = "segments (:groups generation works without them)",        \
	.needs = NEED_OBJECTS | NEED_REACH, .heading = heading
const struct table segments_table = {
	.name = "segments",
	.columns = segment_columns,
	.rows = &segments_rows,
	OF_SEGMENTS,
};
const struct table heaps_table = {
	.name = "heaps",
	.columns = heap_columns,
	.rows = &heaps_rows,
	OF_SEGMENTS,
};
