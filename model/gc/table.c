#include "model/gc/table.h"
#include "model/gc/words.h"
#include <stdio.h>
#include <time.h>

static const struct gc_record *
record_of(const struct cells *in, const struct row *row)
{
	const struct gc_cells *cells = in->rows;

	return gc_log_at(cells->log, row->data);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return record_of(in, row);
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

/* The name of a number, or the number if it has none. */
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
		snprintf(out, GC_TIME_BYTES, "%02d:%02d:%02d.%03d", tm.tm_hour, tm.tm_min,
			 tm.tm_sec, (int)(time / 1000000 % 1000));
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
		snprintf(out + len, GC_TIME_BYTES - len, ".%06dZ", (int)(time / 1000 % 1000000));
	return out;
}

/* ---- cells of a collection ------------------------------------------------
 */

static void
cell_time(const struct cells *in, const struct row *row, struct value *out)
{
	char text[GC_TIME_BYTES];

	gc_time_text(record_of(in, row)->time, text);
	value_printf(out, STYLE_DIM, "%s", text);
}

static void
cell_utc(const struct cells *in, const struct row *row, struct value *out)
{
	char text[GC_TIME_BYTES];

	gc_time_iso(record_of(in, row)->time, text);
	value_printf(out, STYLE_NORMAL, "%s", text);
}

/* The actual kind: a collection announced as background may be blocking. */
static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(in, row);
	uint32_t kind = gc_was_not_concurrent(r) ? GC_BLOCKING : r->kind;

	put_word(out, gc_kind_text(kind), kind);
}

static void
cell_announced(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(in, row);

	put_word(out, gc_kind_text(r->kind), r->kind);
}

static void
cell_reason(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(in, row);

	put_word(out, gc_reason_text(r->reason), r->reason);
}

static void
cell_triggered(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(in, row);

	put_word(out, gc_reason_text(r->triggered), r->triggered);
}

static void
cell_mode(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(in, row);

	put_word(out, gc_mode_text(r->pause_mode), r->pause_mode);
}

/* Highlights long pauses: a tenth of a second is noticeable. */
static void
cell_pause(const struct cells *in, const struct row *row, struct value *out)
{
	enum { LONG_MS = 100, VERY_LONG_MS = 1000 };
	const struct gc_record *r = record_of(in, row);
	uint64_t ms = r->pause_ns / 1000000;

	put_duration(out, r->pause_ns);
	if (r->pause_ns != GC_UNKNOWN && ms >= LONG_MS)
		out->style = ms >= VERY_LONG_MS ? STYLE_ERROR : STYLE_WARNING;
}

static void
put_nth_pause(const struct gc_record *r, uint32_t n, struct value *out)
{
	put_duration(out, n < r->pauses_count ? r->pauses[n].length_ns : GC_UNKNOWN);
}

static void
cell_first_pause(const struct cells *in, const struct row *row, struct value *out)
{
	put_nth_pause(record_of(in, row), 0, out);
}

static void
cell_second_pause(const struct cells *in, const struct row *row, struct value *out)
{
	put_nth_pause(record_of(in, row), 1, out);
}

static void
cell_rate(const struct cells *in, const struct row *row, struct value *out)
{
	put_bytes(out, gc_allocation_rate(record_of(in, row)));
}

/* The runtime counts it for the condemned generations. */
static void
cell_promoted(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_record *r = record_of(in, row);
	uint64_t sum = GC_UNKNOWN;

	for (int g = 0; g < GC_GENERATIONS; g++)
		gc_add(&sum, r->promoted[g]);
	put_bytes(out, r->survived != GC_UNKNOWN ? r->survived : sum);
}

static void
cell_asked(const struct cells *in, const struct row *row, struct value *out)
{
	put_number(out, gc_decision(record_of(in, row)->reasons).asked);
}

static void
cell_decided(const struct cells *in, const struct row *row, struct value *out)
{
	put_number(out, gc_decision(record_of(in, row)->reasons).decided);
}

