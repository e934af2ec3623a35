/*
 * Locks, threads that wait and method tables of a made-up runtime, which only a heap from memory
 * has.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/clr_heaps.h"
#include "tests/made/made_beside.h"
#include "tests/made/made_roots.h"
#include "tests/made/made_types.h"
#include "io/clr/graph.h"
#include "model/heap/memory.h"
#include <string.h>

/* --- locks and method tables --- */

#define NOWHERE     UINT64_C(0x123456789000)
#define MADE_BLOCKS UINT64_C(0x77e000000000)

/* Held three times by thread 2; two others wait. */
static void
put_block(struct made_runtime *rt, uint32_t index, uint32_t told_index)
{
	uint64_t at = MADE_BLOCKS + (uint64_t)128 * index;
	bool is_by_number = rt->setup.version == 10;

	made_memory_zeros(rt->memory, at, 128);
	made_memory_u32(rt->memory, at, 2 << 6 | 1);
	made_memory_u32(rt->memory, at + 4, 3);
	made_memory_u64(rt->memory, at + 8, is_by_number ? 2 : MADE_THREAD + 0x1000);
	made_memory_u64(rt->memory, at + 16, MADE_TID + 1);
	made_memory_u32(rt->memory, at + 28, 0x80000000U | told_index);
	made_memory_u64(rt->memory, MADE_SYNC + (uint64_t)16 * index, at);
}

/* The block of pair 2 says that it is another one. */
TEST(test_locks)
{
	for (int version = 8; version <= 10; version++) {
		struct made_setup setup = { .version = version };
		struct clr_heap *k = clr_heap_begin(&setup);
		struct made_runtime *rt = k->runtime;
		struct heap_locks locks = { 0 };
		struct error err = { 0 };

		put_block(rt, 1, 1);
		put_block(rt, 2, 7);
		made_memory_u32(rt->memory, made_pair_at(rt, 4) - 4, 0x50001);
		made_memory_u32(rt->memory, made_pair_at(rt, 3) - 4, 0x0c123456);
		clr_heap_load(k);
		assert_true(
		    k->heap->memory->contents->locks(k->heap->memory->source, &locks, NULL, &err));
		assert_int_equal(locks.count, 3);
		assert_int_equal(locks.unknown_count, 1);
		assert_int_equal(locks.items[0].index, 1);
		assert_int_equal(locks.items[0].thread, 2);
		assert_int_equal(locks.items[0].os_id, MADE_TID + 1);
		assert_int_equal(locks.items[0].entered, 3);
		assert_int_equal(locks.items[0].waiters, 2);
		assert_int_equal(locks.items[1].index, 2);
		assert_int_equal(locks.items[1].entered, 0);
		assert_int_equal(locks.items[2].index, 0);
		assert_int_equal(locks.items[2].thread, 1);
		assert_int_equal(locks.items[2].os_id, MADE_TID);
		assert_int_equal(locks.items[2].entered, 6);
		memory_free(locks.items);
		clr_heap_end(k);
	}
}

