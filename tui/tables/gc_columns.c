#include "tui/tables/gc_columns.h"
#include "model/gc/words.h"
#include <stdio.h>
#include <time.h>

static const struct gc_record *
record_of(const struct view *v, const struct row *row)
{
	const struct gc_cells *cells = v->state;

	return gc_log_at(cells->log, row->data);
}

/* ---- values that may be unknown -------------------------------------------
 */

static void
put_bytes(struct value *out, uint64_t bytes)
{
	if (bytes == GC_UNKNOWN)
		value_blank(out);
	else
		value_bytes(out, bytes);
}

static void
put_count(struct value *out, uint64_t count)
{
	if (count == GC_UNKNOWN)
		value_blank(out);
	else
		value_count(out, count);
}

static void
put_number(struct value *out, uint32_t number)
{
	if (number == GC_UNKNOWN32)
		value_blank(out);
	else
		value_plain(out, number);
}

static void
put_duration(struct value *out, uint64_t ns)
{
	if (ns == GC_UNKNOWN)
		value_blank(out);
	else
		value_duration(out, ns);
}

/* The word for a number, or the number if there is none. */
static void
put_word(struct value *out, const char *word, uint32_t number)
{
	if (word)
		value_text(out, STYLE_NORMAL, word);
	else
		put_number(out, number);
}

/* ---- time -----------------------------------------------------------------
 */

const char *
gc_time_text(int64_t time, char out[GC_TIME_BYTES])
{
	time_t seconds = (time_t)(time / 1000000000);
	struct tm tm;

	out[0] = '\0';
	if (time > 0 && localtime_r(&seconds, &tm))
		snprintf(out, GC_TIME_BYTES, "%02d:%02d:%02d.%03d", tm.tm_hour,
			 tm.tm_min, tm.tm_sec, (int)(time / 1000000 % 1000));
	return out;
}

const char *
gc_time_iso(int64_t time, char out[GC_TIME_BYTES])
{
	time_t seconds = (time_t)(time / 1000000000);
	size_t len = 0;
	struct tm tm;

	out[0] = '\0';
	if (time > 0 && gmtime_r(&seconds, &tm))
		len = strftime(out, GC_TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &tm);
	if (len)
		snprintf(out + len, GC_TIME_BYTES - len, ".%06dZ",
			 (int)(time / 1000 % 1000000));
	return out;
}

/* ---- cells of a collection ------------------------------------------------
 */

#define CELL(name, put, field)                                                 \
	static void cell_##name(const struct view *v, const struct row *row,   \
				struct value *out)                             \
	{                                                                      \
		put(out, record_of(v, row)->field);                            \
	}

CELL(number, put_number, number)
CELL(generation, put_number, generation)
CELL(stop, put_duration, stop_ns)
CELL(duration, put_duration, duration_ns)
CELL(before_work, put_duration, before_ns)
CELL(after_work, put_duration, after_ns)
CELL(since, put_duration, since_ns)
CELL(allocated, put_bytes, allocated)
CELL(before, put_bytes, before)
CELL(after, put_bytes, after)
CELL(survived, put_bytes, survived)
CELL(fragmentation, put_bytes, fragmentation)
CELL(load, put_number, memory_load)
CELL(pinned, put_number, pinned)
CELL(finalized, put_count, finalized)
CELL(finalized_bytes, put_bytes, finalized_bytes)
CELL(sync_blocks, put_number, sync_blocks)
CELL(handles, put_number, handles)
CELL(committed_before, put_bytes, committed_before)
CELL(committed_after, put_bytes, committed_after)
CELL(bookkeeping, put_bytes, bookkeeping)
CELL(gen0_budget, put_bytes, gen0_budget)
CELL(gen0_reductions, put_number, gen0_reductions)
CELL(heaps, put_number, told_heaps_count)
CELL(join_wait, put_duration, join_wait_ns)
CELL(client, put_count, client_sequence)
CELL(size0, put_bytes, size_after[0])
CELL(size1, put_bytes, size_after[1])
CELL(size2, put_bytes, size_after[2])
CELL(size_large, put_bytes, size_after[GC_GENERATION_LARGE])
CELL(size_pinned, put_bytes, size_after[GC_GENERATION_PINNED])
CELL(promoted0, put_bytes, promoted[0])
CELL(promoted1, put_bytes, promoted[1])
CELL(promoted2, put_bytes, promoted[2])
CELL(promoted_large, put_bytes, promoted[GC_GENERATION_LARGE])
CELL(promoted_pinned, put_bytes, promoted[GC_GENERATION_PINNED])