/* Shows the reported number, which is 0 also if no budget was exceeded. */
static void
cell_budget(const struct cells *in, const struct row *row, struct value *out)
{
	struct gc_decision d = gc_decision(record_of(in, row)->reasons);

	put_number(out, d.budget);
}

static void
cell_why(const struct cells *in, const struct row *row, struct value *out)
{
	char text[GC_DECISION_BYTES];

	gc_decision_text(record_of(in, row), text);
	value_printf(out, STYLE_NORMAL, "%s", text);
}

static void
cell_mechanisms(const struct cells *in, const struct row *row, struct value *out)
{
	char text[GC_DECISION_BYTES];

	gc_mechanisms_text(record_of(in, row), text);
	value_printf(out, STYLE_NORMAL, "%s", text);
}

static void
cell_compact(const struct cells *in, const struct row *row, struct value *out)
{
	const char *text = gc_compact_text(record_of(in, row)->compact);

	value_text(out, STYLE_NORMAL, text ? text : "");
}

static void
cell_expand(const struct cells *in, const struct row *row, struct value *out)
{
	const char *text = gc_expand_text(record_of(in, row)->expand);

	value_text(out, STYLE_NORMAL, text ? text : "");
}

static void
cell_incomplete(const struct cells *in, const struct row *row, struct value *out)
{
	value_plain(out, record_of(in, row)->is_incomplete);
}

