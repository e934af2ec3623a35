/*
 * Collections out of recorded streams of three runtimes, beside what the same program was told by
 * GC.GetGCMemoryInfo() meanwhile; and out of made-up events: late, lost, cut short, of other
 * versions.
 */
#include "io/base/input.h"
#include "io/events/gc_events.h"
#include "io/events/gc_stats.h"
#include "model/gc/words.h"
#include "tests/drive/screens.h"
#include "tui/cli/gc_lines.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- gathering ------------------------------------------------------------
 */

enum { RECORDS_MAX = 64 };
struct gathered {
	struct gc_record records[RECORDS_MAX];
	size_t count;
	struct gc_totals totals;
};

static void
gather(void *context, struct gc_record *r)
{
	struct gathered *g = context;

	assert_true(g->count < RECORDS_MAX);
	g->records[g->count++] = *r;
	r->heaps = NULL;
	r->heaps_count = 0;
}

static void
gather_totals(void *context, const struct gc_totals *totals)
{
	struct gathered *g = context;

	g->totals = *totals;
}

static struct gathered *
gathered_new(struct gc_sink *sink)
{
	struct gathered *g = calloc(1, sizeof(*g));

	assert_non_null(g);
	*sink = (struct gc_sink){ gather, gather_totals, g };
	return g;
}

static void
gathered_free(struct gathered *g)
{
	for (size_t i = 0; i < g->count; i++)
		gc_record_clear(&g->records[i]);
	free(g);
}

static struct gathered *
read_file(const char *path)
{
	struct gc_source_facts facts = { 0 };
	struct gc_sink sink;
	struct gathered *g = gathered_new(&sink);
	struct error err = { 0 };

	if (!gc_stats_load(path, sink, &facts, NULL, &err))
		fail_msg("%s: %s", path, err.message);
	assert_false(facts.is_cut);
	return g;
}

static const struct gc_record *
record_numbered(const struct gathered *g, uint32_t number)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->records[i].number == number)
			return &g->records[i];
	fail_msg("no collection %" PRIu32, number);
	abort();
}

/* ---- beside the runtime's own words ---------------------------------------
 */

enum { FACTS = 11, FACTS_GENERATIONS = 4 * GC_GENERATIONS };

struct fact_line {
	uint64_t facts[FACTS + FACTS_GENERATIONS];
};
enum fact {
	FACT_NUMBER,
	FACT_GENERATION,
	FACT_COMPACTED,
	FACT_CONCURRENT,
	FACT_PAUSE_US,
	FACT_HEAP,
	FACT_FRAGMENTED,
	FACT_PROMOTED,
	FACT_PINNED,
	FACT_PENDING,
	FACT_COMMITTED,
};

static bool
parse_facts(const char *line, struct fact_line *out)
{
	char *end;

	for (size_t i = 0; i < FACTS + FACTS_GENERATIONS; i++) {
		out->facts[i] = strtoull(line, &end, 10);
		if (end == line)
			return false;
		line = end;
	}
	return true;
}

static void
expect_equal(uint32_t number, const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		fail_msg("GC %" PRIu32 ": %s is %" PRIu64 ", the runtime says %" PRIu64, number,
			 what, got, wanted);
}

static void
check_generations(const struct gc_record *r, const uint64_t *facts)
{
	for (int g = 0; g < GC_GENERATIONS; g++, facts += 4) {
		const uint64_t *s = r->generations[g].sizes;

		expect_equal(r->number, "a size before", s[GC_SIZE_BEFORE], facts[0]);
		expect_equal(r->number, "free space before",
			     s[GC_FREE_LIST_BEFORE] + s[GC_FREE_OBJECTS_BEFORE], facts[1]);
		expect_equal(r->number, "a size after", s[GC_SIZE_AFTER], facts[2]);
		expect_equal(r->number, "free space after",
			     s[GC_FREE_LIST_AFTER] + s[GC_FREE_OBJECTS_AFTER], facts[3]);
	}
}

/*
 * Not looked at in the background: the runtime counts the stopping of threads into no pause of
 * these, and what younger collections promoted into what this one did.
 */
