#ifndef IO_RUNTIME_CARDS_H
#define IO_RUNTIME_CARDS_H

/*
 * The collector's cards: one bit for each 256 bytes of heap, set where an old
 * object may refer to a younger one. A collection of the young looks at no
 * other old object. The same on .NET 8, 9 and 10, with regions and segments:
 *
 *   three neighbours of g_dacTable    the table, as if it began at address 0;
 *                                     lowest and highest address it is for
 *   before its first word, 64 bytes   24 lowest, 32 highest address again
 *   word i, u32                       32 cards: 8 KiB from lowest + i * 8 KiB
 */
#include "io/runtime/heaps.h"

struct clr_cards {
	uint64_t start, end; /* of the addresses that have cards */
	uint64_t words;      /* where the card of `start` is */
};

/* False: no table of the runtime is one for this heap. */
bool clr_cards_find(struct clr_cards *out, const struct clr_heaps *h) MUST_USE;

enum clr_card { CLR_CARD_CLEAR, CLR_CARD_SET, CLR_CARD_ABSENT };
/* Of the reference at `address`; beyond both ends: absent. */
enum clr_card clr_cards_at(const struct clr_cards *cards,
			   struct memory_reader *r, uint64_t address);

#endif