/* clang-format off */
#define M COLUMN_MACHINE
#define S COLUMN_SCREEN
static const struct column columns[] = {
	/* id                    title        width sorts     cell               help                                                      rank flags needs */
	{ "number",              "GC",        5,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, number),       "number of the collection, as counted by the runtime",           0, 0, 0 },
	{ "clock",               "Time",      -12,  UP,       CELL(VALUE_TEXT, cell_time),         "when it began, local time",                                 1, S, 0 },
	{ "time",                "Time",      -27,  UP,       CELL(VALUE_TEXT, cell_utc),          "when it began, UTC",                                        9, M, 0 },
	{ "generation",          "Gen",       3,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, generation),   "the oldest generation that was collected",                  0, 0, 0 },
	{ "kind",                "Kind",      -10,  UP,       CELL(VALUE_TEXT, cell_kind),         "blocking, background, or foreground (blocking, during a background one)", 2, 0, 0 },
	{ "reason",              "Reason",    -19,  UP,       CELL(VALUE_TEXT, cell_reason),       "what caused the collection",                         3, 0, 0 },
	{ "pause_us",            "Pause ms",  9,    DOWN,     CELL(VALUE_DURATION, cell_pause),        "how long the program was paused; CSV: microseconds", 0, 0, 0 },
	{ "stop_us",             "Stop ms",   7,    DOWN,     KNOWN_AT(VALUE_DURATION, struct gc_record, stop_ns),         "part of the pause until all threads had stopped",                    7, 0, 0 },
	{ "rate",                "Alloc/s",   9,    DOWN,     CELL(VALUE_BYTES, cell_rate),         "bytes allocated a second since the previous collection",                   3, COLUMN_RATE, 0 },
	{ "before",              "Before",    9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, before),       "size of the heap before it, free space included",           4, 0, 0 },
	{ "after",               "After",     9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, after),        "size of the heap after it, free space included",            1, 0, 0 },
	{ "promoted",            "Survived",  9,    DOWN,     CELL(VALUE_BYTES, cell_promoted),     "bytes of the collected generations that survived",          6, 0, 0 },
	{ "free",       "Free",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, fragmentation), "free space within the heap after it",                      5, 0, 0 },
	{ "load",                "Mem%",      4,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, memory_load),         "memory of the machine or container in use, percent",        6, 0, 0 },
	{ "pinned",              "Pins",      4,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, pinned),       "pinned objects that it found",                                8, 0, 0 },
	{ "finalized",           "Final",     5,    DOWN,     KNOWN_AT(VALUE_COUNT, struct gc_record, finalized),    "dead objects whose finalizers wait to run",                 8, 0, 0 },
	{ "mode",                "Mode",      -11,  UP,       CELL(VALUE_TEXT, cell_mode),         "pause mode of the program (GCSettings.LatencyMode)",        9, 0, 0 },
	{ "asked",               "Ask",       3,    DOWN,     CELL(VALUE_PLAIN, cell_asked),        "generation that was requested",                             7, 0, 0 },
	{ "decided",             "Did",       3,    DOWN,     CELL(VALUE_PLAIN, cell_decided),      "generation that was chosen",                            9, M, 0 },
	{ "why",                 "Why this generation", FILL, UP, CELL(VALUE_TEXT, cell_why),     "which budget was exceeded, or which condition chose the generation", 0, 0, 0 },
	{ "budget_gen",   "Budget",    6,    DOWN,     CELL(VALUE_PLAIN, cell_budget),       "oldest generation whose budget was exceeded",                9, M, 0 },
	{ "mechanisms",          "How",       -20,  UP,       CELL(VALUE_TEXT, cell_mechanisms),   "compacting or sweeping, and other mechanisms used",            9, M, 0 },
	{ "compacted",      "Compacted", -20,  UP,       CELL(VALUE_TEXT, cell_compact),      "why it compacted",                                          9, M, 0 },
	{ "expand",              "Expanded",  -20,  UP,       CELL(VALUE_TEXT, cell_expand),       "how generations got more memory",                             9, M, 0 },
	{ "announced",           "Announced", -10,  UP,       CELL(VALUE_TEXT, cell_announced),    "kind that was announced; background collections may end up blocking", 9, M, 0 },
	{ "triggered",           "Trigger",   -16,  UP,       CELL(VALUE_TEXT, cell_triggered),    "reason given by the trigger",                                9, M, 0 },
	{ "client",              "Client",    8,    DOWN,     KNOWN_AT(VALUE_COUNT, struct gc_record, client_sequence),       "number given by the tool that asked for it",                9, M, 0 },
	{ "duration_us",         "Duration",  8,    DOWN,     KNOWN_AT(VALUE_DURATION, struct gc_record, duration_ns),     "from start to end, whether paused or not",              9, M, 0 },
	{ "pause1_us",      "Pause 1",   8,    DOWN,     CELL(VALUE_TEXT, cell_first_pause),  "its first pause; a background collection has two",                 9, M, 0 },
	{ "pause2_us",     "Pause 2",   8,    DOWN,     CELL(VALUE_TEXT, cell_second_pause), "its second pause",                                          9, M, 0 },
	{ "prepare_us",          "Prepare",   8,    DOWN,     KNOWN_AT(VALUE_DURATION, struct gc_record, before_ns),  "part of the first pause from all threads stopped to the start", 9, M, 0 },
	{ "resume_us",           "Resume",    8,    DOWN,     KNOWN_AT(VALUE_DURATION, struct gc_record, after_ns),   "part of the pause from the end until threads resumed",      9, M, 0 },
	{ "join_wait_us",        "Joins",     8,    DOWN,     KNOWN_AT(VALUE_DURATION, struct gc_record, join_wait_ns),    "time that heaps waited for each other, summed up (events of level 5)", 9, M, 0 },
	{ "since_us",            "Since",     8,    DOWN,     KNOWN_AT(VALUE_DURATION, struct gc_record, since_ns),        "time since the previous collection ended",                            9, M, 0 },
	{ "allocated",           "Allocated", 9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, allocated),    "bytes allocated in that time",                                      9, M, 0 },
	{ "committed0",    "Committed", 9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, committed_before), "memory that the collector had committed before it",                 9, M, 0 },
	{ "committed",           "Committed", 9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, committed_after), "memory that the collector had committed after it",                   9, M, 0 },
	{ "bookkeeping",         "Books",     9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, bookkeeping),  "memory for the collector's own tables",                                 9, M, 0 },
	{ "final_bytes",     "Final",     9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, finalized_bytes), "bytes kept for finalizers",                              9, M, 0 },
	{ "sync_blocks",         "Syncs",     6,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, sync_blocks),  "objects with a lock or a hash code",                        9, M, 0 },
	{ "handles",             "Handles",   7,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, handles),      "handles that it went through",                              9, M, 0 },
	{ "heaps",               "Heaps",     5,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, reported_heaps_count),        "heaps of server GC; otherwise 1",                                     9, M, 0 },
	{ "gen0_budget",         "Budget 0",  9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, gen0_budget),  "bytes to allocate in generation 0 before the next collection",                        9, M, 0 },
	{ "gen0_cuts",     "Reduced",   7,    DOWN,     KNOWN_AT(VALUE_PLAIN, struct gc_record, gen0_reductions), "how often that budget was reduced for lack of memory",          9, M, 0 },
	{ "size_gen0",           "Gen0",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, size_after[0]),        "size of generation 0 after it",                             9, M, 0 },
	{ "size_gen1",           "Gen1",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, size_after[1]),        "size of generation 1 after it",                             9, M, 0 },
	{ "size_gen2",           "Gen2",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, size_after[2]),        "size of generation 2 after it",                             9, M, 0 },
	{ "size_loh",            "LOH",       9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, size_after[GC_GENERATION_LARGE]),   "size of the large object heap after it",                        9, M, 0 },
	{ "size_poh",            "POH",       9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, size_after[GC_GENERATION_PINNED]),  "size of the pinned object heap after it",              9, M, 0 },
	{ "promo_gen0",       "Gen0",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, promoted[0]),    "promoted from generation 0",                                9, M, 0 },
	{ "promo_gen1",       "Gen1",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, promoted[1]),    "promoted from generation 1",                                9, M, 0 },
	{ "promo_gen2",       "Gen2",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, promoted[2]),    "survived in generation 2",                                  9, M, 0 },
	{ "promo_loh",        "LOH",       9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, promoted[GC_GENERATION_LARGE]), "survived in the large object heap",                           9, M, 0 },
	{ "promo_poh",        "POH",       9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, promoted[GC_GENERATION_PINNED]), "survived in the pinned object heap",                9, M, 0 },
	{ "survived",            "Survived",  9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_record, survived),     "sum over heaps of what survived",                           9, M, 0 },
	{ "incomplete",          "Lost",      4,    DOWN,     CELL(VALUE_PLAIN, cell_incomplete),   "1: some of its events were lost",                                 9, M, 0 },
	{ 0 },
};
/* clang-format on */
const struct table gc_table = {
	.name = "gcs",
	.columns = columns,
	.record = record,
};

