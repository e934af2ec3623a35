/*
 * Samples beside a made-up heap: which are in it, by address, type and size, and who allocated
 * them. A real recording and heap: tests/io/events/test_allocation_events.c.
 */
#include "model/allocations/alive_cells.h"
#include "model/allocations/join.h"
#include "model/allocations/sentences.h"
#include "model/allocations/rows.h"
#include "model/allocations/tally.h"
#include "tests/drive/run_tests.h"
#include "tests/made/graphs.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ARROW " \xe2\x86\x90 "
enum { SECOND = 1000000000 };

/* Method n is at address n * 0x100. */
static bool
name(void *context, uint64_t address, struct arena *scratch, struct allocation_method *out,
     struct error *err)
{
	static const struct allocation_method methods[] = {
		{ "Shop.Main", "shop.dll", false, false },
		{ "Shop.Order.Make", "shop.dll", false, false },
		{ "List.Add", "System.Private.CoreLib.dll", true, false },
	};

	(void)context, (void)scratch, (void)err;
	*out = methods[address / 0x100 - 1];
	return true;
}

struct joined {
	struct allocation_tally *tally;
	struct allocations *allocations;
	const struct heap *heap;
	struct samples *samples;
	struct error err;
};

/* Objects 0 to 2 are of this type, 3 is an array of entries. */
static const char *type_name = "Shop.Order";

static const struct heap *
made(void)
{
	struct graph *g = graph_new(4, 2);

	g->type_names[0] = type_name;
	g->type_names[1] = "System.Collections.Generic.Dictionary<System.Int32,Shop.Order>+Entry[]";
	g->types[3] = 1;
	return graph_heap(g);
}

static void
begin(struct joined *j, bool is_random)
{
	*j = (struct joined){ .heap = made() };
	j->tally = allocation_tally_new(&j->err);
	assert_ok(j->tally, &j->err);
	assert_ok(allocation_tally_follow(j->tally, &j->err), &j->err);
	j->tally->facts.is_random = is_random;
	j->tally->facts.survival.now_ns = 100 * (uint64_t)SECOND;
	j->tally->clock_hz = SECOND;
}

static void
sample(struct joined *j, const char *type, uint64_t address, uint64_t size, uint64_t seconds)
{
	static const uint64_t frames[] = { 0x300, 0x200, 0x100 };
	const struct allocation_sample s = { .type = type,
					     .address = address,
					     .size = size,
					     .tick_bytes = 1,
					     .frames = frames,
					     .frames_count = 3 };
	struct survived_sample followed = {
		.address = address, .size = size, .time = seconds * SECOND, .weight = 102400
	};

	assert_ok(allocation_tally_add(j->tally, &s, &followed.owner, &j->err), &j->err);
	assert_ok(survived_add(j->tally->survived, &followed, &j->err), &j->err);
}

static void
end(struct joined *j)
{
	const struct allocation_namer namer = { name, NULL };

	j->allocations = allocations_name(j->tally, namer, &j->err);
	assert_ok(j->allocations, &j->err);
	j->samples = samples_join(j->allocations, j->heap, NULL, NULL, &j->err);
	assert_ok(j->samples, &j->err);
}

static void
joined_free(struct joined *j)
{
	samples_free(j->samples);
	allocations_free(j->allocations);
	allocation_tally_free(j->tally);
	heap_free(j->heap);
}

TEST(samples_in_the_heap)
{
	const struct sample *s;
	char text[SAMPLE_TEXT_BYTES];
	struct joined j;

	begin(&j, true);
	sample(&j, "Shop.Order", heap_address(j.heap, 1), graph_size(1), 40);
	/* Nested types lack the outer one, and sizes are whole words. */
	sample(&j, "Entry<System.Int32,Shop.Order>[]", heap_address(j.heap, 3), graph_size(3), 90);
	end(&j);
	assert_int_equal(j.samples->count, 2);
	assert_int_equal(j.samples->in_heap, 2);
	assert_null(samples_of(j.samples, 0));
	assert_null(samples_of(NULL, 1));
	s = samples_of(j.samples, 1);
	assert_non_null(s);
	assert_string_equal(s->site, "Shop.Order.Make");
	assert_string_equal(s->by, "Shop.Order.Make" ARROW "Shop.Main");
	assert_string_equal(s->stack, "List.Add" ARROW "Shop.Order.Make" ARROW "Shop.Main");
	assert_int_equal(s->weight, 102400);
	assert_string_equal(sample_text(s, text), "Shop.Order.Make" ARROW "Shop.Main, 60.0 s ago");
	s = samples_of(j.samples, 3);
	assert_non_null(s);
	assert_string_equal(s->type, "Dictionary<int, Shop.Order>.Entry[]");
	joined_free(&j);
}

