#include "io/runtime/syncs.h"

enum {
	ENTRY_BYTES = 16,
	ABOUT_BYTES = 256,
	ENTRIES_MIN = 128,     /* the runtime's smallest capacity */
	ENTRIES_MAX = 1 << 26, /* an index has 26 bits */
	ENTRIES_TRIED = 32,
	SLOTS_AFTER = 2,
	HEADER_IS_INDEX = 1 << 27,
	HEADER_IS_HASH = 1 << 26,
};

uint32_t
clr_sync_of_header(uint32_t word)
{
	return word & HEADER_IS_INDEX && !(word & HEADER_IS_HASH) ? word & (ENTRIES_MAX - 1) : 0;
}

/* Reads three words that look like the bookkeeping of a table. */
static bool
read_used(struct memory_reader *r, uint64_t at, uint32_t *used)
{
	uint64_t first, free, all;

	if (!memory_u64(r, at, &first) || !memory_u64(r, at + 8, &free) ||
	    !memory_u64(r, at + 16, &all))
		return false;
	*used = (uint32_t)(first >> 32);
	return all >= ENTRIES_MIN && all <= ENTRIES_MAX && *used && *used <= all &&
	       free / 2 < *used && free % 2 == 0;
}

static bool
find_used(struct memory_reader *r, uint64_t about, uint32_t *used)
{
	for (uint64_t at = 0; at < ABOUT_BYTES; at += 8)
		if (read_used(r, about + at, used))
			return true;
	return false;
}

bool
clr_syncs_at(const struct clr_syncs *s, struct memory_reader *r, uint32_t index,
	     struct clr_sync *out)
{
	uint64_t at = s->table + ENTRY_BYTES * (uint64_t)index;

	if (!memory_u64(r, at, &out->block) || !memory_u64(r, at + 8, &out->object))
		return false;
	if (out->object % 2)
		out->object = 0;
	return true;
}

/* Counts the first entries whose object's header has their index. */
static unsigned
count_good(const struct clr_syncs *s, struct memory_reader *r)
{
	unsigned good = 0, bad = 0;

	for (uint32_t i = 1; i < s->used && i <= ENTRIES_TRIED; i++) {
		struct clr_sync sync;
		uint32_t word;

		if (!clr_syncs_at(s, r, i, &sync))
			return 0;
		if (!sync.object)
			continue;
		if (memory_u32(r, sync.object - 4, &word) && clr_sync_of_header(word) == i)
			good++;
		else
			bad++;
	}
	return good >= bad ? good : 0;
}

/* Takes the table if it proves itself by more entries than the best so far. */
static void
try_slots(struct clr_syncs *out, const struct clr_runtime *rt, uint32_t slot, uint32_t about_slot,
	  unsigned *best)
{
	struct clr_syncs s;
	uint64_t about;
	unsigned good;

	if (!clr_variable(rt, slot, &s.table) || !clr_variable(rt, about_slot, &about) ||
	    !find_used(rt->reader, about, &s.used))
		return;
	good = count_good(&s, rt->reader);
	if (good > *best) {
		*best = good;
		*out = s;
	}
}

bool
clr_syncs_find(struct clr_syncs *out, const struct clr_runtime *rt)
{
	unsigned best = 0;

	for (uint32_t slot = 0; slot < rt->dac_slots_count; slot++)
		for (uint32_t after = 1; after <= SLOTS_AFTER; after++)
			try_slots(out, rt, slot, slot + after, &best);
	return best > 0;
}