/* ---- parts of one collection ----------------------------------------------
 */

/* The sum is redundant if there is one heap. */
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
part_of(const struct cells *in, const struct row *row)
{
	const struct gc_cells *cells = in->rows;

	return gc_part(cells->record, row->data);
}

static const void *
part_record(const struct cells *in, const struct row *row)
{
	struct gc_part p = part_of(in, row);
	const struct gc_generation *all = p.generations;

	return all + p.generation;
}

static void
cell_part_gc(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_cells *cells = in->rows;

	(void)row;
	put_number(out, cells->record->number);
}

static void
cell_part_heap(const struct cells *in, const struct row *row, struct value *out)
{
	struct gc_part p = part_of(in, row);

	if (p.heap)
		value_plain(out, p.heap->number);
	else
		value_text(out, STYLE_DIM, "all");
}

static void
cell_part_generation(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_NORMAL, gc_generation_text(part_of(in, row).generation));
}

static void
cell_part_survived(const struct cells *in, const struct row *row, struct value *out)
{
	struct gc_part p = part_of(in, row);
	const uint64_t *sizes = p.generations[p.generation].sizes;
	uint64_t sum = GC_UNKNOWN;

	gc_add(&sum, sizes[GC_SURVIVED]);
	gc_add(&sum, sizes[GC_SURVIVED_PINNED]);
	put_bytes(out, sum);
}

static void
cell_part_out(const struct cells *in, const struct row *row, struct value *out)
{
	struct gc_part p = part_of(in, row);

	put_bytes(out, gc_out(p.generations, p.generation));
}