TEST(samples_that_are_not_in_the_heap)
{
	struct joined j;

	begin(&j, true);
	sample(&j, "Shop.Order", heap_address(j.heap, 1) + 8, graph_size(1), 1);
	sample(&j, "Shop.OrderLine", heap_address(j.heap, 0), graph_size(0), 1);
	sample(&j, "Shop.Order", heap_address(j.heap, 2), graph_size(2) + 64, 1);
	sample(&j, "Entry<System.Int32,Shop.Order>", heap_address(j.heap, 3), graph_size(3), 1);
	end(&j);
	assert_int_equal(j.samples->count, 4);
	assert_int_equal(j.samples->in_heap, 0);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(j.samples->items[i].object, NODE_NONE);
		assert_int_equal(j.samples->items[i].state, SAMPLE_NEW);
	}
	joined_free(&j);
}

/* A type that is unknown is no sign of another process. */
TEST(samples_of_unknown_types)
{
	static const struct {
		const char *in_heap, *sampled;
		uint32_t undecided;
		const char *text;
	} rows[] = {
		{ "Shop.Order", "Shop.Line", 0,
		  "0 of 1 samples that were last seen alive are in the heap; 0 had died before: is "
		  "the recording of another process?" },
		{ "UNKNOWN 0x7f0012345678", "Shop.Order", 1,
		  "0 of 1 samples that were last seen alive are in the heap; 1 cannot be "
		  "confirmed, as a type is unknown; 0 had died before" },
		{ "Shop.Order", "(without a type)", 1,
		  "0 of 1 samples that were last seen alive are in the heap; 1 cannot be "
		  "confirmed, as a type is unknown; 0 had died before" },
	};
	char text[SAMPLES_TEXT_BYTES];
	struct joined j;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		type_name = rows[i].in_heap;
		begin(&j, true);
		sample(&j, rows[i].sampled, heap_address(j.heap, 1), graph_size(1), 40);
		end(&j);
		assert_int_equal(j.samples->undecided, rows[i].undecided);
		samples_text(j.samples, text);
		assert_string_equal(text, rows[i].text);
		joined_free(&j);
	}
	type_name = "Shop.Order";
}

/* Ticks have other sizes for some large and pinned objects. */
TEST(sizes_of_ticks)
{
	static const int differ[] = { 0, 8, -24, 16 };
	struct joined j;

	for (int is_random = 0; is_random < 2; is_random++)
		for (int i = 0; i < (int)COUNT_OF(differ); i++) {
			begin(&j, is_random);
			sample(&j, "Shop.Order", heap_address(j.heap, 1),
			       graph_size(1) + (uint64_t)differ[i], 1);
			end(&j);
			assert_int_equal(j.samples->in_heap, !i || (!is_random && i < 3));
			joined_free(&j);
		}
}

TEST(who_allocated_most_of_a_type)
{
	char text[SAMPLE_TEXT_BYTES];
	struct joined j;

	begin(&j, true);
	for (node_id n = 0; n < 3; n++)
		sample(&j, "Shop.Order", heap_address(j.heap, n), graph_size(n), 1);
	end(&j);
	assert_true(samples_source_text(j.samples, j.heap, heap_type_of(j.heap, 0), text));
	assert_string_equal(text, "Shop.Order.Make" ARROW "Shop.Main (3 of 3 samples)");
	assert_false(samples_source_text(j.samples, j.heap, heap_type_of(j.heap, 3), text));
	assert_false(samples_source_text(NULL, j.heap, 0, text));
	joined_free(&j);
}

/* The recording begins at 1000.5 s. */
static uint32_t
count_until(int64_t captured, uint32_t captured_ns, uint64_t sampled)
{
	struct heap_info *info;
	struct joined j;
	uint32_t count;

	begin(&j, true);
	info = &((struct heap *)j.heap)->info;
	info->time = captured;
	info->time_ns = captured_ns;
	j.tally->facts.time = 1000;
	j.tally->facts.time_ms = 500;
	sample(&j, "Shop.Line", heap_address(j.heap, 0), 24, sampled);
	end(&j);
	count = j.samples->count;
	joined_free(&j);
	return count;
}

TEST(samples_after_the_capture_are_not_listed)
{
	assert_int_equal(count_until(1010, 250000000, 9), 1);
	assert_int_equal(count_until(1010, 250000000, 10), 0);
	/* It may have been any moment of that second. */
	assert_int_equal(count_until(1010, 0, 10), 1);
	assert_int_equal(count_until(1010, 0, 11), 0);
	/* Dates that no clock has. */
	assert_int_equal(count_until(INT64_MAX, 0, 11), 1);
	assert_int_equal(count_until(1, 0, INT64_MAX / SECOND), 0);
}