static void
cell_time(const struct view *v, const struct row *row, struct value *out)
{
	char text[GC_TIME_BYTES];

	gc_time_text(record_of(v, row)->time, text);
	value_printf(out, STYLE_DIM, "%s", text);
}

static void
cell_utc(const struct view *v, const struct row *row, struct value *out)
{
	char text[GC_TIME_BYTES];

	gc_time_iso(record_of(v, row)->time, text);
	value_printf(out, STYLE_NORMAL, "%s", text);
}

/* What it was: one announced as a background one may find that it cannot. */
static void
cell_kind(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(v, row);
	uint32_t kind = gc_was_not_concurrent(r) ? GC_BLOCKING : r->kind;

	put_word(out, gc_kind_text(kind), kind);
}

static void
cell_announced(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(v, row);

	put_word(out, gc_kind_text(r->kind), r->kind);
}

static void
cell_reason(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(v, row);

	put_word(out, gc_reason_text(r->reason), r->reason);
}

static void
cell_triggered(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(v, row);

	put_word(out, gc_reason_text(r->triggered), r->triggered);
}

static void
cell_mode(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(v, row);

	put_word(out, gc_mode_text(r->pause_mode), r->pause_mode);
}

/* Long ones stand out: a tenth of a second is felt. */
static void
cell_pause(const struct view *v, const struct row *row, struct value *out)
{
	enum { LONG_MS = 100, VERY_LONG_MS = 1000 };
	const struct gc_record *r = record_of(v, row);
	uint64_t ms = r->pause_ns / 1000000;

	put_duration(out, r->pause_ns);
	if (r->pause_ns != GC_UNKNOWN && ms >= LONG_MS)
		out->style = ms >= VERY_LONG_MS ? STYLE_ERROR : STYLE_WARNING;
}

static void
put_nth_pause(const struct gc_record *r, uint32_t n, struct value *out)
{
	put_duration(out,
		     n < r->pauses_count ? r->pauses[n].length_ns : GC_UNKNOWN);
}

static void
cell_first_pause(const struct view *v, const struct row *row, struct value *out)
{
	put_nth_pause(record_of(v, row), 0, out);
}

static void
cell_second_pause(const struct view *v, const struct row *row,
		  struct value *out)
{
	put_nth_pause(record_of(v, row), 1, out);
}

static void
cell_rate(const struct view *v, const struct row *row, struct value *out)
{
	put_bytes(out, gc_allocation_rate(record_of(v, row)));
}

/* As the runtime counts it, of the generations that were condemned. */
static void
cell_promoted(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(v, row);
	uint64_t sum = GC_UNKNOWN;

	for (int g = 0; g < GC_GENERATIONS; g++)
		gc_add(&sum, r->promoted[g]);
	put_bytes(out, r->survived != GC_UNKNOWN ? r->survived : sum);
}

static void
cell_asked(const struct view *v, const struct row *row, struct value *out)
{
	put_number(out, gc_decision(record_of(v, row)->reasons).asked);
}

static void
cell_decided(const struct view *v, const struct row *row, struct value *out)
{
	put_number(out, gc_decision(record_of(v, row)->reasons).decided);
}

/* Never more than there was, and nothing where no budget had its say. */
static void
cell_budget(const struct view *v, const struct row *row, struct value *out)
{
	struct gc_decision d = gc_decision(record_of(v, row)->reasons);

	put_number(out, d.budget);
}

static void
cell_why(const struct view *v, const struct row *row, struct value *out)
{
	char text[GC_DECISION_BYTES];

	gc_decision_text(record_of(v, row), text);
	value_printf(out, STYLE_NORMAL, "%s", text);
}

