#ifndef IO_RUNTIME_SYNCS_H
#define IO_RUNTIME_SYNCS_H

/*
 * The table of sync blocks: an object that has one says its index in its
 * header, and the entry leads back to it. The same on .NET 8, 9 and 10:
 *
 *   two neighbours of g_dacTable    the table; what is kept about it
 *   an entry, 16 bytes              0 the block, 8 its object; of a free entry
 *                                   an odd number; entry 0 is none
 *   about it, within 256 bytes      4 u32 how many entries were used ever,
 *                                   8 u64 twice the index of a free one,
 *                                   16 u32 how many there are, 20 u32 0
 */
#include "io/runtime/runtime.h"

struct clr_syncs {
	uint64_t table;
	uint32_t used; /* entries 1 to used - 1 have, or had, an object */
};

/* The index in an object's header, the u32 before it; 0: it has none. */
uint32_t clr_sync_of_header(uint32_t word);

/* False: no table of the runtime is one, or no object has an entry. */
bool clr_syncs_find(struct clr_syncs *out,
		    const struct clr_runtime *rt) MUST_USE;

struct clr_sync {
	uint64_t block;
	uint64_t object; /* 0: the entry is free */
};
/* `index` below `used`. False: the entry is not in memory. */
bool clr_syncs_at(const struct clr_syncs *s, struct memory_reader *r,
		  uint32_t index, struct clr_sync *out) MUST_USE;

#endif