static void
check_record(const struct gc_record *r, const uint64_t *facts)
{
	bool is_concurrent = (r->mechanisms & GC_CONCURRENT) != 0;
	uint64_t pause_us = r->pause_ns / 1000;

	expect_equal(r->number, "its generation", r->generation, facts[FACT_GENERATION]);
	expect_equal(r->number, "compacting", (r->mechanisms & GC_COMPACTING) != 0,
		     facts[FACT_COMPACTED]);
	expect_equal(r->number, "concurrent", is_concurrent, facts[FACT_CONCURRENT]);
	expect_equal(r->number, "the heap", r->after, facts[FACT_HEAP]);
	expect_equal(r->number, "fragmentation", r->fragmentation, facts[FACT_FRAGMENTED]);
	expect_equal(r->number, "pinned", r->pinned, facts[FACT_PINNED]);
	expect_equal(r->number, "finalized", r->finalized, facts[FACT_PENDING]);
	check_generations(r, facts + FACTS);
	if (is_concurrent) {
		assert_true(pause_us >= facts[FACT_PAUSE_US]);
		assert_int_equal(r->pauses_count, 2);
		return;
	}
	expect_equal(r->number, "promoted", r->survived, facts[FACT_PROMOTED]);
	expect_equal(r->number, "committed", r->committed_after, facts[FACT_COMMITTED]);
	/* Measured at other moments: within a twentieth, and 50 us. */
	if (pause_us + pause_us / 20 + 50 < facts[FACT_PAUSE_US] ||
	    pause_us > facts[FACT_PAUSE_US] * 21 / 20 + 50)
		expect_equal(r->number, "the pause", pause_us, facts[FACT_PAUSE_US]);
}

static void
compare_with_facts(const char *trace, const char *facts, size_t wanted)
{
	struct gathered *g = read_file(trace);
	FILE *file = fopen(facts, "r");
	struct fact_line line;
	char text[1024];
	size_t compared = 0;

	assert_non_null(file);
	while (fgets(text, sizeof(text), file))
		if (text[0] != '#' && parse_facts(text, &line)) {
			check_record(record_numbered(g, (uint32_t)line.facts[FACT_NUMBER]),
				     line.facts);
			compared++;
		}
	fclose(file);
	assert_int_equal(compared, wanted);
	gathered_free(g);
}

TEST(says_what_the_runtime_says)
{
	compare_with_facts("tests/data/gcs-10.nettrace.zst", "tests/data/gcs-10.facts", 16);
	compare_with_facts("tests/data/gcs-8.nettrace.zst", "tests/data/gcs-8.facts", 15);
}

/* ---- recorded streams as lines --------------------------------------------
 */

static const struct {
	const char *trace, *golden;
	enum table_format format;
	bool is_verbose;
	uint64_t rows_max, min_pause_ms;
} printed[] = {
	{ "gcs-10", "gcs-10.txt", TABLE_TEXT, false, UINT64_MAX, 0 },
	{ "gcs-10", "gcs-10-v.txt", TABLE_TEXT, true, 4, 0 },
	{ "gcs-10", "gcs-10.csv", TABLE_CSV, false, UINT64_MAX, 0 },
	{ "gcs-8", "gcs-8.txt", TABLE_ASCII, false, UINT64_MAX, 0 },
	{ "gcs-busy-10", "gcs-busy-10.txt", TABLE_TEXT, false, UINT64_MAX, 2 },
	{ "gcs-server-10", "gcs-server-10.json", TABLE_JSON, true, 2, 0 },
	{ "gcs-server-10", "gcs-server-10-v.tsv", TABLE_TSV, true, 2, 0 },
	{ "gcs-joins-10", "gcs-joins-10-v.txt", TABLE_TEXT, true, 2, 0 },
};