static void
cell_mechanisms(const struct view *v, const struct row *row, struct value *out)
{
	char text[GC_DECISION_BYTES];

	gc_mechanisms_text(record_of(v, row), text);
	value_printf(out, STYLE_NORMAL, "%s", text);
}

static void
cell_compact(const struct view *v, const struct row *row, struct value *out)
{
	const char *text = gc_compact_text(record_of(v, row)->compact);

	value_text(out, STYLE_NORMAL, text ? text : "");
}

static void
cell_expand(const struct view *v, const struct row *row, struct value *out)
{
	const char *text = gc_expand_text(record_of(v, row)->expand);

	value_text(out, STYLE_NORMAL, text ? text : "");
}

static void
cell_incomplete(const struct view *v, const struct row *row, struct value *out)
{
	value_plain(out, record_of(v, row)->is_incomplete);
}

/* clang-format off */
#define M COLUMN_MACHINE
#define S COLUMN_SCREEN
const struct column gc_columns[] = {
	/* id                    title        width sorts     cell               help                                                      rank flags needs */
	{ "number",              "GC",        5,    DOWN,     cell_number,       "number of the collection, as the runtime counts",           0, 0, 0 },
	{ "clock",               "Time",      -12,  UP,       cell_time,         "when it began, local time",                                 1, S, 0 },
	{ "time",                "Time",      -27,  UP,       cell_utc,          "when it began, UTC",                                        9, M, 0 },
	{ "generation",          "Gen",       3,    DOWN,     cell_generation,   "the oldest generation that was collected",                  0, 0, 0 },
	{ "kind",                "Kind",      -10,  UP,       cell_kind,         "blocking, background, or foreground (blocking, during a background one)", 2, 0, 0 },
	{ "reason",              "Reason",    -19,  UP,       cell_reason,       "why there was a collection at all",                         3, 0, 0 },
	{ "pause_us",            "Pause ms",  9,    DOWN,     cell_pause,        "how long the program stood still for it; CSV: microseconds", 0, 0, 0 },
	{ "stop_us",             "Stop ms",   7,    DOWN,     cell_stop,         "of that, until all threads had stopped",                    7, 0, 0 },
	{ "rate",                "Alloc/s",   9,    DOWN,     cell_rate,         "allocated a second since the one before",                   3, COLUMN_RATE, 0 },
	{ "before",              "Before",    9,    DOWN,     cell_before,       "size of the heap before it, free space included",           4, 0, 0 },
	{ "after",               "After",     9,    DOWN,     cell_after,        "size of the heap after it, free space included",            1, 0, 0 },
	{ "promoted",            "Survived",  9,    DOWN,     cell_promoted,     "bytes of the collected generations that survived",          6, 0, 0 },
	{ "free",       "Free",      9,    DOWN,     cell_fragmentation, "free space within the heap after it",                      5, 0, 0 },
	{ "load",                "Mem%",      4,    DOWN,     cell_load,         "memory of the machine or container in use, percent",        6, 0, 0 },
	{ "pinned",              "Pins",      4,    DOWN,     cell_pinned,       "pinned objects that it met",                                8, 0, 0 },
	{ "finalized",           "Final",     5,    DOWN,     cell_finalized,    "dead objects whose finalizers wait to run",                 8, 0, 0 },
	{ "mode",                "Mode",      -11,  UP,       cell_mode,         "pause mode of the program (GCSettings.LatencyMode)",        9, 0, 0 },
	{ "asked",               "Ask",       3,    DOWN,     cell_asked,        "generation that was asked for",                             7, 0, 0 },
	{ "decided",             "Did",       3,    DOWN,     cell_decided,      "generation that was decided on",                            9, M, 0 },
	{ "why",                 "Why this generation", FILL, UP, cell_why,     "whose budget was used up, or which condition decided on the generation", 0, 0, 0 },
	{ "budget_gen",   "Budget",    6,    DOWN,     cell_budget,       "oldest generation whose budget was used up",                9, M, 0 },
	{ "mechanisms",          "How",       -20,  UP,       cell_mechanisms,   "compacting or sweeping, and what else was done",            9, M, 0 },
	{ "compacted",      "Compacted", -20,  UP,       cell_compact,      "why it compacted",                                          9, M, 0 },
	{ "expand",              "Expanded",  -20,  UP,       cell_expand,       "how generations got more room",                             9, M, 0 },
	{ "announced",           "Announced", -10,  UP,       cell_announced,    "kind that it was to be; background ones may end up blocking", 9, M, 0 },
	{ "triggered",           "Trigger",   -16,  UP,       cell_triggered,    "reason of who triggered it",                                9, M, 0 },
	{ "client",              "Client",    8,    DOWN,     cell_client,       "number given by the tool that asked for it",                9, M, 0 },
	{ "duration_us",         "Duration",  8,    DOWN,     cell_duration,     "from its beginning to its end, pauses or not",              9, M, 0 },
	{ "pause1_us",      "Pause 1",   8,    DOWN,     cell_first_pause,  "its first pause; a background one has two",                 9, M, 0 },
	{ "pause2_us",     "Pause 2",   8,    DOWN,     cell_second_pause, "its second pause",                                          9, M, 0 },
	{ "prepare_us",          "Prepare",   8,    DOWN,     cell_before_work,  "of the first pause, from the last thread stopped to the beginning", 9, M, 0 },
	{ "resume_us",           "Resume",    8,    DOWN,     cell_after_work,   "of the pause, from its end until the threads went on",      9, M, 0 },
	{ "join_wait_us",        "Joins",     8,    DOWN,     cell_join_wait,    "heaps waiting for each other, all together (events of level 5)", 9, M, 0 },
	{ "since_us",            "Since",     8,    DOWN,     cell_since,        "since the one before had ended",                            9, M, 0 },
	{ "allocated",           "Allocated", 9,    DOWN,     cell_allocated,    "allocated since then",                                      9, M, 0 },
	{ "committed0",    "Committed", 9,    DOWN,     cell_committed_before, "memory that the collector held before",                 9, M, 0 },
	{ "committed",           "Committed", 9,    DOWN,     cell_committed_after, "memory that the collector held after",                   9, M, 0 },
	{ "bookkeeping",         "Books",     9,    DOWN,     cell_bookkeeping,  "memory for its own tables",                                 9, M, 0 },
	{ "final_bytes",     "Final",     9,    DOWN,     cell_finalized_bytes, "bytes kept for finalizers",                              9, M, 0 },
	{ "sync_blocks",         "Syncs",     6,    DOWN,     cell_sync_blocks,  "objects with a lock or a hash code",                        9, M, 0 },
	{ "handles",             "Handles",   7,    DOWN,     cell_handles,      "handles that it went through",                              9, M, 0 },
	{ "heaps",               "Heaps",     5,    DOWN,     cell_heaps,        "heaps of server GC; 1",                                     9, M, 0 },
	{ "gen0_budget",         "Budget 0",  9,    DOWN,     cell_gen0_budget,  "to be allocated until the next one",                        9, M, 0 },
	{ "gen0_cuts",     "Reduced",   7,    DOWN,     cell_gen0_reductions, "how often that was reduced for want of memory",          9, M, 0 },
	{ "size_gen0",           "Gen0",      9,    DOWN,     cell_size0,        "size of generation 0 after it",                             9, M, 0 },
	{ "size_gen1",           "Gen1",      9,    DOWN,     cell_size1,        "size of generation 1 after it",                             9, M, 0 },
	{ "size_gen2",           "Gen2",      9,    DOWN,     cell_size2,        "size of generation 2 after it",                             9, M, 0 },
	{ "size_loh",            "LOH",       9,    DOWN,     cell_size_large,   "size of the large objects after it",                        9, M, 0 },
	{ "size_poh",            "POH",       9,    DOWN,     cell_size_pinned,  "size of the heap for pinned objects after it",              9, M, 0 },
	{ "promo_gen0",       "Gen0",      9,    DOWN,     cell_promoted0,    "promoted from generation 0",                                9, M, 0 },
	{ "promo_gen1",       "Gen1",      9,    DOWN,     cell_promoted1,    "promoted from generation 1",                                9, M, 0 },
	{ "promo_gen2",       "Gen2",      9,    DOWN,     cell_promoted2,    "survived in generation 2",                                  9, M, 0 },
	{ "promo_loh",        "LOH",       9,    DOWN,     cell_promoted_large, "survived of the large objects",                           9, M, 0 },
	{ "promo_poh",        "POH",       9,    DOWN,     cell_promoted_pinned, "survived in the heap for pinned objects",                9, M, 0 },
	{ "survived",            "Survived",  9,    DOWN,     cell_survived,     "sum over heaps of what survived",                           9, M, 0 },
	{ "incomplete",          "Lost",      4,    DOWN,     cell_incomplete,   "1: events of it were lost",                                 9, M, 0 },
	{ 0 },
};
/* clang-format on */