/* A collection that moves object 0 to where object 1 is, and frees the rest. */
static void
collect_at(struct joined *j, uint64_t seconds, uint32_t number)
{
	struct survived_region region = { .length = UINT64_MAX, .generation = 0 };
	const struct survived_collection c = { .time = seconds * SECOND,
					       .number = number,
					       .generation = 2 };
	const struct survived_plug plug = { heap_address(j->heap, 0), heap_address(j->heap, 1),
					    graph_size(0) };
	struct survived *survived = j->tally->survived;

	assert_ok(survived_begin(survived, &region, 1, &j->err), &j->err);
	assert_ok(survived_judge(survived, &c, &j->err), &j->err);
	survived_plugs(survived, &plug, 1);
	assert_ok(survived_end(survived, NULL, 0, &j->err), &j->err);
}

static void
collect(struct joined *j)
{
	collect_at(j, 50, 7);
}

/* The cell of the first row. */
static const char *
cell_text(const struct allocation_rows *rows, const char *id)
{
	static struct value value;
	const struct cells in = { .rows = rows };
	const struct row row = { 0 };
	int at = column_by_id(allocations_table.columns, id);

	table_cell(&allocations_table, &in, &allocations_table.columns[at], &row, &value);
	return value.text ? value.text : "";
}

/* Counting anew forgets neither what is alive nor shows what is dead. */
TEST(samples_that_outlive_their_counts)
{
	struct allocation_rows rows;
	struct joined j;

	begin(&j, true);
	sample(&j, "Shop.Order", heap_address(j.heap, 0), graph_size(0), 10);
	sample(&j, "Shop.Line", heap_address(j.heap, 3) + 4096, 24, 10);
	collect(&j);
	allocation_tally_restart(j.tally);
	end(&j);
	assert_ok(allocation_rows_make(&rows, j.allocations, ALLOCATIONS_BY_TYPE, "", NULL, &j.err),
		  &j.err);
	assert_int_equal(rows.count, 1);
	assert_string_equal(allocation_row_name(&rows, 0), "Shop.Order");
	assert_int_equal(rows.items[0].sum.samples, 0);
	assert_int_equal(rows.items[0].alive.sum.samples, 1);
	assert_string_equal(cell_text(&rows, "rate"), "");
	assert_string_equal(cell_text(&rows, "objects_rate"), "");
	assert_string_equal(cell_text(&rows, "living"), "< 572,512 B");
	assert_int_equal(j.samples->count, 1);
	assert_int_equal(j.samples->dead, 1);
	allocation_rows_clear(&rows);
	joined_free(&j);
}

/* Another object may lie there, so it is not alive. */
TEST(samples_whose_place_the_program_may_have_reused)
{
	char text[ALLOCATION_TEXT_BYTES];
	enum sentence_topic topic;
	struct allocation_rows rows;
	struct joined j;

	begin(&j, true);
	sample(&j, "Shop.Order", heap_address(j.heap, 0), graph_size(0), 10);
	survived_doubt(j.tally->survived);
	collect(&j);
	end(&j);
	assert_ok(allocation_rows_make(&rows, j.allocations, ALLOCATIONS_BY_TYPE, "", NULL, &j.err),
		  &j.err);
	assert_int_equal(rows.items[0].alive.sum.samples, 0);
	assert_true(rows.items[0].alive.unknown_bytes > 102000);
	assert_string_equal(cell_text(&rows, "oldest"), "");
	assert_true(allocation_sentence(&rows, 1, &topic, text));
	assert_int_equal(topic, SENTENCE_ALIVE);
	assert_string_equal(text, "about 0 B are alive as of gen2 7, 50.0 s "
				  "ago; 102,900 B unknown");
	assert_int_equal(j.samples->items[0].state, SAMPLE_UNKNOWN);
	allocation_rows_clear(&rows);
	joined_free(&j);
}

/* A heap shows what one collection left, though more samples follow, and all are lost in the
   end. */
TEST(samples_as_a_collection_left_them)
{
	char text[SAMPLES_TEXT_BYTES];
	struct joined j;

	begin(&j, true);
	j.tally->last_collection = 7;
	sample(&j, "Shop.Order", heap_address(j.heap, 0), graph_size(0), 10);
	sample(&j, "Shop.Line", heap_address(j.heap, 3) + 4096, 24, 10);
	collect(&j);
	sample(&j, "Shop.Order", heap_address(j.heap, 2), graph_size(2), 60);
	survived_lose(j.tally->survived);
	end(&j);
	assert_true(j.samples->is_at_heap);
	assert_int_equal(j.samples->count, 1);
	assert_int_equal(j.samples->items[0].address, heap_address(j.heap, 1));
	assert_int_equal(j.samples->items[0].age_ns, 40 * (uint64_t)SECOND);
	samples_text(j.samples, text);
	assert_string_equal(
	    text,
	    "0 of 1 samples that were alive at the capture are in the heap; 1 had died before: is "
	    "the recording of another process?");
	joined_free(&j);
}

