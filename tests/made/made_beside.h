#ifndef TESTS_MADE_MADE_BESIDE_H
#define TESTS_MADE_MADE_BESIDE_H

/*
 * What a runtime that is made up (tests/made/made_runtime.h) keeps about its objects: cards, none
 * of them set; generation 2's list of free blocks, with the two of the first heap; and a table of
 * sync blocks, for pairs 1 and 2.
 */
#include "tests/made/made_runtime.h"

#define MADE_CARDS                                                                                 \
	UINT64_C(0x770000000000)                    /* the word of MADE_RANGE's card               \
						     */
#define MADE_LIST UINT64_C(0x778000000000)          /* lists but the first of each */
#define MADE_SYNC UINT64_C(0x77c000000000)          /* the table of sync blocks */
enum { MADE_SYNCS = 3 };                            /* entry 0 is none */
enum { MADE_SLOT_SYNCS = 6, MADE_SLOT_CARDS = 33 }; /* of g_dacTable */

void made_beside_put(struct made_runtime *rt);
/* Of the reference at `address`. */
void made_card_set(struct made_runtime *rt, uint64_t address);
uint64_t made_card_word(uint64_t address);
/* A free block of generation 2: the first or the second. */
uint64_t made_free_at(const struct made_runtime *rt, unsigned number);
/* What heap 0 keeps of a generation's free blocks. */
uint64_t made_free_record(unsigned generation);
/* Of heap 0: { head, tail } of what generation 2 has free. */
uint64_t made_free_list(const struct made_runtime *rt);

#endif
