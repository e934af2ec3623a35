#ifndef TESTS_MADE_BROKEN_MEMORY_H
#define TESTS_MADE_BROKEN_MEMORY_H

/*
 * Memory of something real with damage put into it: pages that are lost, words that say something
 * else. What is below stays as it is.
 */
#include "io/memory/memory.h"

struct broken_memory;

/* `below` is borrowed. `seed` decides what broken_memory_random() gives. */
struct broken_memory *broken_memory_new(const struct memory *below, uint64_t seed);
void broken_memory_free(struct broken_memory *bm);
/* As readers see it; do not close. */
const struct memory *broken_memory_open(struct broken_memory *bm);

/* At most 64 of each. */
void broken_memory_lose_page(struct broken_memory *bm, uint64_t address);
void broken_memory_smash(struct broken_memory *bm, uint64_t address, uint64_t value);
/* Any number below `limit`, the same in every run. */
uint64_t broken_memory_random(struct broken_memory *bm, uint64_t limit);

#endif
