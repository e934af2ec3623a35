#ifndef IO_RUNTIME_CARDS_H
#define IO_RUNTIME_CARDS_H

/*
 * The card table: one bit for each 256 bytes of heap, set where an old object may refer to a
 * younger one. An ephemeral collection examines no other old objects. It is the same in .NET 8 to
 * 11, with regions and segments:
 *
 *   three adjacent slots of           the table, biased as if it covered
 *   g_dacTable                        address 0; lowest, highest address
 *   header, 64 bytes before it        8 bytes reserved, with the header and
 *                                     the tables after it; 24 lowest, 32
 *                                     highest address
 *   word i, u32                       32 cards: 8 KiB from lowest + i * 8 KiB
 */
#include "io/runtime/heaps.h"

struct clr_cards {
	uint64_t start, end; /* addresses that have cards */
	uint64_t words;      /* address of the card of `start` */
};

/* Bytes reserved for it, with the collector's other tables behind it; 0: unknown. */
uint64_t clr_cards_bytes(const struct clr_cards *cards, struct memory_reader *r);
/* False: no card table for this heap was found. */
bool clr_cards_find(struct clr_cards *out, const struct clr_heaps *h) MUST_USE;

enum clr_card { CLR_CARD_CLEAR, CLR_CARD_SET, CLR_CARD_ABSENT };
/* The card of the reference at `address`; absent if it is out of range. */
enum clr_card clr_cards_at(const struct clr_cards *cards, struct memory_reader *r,
			   uint64_t address);

#endif