static char *
print_trace(const char *trace, enum table_format format, bool is_verbose, uint64_t rows_max,
	    uint64_t min_pause_ms)
{
	char path[128], *out = NULL;
	struct gc_source_facts facts = { 0 };
	struct gathered *g;
	struct gc_lines lines;
	struct error err = { 0 };
	size_t len = 0, at = 0;
	FILE *to = open_memstream(&out, &len);

	snprintf(path, sizeof(path), "tests/data/%s.nettrace.zst", trace);
	g = read_file(path);
	assert_true(gc_lines_init(&lines, to, to, format, NULL, &err));
	lines.is_verbose = is_verbose;
	lines.rows_max = rows_max;
	lines.min_pause_ns = min_pause_ms * 1000000;
	while (at < g->count && gc_lines_take(&lines, &g->records[at]))
		at++;
	lines.log.summary.totals = g->totals;
	gc_lines_sum_up(to, &lines.log.summary, &facts);
	gc_lines_clear(&lines);
	gathered_free(g);
	fclose(to);
	return out;
}

TEST(prints_recorded_streams)
{
	for (size_t i = 0; i < COUNT_OF(printed); i++) {
		char *text = print_trace(printed[i].trace, printed[i].format, printed[i].is_verbose,
					 printed[i].rows_max, printed[i].min_pause_ms);

		expect_text(text, printed[i].golden);
		free(text);
	}
}

