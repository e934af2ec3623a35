/*
 * Verifying a heap: nothing is found in a sound one, and each kind of damage is found for what it
 * is, where it is.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/clr_heaps.h"
#include "tests/made/made_beside.h"
#include "tests/made/made_roots.h"
#include "tests/made/made_types.h"
#include "io/clr/graph.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <string.h>

#define NOWHERE UINT64_C(0x123456789000)

static void
verify(const struct clr_heap *k, node_id only, struct faults *f)
{
	const struct heap_memory *m = k->heap->memory;
	struct error err = { 0 };

	*f = (struct faults){ 0 };
	assert_ok(m->contents->verify(m->source, only, f, NULL, &err), &err);
}

/* Where thread 1 has room for objects, which has none otherwise. */
static void
put_room(struct made_runtime *rt, uint64_t pointer, uint64_t limit)
{
	uint64_t thread = MADE_THREAD + 0x1000, at = thread + 0x800;

	if (rt->setup.version == 8)
		at = thread + rt->layout.offset[CLR_THREAD_ALLOC_CONTEXT];
	else if (rt->setup.version >= 10)
		at += 8;
	made_memory_u64(rt->memory, at, pointer);
	made_memory_u64(rt->memory, at + 8, limit);
}

static uint64_t
end_of_gen1(const struct made_runtime *rt)
{
	return made_runtime_range(rt, 0, rt->setup.has_segments ? GEN_2 : GEN_1)->end;
}

/* --- nothing is wrong --- */

/* Of an old object, with its card. */
static void
put_young_ref(struct made_runtime *rt, unsigned pair)
{
	uint64_t young = rt->setup.has_segments ? made_runtime_range(rt, 0, GEN_2)->start + 0x138
						: made_runtime_range(rt, 0, GEN_0)->start;

	made_pair_refs(rt, pair, young, 0);
	made_card_set(rt, made_pair_at(rt, pair) + 8);
}

TEST(test_sound)
{
	for (int i = 0; i < 4 * 2 * 2 * 2; i++) {
		struct made_setup setup = { 8 + i / 8, i / 4 % 2, i / 2 % 2 };
		struct clr_heap *k = clr_heap_begin(&setup);
		struct made_runtime *rt = k->runtime;
		struct faults f;

		made_memory_set_views(rt->memory, i % 2);
		made_pair_refs(rt, 1, made_pair_at(rt, 2), made_pair_at(rt, 3));
		put_young_ref(rt, 0);
		/* Room that is used up. */
		put_room(rt, end_of_gen1(rt), end_of_gen1(rt));
		/* A hash, and a lock of a thread that there is. */
		made_memory_u32(rt->memory, made_pair_at(rt, 3) - 4, 0x0c123456);
		made_memory_u32(rt->memory, made_pair_at(rt, 4) - 4, 0x40000002);
		clr_heap_load(k);
		verify(k, NODE_NONE, &f);
		if (f.total)
			fail_msg("%s at %" PRIx64, fault_name((enum fault_kind)f.items[0].kind),
				 f.items[0].address);
		assert_int_equal(f.objects_count, k->heap->nodes_count);
		assert_true(f.refs_count >= 2);
		assert_true(f.handles_count > 0);
		assert_true(f.finalizables_count > 0);
		assert_int_equal(f.unchecked_syncs, 0);
		assert_true(f.has_cards && f.has_free_lists);
		assert_true(f.cards_count >= 1);
		assert_int_equal(f.listed_count, 2);
		assert_int_equal(f.syncs_count, MADE_SYNCS - 1);
		faults_clear(&f);
		clr_heap_end(k);
	}
}

/* --- damage --- */

enum where { PAIR_4, OTHER };

static void
array_too_long(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, made_pair_at(rt, 4) + 40 + 8, 0x7fffffff);
}

static void
table_is_0(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_pair_at(rt, 4), 0);
}

static void
table_is_none(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_pair_at(rt, 4), MADE_LIBRARY);
}

static void
table_is_absent(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_pair_at(rt, 4), NOWHERE);
}

static void
locked_by_nobody(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, made_pair_at(rt, 4) - 4, 0x77);
}

static void
sync_block_0(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, made_pair_at(rt, 4) - 4, 0x08000000);
}

static void
sync_block_of_another(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_SYNC + 16 * 2 + 8, made_pair_at(rt, 3));
}

static void
sync_block_too_high(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, made_pair_at(rt, 4) - 4, 0x08001234);
}