/* ---- parts of one collection ----------------------------------------------
 */

/* The sum says nothing new where there is one heap. */
static size_t
tables_count(const struct gc_record *r)
{
	return r->heaps_count > 1 ? 1 + (size_t)r->heaps_count : 1;
}

size_t
gc_parts_count(const struct gc_record *r)
{
	return tables_count(r) * GC_GENERATIONS;
}

struct gc_part
gc_part(const struct gc_record *r, size_t part)
{
	size_t table = part / GC_GENERATIONS;
	struct gc_part p = { .generations = r->generations,
			     .generation = (int)(part % GC_GENERATIONS) };

	if (table > 0) {
		p.heap = &r->heaps[table - 1];
		p.generations = p.heap->generations;
	}
	return p;
}

static struct gc_part
part_of(const struct view *v, const struct row *row)
{
	const struct gc_cells *cells = v->state;

	return gc_part(cells->record, row->data);
}

static void
cell_part_gc(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_cells *cells = v->state;

	(void)row;
	put_number(out, cells->record->number);
}

static void
cell_part_heap(const struct view *v, const struct row *row, struct value *out)
{
	struct gc_part p = part_of(v, row);

	if (p.heap)
		value_plain(out, p.heap->number);
	else
		value_text(out, STYLE_DIM, "all");
}