/* The share of bytes in use before, without free space. */
static void
cell_part_rate(const struct cells *in, const struct row *row, struct value *out)
{
	struct gc_part p = part_of(in, row);
	const uint64_t *sizes = p.generations[p.generation].sizes;
	uint64_t used = gc_minus(gc_minus(sizes[GC_SIZE_BEFORE], sizes[GC_FREE_LIST_BEFORE]),
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
 * LOH and POH are collected together with gen2, and gen2 together with younger generations, except
 * in the background.
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
cell_part_remark(const struct cells *in, const struct row *row, struct value *out)
{
	const struct gc_cells *cells = in->rows;
	struct gc_part p = part_of(in, row);
	const char *why = gc_compact_text(p.heap ? p.heap->compact : cells->record->compact);

	if (!is_collected(cells->record, p.generation))
		value_blank(out);
	else if (p.generation == 0 && why)
		value_printf(out, STYLE_DIM, "collected, compacted: %s", why);
	else
		value_text(out, STYLE_DIM, "collected");
}

/* clang-format off */
static const struct column part_columns[] = {
	/* id             title        width sorts     cell                  help                                                     rank flags needs */
	{ "number",        "GC",        5,    UNSORTED, CELL(VALUE_PLAIN, cell_part_gc),         "number of the collection",                                           9, M, 0 },
	{ "heap",          "Heap",      4,    UP,       CELL(VALUE_PLAIN, cell_part_heap),       "number of the heap; all: the sum over all of them",         0, 0, 0 },
	{ "generation",    "Gen",       -4,   UNSORTED, CELL(VALUE_TEXT, cell_part_generation), "gen0, gen1, gen2, large object heap, pinned object heap",                0, 0, 0 },
	{ "budget",        "Budget",    9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_BUDGET]),     "bytes to allocate there before its next collection",     1, 0, 0 },
	{ "before",        "Before",    9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_SIZE_BEFORE]),     "its size at the start of the collection",                        0, 0, 0 },
	{ "after",         "After",     9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_SIZE_AFTER]),      "its size at the end of the collection",                    0, 0, 0 },
	{ "survived",      "Survived",  9,    DOWN,     CELL(VALUE_BYTES, cell_part_survived),   "bytes that survived, here or promoted",                     0, 0, 0 },
	{ "rate",          "Rate",      6,    DOWN,     CELL(VALUE_SHARE, cell_part_rate),       "share of the bytes in use that survived",                    2, 0, 0 },
	{ "pinned",        "Pinned",    9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_SURVIVED_PINNED]),     "survivors that pinning kept in place",           6, 0, 0 },
	{ "in",            "In",        9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_IN]),         "bytes promoted from the younger generation",                          3, 0, 0 },
	{ "out",           "Out",       9,    DOWN,     CELL(VALUE_BYTES, cell_part_out),        "bytes promoted to the older generation",                           3, 0, 0 },
	{ "free_list",     "Free list", 9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_FREE_LIST_AFTER]), "free space on free lists, after it",           4, 0, 0 },
	{ "gaps",  "Gaps",      9,    DOWN,     KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_FREE_OBJECTS_AFTER]), "other free space, after it",              4, 0, 0 },
	{ "list_before", "List before", 11, DOWN,  KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_FREE_LIST_BEFORE]), "free space on free lists, before it",       7, 0, 0 },
	{ "gaps_before", "Gaps before", 11, DOWN, KNOWN_AT(VALUE_BYTES, struct gc_generation, sizes[GC_FREE_OBJECTS_BEFORE]), "other free space, before it",                            7, 0, 0 },
	{ "remark",        "Remark",    FILL, UP,       CELL(VALUE_TEXT, cell_part_remark),     "collected, or why the heap was compacted",                  0, 0, 0 },
	{ 0 },
};
/* clang-format on */
const struct table gc_part_table = {
	.name = "gc",
	.columns = part_columns,
	.record = part_record,
};