static void
sync_block_to_nowhere(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, made_pair_at(rt, 2) - 4, 0);
	made_memory_u64(rt->memory, MADE_SYNC + 16 * 2 + 8, NOWHERE);
}

static void
sync_block_unknown(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, made_pair_at(rt, 2) - 4, 0);
}

static void
sync_blocks_without_table(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_SYNC, 16 * MADE_SYNCS);
	for (unsigned i = 1; i < MADE_SYNCS; i++)
		made_memory_u32(rt->memory, made_pair_at(rt, i) - 4, 0);
	made_memory_u32(rt->memory, made_pair_at(rt, 4) - 4, 0x08000001);
	made_memory_u32(rt->memory, made_pair_at(rt, 5) - 4, 0x08000000);
}

static void
card_not_set(struct made_runtime *rt)
{
	put_young_ref(rt, 4);
	made_memory_u32(rt->memory, made_card_word(made_pair_at(rt, 4)), 0);
}

/* Its neighbours' are: one bit is for 256 bytes. */
static void
card_of_neighbours(struct made_runtime *rt)
{
	uint64_t slot = made_pair_at(rt, 4) + 8;

	put_young_ref(rt, 4);
	made_memory_u32(rt->memory, made_card_word(slot), ~(1U << slot / 256 % 32));
}

static void
card_not_set_yet(struct made_runtime *rt)
{
	card_not_set(rt);
	made_memory_thread(rt->memory, 3000, made_pair_at(rt, 4) + 8, 0);
}

static void
card_absent(struct made_runtime *rt)
{
	put_young_ref(rt, 4);
	made_memory_lose(rt->memory, made_card_word(made_pair_at(rt, 4)), 4);
}

static void
free_list_to_object(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_free_list(rt), made_pair_at(rt, 4));
}

/* All ways lead there and back. */
static void
free_list_into_block(struct made_runtime *rt)
{
	uint64_t inside = made_free_at(rt, 0) + 8, next = made_free_at(rt, 1);

	made_memory_u64(rt->memory, made_free_list(rt), inside);
	made_memory_u64(rt->memory, inside + 16, next);
	made_memory_u64(rt->memory, next + 24, inside);
}

static void
free_list_to_nowhere(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_free_at(rt, 1) + 16, NOWHERE);
}

static void
free_list_in_circles(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_free_at(rt, 1) + 16, made_free_at(rt, 0));
}

static void
free_list_without_way_back(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_free_at(rt, 1) + 24, 1);
}

static void
free_list_cut(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, made_free_at(rt, 0) + 16, 0);
}

static void
ref_out_of_step(struct made_runtime *rt)
{
	made_pair_refs(rt, 4, made_pair_at(rt, 0) + 4, 0);
}

static void
ref_inside(struct made_runtime *rt)
{
	made_pair_refs(rt, 4, 0, made_pair_at(rt, 0) + 8);
}

static void
ref_nowhere(struct made_runtime *rt)
{
	made_pair_refs(rt, 4, NOWHERE, made_pair_at(rt, 0));
}

static void
ref_while_sweeping(struct made_runtime *rt)
{
	ref_nowhere(rt);
	made_memory_u32(rt->memory, MADE_CELL + 72, 1);
}

static uint64_t
first_free(const struct made_runtime *rt)
{
	return made_pair_at(rt, 2) + 40 + 24 + 8 * 2 + 40;
}

static void
ref_to_free(struct made_runtime *rt)
{
	made_pair_refs(rt, 4, first_free(rt), 0);
}

static void
ref_into_free(struct made_runtime *rt)
{
	made_pair_refs(rt, 4, 0, first_free(rt) + 16);
}

static void
object_is_absent(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, made_pair_at(rt, 4), 8);
}

static void
field_is_absent(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, made_pair_at(rt, 4) + 16, 8);
}

static void
series_without_end(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_METHOD_TABLE(MADE_PAIR) - 8, 1000000);
}

static void
region_ends_early(struct made_runtime *rt)
{
	const struct made_range *r = made_runtime_range(rt, 0, GEN_LOH);

	made_memory_u64(rt->memory, r->segment + 8, r->start);
}

static void
room_elsewhere(struct made_runtime *rt)
{
	put_room(rt, NOWHERE, NOWHERE + 0x100);
}

static void
room_too_long(struct made_runtime *rt)
{
	put_room(rt, end_of_gen1(rt), end_of_gen1(rt) + 8);
}

