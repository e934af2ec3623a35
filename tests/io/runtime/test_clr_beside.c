/*
 * What a collector and a runtime keep beside their heap, made up: it is found where it is, taken
 * for nothing else, and asked for nothing beyond its ends.
 */
#include "tests/drive/run_tests.h"
#include "tests/made/made_beside.h"
#include "tests/made/made_types.h"
#include "io/runtime/cards.h"
#include "io/runtime/free_lists.h"
#include "io/runtime/syncs.h"
#include "io/runtime/threads.h"
#include <string.h>

enum {
	CARDS_HEADER = 64,
	CARDS_LOWEST = CARDS_HEADER - 24, /* before the table */
	CARDS_HIGHEST = CARDS_HEADER - 32,
	ABOUT_SYNCS = 0x1000 + 104, /* behind the table: its counts */
};

struct opened {
	struct made_runtime *made;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct error err;
};

static struct made_runtime *
begin(void)
{
	const struct made_setup setup = { .version = 10 };
	struct made_runtime *rt = made_runtime_new(&setup);

	made_beside_put(rt);
	return rt;
}

static void
open_all(struct opened *o, struct made_runtime *rt)
{
	*o = (struct opened){ .made = rt };
	o->runtime = clr_runtime_open(made_memory_open(rt->memory), &o->err);
	if (o->runtime)
		o->heaps = clr_heaps_open(o->runtime, &o->err);
	if (!o->heaps)
		fail_msg("%s", o->err.message);
}

static void
close_all(struct opened *o)
{
	clr_heaps_close(o->heaps);
	clr_runtime_close(o->runtime);
	made_runtime_free(o->made);
}

/* --- ranges --- */

TEST(test_range_at)
{
	struct opened o;

	open_all(&o, begin());
	assert_true(o.heaps->ranges_count > 3);
	for (size_t i = 0; i < o.heaps->ranges_count; i++) {
		const struct clr_range *r = &o.heaps->ranges[i];

		assert_null(clr_heaps_range_at(o.heaps, r->start - 1));
		assert_ptr_equal(clr_heaps_range_at(o.heaps, r->start), r);
		assert_ptr_equal(clr_heaps_range_at(o.heaps, r->end - 1), r);
		assert_null(clr_heaps_range_at(o.heaps, r->end));
	}
	assert_null(clr_heaps_range_at(o.heaps, 0));
	assert_null(clr_heaps_range_at(o.heaps, UINT64_MAX));
	close_all(&o);
}

/* Each range that cannot be is a doubt, as many as there is room for. */
TEST(test_doubts)
{
	const struct made_setup setup = { .version = 9, .is_server = true };
	struct made_runtime *rt = made_runtime_new(&setup);
	struct opened o;

	assert_true(rt->ranges_count > CLR_DOUBTS_MAX);
	for (unsigned i = 0; i < rt->ranges_count; i++)
		made_memory_u64(rt->memory, rt->ranges[i].segment + 8, 0);
	open_all(&o, rt);
	assert_int_equal(o.heaps->ranges_count, 0);
	assert_int_equal(o.heaps->doubts.count, CLR_DOUBTS_MAX);
	close_all(&o);
}

