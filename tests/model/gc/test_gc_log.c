/*
 * Records of collections: the log that keeps the newest of them, the feed that fills it, and why a
 * collection came, in words.
 */
#include "io/base/input.h"
#include "io/events/gc_events.h"
#include "io/events/gc_stats.h"
#include "model/gc/text.h"
#include "model/gc/words.h"
#include "tui/cli/gc_lines.h"
#include "tests/drive/run_tests.h"
#include <string.h>

/* ---- the log and the feed ---------------------------------------------------
 */

static void
record_with_heaps(struct gc_record *r, uint32_t number, uint32_t heaps)
{
	struct error err = { 0 };

	gc_record_init(r);
	r->number = number;
	r->generation = number % 3;
	r->pause_ns = 1000 + number;
	for (uint32_t h = heaps; h-- > 0;)
		assert_non_null(gc_record_heap(r, h, &err));
	for (uint32_t h = 0; h < heaps; h++)
		assert_int_equal(r->heaps[h].number, h);
}

TEST(keeps_the_newest)
{
	enum { ADDED = GC_LOG_RECORDS + 1000, HEAPS = 64 };
	struct gc_record r;
	struct gc_log log;
	struct error err = { 0 };

	assert_true(gc_log_init(&log, &err));
	for (uint32_t i = 0; i < ADDED; i++) {
		record_with_heaps(&r, i, i % 16 ? 1 : HEAPS);
		gc_log_add(&log, &r);
		assert_null(r.heaps);
		assert_true(log.heaps_count <= GC_LOG_HEAPS);
	}
	assert_int_equal(gc_log_first(&log), 1000);
	assert_int_equal(gc_log_at(&log, 1000)->number, 1000);
	assert_null(gc_log_at(&log, 1000)->heaps);
	assert_int_equal(gc_log_at(&log, ADDED - 1)->heaps_count, 1);
	assert_int_equal(log.summary.count, ADDED);
	assert_int_equal(log.summary.counts[1], (ADDED + 1) / 3);
	assert_int_equal(log.summary.longest_number, ADDED - 1);
	gc_log_clear(&log);
}

/* An unknown number adds nothing, and a sum never becomes unknown. */
TEST(sums_saturate)
{
	uint64_t sum = GC_UNKNOWN;

	gc_add(&sum, GC_UNKNOWN);
	assert_true(sum == GC_UNKNOWN);
	gc_add(&sum, 7);
	gc_add(&sum, GC_UNKNOWN);
	assert_true(sum == 7);
	gc_add(&sum, GC_UNKNOWN - 9);
	assert_true(sum == GC_UNKNOWN - 2);
	gc_add(&sum, 1);
	assert_true(sum == GC_UNKNOWN - 1);
	gc_add(&sum, 1);
	assert_true(sum == GC_UNKNOWN - 1);
}

/* Three collections: a known pause, one whose duration is known, nothing. */
TEST(sums_say_what_they_lack)
{
	char text[GC_TEXT_BYTES];
	struct gc_record r;
	struct gc_log log;
	struct error err = { 0 };

	assert_true(gc_log_init(&log, &err));
	log.summary.totals.last_ns = 100000000;
	for (uint32_t i = 0; i < 3; i++) {
		gc_record_init(&r);
		r.number = i;
		r.kind = GC_BLOCKING;
		r.pause_ns = i == 0 ? 4000000 : GC_UNKNOWN;
		r.duration_ns = i == 1 ? 2000000 : GC_UNKNOWN;
		r.allocated = i == 1 ? 5 << 20 : GC_UNKNOWN;
		gc_log_add(&log, &r);
	}
	assert_true(gc_summary_text(&log.summary, 1, text));
	assert_string_equal(
	    text, "paused at least 6.00 ms in all, 6.00% of the time; longest 4.00 ms (GC 0), on "
		  "average 4.00 ms; of 2 collections that is unknown");
	assert_true(gc_summary_text(&log.summary, 2, text));
	assert_string_equal(
	    text, "at least 5.00 MiB allocated between collections, 0 finalizers run; stopped 0 "
		  "times for other reasons, 0.00 ms; allocations before 1 collection are unknown");
	assert_non_null(strstr(gc_summary_short(&log.summary, text), "at least 6.00%"));
	gc_log_clear(&log);
}

TEST(pushes_out_the_oldest)
{
	enum { GIVEN = GC_FEED_RECORDS + 10 };
	struct gc_totals totals;
	struct gc_feed feed;
	struct gc_record r;
	struct gc_sink sink;
	struct error err = { 0 };
	uint64_t dropped;

	assert_true(gc_feed_init(&feed, &err));
	sink = gc_feed_sink(&feed);
	for (uint32_t i = 0; i < GIVEN; i++) {
		record_with_heaps(&r, i, 2);
		sink.take(sink.context, &r);
		gc_record_clear(&r);
	}
	gc_feed_totals(&feed, &totals, &dropped);
	assert_int_equal(dropped, 10);
	for (uint32_t i = 10; i < GIVEN; i++) {
		assert_true(gc_feed_next(&feed, &r));
		assert_int_equal(r.number, i);
		gc_record_clear(&r);
	}
	assert_false(gc_feed_next(&feed, &r));
	gc_feed_clear(&feed);
}

/* ---- words ------------------------------------------------------------------
 */

static const struct {
	uint32_t reason, reasons[2];
	const char *text;
} decisions[] = {
	{ 0, { 0, 0 }, "gen0 budget" },
	{ 0, { 20, 0 }, "gen1 budget" },
	{ 0, { 40, 0 }, "gen2 budget" },
	{ 0, { 0, 1 << 15 }, "gen0 budget, before background GC" },
	{ 0, { 0x80 | 8, 0 }, "gen2 time" },
	{ 1, { 10, 1 }, "induced full" },
	{ 1, { 5, 0 }, "request" },
	{ 4, { 40, 1 << 13 }, "gen2 budget, gen2 too small" },
	{ 2,
	  { 10, 1 << 2 | 1 << 9 },
	  "high memory load, gen2 highly fragmented, high memory load" },
	{ 17, { 10, 1 | 1 << 30 }, "induced full, aggressive" },
	{ 0, { 0, 0x80000000 }, "gen0 budget, condition 31" },
	{ 0, { GC_UNKNOWN32, GC_UNKNOWN32 }, "" },
	{ 0, { 0, 0xffffffff }, NULL }, /* fits, whatever it is */
};

TEST(says_why)
{
	char text[GC_DECISION_BYTES];
	struct gc_record r;

	for (size_t i = 0; i < COUNT_OF(decisions); i++) {
		gc_record_init(&r);
		r.reason = decisions[i].reason;
		memcpy(r.reasons, decisions[i].reasons, sizeof(r.reasons));
		gc_decision_text(&r, text);
		assert_true(strlen(text) < sizeof(text));
		if (decisions[i].text)
			assert_string_equal(text, decisions[i].text);
	}
}