static void
room_among_large(struct made_runtime *rt)
{
	uint64_t end = made_runtime_range(rt, 0, GEN_LOH)->end;

	put_room(rt, end, end);
}

static void
strong_handle(struct made_runtime *rt, uint64_t target)
{
	made_memory_u64(rt->memory, MADE_HANDLE_SEGMENT + 0x1000 + 512 * HANDLE_STRONG, target);
}

static void
handle_inside(struct made_runtime *rt)
{
	strong_handle(rt, made_pair_at(rt, 4) + 8);
}

static void
handle_out_of_step(struct made_runtime *rt)
{
	strong_handle(rt, made_pair_at(rt, 4) + 4);
}

static void
handle_nowhere(struct made_runtime *rt)
{
	strong_handle(rt, NOWHERE);
}

static void
finalizable_inside(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_QUEUE + 0x80, made_pair_at(rt, 4) + 8);
}

/* clang-format off */
static const struct damage {
	const char *name;
	void (*put)(struct made_runtime *rt);
	enum fault_kind kind;
	enum where where;	/* PAIR_4: the object with the damage */
	uint64_t offset;
	uint64_t total;		/* 0: at least one */
} damages[] = {
	{ "an array that is too long",       array_too_long,            FAULT_TOO_LARGE,       OTHER,  0,  1 },
	{ "0 for a method table",            table_is_0,                FAULT_METHOD_TABLE,    PAIR_4, 0,  1 },
	{ "no method table",                 table_is_none,             FAULT_METHOD_TABLE,    PAIR_4, 0,  1 },
	{ "an absent method table",          table_is_absent,           FAULT_NO_METHOD_TABLE, PAIR_4, 0,  1 },
	{ "locked by nobody",                locked_by_nobody,          FAULT_THIN_LOCK,       PAIR_4, 0,  1 },
	{ "sync block 0",                    sync_block_0,              FAULT_SYNC_ZERO,       PAIR_4, 0,  1 },
	{ "the sync block of another",       sync_block_of_another,     FAULT_SYNC_MISMATCH,   OTHER,  0,  2 },
	{ "a sync block too high",           sync_block_too_high,       FAULT_SYNC_INDEX,      PAIR_4, 0,  1 },
	{ "a sync block to nowhere",         sync_block_to_nowhere,     FAULT_SYNC_OBJECT,     OTHER,  0,  1 },
	{ "a sync block of who knows not",   sync_block_unknown,        FAULT_SYNC_MISMATCH,   OTHER,  0,  1 },
	{ "sync blocks, no table",           sync_blocks_without_table, FAULT_SYNC_ZERO,       OTHER,  0,  1 },
	{ "a reference out of step",         ref_out_of_step,           FAULT_REF_NOT_ALIGNED, PAIR_4, 8,  1 },
	{ "a reference into an object",      ref_inside,                FAULT_REF,             PAIR_4, 16, 1 },
	{ "a reference to nowhere",          ref_nowhere,               FAULT_REF,             PAIR_4, 8,  1 },
	{ "the same during a sweep",         ref_while_sweeping,        FAULT_REF,             PAIR_4, 8,  1 },
	{ "a reference to free space",       ref_to_free,               FAULT_REF_TO_FREE,     PAIR_4, 8,  1 },
	{ "a reference into free space",     ref_into_free,             FAULT_REF_TO_FREE,     PAIR_4, 16, 1 },
	{ "a card that is not set",          card_not_set,              FAULT_CARD,            PAIR_4, 8,  1 },
	{ "a card of the neighbours alone",   card_of_neighbours,                    FAULT_CARD,            PAIR_4, 8,  1 },
	{ "a card that is not set yet",      card_not_set_yet,          FAULT_CARD,            PAIR_4, 8,  1 },
	{ "an absent card",                  card_absent,               FAULT_NO_CARD,         PAIR_4, 8,  1 },
	{ "a free list to an object",        free_list_to_object,       FAULT_FREE_LIST,       PAIR_4, 0,  1 },
	{ "a free list to nowhere",          free_list_to_nowhere,      FAULT_FREE_LIST,       OTHER,  0,  1 },
	{ "a free list into a block",        free_list_into_block,      FAULT_FREE_LIST,       OTHER,  0,  1 },
	{ "a free list in circles",          free_list_in_circles,      FAULT_FREE_TWICE,      OTHER,  0,  1 },
	{ "a free list without a way back",  free_list_without_way_back, FAULT_FREE_LIST,      OTHER,  0,  1 },
	{ "a free list that is cut",         free_list_cut,             FAULT_FREE_LIST,       OTHER,  0,  1 },
	{ "an absent object",                object_is_absent,          FAULT_NO_OBJECT,       PAIR_4, 0,  1 },
	{ "an absent field",                 field_is_absent,           FAULT_NO_OBJECT,       PAIR_4, 0,  0 },
	{ "a type with wild references",     series_without_end,        FAULT_NO_GC_DESC,      OTHER,  0,  0 },
	{ "a region that ends early",        region_ends_early,         FAULT_STRUCTURE,       OTHER,  0,  1 },
	{ "a thread's room elsewhere",       room_elsewhere,            FAULT_CONTEXT,         OTHER,  0,  1 },
	{ "a thread's room past the end",  room_too_long,             FAULT_CONTEXT,         OTHER,  0,  1 },
	{ "a thread's room among large ones", room_among_large,         FAULT_CONTEXT,         OTHER,  0,  1 },
	{ "a handle into an object",         handle_inside,             FAULT_HANDLE,          OTHER,  0,  1 },
	{ "a handle out of step",            handle_out_of_step,        FAULT_NOT_ALIGNED,     OTHER,  0,  1 },
	{ "a handle to nowhere",             handle_nowhere,            FAULT_NOT_ON_HEAP,     OTHER,  0,  1 },
	{ "a finalizer queue's wild entry",  finalizable_inside,        FAULT_FINALIZABLE,     OTHER,  0,  1 },
};
/* clang-format on */