TEST(prints_what_is_asked_for)
{
	struct gc_lines lines;
	struct error err = { 0 };

	assert_true(gc_lines_init(&lines, stdout, stdout, TABLE_CSV, "number,pause_us", &err));
	assert_int_equal(lines.table.columns_count, 2);
	gc_lines_clear(&lines);
	assert_false(gc_lines_init(&lines, stdout, stdout, TABLE_MD, NULL, &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	gc_lines_clear(&lines);
}

/* ---- made-up events --------------------------------------------------------
 */

struct stage {
	struct gathered *got;
	struct gc_stats *stats;
	struct nettrace *trace; /* of a recorded one: for its clock */
	struct nettrace_memory memory;
	struct input in;
	uint64_t now; /* nanoseconds of the made-up clock */
	uint64_t thread;
};

static void
stage_begin(struct stage *s)
{
	struct nettrace_event event;
	struct gc_sink sink;
	struct error err = { 0 };

	*s = (struct stage){ .now = 1000000 };
	assert_true(input_open(&s->in, "tests/data/gcs-server-10.nettrace.zst", NULL, &err));
	s->trace = nettrace_new(nettrace_memory_input(&s->memory, s->in.data, s->in.len), &err);
	assert_non_null(s->trace);
	assert_int_equal(nettrace_next(s->trace, &event, &err), NETTRACE_EVENT);
	s->got = gathered_new(&sink);
	s->stats = gc_stats_new(sink, &err);
	assert_non_null(s->stats);
	s->now = nettrace_header(s->trace)->clock_start;
}

static void
stage_end(struct stage *s)
{
	gc_stats_free(s->stats);
	gathered_free(s->got);
	nettrace_free(s->trace);
	input_close(&s->in);
}

enum { WORDS_MAX = 40 };

/* Payload: so many u32 and then some bytes; a microsecond after the last. */
static void
send_at(struct stage *s, uint64_t at, uint32_t id, uint32_t version, bool is_sorted,
	const void *payload, uint32_t len)
{
	struct nettrace_event e = { .provider = NETTRACE_RUNTIME,
				    .id = id,
				    .version = version,
				    .thread = s->thread,
				    .timestamp = at,
				    .is_sorted = is_sorted,
				    .payload = payload,
				    .payload_len = len };
	struct error err = { 0 };

	assert_true(gc_stats_take(s->stats, s->trace, NETTRACE_EVENT, &e, &err));
}

static void
send(struct stage *s, uint32_t id, uint32_t version, const void *payload, uint32_t len)
{
	s->now += 1000;
	send_at(s, s->now, id, version, false, payload, len);
}

static void
send_suspend(struct stage *s, uint32_t reason)
{
	uint32_t words[2] = { reason, 0 };

	send(s, GC_SUSPEND_BEGIN, 1, words, 8);
	send(s, GC_SUSPEND_END, 1, words, 2);
}

static void
send_restart(struct stage *s)
{
	send(s, GC_RESTART_BEGIN, 1, "\0\0", 2);
	send(s, GC_RESTART_END, 1, "\0\0", 2);
}

static void
send_start(struct stage *s, uint32_t number, uint32_t generation, uint32_t kind)
{
	uint32_t words[7] = { number, generation, 0, kind };

	send(s, GC_START, 2, words, 26);
}

static void
send_end(struct stage *s, uint32_t number)
{
	uint32_t words[3] = { number };

	send(s, GC_END, 1, words, 10);
}

/* HeapStats whose generation 0 has this size. */
static void
send_stats(struct stage *s, uint64_t size)
{
	uint64_t words[14] = { size };

	send(s, GC_HEAP_STATS, 2, words, 110);
}

static void
send_global(struct stage *s, uint32_t mechanisms, uint32_t heaps)
{
	uint32_t words[13] = { 0, 0, heaps, 0, 0, 0, mechanisms };

	send(s, GC_GLOBAL_HISTORY, 3, words, 46);
}

static void
settle(struct stage *s)
{
	struct error err = { 0 };

	assert_true(gc_stats_settle(s->stats, &err));
}

/* A blocking one, while the program is stopped. */
static void
send_collection(struct stage *s, uint32_t number)
{
	send_start(s, number, 0, GC_BLOCKING);
	send_global(s, GC_PROMOTING, 1);
	send_end(s, number);
	send_stats(s, 100 + number);
}

/* A blocking one of three microseconds after the stop, seven in all. */
static void
send_blocking(struct stage *s, uint32_t number)
{
	send_suspend(s, 1);
	send_collection(s, number);
	send_restart(s);
}

TEST(tells_one)
{
	const struct gc_record *r;
	struct stage s;

	stage_begin(&s);
	send_blocking(&s, 7);
	assert_int_equal(s.got->count, 0); /* older ones could still come */
	settle(&s);
	assert_int_equal(s.got->count, 1);
	r = &s.got->records[0];
	assert_int_equal(r->number, 7);
	assert_int_equal(r->pause_ns, 7000);
	assert_int_equal(r->stop_ns, 1000);
	assert_int_equal(r->before_ns, 1000);
	assert_int_equal(r->duration_ns, 2000);
	assert_int_equal(r->after_ns, 3000);
	assert_int_equal(r->after, 107);
	assert_true(r->before == GC_UNKNOWN); /* no history of its heap */
	assert_true(r->allocated == GC_UNKNOWN);
	assert_false(r->is_incomplete); /* nothing was lost: an old runtime */
	stage_end(&s);
}

/*
 * Start and first pause on one thread, the rest on another; a blocking one before it in the same
 * pause, and one while it runs.
 */
TEST(tells_background_ones)
{
	const struct gc_record *r;
	struct stage s;

	stage_begin(&s);
	send_suspend(&s, 1);
	send_start(&s, 5, 2, GC_BACKGROUND);
	send_start(&s, 6, 1, GC_BLOCKING);
	send_global(&s, GC_PROMOTING, 1);
	send_end(&s, 6);
	send_stats(&s, 60);
	send_restart(&s);
	send_blocking(&s, 8);
	send_suspend(&s, 6);
	send_restart(&s);
	send_global(&s, GC_CONCURRENT, 1);
	send_end(&s, 5);
	send_stats(&s, 50);
	settle(&s);
	assert_int_equal(s.got->count, 3);
	r = record_numbered(s.got, 5);
	assert_int_equal(r, &s.got->records[2]);
	assert_true(r->shares_pause);
	assert_int_equal(r->pauses_count, 1);
	assert_int_equal(r->pause_ns, 3000);
	assert_int_equal(r->mechanisms, GC_CONCURRENT);
	assert_int_equal(r->after, 50);
	r = record_numbered(s.got, 6);
	assert_int_equal(r->pause_ns, 8000);
	assert_int_equal(r->mechanisms, GC_PROMOTING);
	assert_int_equal(record_numbered(s.got, 8)->pause_ns, 7000);
	stage_end(&s);
}

/* Those of one thread stand together in the stream. */
TEST(puts_threads_in_order)
{
	uint32_t start[7] = { 9, 1, 0, GC_BLOCKING }, suspend[2] = { 1 };
	uint32_t end[3] = { 9 };
	uint64_t stats[14] = { 0 }, t;
	struct stage s;

	stage_begin(&s);
	t = s.now + 1000;
	send_at(&s, t + 30, GC_START, 2, true, start, 26);
	send_at(&s, t + 10, GC_SUSPEND_BEGIN, 1, false, suspend, 10 - 2);
	send_at(&s, t + 20, GC_SUSPEND_END, 1, false, suspend, 2);
	send_at(&s, t + 60, GC_RESTART_END, 1, false, suspend, 2);
	send_at(&s, t + 40, GC_END, 1, false, end, 10);
	send_at(&s, t + 50, GC_HEAP_STATS, 2, false, stats, 110);
	assert_int_equal(s.got->count, 0);
	/* This says that all before it has come. */
	send_at(&s, t + 70, GC_SUSPEND_BEGIN, 1, true, suspend, 8);
	assert_int_equal(s.got->count, 1);
	assert_int_equal(s.got->records[0].pause_ns, 50);
	stage_end(&s);
}

/* The watching began, or ended, in the middle of one. */
TEST(leaves_out_parts)
{
	struct error err = { 0 };
	struct stage s;

	stage_begin(&s);
	send_end(&s, 3);
	send_stats(&s, 3);
	send_restart(&s);
	send_blocking(&s, 4);
	send_suspend(&s, 1);
	send_start(&s, 5, 0, GC_BLOCKING);
	assert_true(gc_stats_end(s.stats, &err));
	assert_int_equal(s.got->count, 1);
	assert_int_equal(s.got->records[0].number, 4);
	assert_int_equal(s.got->totals.partial, 2);
	stage_end(&s);
}

/* The end of its pause was lost: told with the next one, without a pause. */
TEST(misses_what_was_lost)
{
	struct nettrace_event lost = { .lost_count = 3 };
	struct error err = { 0 };
	struct stage s;

	stage_begin(&s);
	send_suspend(&s, 1);
	send_start(&s, 4, 0, GC_BLOCKING);
	send_end(&s, 4);
	assert_true(gc_stats_take(s.stats, s.trace, NETTRACE_LOST, &lost, &err));
	send_blocking(&s, 5);
	settle(&s);
	assert_int_equal(s.got->count, 2);
	assert_true(s.got->records[0].pause_ns == GC_UNKNOWN);
	assert_true(s.got->records[0].is_incomplete);
	assert_int_equal(s.got->records[1].pause_ns, 7000);
	assert_int_equal(s.got->totals.lost_events, 3);
	stage_end(&s);
}

TEST(counts_other_pauses)
{
	struct stage s;

	stage_begin(&s);
	send_suspend(&s, 0);
	send_restart(&s);
	settle(&s);
	gc_stats_watched(s.stats, 1);
	assert_int_equal(s.got->count, 0);
	assert_int_equal(s.got->totals.other_pauses, 1);
	assert_int_equal(s.got->totals.other_ns, 3000);
	stage_end(&s);
}

/* An event about a stop, by a thread. */
static void
send_by(struct stage *s, uint64_t thread, uint32_t id, uint32_t reason)
{
	uint32_t words[2] = { reason, 0 };

	s->thread = thread;
	send(s, id, 1, words, 8);
}

/*
 * The runtime's sampling of stacks (thread 2) asks to stop the program before the collection of
 * thread 1 has done so, or before it ends. Each row is the order in which they write: upper case is
 * thread 1.
 */
static const struct {
	const char *order; /* b: SuspendBegin, e: SuspendEnd, r: RestartBegin,
			      t: RestartEnd, g: a collection */
	uint64_t pause_ns, stop_ns, other_ns;
	uint32_t others;
} overlaps[] = {
	{ "BEGRTbert", 7000, 1000, 3000, 1 },
	{ "BEGbRTert", 8000, 1000, 3000, 1 },
	{ "BEGRbTert", 8000, 1000, 3000, 1 },
	{ "bBertEGRT", 7000, 1000, 4000, 1 },
	{ "beBrtEGRT", 7000, 1000, 4000, 1 },
	{ "bBEGRTert", 7000, 1000, 3000, 1 },
	{ "BbEGRTert", 8000, 2000, 3000, 1 },
	/* The thread that restarts says so only after the next stop. */
	{ "BEGRbeTrt", 6000, 1000, 4000, 1 },
	{ "berBEtGRT", 8000, 1000, 2000, 1 },
};

TEST(tells_stops_of_threads_apart)
{
	for (size_t i = 0; i < COUNT_OF(overlaps); i++) {
		const struct gc_record *r;
		struct stage s;

		stage_begin(&s);
		for (const char *c = overlaps[i].order; *c; c++) {
			uint64_t thread = *c < 'a' ? 1 : 2;
			char what = (char)(*c | 0x20);

			if (what == 'b')
				send_by(&s, thread, GC_SUSPEND_BEGIN, thread == 1);
			else if (what == 'e')
				send_by(&s, thread, GC_SUSPEND_END, 0);
			else if (what == 'r')
				send_by(&s, thread, GC_RESTART_BEGIN, 0);
			else if (what == 't')
				send_by(&s, thread, GC_RESTART_END, 0);
			else
				send_collection(&s, 7);
		}
		settle(&s);
		gc_stats_watched(s.stats, 1);
		assert_int_equal(s.got->count, 1);
		r = &s.got->records[0];
		if (r->pause_ns != overlaps[i].pause_ns || r->stop_ns != overlaps[i].stop_ns ||
		    s.got->totals.other_ns != overlaps[i].other_ns)
			fail_msg("%s: paused %" PRIu64 ", %" PRIu64 " to stop; others %" PRIu64,
				 overlaps[i].order, r->pause_ns, r->stop_ns,
				 s.got->totals.other_ns);
		assert_int_equal(s.got->totals.other_pauses, overlaps[i].others);
		stage_end(&s);
	}
}

/* Every event of a real stream, cut at every length: nothing but unknowns. */
TEST(takes_short_payloads)
{
	struct nettrace_memory memory;
	struct nettrace_event e;
	struct nettrace *t;
	struct stage s;
	struct error err = { 0 };

	stage_begin(&s);
	t = nettrace_new(nettrace_memory_input(&memory, s.in.data, s.in.len), &err);
	assert_non_null(t);
	while (nettrace_next(t, &e, &err) == NETTRACE_EVENT) {
		uint32_t len = e.payload_len;

		for (e.payload_len = 0; e.payload_len <= len; e.payload_len++) {
			/* Exactly so long, for the sanitizer to see. */
			uint8_t *copy = malloc(e.payload_len + 1);

			assert_non_null(copy);
			memcpy(copy, e.payload, e.payload_len);
			send_at(&s, e.timestamp, e.id, e.version, true, copy, e.payload_len);
			free(copy);
			for (size_t i = 0; i < s.got->count; i++)
				gc_record_clear(&s.got->records[i]);
			s.got->count = 0;
		}
	}
	assert_true(gc_stats_end(s.stats, &err));
	nettrace_free(t);
	stage_end(&s);
}

/* Numbers of heaps, generations and reasons that nobody has. */
TEST(believes_no_numbers)
{
	uint32_t heap[140];
	struct stage s;

	stage_begin(&s);
	memset(heap, 0xff, sizeof(heap));
	send_suspend(&s, 1);
	send_start(&s, 4, 0xfffffff0, 0xfffffff1);
	send(&s, GC_GLOBAL_HISTORY, 4, heap, 50);
	send(&s, GC_HEAP_HISTORY, 3, heap, 500);
	send(&s, GC_MARK, 0, heap, 18);
	send(&s, GC_JOIN, 2, heap, 18);
	heap[17] = 0x00030000; /* heap 3, and 2^32 - 1 generations */
	send(&s, GC_HEAP_HISTORY, 3, heap, 500);
	send_end(&s, 4);
	send(&s, GC_HEAP_STATS, 2, heap, 110);
	send_restart(&s);
	settle(&s);
	assert_int_equal(s.got->count, 1);
	assert_null(gc_reason_text(0x7fffffff));
	assert_true(s.got->records[0].heaps_count <= 1);
	stage_end(&s);
}

/* Lines have local times. */
static int
take_utc(void **state)
{
	(void)state;
	return setenv("TZ", "UTC", 1);
}
TESTS_BETWEEN(take_utc, NULL);