static void
cell_part_generation(const struct view *v, const struct row *row,
		     struct value *out)
{
	value_text(out, STYLE_NORMAL,
		   gc_generation_text(part_of(v, row).generation));
}

static void
put_part(const struct view *v, const struct row *row, enum gc_size size,
	 struct value *out)
{
	struct gc_part p = part_of(v, row);

	put_bytes(out, p.generations[p.generation].sizes[size]);
}

#define PART_CELL(name, size)                                                  \
	static void cell_part_##name(const struct view *v,                     \
				     const struct row *row, struct value *out) \
	{                                                                      \
		put_part(v, row, size, out);                                   \
	}

PART_CELL(budget, GC_BUDGET)
PART_CELL(before, GC_SIZE_BEFORE)
PART_CELL(list_before, GC_FREE_LIST_BEFORE)
PART_CELL(free_before, GC_FREE_OBJECTS_BEFORE)
PART_CELL(after, GC_SIZE_AFTER)
PART_CELL(list_after, GC_FREE_LIST_AFTER)
PART_CELL(free_after, GC_FREE_OBJECTS_AFTER)
PART_CELL(in, GC_IN)
PART_CELL(pinned, GC_SURVIVED_PINNED)

static void
cell_part_survived(const struct view *v, const struct row *row,
		   struct value *out)
{
	struct gc_part p = part_of(v, row);
	const uint64_t *sizes = p.generations[p.generation].sizes;
	uint64_t sum = GC_UNKNOWN;

	gc_add(&sum, sizes[GC_SURVIVED]);
	gc_add(&sum, sizes[GC_SURVIVED_PINNED]);
	put_bytes(out, sum);
}

static void
cell_part_out(const struct view *v, const struct row *row, struct value *out)
{
	struct gc_part p = part_of(v, row);

	put_bytes(out, gc_out(p.generations, p.generation));
}