TEST_ROWS(test_damage, damages)
{
	const struct damage *d = *state;
	struct made_setup setup = { .version = 10 };
	struct clr_heap *k = clr_heap_begin(&setup);
	struct made_runtime *rt = k->runtime;
	uint64_t pair = made_pair_at(rt, 4);
	const struct fault *first;
	struct faults f;

	d->put(rt);
	clr_heap_load(k);
	verify(k, NODE_NONE, &f);
	assert_true(f.total > 0);
	assert_int_equal(f.count, f.total);
	first = &f.items[0];
	assert_string_equal(fault_name((enum fault_kind)first->kind), fault_name(d->kind));
	if (d->total)
		assert_int_equal(f.total, d->total);
	assert_int_equal(first->offset, d->offset);
	if (d->where == PAIR_4) {
		assert_int_equal(first->address, pair);
		/* A string is before it, an array behind. */
		assert_int_equal(first->before, pair - ((22 + 2 * 4 + 7) & ~UINT64_C(7)));
		if (f.total == 1 && d->put != object_is_absent)
			assert_int_equal(first->after, pair + 40);
	}
	assert_int_equal(f.excused, d->put == ref_while_sweeping || d->put == card_not_set_yet);
	assert_int_equal(first->is_excused, f.excused);
	assert_int_equal(f.unchecked_syncs, d->put == sync_blocks_without_table);
	faults_clear(&f);
	clr_heap_end(k);
}

TEST(test_one_object)
{
	struct made_setup setup = { .version = 9 };
	struct clr_heap *k = clr_heap_begin(&setup);
	struct made_runtime *rt = k->runtime;
	struct faults f;

	ref_inside(rt);
	clr_heap_load(k);
	verify(k, heap_find(k->heap, made_pair_at(rt, 4)), &f);
	assert_int_equal(f.total, 1);
	assert_int_equal(f.objects_count, 1);
	assert_int_equal(f.items[0].kind, FAULT_REF);
	faults_clear(&f);
	verify(k, heap_find(k->heap, made_pair_at(rt, 3)), &f);
	assert_int_equal(f.total, 0);
	assert_int_equal(f.objects_count, 1);
	faults_clear(&f);
	clr_heap_end(k);
}

/* More than are kept: all are counted. */
TEST(test_many)
{
	const struct fault fault = { .kind = FAULT_REF, .text = "again" };
	struct faults f = { 0 };
	struct error err = { 0 };

	for (unsigned i = 0; i < FAULTS_MAX + 7; i++)
		assert_true(faults_add(&f, &fault, &err));
	assert_int_equal(f.count, FAULTS_MAX);
	assert_int_equal(f.total, FAULTS_MAX + 7);
	faults_clear(&f);
	assert_int_equal(f.total, 0);
}
