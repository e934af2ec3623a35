#ifndef IO_RUNTIME_LOADED_H
#define IO_RUNTIME_LOADED_H

/*
 * Lists all modules and types that a runtime has loaded. Most types with static variables have no
 * objects, so the heap does not lead to them. The way goes from the list of assemblies to modules,
 * and from two tables of each module to method tables:
 *
 *   assemblies   u32 count at 0, u64 first block at 8; a block: u64 next at 0,
 *                u32 count at 8, pointers from 16 on. A pointer leads to a
 *                module: at 24 in .NET 8; at 16 of the assembly to which u64
 *                at 0 points in .NET 9 and 10; since 11 it is the assembly
 *   definitions  a map: u64 next at 0, u64 entries at 8, u32 count at 16, u64
 *                flag bits at 24, which are not part of an entry's pointer
 *   instances    a hash table: u64 buckets at 16; word 0 is their number, the
 *                buckets start at word 3; a bucket is a chain of u64 type, u64
 *                next, whose end has bit 0 of next set
 *
 * Costs a few reads a type: some 10 ms for an ordinary program.
 */
#include "io/runtime/runtime.h"
#include "model/base/progress.h"

struct clr_loaded {
	uint64_t *tables; /* method tables, by address, unique */
	size_t count, room;
	uint64_t *modules; /* Module records, in load order */
	size_t modules_count, modules_room;
	/* truncated or repeated tables and chains */
	uint32_t missing_count;
};

/* Absent parts are skipped and counted; false sets `err`: no memory, or cancelled. `progress` may
 * be NULL. */
bool clr_loaded_read(struct clr_loaded *out, const struct clr_runtime *rt,
		     struct progress *progress, struct error *err) MUST_USE;
void clr_loaded_clear(struct clr_loaded *loaded);

#endif
