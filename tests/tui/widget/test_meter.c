/* Bars in proportion, and what is told of a job's rate and end. */
#include "model/heap/stream.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tui/widget/meter.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000000000 };

/* All cells are used, in proportion, and nothing that is there is unseen. */
TEST(cells_are_in_proportion)
{
	struct meter_part parts[METER_PARTS_MAX] = { 0 };
	int cells[METER_PARTS_MAX];

	srand(7);
	for (int turn = 0; turn < 20000; turn++) {
		unsigned count = 1 + (unsigned)rand() % METER_PARTS_MAX;
		int width = 10 + rand() % 31, sum = 0;
		uint64_t whole = 0;

		for (unsigned i = 0; i < count; i++) {
			parts[i].glyph = "#";
			parts[i].bytes = (uint64_t)rand() << rand() % 24;
			if (rand() % 3 == 0)
				parts[i].bytes = 0;
			whole += parts[i].bytes;
		}
		meter_cells(parts, count, width, cells);
		for (unsigned i = 0; i < count; i++) {
			double exact = whole ? (double)parts[i].bytes / (double)whole * width : 0;

			assert_true(cells[i] >= 1 || !parts[i].bytes);
			if (parts[i].glyph[0] != '#')
				assert_true(cells[i] == 1 && exact < 0.5);
			else
				assert_true(!parts[i].bytes || exact >= 0.5);
			assert_true(cells[i] < exact + 1.5);
			assert_true(cells[i] > exact - METER_PARTS_MAX);
			sum += cells[i];
		}
		assert_int_equal(sum, whole ? width : 0);
	}
}

static void
assert_rate(const char *counted, uint64_t done, uint64_t total, int64_t elapsed,
	    const char *expected)
{
	struct progress p = { 0 };
	char text[96];

	if (counted)
		progress_begin(&p, "x", counted, total);
	else
		progress_begin_bytes(&p, "x", total);
	assert_true(progress_add(&p, done));
	assert_string_equal(meter_rate(&p, atomic_load(&p.begun_ns) + elapsed, text, sizeof text),
			    expected);
}

TEST(rates_are_told)
{
	assert_rate("objects", 100, 200, SECOND / 2, "");
	assert_rate("objects", 0, 200, 2 * (int64_t)SECOND, "");
	assert_rate("rows", 2000, 6000, 2 * (int64_t)SECOND, ", 1,000 rows/s, 4.0 s left");
	assert_rate(NULL, 2 << 20, 0, 2 * (int64_t)SECOND, ", 1.00 MiB/s");
	assert_rate("types", 9, 5, (int64_t)SECOND, ", 9 types/s");
	assert_rate("objects", 7852220, 0, 2 * (int64_t)SECOND, ", 3.9 M objects/s");
}

TEST(estimates_are_labelled)
{
	struct progress p = { 0 };
	char text[96];

	progress_begin(&p, "x", "objects", 0);
	progress_estimate(&p, 6000);
	assert_true(progress_add(&p, 2000));
	assert_string_equal(
	    meter_rate(&p, atomic_load(&p.begun_ns) + 2 * (int64_t)SECOND, text, sizeof text),
	    ", 1,000 objects/s, ~4.0 s left");
	/* The next stage knows its total. */
	progress_begin(&p, "y", "objects", 6000);
	assert_true(progress_add(&p, 2000));
	assert_string_equal(
	    meter_rate(&p, atomic_load(&p.begun_ns) + 2 * (int64_t)SECOND, text, sizeof text),
	    ", 1,000 objects/s, 4.0 s left");
}

/* A capture: it tells where generations are, its objects where they are. */
static struct session *
capture(const uint64_t *sizes, unsigned count)
{
	enum { START = 0x10000, APART = 0x100000 };
	struct error err = { 0 };
	struct heap_stream *stream = heap_stream_new(&err);
	const struct heap *h;
	struct session *s;

	assert_non_null(stream);
	for (unsigned i = 0; i < count; i++) {
		uint64_t at = START + (uint64_t)i * APART;
		type_id type =
		    heap_builder_type(heap_stream_builder(stream), "App.T", "x.dll", &err);

		assert_true(heap_stream_object(stream, at, type, sizes[i], 0, &err));
		if (i < GEN_UNKNOWN)
			assert_true(heap_stream_range(stream, at, at + APART, (enum generation)i,
						      -1, &err));
	}
	h = heap_stream_finish(stream, NULL, &err);
	assert_non_null(h);
	s = session_new_of_heap(h, (struct waker){ 0 }, &err);
	assert_non_null(s);
	return s;
}

static void
assert_meter(const struct session *s, int columns, bool is_ascii, const char *expected)
{
	struct error err = { 0 };
	struct screen *screen = screen_new(1, columns, &err);
	struct line line = { screen, 0, 0 };
	char *dump;

	assert_non_null(screen);
	screen->is_ascii = is_ascii;
	meter_draw_heap(&line, s, 0);
	dump = screen_dump(screen, false, &err);
	assert_non_null(dump);
	if (!strstr(dump, expected))
		fail_msg("%d columns: %s", columns, dump);
	memory_free(dump);
	screen_free(screen);
}

static void
assert_process(const struct session *s, int columns, const char *expected)
{
	struct error err = { 0 };
	struct screen *screen = screen_new(1, columns, &err);
	struct line line = { screen, 0, 0 };
	char *dump;

	assert_non_null(screen);
	assert_int_equal(meter_draw(&line, s, 0), expected != NULL);
	dump = screen_dump(screen, false, &err);
	assert_non_null(dump);
	if (expected && !strstr(dump, expected))
		fail_msg("%d columns: %s", columns, dump);
	memory_free(dump);
	screen_free(screen);
}