/* Of what was in use, without free space. */
static void
cell_part_rate(const struct view *v, const struct row *row, struct value *out)
{
	struct gc_part p = part_of(v, row);
	const uint64_t *sizes = p.generations[p.generation].sizes;
	uint64_t used = gc_minus(
	    gc_minus(sizes[GC_SIZE_BEFORE], sizes[GC_FREE_LIST_BEFORE]),
	    sizes[GC_FREE_OBJECTS_BEFORE]);
	uint64_t kept = GC_UNKNOWN;

	gc_add(&kept, sizes[GC_SURVIVED]);
	gc_add(&kept, sizes[GC_SURVIVED_PINNED]);
	if (used == GC_UNKNOWN || kept == GC_UNKNOWN || !used || !kept)
		value_blank(out);
	else
		value_share(out, kept, used);
}

/*
 * Large and pinned objects are collected together with generation 2, and it
 * together with the younger ones, unless it is done in the background.
 */
static bool
is_collected(const struct gc_record *r, int generation)
{
	enum { OLDEST = 2 };
	uint32_t wanted = generation > OLDEST ? OLDEST : (uint32_t)generation;

	if (r->generation == GC_UNKNOWN32)
		return false;
	if (r->kind == GC_BACKGROUND && !gc_was_not_concurrent(r))
		return wanted == OLDEST;
	return wanted <= r->generation;
}

static void
cell_part_remark(const struct view *v, const struct row *row, struct value *out)
{
	const struct gc_cells *cells = v->state;
	struct gc_part p = part_of(v, row);
	const char *why =
	    gc_compact_text(p.heap ? p.heap->compact : cells->record->compact);

	if (!is_collected(cells->record, p.generation))
		value_blank(out);
	else if (p.generation == 0 && why)
		value_printf(out, STYLE_DIM, "collected, compacted: %s", why);
	else
		value_text(out, STYLE_DIM, "collected");
}

/* clang-format off */
const struct column gc_part_columns[] = {
	/* id             title        width sorts     cell                  help                                                     rank flags needs */
	{ "number",        "GC",        5,    UNSORTED, cell_part_gc,         "the collection",                                           9, M, 0 },
	{ "heap",          "Heap",      4,    UP,       cell_part_heap,       "number of the heap; all: the sum over all of them",         0, 0, 0 },
	{ "generation",    "Gen",       -4,   UNSORTED, cell_part_generation, "gen0, gen1, gen2, large and pinned objects",                0, 0, 0 },
	{ "budget",        "Budget",    9,    DOWN,     cell_part_budget,     "to be allocated there until the next collection of it",     1, 0, 0 },
	{ "before",        "Before",    9,    DOWN,     cell_part_before,     "its size when the collection began",                        0, 0, 0 },
	{ "after",         "After",     9,    DOWN,     cell_part_after,      "its size when the collection had ended",                    0, 0, 0 },
	{ "survived",      "Survived",  9,    DOWN,     cell_part_survived,   "bytes that survived, here or promoted",                     0, 0, 0 },
	{ "rate",          "Rate",      6,    DOWN,     cell_part_rate,       "share of what was in use that survived",                    2, 0, 0 },
	{ "pinned",        "Pinned",    9,    DOWN,     cell_part_pinned,     "of the survivors, those that pins kept in place",           6, 0, 0 },
	{ "in",            "In",        9,    DOWN,     cell_part_in,         "came from the younger generation",                          3, 0, 0 },
	{ "out",           "Out",       9,    DOWN,     cell_part_out,        "went on to the older generation",                           3, 0, 0 },
	{ "free_list",     "Free list", 9,    DOWN,     cell_part_list_after, "free space that can be allocated from, after it",           4, 0, 0 },
	{ "gaps",  "Gaps",      9,    DOWN,     cell_part_free_after, "free space too small or not listed, after it",              4, 0, 0 },
	{ "list_before", "List before", 11, DOWN,  cell_part_list_before, "free space that could be allocated from, before it",       7, 0, 0 },
	{ "gaps_before", "Gaps before", 11, DOWN, cell_part_free_before, "other free space, before it",                            7, 0, 0 },
	{ "remark",        "Remark",    FILL, UP,       cell_part_remark,     "collected, or why the heap was compacted",                  0, 0, 0 },
	{ 0 },
};
/* clang-format on */