TEST(test_heaps_count)
{
	static const struct {
		uint32_t count;
		const char *error;
	} rows[] = {
		{ 2, NULL },
		{ 0, "the collector has 0 heaps" },
		{ 1024, "is not in" }, /* there are two */
		{ 1025, "the collector has 1025 heaps" },
		{ UINT32_MAX, "the collector has 4294967295 heaps" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct made_setup setup = { .version = 9, .is_server = true };
		struct made_runtime *rt = made_runtime_new(&setup);
		struct error err = { 0 };
		struct clr_runtime *runtime;
		struct clr_heaps *heaps;

		made_memory_u32(rt->memory, MADE_CELL + 176, rows[i].count);
		runtime = clr_runtime_open(made_memory_open(rt->memory), &err);
		assert_non_null(runtime);
		heaps = clr_heaps_open(runtime, &err);
		assert_int_equal(heaps != NULL, rows[i].error == NULL);
		if (rows[i].error && !strstr(err.message, rows[i].error))
			fail_msg("%s", err.message);
		clr_heaps_close(heaps);
		clr_runtime_close(runtime);
		made_runtime_free(rt);
	}
}

/* Generations have room of their own, from the first to the last. */
TEST(test_generations_room)
{
	static const unsigned generations[] = { GEN_0, GEN_POH };
	enum { LIST_AT = 96 };

	for (size_t i = 0; i < COUNT_OF(generations); i++) {
		struct made_runtime *rt = begin();
		uint64_t at = made_free_record(generations[i]) - LIST_AT;
		uint64_t room = made_runtime_range(rt, 0, generations[i])->end;
		struct opened o;

		made_memory_u64(rt->memory, at, room);
		made_memory_u64(rt->memory, at + 8, room + 24);
		open_all(&o, rt);
		assert_int_equal(o.heaps->contexts_count, 2);
		for (size_t k = 0; k < 2; k++) {
			const struct clr_context *c = &o.heaps->contexts[k];

			if (c->pointer == room)
				assert_int_equal(c->limit, room + 24);
			else
				assert_int_equal(c->pointer, rt->context_pointer);
		}
		assert_true(o.heaps->contexts[0].pointer < o.heaps->contexts[1].pointer);
		close_all(&o);
	}
}

/* Lists of 56 bytes: of three, one and three kinds; one is nonsense. */
TEST(test_free_regions)
{
	static const struct {
		unsigned field, list;
		uint64_t count, bytes, committed;
	} lists[] = {
		{ 264, 0, 1, 0x100, 0x10 },    { 264, 2, 2, 0x200, 0x200 },
		{ 272, 0, 4, 0x400, 0x40 },    { 280, 2, 8, 0x800, 0x80 },
		{ 280, 1, 16, 0x10, 0x11 },    { 280, 3, 32, 0x2000, 0x100 },
		{ 272, 1, 64, 0x4000, 0x100 },
	};
	struct clr_free_regions sum;
	struct made_runtime *rt = begin();
	struct opened o;

	for (unsigned field = 264; field <= 280; field += 8) {
		uint64_t at = MADE_SYNC + 0x4000 + 0x1000 * (uint64_t)field;

		made_memory_zeros(rt->memory, at, 0x1000);
		made_memory_u64(rt->memory, MADE_GC + field, at);
	}
	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		uint64_t at = MADE_SYNC + 0x4000 + 0x1000 * (uint64_t)lists[i].field +
			      56 * (uint64_t)lists[i].list;

		made_memory_u64(rt->memory, at, lists[i].count);
		made_memory_u64(rt->memory, at + 8, lists[i].bytes);
		made_memory_u64(rt->memory, at + 16, lists[i].committed);
	}
	open_all(&o, rt);
	sum = clr_heaps_free(o.heaps);
	assert_int_equal(sum.count, 15);
	assert_int_equal(sum.bytes, 0xf00);
	assert_int_equal(sum.committed, 0x10 + 0x200 + 0x40 + 0x80);
	close_all(&o);
}

/* --- threads --- */

/* Two that are told to be one: it is the first. */
TEST(test_threads_found)
{
	struct made_runtime *rt = begin();
	uint64_t last = MADE_THREAD + 0x1000 * (MADE_THREADS_COUNT - 1);
	struct opened o;

	made_memory_u32(rt->memory, last + rt->layout.offset[CLR_THREAD_ID], 2);
	made_memory_u64(rt->memory, last + rt->layout.offset[CLR_THREAD_OS_ID], 0);
	open_all(&o, rt);
	assert_int_equal(o.runtime->threads_count, MADE_THREADS_COUNT);
	for (uint64_t i = 0; i < MADE_THREADS_COUNT; i++) {
		const struct clr_thread *t = &o.runtime->threads[i];

		assert_ptr_equal(
		    clr_thread_find(o.runtime, CLR_THREAD_BY_ADDRESS, MADE_THREAD + 0x1000 * i), t);
		if (i == MADE_THREADS_COUNT - 1)
			break;
		assert_ptr_equal(clr_thread_find(o.runtime, CLR_THREAD_BY_ID, i + 1), t);
		assert_ptr_equal(clr_thread_find(o.runtime, CLR_THREAD_BY_OS_ID, MADE_TID + i), t);
	}
	for (unsigned key = 0; key < CLR_THREAD_KEYS; key++) {
		assert_null(clr_thread_find(o.runtime, (enum clr_thread_key)key, 0));
		assert_null(clr_thread_find(o.runtime, (enum clr_thread_key)key, UINT64_MAX));
		assert_null(clr_thread_find(o.runtime, (enum clr_thread_key)key, 4));
	}
	close_all(&o);
}

