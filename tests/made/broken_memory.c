#include "tests/made/broken_memory.h"
#include <stdlib.h>

enum { DAMAGES_MAX = 64, PAGE_BYTES = 4096, WORD_BYTES = 8 };

struct smashed {
	uint64_t address;
	uint8_t bytes[WORD_BYTES];
};

struct broken_memory {
	struct memory memory;
	const struct memory *below;
	uint64_t lost[DAMAGES_MAX];
	struct smashed smashed[DAMAGES_MAX];
	size_t lost_count, smashed_count;
	uint64_t random;
};

/* Whether [a, a + a_len) and [b, b + b_len) have a byte in common. */
static bool
overlap(uint64_t a, size_t a_len, uint64_t b, size_t b_len)
{
	return a < b ? b - a < a_len : a - b < b_len;
}

static size_t
broken_read(const void *source, uint64_t address, void *to, size_t len)
{
	const struct broken_memory *bm = source;
	uint8_t *bytes = to;
	size_t there = memory_copy(bm->below, address, to, len);

	for (size_t i = 0; i < bm->lost_count; i++) {
		if (!overlap(address, there, bm->lost[i], PAGE_BYTES))
			continue;
		there = bm->lost[i] > address ? (size_t)(bm->lost[i] - address) : 0;
	}
	for (size_t i = 0; i < bm->smashed_count; i++) {
		const struct smashed *s = &bm->smashed[i];

		for (size_t k = 0; k < WORD_BYTES; k++) {
			uint64_t at = s->address + k;

			if (at >= address && at - address < there)
				bytes[at - address] = s->bytes[k];
		}
	}
	return there;
}

static const uint8_t *
broken_view(const void *source, uint64_t address, size_t len)
{
	const struct broken_memory *bm = source;

	for (size_t i = 0; i < bm->lost_count; i++) {
		if (overlap(address, len, bm->lost[i], PAGE_BYTES))
			return NULL;
	}
	for (size_t i = 0; i < bm->smashed_count; i++) {
		if (overlap(address, len, bm->smashed[i].address, WORD_BYTES))
			return NULL;
	}
	return memory_view(bm->below, address, len);
}

struct broken_memory *
broken_memory_new(const struct memory *below, uint64_t seed)
{
	static const struct memory_ops ops = { .read = broken_read, .view = broken_view };
	struct broken_memory *bm = calloc(1, sizeof(*bm));

	if (!bm)
		abort();
	bm->memory = *below;
	bm->memory.ops = &ops;
	bm->memory.source = bm;
	bm->below = below;
	bm->random = seed * 2 + 1;
	return bm;
}

void
broken_memory_free(struct broken_memory *bm)
{
	free(bm);
}

const struct memory *
broken_memory_open(struct broken_memory *bm)
{
	return &bm->memory;
}

void
broken_memory_lose_page(struct broken_memory *bm, uint64_t address)
{
	if (bm->lost_count == DAMAGES_MAX)
		abort();
	bm->lost[bm->lost_count++] = address / PAGE_BYTES * PAGE_BYTES;
}

void
broken_memory_smash(struct broken_memory *bm, uint64_t address, uint64_t value)
{
	struct smashed *s = &bm->smashed[bm->smashed_count++];

	if (bm->smashed_count > DAMAGES_MAX)
		abort();
	s->address = address;
	for (size_t i = 0; i < WORD_BYTES; i++)
		s->bytes[i] = (uint8_t)(value >> 8 * i);
}

uint64_t
broken_memory_random(struct broken_memory *bm, uint64_t limit)
{
	bm->random ^= bm->random << 13;
	bm->random ^= bm->random >> 7;
	bm->random ^= bm->random << 17;
	return bm->random * UINT64_C(0x2545f4914f6cdd1d) % limit;
}
