#include "tests/made/made_beside.h"
#include "tests/made/made_types.h"

enum {
	CARD_BYTES = 256,
	WORD_HEAP_BYTES = 32 * CARD_BYTES,
	HEAP_BYTES = 0x400000 * MADE_RANGES_MAX,
	GENERATION_BYTES = 256,
	AT_LISTS = 96, /* in a generation */
	ABOUT_SYNCS = 0x1000,
};

static void
put_slot(struct made_runtime *rt, unsigned slot, uint64_t value)
{
	made_memory_u64(rt->memory, MADE_TABLE + 8 * slot, MADE_VARIABLE + 8 * slot);
	made_memory_u64(rt->memory, MADE_VARIABLE + 8 * slot, value);
}

/* --- cards --- */

uint64_t
made_card_word(uint64_t address)
{
	return MADE_CARDS + (address - MADE_RANGE) / WORD_HEAP_BYTES * 4;
}

void
made_card_set(struct made_runtime *rt, uint64_t address)
{
	made_memory_u32(rt->memory, made_card_word(address), 1u << address / CARD_BYTES % 32);
}

static void
put_cards(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;
	uint64_t end = MADE_RANGE + HEAP_BYTES;

	put_slot(rt, MADE_SLOT_CARDS, MADE_CARDS - MADE_RANGE / WORD_HEAP_BYTES * 4);
	put_slot(rt, MADE_SLOT_CARDS + 1, MADE_RANGE);
	put_slot(rt, MADE_SLOT_CARDS + 2, end);
	made_memory_zeros(m, MADE_CARDS - 64, 64 + HEAP_BYTES / WORD_HEAP_BYTES * 4);
	made_memory_u64(m, MADE_CARDS - 64 + 24, MADE_RANGE);
	made_memory_u64(m, MADE_CARDS - 64 + 32, end);
}

/* --- free blocks --- */

uint64_t
made_free_at(const struct made_runtime *rt, unsigned number)
{
	unsigned before = number ? 7 : 2;

	return made_pair_at(rt, before) + 40 + 24 + 8 * (before % 4) + 40;
}

static uint64_t
lists_of(unsigned heap, unsigned generation)
{
	return MADE_HEAP + 0x10000 * (uint64_t)heap + 0x1000 +
	       GENERATION_BYTES * (uint64_t)generation + AT_LISTS;
}

uint64_t
made_free_record(unsigned generation)
{
	return lists_of(0, generation);
}

uint64_t
made_free_list(const struct made_runtime *rt)
{
	(void)rt;
	return lists_of(0, GEN_2) + 24;
}

static void
put_lists(struct made_runtime *rt, unsigned heap)
{
	struct made_memory *m = rt->memory;
	uint64_t young = UINT64_C(1) << 32 | 63, old = UINT64_C(2) << 32 | 7;

	for (unsigned g = 0; g < 5; g++) {
		bool is_old = g >= GEN_2;

		made_memory_u64(m, lists_of(heap, g), is_old ? old : young);
		made_memory_u64(m, lists_of(heap, g) + 48, is_old ? MADE_LIST : 0);
	}
}

static void
put_free_blocks(struct made_runtime *rt)
{
	uint64_t first = made_free_at(rt, 0), second = made_free_at(rt, 1);
	struct made_memory *m = rt->memory;

	made_memory_u64(m, made_free_list(rt), first);
	made_memory_u64(m, made_free_list(rt) + 8, second);
	made_memory_u64(m, first + 16, second);
	made_memory_u64(m, second + 24, first);
}

/* --- sync blocks --- */

static void
put_syncs(struct made_runtime *rt)
{
	struct made_memory *m = rt->memory;
	uint64_t about = MADE_SYNC + ABOUT_SYNCS;

	put_slot(rt, MADE_SLOT_SYNCS, MADE_SYNC);
	put_slot(rt, MADE_SLOT_SYNCS + (rt->setup.version < 11 ? 1 : 2), about);
	made_memory_zeros(m, MADE_SYNC, ABOUT_SYNCS + 0x100);
	made_memory_u64(m, about + 104, (uint64_t)MADE_SYNCS << 32);
	made_memory_u64(m, about + 120, 250);
	for (unsigned i = 1; i < MADE_SYNCS; i++) {
		made_memory_u64(m, MADE_SYNC + 16 * i + 8, made_pair_at(rt, i));
		made_memory_u32(m, made_pair_at(rt, i) - 4, 0x08000000 | i);
	}
}

void
made_beside_put(struct made_runtime *rt)
{
	put_cards(rt);
	put_syncs(rt);
	made_memory_zeros(rt->memory, MADE_LIST, 0x100);
	for (unsigned heap = 0; heap < (rt->setup.is_server ? 2 : 1); heap++)
		put_lists(rt, heap);
	put_free_blocks(rt);
}