/* In .NET 11: a thin lock, a Lock object, one that is none, another index. */
TEST(test_managed_locks)
{
	const uint64_t at = MADE_BLOCKS, handle = MADE_BLOCKS + 0x100;
	struct {
		uint64_t object; /* behind the handle; 0: no handle */
		uint32_t thin, index;
		uint32_t thread, entered, unknown;
	} rows[] = {
		{ 0, 0, 1, 0, 0, 0 },       { 0, 0x20002, 1, 2, 3, 0 }, { 0, 0x20002, 2, 0, 0, 1 },
		{ 1, 0x20002, 1, 0, 0, 1 }, { NOWHERE, 0, 1, 0, 0, 1 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_setup setup = { .version = 11 };
		struct clr_heap *k = clr_heap_begin(&setup);
		struct made_runtime *rt = k->runtime;
		struct heap_locks locks = { 0 };
		struct error err = { 0 };

		made_memory_zeros(rt->memory, at, 0x200);
		made_memory_u64(rt->memory, at, rows[i].object ? handle : 0);
		made_memory_u64(rt->memory, handle,
				rows[i].object == 1 ? made_pair_at(rt, 3) : rows[i].object);
		made_memory_u32(rt->memory, at + 8, rows[i].thin);
		made_memory_u32(rt->memory, at + 12, 0x80000000U | rows[i].index);
		made_memory_u64(rt->memory, MADE_SYNC + 16, at);
		made_memory_u64(rt->memory, MADE_SYNC + 32 + 8, 1); /* free */
		made_memory_u32(rt->memory, made_pair_at(rt, 2) - 4, 0);
		clr_heap_load(k);
		assert_true(
		    k->heap->memory->contents->locks(k->heap->memory->source, &locks, NULL, &err));
		assert_int_equal(locks.count, 1);
		assert_int_equal(locks.items[0].index, 1);
		if (locks.items[0].thread != rows[i].thread ||
		    locks.items[0].entered != rows[i].entered ||
		    locks.unknown_count != rows[i].unknown)
			fail_msg("row %zu: thread %u, entered %u, %u unknown", i,
				 (unsigned)locks.items[0].thread, (unsigned)locks.items[0].entered,
				 (unsigned)locks.unknown_count);
		memory_free(locks.items);
		clr_heap_end(k);
	}
}

/* Threads in Monitor.Wait: a list through their stacks, also a wrong one. */
TEST(test_waits)
{
	const uint64_t first = MADE_BLOCKS + 0x1000, second = first + 0x100;
	const uint64_t block = MADE_BLOCKS + 128;
	const struct {
		uint64_t link, block, next;
		uint32_t waits;
	} rows[] = {
		{ 0, block, 0, 0 },
		{ first, block, 0, 1 },
		{ first, block, second, 2 },
		{ first, block, first, WAITERS_UNKNOWN },
		{ first, block + 128, 0, WAITERS_UNKNOWN },
		{ first, block, NOWHERE, WAITERS_UNKNOWN },
		{ NOWHERE, block, 0, WAITERS_UNKNOWN },
		{ 8, block, 0, WAITERS_UNKNOWN },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_setup setup = { .version = 9 };
		struct clr_heap *k = clr_heap_begin(&setup);
		struct made_runtime *rt = k->runtime;
		struct heap_locks locks = { 0 };
		struct error err = { 0 };

		put_block(rt, 1, 1);
		made_memory_zeros(rt->memory, first - 32, 0x200);
		made_memory_u64(rt->memory, block + 72, rows[i].link);
		made_memory_u64(rt->memory, first - 32, rows[i].block);
		made_memory_u64(rt->memory, first, rows[i].next);
		made_memory_u64(rt->memory, second - 32, block);
		clr_heap_load(k);
		assert_true(
		    k->heap->memory->contents->locks(k->heap->memory->source, &locks, NULL, &err));
		assert_int_equal(locks.items[0].index, 1);
		assert_int_equal(locks.items[0].waiters, 2);
		if (locks.items[0].pulse_waiters != rows[i].waits)
			fail_msg("row %zu: %u", i, (unsigned)locks.items[0].pulse_waiters);
		memory_free(locks.items);
		clr_heap_end(k);
	}
}

/* Esc is obeyed even where there are few objects. */
TEST(test_locks_cancelled)
{
	struct made_setup setup = { .version = 10 };
	struct clr_heap *k = clr_heap_begin(&setup);
	struct heap_locks locks = { 0 };
	struct progress progress = { 0 };
	struct error err = { 0 };

	clr_heap_load(k);
	progress_cancel(&progress);
	assert_false(
	    k->heap->memory->contents->locks(k->heap->memory->source, &locks, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	memory_free(locks.items);
	clr_heap_end(k);
}

static bool
read_table(const struct clr_heap *k, uint64_t address, struct content_table *out, struct arena *a,
	   struct error *err)
{
	error_clear(err);
	return k->heap->memory->contents->table(k->heap->memory->source, address, out, a, err);
}

TEST(test_method_tables)
{
	struct made_setup setup = { .version = 9 };
	struct clr_heap *k = clr_heap_begin(&setup);
	struct arena arena = { 0 };
	struct content_table t;
	struct error err;

	clr_heap_load(k);
	assert_true(read_table(k, MADE_METHOD_TABLE(MADE_PAIR), &t, &arena, &err));
	assert_int_equal(t.base_bytes, 40);
	assert_true(t.has_references);
	assert_int_equal(t.canonical, MADE_METHOD_TABLE(MADE_PAIR));
	assert_true(read_table(k, MADE_METHOD_TABLE(MADE_SHARED), &t, &arena, &err));
	assert_int_equal(t.canonical, MADE_METHOD_TABLE(MADE_OBJECT));
	assert_true(read_table(k, MADE_METHOD_TABLE(MADE_ARRAY), &t, &arena, &err));
	assert_int_equal(t.rank, 1);
	assert_int_equal(t.component_bytes, 8);
	assert_true(read_table(k, MADE_METHOD_TABLE(MADE_FREE), &t, &arena, &err));
	assert_false(read_table(k, MADE_METHOD_TABLE(MADE_PAIR) + 4, &t, &arena, &err));
	assert_non_null(strstr(err.message, "not a multiple of 8"));
	assert_false(read_table(k, made_pair_at(k->runtime, 1), &t, &arena, &err));
	assert_non_null(strstr(err.message, "its class does not point back"));
	assert_false(read_table(k, NOWHERE, &t, &arena, &err));
	arena_clear(&arena);
	clr_heap_end(k);
}