/* A build has put another file in the place of one that is in use. */
TEST(test_threads_in_deleted_files)
{
	static const struct {
		const char *name;
		size_t at_work;
	} files[] = {
		{ "/app/App.dll", 0 },       { "/app/App.dll (deleted)", 0 },
		{ "/lib/libcoreclr.so", 1 }, { "/lib/libcoreclr.so (deleted)", 1 },
		{ "/lib/x.dll.so", 1 },      { "/lib/dll (deleted)", 1 },
		{ "/lib/none", 1 },
	};
	struct made_runtime *rt = begin();
	uint64_t mode = rt->layout.offset[CLR_THREAD_PREEMPTIVE_DISABLED];
	const struct memory *m = made_memory_open(rt->memory);
	struct memory_mapping *map;
	struct opened o;

	made_memory_u32(rt->memory, MADE_THREAD + mode, 1);
	open_all(&o, rt);
	map = (struct memory_mapping *)(uintptr_t)memory_mapping_at(m, m->threads[0].pc);
	for (size_t i = 0; i < COUNT_OF(files); i++) {
		map->name = files[i].name;
		assert_int_equal(clr_threads_allocating(o.runtime), files[i].at_work);
	}
	close_all(&o);
}

/* All stand in the library: who lets a collection begin is none of them. */
TEST(test_threads_at_work)
{
	struct made_runtime *rt = begin();
	uint64_t mode = rt->layout.offset[CLR_THREAD_PREEMPTIVE_DISABLED];
	const struct memory *m = made_memory_open(rt->memory);
	struct memory_thread *threads = (struct memory_thread *)(uintptr_t)m->threads;
	struct opened o;

	for (uint64_t i = 0; i < 2; i++)
		made_memory_u32(rt->memory, MADE_THREAD + 0x1000 * i + mode, 1);
	open_all(&o, rt);
	assert_int_equal(clr_threads_allocating(o.runtime), 2);
	threads[0].name = ".NET BGC";
	assert_int_equal(clr_threads_allocating(o.runtime), 1);
	threads[1].pc = MADE_METHODS; /* in no file, as the program's own */
	assert_int_equal(clr_threads_allocating(o.runtime), 0);
	close_all(&o);
}

/* --- cards --- */

/* The first address with objects, and the last; frozen ones lie behind. */
static void
heap_ends(const struct made_runtime *rt, uint64_t *start, uint64_t *end)
{
	*start = UINT64_MAX;
	*end = 0;
	for (unsigned i = 0; i < rt->ranges_count; i++) {
		const struct made_range *r = &rt->ranges[i];

		if (r->generation == GEN_FROZEN)
			continue;
		*start = r->start < *start ? r->start : *start;
		*end = r->end > *end ? r->end : *end;
	}
}

/* For [start, end), as the runtime and the table itself say. */
static void
put_cards_of(struct made_runtime *rt, uint64_t start, uint64_t end)
{
	made_memory_u64(rt->memory, MADE_VARIABLE + 8 * (MADE_SLOT_CARDS + 1), start);
	made_memory_u64(rt->memory, MADE_VARIABLE + 8 * (MADE_SLOT_CARDS + 2), end);
	made_memory_u64(rt->memory, MADE_CARDS - CARDS_LOWEST, start);
	made_memory_u64(rt->memory, MADE_CARDS - CARDS_HIGHEST, end);
}