/* The memory of a process is a sum, whose parts are rows of `resident`. */
TEST(the_memory_of_a_process_adds_up)
{
	enum { MIB = 1 << 20 };
	struct heap h = { .bytes_count = 3 * MIB };
	struct reach reach = { .reachable_bytes = 3 * MIB };
	struct session s = { .heap = &h, .reach = &reach };
	struct resident *r = &h.info.resident;

	assert_process(&s, 80, NULL); /* the meter of the heap */
	r->detail = RESIDENT_MAPPINGS;
	r->bytes = 89 * MIB;
	r->parts[RESIDENT_MANAGED].bytes = 14 * MIB;
	r->parts[RESIDENT_IMAGES].bytes = 48 * MIB;
	r->parts[RESIDENT_MALLOC].bytes = 21 * MIB;
	r->parts[RESIDENT_STACKS].bytes = 6 * MIB;
	assert_process(
	    &s, 120,
	    "89.00 MiB resident = managed 14.00 (live 3.00, kept 11.00) + images 48.00 + "
	    "malloc 21.00 + stacks 6.00");
	assert_process(&s, 70, "89.00 MiB resident = managed 14.00 + images 48.00 + rest 27.00");
	assert_process(&s, 48, "89.00 MiB resident = managed 14.00 + rest 75.00");
	assert_process(&s, 40, NULL);
	/* heaptop's own memory stands there only near its limit. */
	s.memory_limit = 100 * MIB;
	{
		struct error err = { 0 };
		struct screen *screen = screen_new(1, 80, &err);
		struct line line = { screen, 0, 0 };

		assert_non_null(screen);
		assert_true(meter_draw(&line, &s, 70 * MIB));
		line.column = 0;
		assert_false(meter_draw(&line, &s, 90 * MIB));
		screen_free(screen);
	}
}

/* Objects outside all ranges count, too; each part is named if there is
   room. */
TEST(captures_are_told_by_generation)
{
	static const uint64_t sizes[] = { 2400, 4000, 240000, 85024, 8000, 24, 48 };
	static const struct {
		int columns;
		const char *legend;
	} rows[] = {
		{ 150, "││▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓████████▌││ │ gen0 2,400 B │ gen1 4,000 B ▓ gen2 "
		       "240,000 B █ loh 85,024 B ▌ poh 8,000 B │ frozen 24 B │ unknown 48 B" },
		{ 100, "│ gen0 │ gen1 4,000 B ▓ gen2 240,000 B █ loh 85,024 B │ poh 8,000 B │ "
		       "frozen │ unknown" },
		{ 50, "││▓▓▓▓█│││ │ gen0 │ gen1 ▓ gen2 █ loh │ poh" },
	};
	struct session *s = capture(sizes, GEN_COUNT);
	struct meter_part parts[METER_PARTS_MAX];

	assert_int_equal(meter_parts(s, parts), GEN_COUNT);
	for (unsigned i = 0; i < GEN_COUNT; i++) {
		assert_int_equal(parts[i].bytes, sizes[i]);
		assert_string_equal(parts[i].label, generation_name((enum generation)i));
	}
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_meter(s, rows[i].columns, false, rows[i].legend);
	session_free(s);
}

/* Parts are told apart where there is nothing but ASCII, and no colour. */
TEST(ascii_tells_parts_apart)
{
	static const uint64_t same[] = { 800, 800, 800, 800, 800, 800, 800 };
	static const uint64_t sliver[] = { 80000, 24 };
	struct session *s = capture(same, GEN_COUNT);

	assert_meter(s, 200, true, "......:::::%%%%%%######======ooooo?????? . gen0");
	session_free(s);
	s = capture(sliver, 2);
	assert_meter(s, 80, true, "...................| . gen0 80,000 B | gen1 24 B");
	session_free(s);
}

TEST(own_memory_is_known)
{
	assert_in_range(meter_own_bytes(), 100 << 10, (uint64_t)64 << 30);
}

static bool
work_for_ever(void *context, struct progress *progress, struct error *err)
{
	atomic_bool *has_begun = context;

	progress_begin(progress, "turning references round", "objects", 1000);
	progress_add(progress, 667);
	atomic_store(has_begun, true);
	while (!progress_is_cancelled(progress))
		sched_yield();
	return error_cancelled(err);
}

/* However narrow it is, how to stop it is said. */
TEST(says_how_to_stop)
{
	static const int widths[] = { 120, 80, 50, 40, 24 };
	const struct waker threads = jobs_on_threads();
	atomic_bool has_begun = false;
	struct error err = { 0 };
	struct job *job = job_start("working", work_for_ever, &has_begun, threads, &err);

	while (!atomic_load(&has_begun))
		sched_yield();
	for (size_t i = 0; i < COUNT_OF(widths); i++) {
		struct screen *s = screen_new(1, widths[i], &err);
		struct line l = { s, 0, 0 };
		char *text;

		meter_draw_job(&l, job);
		text = screen_dump(s, false, &err);
		assert_non_null(text);
		assert_non_null(strstr(text, " 66.7%"));
		assert_non_null(strstr(text, "  Esc stops"));
		assert_true((strstr(text, "█") != NULL) == (widths[i] > 48));
		memory_free(text);
		screen_free(s);
	}
	job_cancel(job);
	assert_false(job_finish(job, &err));
}
