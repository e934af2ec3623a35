#include "io/runtime/cards.h"

enum {
	CARD_BYTES = 256, /* heap bytes per bit */
	WORD_CARDS = 32,
	WORD_HEAP_BYTES = CARD_BYTES * WORD_CARDS,
	HEADER_BYTES = 64,
	HEADER_RESERVED = 8,
	HEADER_LOWEST = 24,
	HEADER_HIGHEST = 32,
};

/* The table's header repeats its bounds. */
static bool
is_table(struct memory_reader *r, const struct clr_cards *c)
{
	uint64_t header = c->words - HEADER_BYTES, lowest, highest;

	return memory_u64(r, header + HEADER_LOWEST, &lowest) &&
	       memory_u64(r, header + HEADER_HIGHEST, &highest) && lowest == c->start &&
	       highest == c->end;
}

/* True if the cards cover all ranges; frozen ones may lie elsewhere. */
static bool
covers_heap(const struct clr_cards *c, const struct clr_heaps *h)
{
	for (size_t i = 0; i < h->ranges_count; i++)
		if (h->ranges[i].generation != GEN_FROZEN &&
		    (h->ranges[i].start < c->start || h->ranges[i].end > c->end))
			return false;
	return true;
}

bool
clr_cards_find(struct clr_cards *out, const struct clr_heaps *h)
{
	const struct clr_runtime *rt = h->runtime;

	for (uint32_t slot = 0; slot < rt->dac_slots_count; slot++) {
		uint64_t from_0;

		if (!clr_variable(rt, slot, &from_0) || !clr_variable(rt, slot + 1, &out->start) ||
		    !clr_variable(rt, slot + 2, &out->end))
			continue;
		out->words = from_0 + out->start / WORD_HEAP_BYTES * 4;
		if (covers_heap(out, h) && is_table(rt->reader, out))
			return true;
	}
	return false;
}

uint64_t
clr_cards_bytes(const struct clr_cards *cards, struct memory_reader *r)
{
	uint64_t bytes;

	/* The tables take much less than the heap that they describe. */
	if (!memory_u64(r, cards->words - HEADER_BYTES + HEADER_RESERVED, &bytes) ||
	    bytes > cards->end - cards->start)
		return 0;
	return bytes > HEADER_BYTES ? bytes - HEADER_BYTES : 0;
}

enum clr_card
clr_cards_at(const struct clr_cards *cards, struct memory_reader *r, uint64_t address)
{
	uint64_t card;
	uint32_t word;

	if (address < cards->start || address >= cards->end)
		return CLR_CARD_ABSENT;
	card = address / CARD_BYTES - cards->start / WORD_HEAP_BYTES * WORD_CARDS;
	if (!memory_u32(r, cards->words + card / WORD_CARDS * 4, &word))
		return CLR_CARD_ABSENT;
	return word >> card % WORD_CARDS & 1 ? CLR_CARD_SET : CLR_CARD_CLEAR;
}