TEST(test_cards_found)
{
	/* By how much the table's ends are inside of the heap's. */
	static const struct {
		uint64_t start_in, end_in, lowest_off, highest_off;
		bool is_found;
	} rows[] = {
		{ 0, 0, 0, 0, true },  { 8, 0, 0, 0, false }, { 0, 8, 0, 0, false },
		{ 0, 0, 8, 0, false }, { 0, 0, 0, 8, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = begin();
		struct clr_cards cards;
		uint64_t start, end;
		struct opened o;

		heap_ends(rt, &start, &end);
		start += rows[i].start_in;
		end -= rows[i].end_in;
		put_cards_of(rt, start, end);
		made_memory_u64(rt->memory, MADE_CARDS - CARDS_LOWEST, start + rows[i].lowest_off);
		made_memory_u64(rt->memory, MADE_CARDS - CARDS_HIGHEST, end + rows[i].highest_off);
		open_all(&o, rt);
		assert_int_equal(clr_cards_find(&cards, o.heaps), rows[i].is_found);
		if (rows[i].is_found) {
			assert_int_equal(cards.start, start);
			assert_int_equal(cards.end, end);
			assert_int_equal(cards.words, MADE_CARDS);
		}
		close_all(&o);
	}
}

TEST(test_cards_absent)
{
	static const struct {
		uint64_t at;
		size_t len;
	} rows[] = {
		{ MADE_CARDS - CARDS_LOWEST, 8 },
		{ MADE_CARDS - CARDS_HIGHEST, 8 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = begin();
		struct clr_cards cards;
		struct opened o;

		made_memory_lose(rt->memory, rows[i].at, rows[i].len);
		open_all(&o, rt);
		assert_false(clr_cards_find(&cards, o.heaps));
		close_all(&o);
	}
}

/* Around the table, too, all bits are set. */
TEST(test_card_at)
{
	const struct clr_cards cards = { MADE_RANGE, MADE_RANGE + 3 * 0x2000, MADE_CARDS };
	static const struct {
		uint64_t offset;
		enum clr_card card;
	} rows[] = {
		{ UINT64_MAX, CLR_CARD_ABSENT }, { 0, CLR_CARD_SET },
		{ 0xff, CLR_CARD_SET },          { 0x100, CLR_CARD_CLEAR },
		{ 0x1eff, CLR_CARD_CLEAR },      { 0x1f00, CLR_CARD_SET },
		{ 0x2000, CLR_CARD_CLEAR },      { 3 * 0x2000 - 1, CLR_CARD_SET },
		{ 3 * 0x2000, CLR_CARD_ABSENT },
	};
	struct made_runtime *rt = begin();
	struct opened o;

	made_memory_u32(rt->memory, MADE_CARDS - 4, UINT32_MAX);
	made_memory_u32(rt->memory, MADE_CARDS, 0x80000001);
	made_memory_u32(rt->memory, MADE_CARDS + 4, 0);
	made_memory_u32(rt->memory, MADE_CARDS + 8, UINT32_MAX);
	made_memory_u32(rt->memory, MADE_CARDS + 12, UINT32_MAX);
	open_all(&o, rt);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(
		    clr_cards_at(&cards, o.runtime->reader, MADE_RANGE + rows[i].offset),
		    rows[i].card);
	close_all(&o);
}

/* --- sync blocks --- */

/* Three words about the table, as a runtime has them or not. */
TEST(test_syncs_found)
{
	static const struct {
		uint32_t used;
		uint64_t first_free, all;
		bool is_found;
	} rows[] = {
		{ 3, 0, 250, true },
		{ 3, 0, 128, true },
		{ 3, 0, 127, false },
		{ 3, 0, 1 << 26, true },
		{ 3, 0, (1 << 26) + 1, false },
		{ 3, 4, 250, true },
		{ 3, 5, 250, false },
		{ 3, 6, 250, false },
		{ 128, 0, 128, true },
		{ 129, 0, 128, false },
		{ 0, 0, 250, false },
		{ 1, 0, 250, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = begin();
		uint64_t about = MADE_SYNC + ABOUT_SYNCS;
		struct clr_syncs syncs = { 0 };
		struct opened o;

		made_memory_u64(rt->memory, about, (uint64_t)rows[i].used << 32);
		made_memory_u64(rt->memory, about + 8, rows[i].first_free);
		made_memory_u64(rt->memory, about + 16, rows[i].all);
		open_all(&o, rt);
		if (clr_syncs_find(&syncs, o.runtime) != rows[i].is_found)
			fail_msg("row %zu", i);
		if (rows[i].is_found) {
			assert_int_equal(syncs.table, MADE_SYNC);
			assert_int_equal(syncs.used, rows[i].used);
		}
		close_all(&o);
	}
}

/* Most of its entries must lead to an object that leads back. */
TEST(test_syncs_agree)
{
	static const struct {
		unsigned good, bad, unused;
		bool is_found;
	} rows[] = {
		{ 1, 0, 0, true }, { 2, 2, 0, true },   { 2, 3, 0, false },  { 0, 0, 2, false },
		{ 1, 0, 9, true }, { 1, 32, 0, false }, { 16, 17, 0, true }, /* 32 are looked at */
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = begin();
		unsigned bad = rows[i].good + rows[i].unused;
		unsigned count = 1 + bad + rows[i].bad;
		struct clr_syncs syncs = { 0 };
		struct opened o;

		made_memory_u64(rt->memory, MADE_SYNC + ABOUT_SYNCS, (uint64_t)count << 32);
		for (unsigned n = 1; n < count; n++) {
			uint64_t at = MADE_SYNC + 16 * (uint64_t)n + 8;
			uint64_t object = MADE_SYNC + 0x800 + 8 * (uint64_t)n;
			bool is_free = n > rows[i].good && n <= bad;

			made_memory_u64(rt->memory, at, is_free ? 2 * n + 1 : object);
			made_memory_u32(rt->memory, object - 4, n > bad ? 0 : 0x08000000 | n);
		}
		open_all(&o, rt);
		if (clr_syncs_find(&syncs, o.runtime) != rows[i].is_found)
			fail_msg("row %zu", i);
		close_all(&o);
	}
}

/* --- free blocks --- */

TEST(test_free_lists)
{
	/* A word of generation 2's record, and of generation 0's. */
	static const struct {
		unsigned generation;
		uint64_t counts, others;
		bool is_found;
	} rows[] = {
		{ GEN_2, UINT64_C(2) << 32, MADE_LIST, true },
		{ GEN_2, UINT64_C(64) << 32, MADE_LIST, true },
		{ GEN_2, UINT64_C(65) << 32, MADE_LIST, false },
		{ GEN_2, UINT64_C(1) << 32, MADE_LIST, false },
		{ GEN_2, UINT64_C(2) << 32, MADE_LIST + 4, false },
		{ GEN_2, UINT64_C(2) << 32, 0, false },
		{ GEN_0, UINT64_C(1) << 32 | 63, 0, true },
		{ GEN_0, UINT64_C(1) << 32 | 62, 0, false },
		{ GEN_0, UINT64_C(1) << 32 | 63, MADE_LIST, false },
		{ GEN_POH, UINT64_C(1) << 32, MADE_LIST, false },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_runtime *rt = begin();
		uint64_t at = made_free_record(rows[i].generation);
		const struct clr_free_list *lists;
		struct opened o;
		size_t count;
		struct arena a;

		made_memory_u64(rt->memory, at, rows[i].counts);
		made_memory_u64(rt->memory, at + 48, rows[i].others);
		arena_init(&a, 0);
		open_all(&o, rt);
		if (clr_free_lists_read(o.heaps, &lists, &count, &a, &o.err) != rows[i].is_found)
			fail_msg("row %zu", i);
		if (rows[i].is_found) {
			assert_int_equal(count, 1);
			assert_int_equal(lists[0].generation, GEN_2);
			assert_int_equal(lists[0].head, made_free_at(rt, 0));
			assert_int_equal(lists[0].tail, made_free_at(rt, 1));
		}
		arena_clear(&a);
		close_all(&o);
	}
}

/* Of both heaps all lists, and what is being added to one. */
TEST(test_all_free_lists)
{
	const struct made_setup setup = { .version = 9, .is_server = true };
	struct made_runtime *rt = made_runtime_new(&setup);
	const struct clr_free_list *lists;
	struct opened o;
	size_t count;
	struct arena a;

	made_beside_put(rt);
	made_memory_u64(rt->memory, made_free_record(GEN_2), UINT64_C(3) << 32);
	made_memory_u64(rt->memory, MADE_LIST + 8, 0x108); /* its end alone */
	made_memory_u64(rt->memory, MADE_LIST + 40, 0x200);
	made_memory_u64(rt->memory, MADE_LIST + 40 + 16, 0x300);
	made_memory_u64(rt->memory, MADE_LIST + 80, 0x400); /* of no list */
	arena_init(&a, 0);
	open_all(&o, rt);
	assert_true(clr_free_lists_read(o.heaps, &lists, &count, &a, &o.err));
	/* The lists but the first of each are the same here. */
	assert_int_equal(count, 1 + 3 + 3 * 1 + 2 * 1);
	assert_int_equal(lists[1].tail, 0x108);
	assert_int_equal(lists[2].head, 0x200);
	assert_int_equal(lists[3].head, 0x300);
	arena_clear(&a);
	close_all(&o);
}