/* The number of samples for the heap of a collection, of which one left a sample and the next one
   nothing; they are followed on. */
static uint32_t
count_during_recording(uint32_t number, bool *is_at_heap)
{
	struct joined j;
	uint32_t count;

	begin(&j, true);
	assert_ok(allocation_tally_keep_recent(j.tally, &j.err), &j.err);
	((struct heap *)j.heap)->info.gc_number = number;
	sample(&j, "Shop.Order", heap_address(j.heap, 0), graph_size(0), 10);
	collect_at(&j, 50, 7);
	collect_at(&j, 51, 8);
	sample(&j, "Shop.Order", heap_address(j.heap, 2), graph_size(2), 60);
	sample(&j, "Shop.Order", heap_address(j.heap, 0), graph_size(0), 60);
	end(&j);
	count = j.samples->count;
	*is_at_heap = j.samples->is_at_heap;
	if (number == 7) {
		assert_int_equal(j.samples->items[0].address, heap_address(j.heap, 1));
		assert_int_equal(j.samples->items[0].age_ns, 40 * (uint64_t)SECOND);
		assert_int_equal(j.samples->dead, 0);
	}
	joined_free(&j);
	return count;
}

/* Others have the samples as they are now. */
TEST(a_heap_that_is_captured_during_the_recording)
{
	bool is_at_heap;

	assert_int_equal(count_during_recording(7, &is_at_heap), 1);
	assert_true(is_at_heap);
	assert_int_equal(count_during_recording(8, &is_at_heap), 0);
	assert_true(is_at_heap);
	assert_int_equal(count_during_recording(9, &is_at_heap), 2);
	assert_false(is_at_heap);
	assert_int_equal(count_during_recording(0, &is_at_heap), 2);
	assert_false(is_at_heap);
}

/* A loss is no fall of live bytes, after which others would seem to grow. */
TEST(growth_after_a_loss)
{
	struct allocation_growth g;
	struct joined j;

	begin(&j, true);
	for (uint32_t i = 1; i <= 6; i++) {
		const struct allocation_points *points = &j.tally->facts.survival.points;

		sample(&j, "Shop.Order", heap_address(j.heap, 0), graph_size(0), i * 10);
		collect_at(&j, i * 10, i);
		end(&j);
		g = allocation_growth(points, &j.allocations->alive);
		assert_int_equal(points->count, i <= 3 ? i : i - 3);
		assert_true(g.is_known == (i % 3 == 0));
		assert_true(points->began == (i <= 3 ? 0 : 30));
		samples_free(j.samples);
		allocations_free(j.allocations);
		if (i == 3)
			survived_lose(j.tally->survived);
	}
	end(&j);
	joined_free(&j);
}

/* Without a limit they would take as many steps for each cell. */
TEST(endless_collections_leave_growth_unknown)
{
	enum { TYPES = 20000, COLLECTIONS = 20000 };
	char type[32];
	struct joined j;

	begin(&j, true);
	for (uint32_t i = 0; i < TYPES; i++) {
		snprintf(type, sizeof type, "Shop.Type%" PRIu32, i);
		sample(&j, type, heap_address(j.heap, 0) + i * 64, 64, 1);
	}
	for (uint32_t i = 1; i <= 3; i++)
		collect_at(&j, i * 10, i);
	assert_int_equal(j.tally->facts.survival.points.count, 3);
	for (uint32_t i = 4; i < COLLECTIONS; i++)
		collect_at(&j, i * 10, i);
	assert_int_equal(j.tally->facts.survival.points.count, 0);
	assert_true(j.tally->steps < (uint64_t)TYPES * COLLECTIONS / 2);
	end(&j);
	joined_free(&j);
}

TEST(samples_that_were_lost)
{
	char text[SAMPLES_TEXT_BYTES];
	struct joined j;

	begin(&j, true);
	sample(&j, "Shop.Order", heap_address(j.heap, 0), graph_size(0), 10);
	survived_lose(j.tally->survived);
	end(&j);
	samples_text(j.samples, text);
	assert_string_equal(text,
			    "0 of 0 samples that were last seen alive are in the heap; 0 had died "
			    "before, 1 could not be followed");
	joined_free(&j);
}
