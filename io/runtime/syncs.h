#ifndef IO_RUNTIME_SYNCS_H
#define IO_RUNTIME_SYNCS_H

/*
 * The sync block table: an object with a sync block has its index in its header, and the table's
 * entry refers back to the object. It is the same in .NET 8 to 11:
 *
 *   two slots of g_dacTable            the table, and its bookkeeping in the
 *                                      next slot; since .NET 11 one later
 *   entry, 16 bytes                    0 sync block, 8 object, or an odd number
 *                                      if free; entry 0 is unused
 *   bookkeeping, within 256 bytes      4 u32 entries ever used, 8 u64 twice the
 *                                      index of a free one, 16 u32 capacity,
 *                                      20 u32 0
 */
#include "io/runtime/runtime.h"

struct clr_syncs {
	uint64_t table;
	uint32_t used; /* entries 1 to used - 1 have, or had, an object */
};

/* The index in an object's header (the u32 before the object); 0: none. */
uint32_t clr_sync_of_header(uint32_t word);

/* False: no sync block table was found, or it has no entry in use. */
bool clr_syncs_find(struct clr_syncs *out, const struct clr_runtime *rt) MUST_USE;

struct clr_sync {
	uint64_t block;
	uint64_t object; /* 0: the entry is free */
};
/* Reads the entry at `index`, less than `used`. False: it is absent. */
bool clr_syncs_at(const struct clr_syncs *s, struct memory_reader *r, uint32_t index,
		  struct clr_sync *out) MUST_USE;

#endif
